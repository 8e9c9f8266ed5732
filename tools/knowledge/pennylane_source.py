"""PennyLane's operations as its installed source states them, read without importing it.

Importing PennyLane takes three seconds and runs its code; reading the syntax trees of its source takes less than one,
runs nothing, and gives the very signatures that an import would (a test compares all of them).
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any

PLACES = ("operation.py", "resource", "ops", "templates")  # where PennyLane defines its operations and their ancestors
ROOT = "Operator"  # every operation descends from it


@dataclass(frozen=True, slots=True)
class Operation:
    """One PennyLane operation.

    Attributes:
        name: as in ``qml.<name>``.
        module: that defines it.
        arguments: its constructor's, without ``self``: (name, kind, default as source text or None).
        wires: on how many it acts; None if on any number.
        parameters: how many numbers it takes; None if the source does not say.
        doc: its docstring as plain text.
    """

    name: str
    module: str
    arguments: tuple[tuple[str, str, str | None], ...]
    wires: int | None
    parameters: int | None
    doc: str

    @property
    def signature(self) -> inspect.Signature:
        """Names, kinds and defaults of the arguments; a default that is no literal stands as its source text."""
        return inspect.Signature(
            [
                inspect.Parameter(
                    name,
                    inspect._ParameterKind[kind],
                    default=inspect.Parameter.empty if default is None else _value(default),
                )
                for name, kind, default in self.arguments
            ]
        )

    @property
    def summary(self) -> str:
        """What the docstring says before its formulas, code and arguments."""
        return re.split(r"Formula:|\*\*Details|^Args:|^\.\. ", self.doc, maxsplit=1, flags=re.MULTILINE)[0].strip()

    @property
    def call(self) -> str:
        """How to call it, such as ``qml.CRX(phi, wires=[0, 1])``."""
        numbers = [
            name for name, kind, default in self.arguments
            if name != "wires" and default is None and not kind.startswith("VAR")
        ]  # fmt: skip
        wires = {1: "0", None: "[0, 1, ...]"}.get(self.wires, f"{list(range(self.wires or 0))}")
        with_wires = [f"wires={wires}"] if any(name == "wires" for name, _, _ in self.arguments) else []
        return f"qml.{self.name}({', '.join([*numbers, *with_wires])})"


def pennylane_version() -> str:
    """The installed version."""
    return metadata.version("pennylane")


def read_operations() -> dict[str, Operation]:
    """All public operations by name, aliases such as ``H`` among them."""
    found = util.find_spec("pennylane")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("pennylane is not installed: pip install pennylane")
    return operations_in(Path(found.origin).parent)


def operations_in(folder: Path) -> dict[str, Operation]:
    """The operations that the source in `folder` defines and offers under the package's own name.

    Args:
        folder: of the package ``pennylane``.
    """
    source = _Source()
    for path in _files(folder):
        source.read(path, ".".join(("pennylane", *path.relative_to(folder).with_suffix("").parts)))
    kept = {name: source.operation(name) for name in source.offered & set(source.classes) if source.is_operation(name)}
    kept |= {alias: kept[name] for alias, name in source.aliases.items() if name in kept and alias not in kept}
    return dict(sorted(kept.items()))


@dataclass(slots=True)
class _Source:
    """What the syntax trees hold: classes with their modules, second names, and names that a star import brings."""

    classes: dict[str, tuple[ast.ClassDef, str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)

    def read(self, path: Path, module: str) -> None:
        """Take in one file."""
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, (node, module))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                self.aliases.update(dict.fromkeys(_targets(node), node.value.id))
            self.offered.update(_offered(node, path))

    def lineage(self, name: str) -> Iterator[ast.ClassDef]:
        """The class and its ancestors, depth first, as far as the source holds them."""
        if name in self.classes:
            node = self.classes[name][0]
            yield node
            for base in node.bases:
                parent = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                if parent != name:
                    yield from self.lineage(parent)

    def is_operation(self, name: str) -> bool:
        """Whether the class is public and descends from PennyLane's `Operator`."""
        return not name.startswith("_") and any(node.name == ROOT for node in self.lineage(name))

    def operation(self, name: str) -> Operation:
        """The class as an operation."""
        node, module = self.classes[name]
        return Operation(
            name=name,
            module=module,
            arguments=next((_arguments(made) for each in self.lineage(name) if (made := _constructor(each))), ()),
            wires=self._number(name, "num_wires"),
            parameters=self._number(name, "num_params"),
            doc=plain_text(ast.get_docstring(node) or ""),
        )

    def _number(self, name: str, attribute: str) -> int | None:
        """The nearest statement about the attribute in the lineage; None unless it is a whole number."""
        for node in self.lineage(name):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == attribute:
                    return None
                if attribute in _targets(each):
                    value = each.value if isinstance(each, ast.Assign | ast.AnnAssign) else None
                    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, int) else None
        return None


def plain_text(doc: str) -> str:
    """A reStructuredText docstring as text: roles lose their marks, mathematics stands between dollar signs."""
    text = re.sub(r":math:`([^`]*)`", r"$\1$", doc)
    text = re.sub(r":[a-z:]+:`~?\.?(?:[^`<]*<)?([^`>]*)>?`", r"\1", text)
    text = re.sub(r"^\.\. (?:seealso|note|warning|details)::\s*$", "", text, flags=re.MULTILINE)
    text = text.replace(".. math::", "Formula:").replace("``", "`")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _files(folder: Path) -> Iterator[Path]:
    for place in PLACES:
        yield from [folder / place] if place.endswith(".py") else sorted((folder / place).rglob("*.py"))


def _offered(node: ast.stmt, path: Path) -> set[str]:
    """Names that ``import pennylane`` brings from here: operations are listed by name, templates are imported."""
    folder = path.parent
    if path.stem == "core":  # what templates are made of
        return set()
    if isinstance(node, ast.ImportFrom) and path.name == "__init__.py" and folder.parent.name == "templates":
        return {each.asname or each.name for each in node.names}
    if isinstance(node, ast.Assign) and any(name.startswith("__") or name.endswith("_ops") for name in _targets(node)):
        constants = (each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant))
        return {value for value in constants if isinstance(value, str)}
    return set()


def _targets(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {node.target.id} if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else set()


def _constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)


def _arguments(node: ast.FunctionDef) -> tuple[tuple[str, str, str | None], ...]:
    stated = node.args
    positional = [*stated.posonlyargs, *stated.args]
    defaults: list[ast.expr | None] = [*[None] * (len(positional) - len(stated.defaults)), *stated.defaults]
    found: list[tuple[str, str, str | None]] = []
    for i, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        kind = "POSITIONAL_ONLY" if i < len(stated.posonlyargs) else "POSITIONAL_OR_KEYWORD"
        found.append((argument.arg, kind, ast.unparse(default) if default else None))
    if stated.vararg:
        found.append((stated.vararg.arg, "VAR_POSITIONAL", None))
    for argument, default in zip(stated.kwonlyargs, stated.kw_defaults, strict=True):
        found.append((argument.arg, "KEYWORD_ONLY", ast.unparse(default) if default else None))
    if stated.kwarg:
        found.append((stated.kwarg.arg, "VAR_KEYWORD", None))
    return tuple(found[1:])


def _value(default: str) -> Any:
    try:
        return ast.literal_eval(default)
    except ValueError:
        return default
