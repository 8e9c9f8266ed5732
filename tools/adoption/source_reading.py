"""Foreign measurements found in a Python file by its syntax alone: nothing of it is run."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.tools.adoption.card import OPEN
from labwright.tools.errors import InputError
from labwright.tools.specifications.yaml_files import to_yaml

LARGEST = 500_000  # bytes of one module
UNKNOWN = {"unit": OPEN, "in": "", "smallest": OPEN, "largest": OPEN}
TELLING = ("run", "measure", "acquire", "execute", "start")  # methods that measure, by what frameworks call them
REACHES = frozenset(  # names through which code reaches beyond itself: shown to who accepts it
    "open eval exec compile __import__ os subprocess socket shutil urllib requests ctypes pickle importlib sys".split()
)


@dataclass(frozen=True)
class Foreign:
    """A function or class that may be a measurement.

    Attributes:
        name: in the module.
        style: ``leeq``, ``qcodes`` or ``plain``, by what the module imports.
        line: where it begins.
        doc: its docstring, and that of the method that measures.
        start: of a class: the method that measures.
        finish: of a class: methods that need no argument and store something.
        parameters: name -> default as a plain value; `OPEN` if it has none.
        leaves: what it returns or stores, as paths such as ``return.t1`` and ``self.trace``.
        reaches: names through which the module reaches beyond itself.
    """

    name: str
    style: str
    line: int
    doc: str
    start: str = ""
    finish: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    reaches: tuple[str, ...] = ()


def foreign_in(path: Path) -> list[Foreign]:
    """Every function and class of a module that might measure, in its order.

    Raises:
        InputError: the file cannot be read, is too large, or is no Python.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    if len(content) > LARGEST:
        raise InputError(f"{path} has {len(content)} bytes; at most {LARGEST} are read. Split it.")
    try:
        tree = ast.parse(content, str(path))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is no Python module: {error}.") from error
    imported = imported_by(tree)
    style = "leeq" if "leeq" in imported else "qcodes" if "qcodes" in imported else "plain"
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | imported
    reaches = tuple(sorted(used & REACHES))
    found = [_foreign(node, style, reaches) for node in tree.body]
    return [each for each in found if each is not None]


def imported_by(tree: ast.AST) -> set[str]:
    """The packages that a module imports anywhere."""
    return {name.partition(".")[0] for node in ast.walk(tree) for name in _imported(node)}


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module


def _foreign(node: ast.stmt, style: str, reaches: tuple[str, ...]) -> Foreign | None:
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
        parameters, leaves = _parameters(node.args), tuple(_leaves(node))
        if parameters and leaves:
            doc = ast.get_docstring(node) or ""
            return Foreign(node.name, style, node.lineno, doc, "", (), parameters, leaves, reaches)
    if isinstance(node, ast.ClassDef):
        methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        start = next((name for name in (*TELLING, "__call__") if name in methods), "")
        if start:
            builds = _parameters(methods["__init__"].args, 1) if "__init__" in methods else {}
            others = [
                each
                for name, each in methods.items()
                if name not in (start, "__init__") and not name.startswith("_") and _alone(each)
            ]
            leaves = tuple(dict.fromkeys(path for each in (methods[start], *others) for path in _leaves(each)))
            stores = tuple(each.name for each in others if any(path.startswith("self.") for path in _leaves(each)))
            doc = "\n".join(filter(None, (ast.get_docstring(node), ast.get_docstring(methods[start]))))
            parameters = builds | _parameters(methods[start].args, 1)
            return Foreign(node.name, style, node.lineno, doc, start, stores, parameters, leaves, reaches)
    return None


def _alone(method: ast.FunctionDef) -> bool:
    """Whether it may be called without arguments."""
    return len(method.args.args) - 1 <= len(method.args.defaults) and not method.decorator_list[1:]


def _parameters(given: ast.arguments, skip: int = 0) -> dict[str, Any]:
    every = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(every) - len(given.defaults)), *given.defaults]
    pairs = [*zip(every, defaults, strict=True)][skip:]
    pairs += [*zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return {argument.arg: _literal(default) for argument, default in pairs}


def _literal(node: ast.expr | None) -> Any:
    if node is None:
        return OPEN
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return OPEN
    return value if isinstance(value, int | float | str | bool | None) else OPEN


def _leaves(function: ast.FunctionDef) -> Iterator[str]:
    """Where its results are, as far as the syntax tells."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            yield from (f"return.{key.value!s}" for key in node.value.keys if isinstance(key, ast.Constant))
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            yield from (f"return.{place}" for place in range(len(node.value.elts)))
        elif isinstance(node, ast.Return) and node.value is not None:
            yield "return"
        elif isinstance(node, ast.Assign):
            stored = [each for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Attribute)]
            yield from (f"self.{each.attr}" for each in stored if getattr(each.value, "id", "") == "self")


def draft(path: Path, foreign: Foreign) -> dict[str, Any]:
    """A card with what the syntax tells; `OPEN` stands where only a person or a model can know."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", foreign.name).lower().strip("_")
    card: dict[str, Any] = {
        "adopt": 1,
        "name": name,
        "file": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "object": foreign.name,
        "start": foreign.start,
        "finish": list(foreign.finish),
        "summary": next((line.strip() for line in foreign.doc.splitlines() if len(line.strip()) > 30), OPEN),
        "use": OPEN,
        "asked_for_as": [name.replace("_", " "), OPEN],
        "given": {each: _given(each, default, foreign.style) for each, default in foreign.parameters.items()},
        "results": {"name_it": {"from": foreign.leaves[0] if foreign.leaves else OPEN, "error": "", **UNKNOWN}},
    }
    if foreign.style != "leeq":
        card |= {"knobs": {}, "readings": [], "play": []}
    return card


def _given(name: str, default: Any, style: str) -> dict[str, Any]:
    if style == "leeq" and default == OPEN:
        return {"is": "qubit"}
    if default is None or (isinstance(default, str | bool) and default != OPEN):
        return {"is": "fixed", "value": default}
    if default == OPEN:
        return {"is": OPEN}
    kind = "count" if isinstance(default, int) else "number"
    bounds = {"default": float(default), "smallest": OPEN, "largest": OPEN, "says": OPEN}
    return {"is": kind, **({} if kind == "count" else {"unit": OPEN, "in": ""}), **bounds}


def drafted(path: Path, foreign: Foreign) -> str:
    """`draft` as YAML, headed by what the code returns or stores."""
    seen = ", ".join(foreign.leaves) or "nothing seen"
    return f"# {foreign.style}; what the code returns or stores: {seen}\n{to_yaml(draft(path, foreign))}"
