"""What an installed package offers, read from its files: modules, public names, signatures, first lines of docstrings.

Nothing is imported. A name is listed under the shortest path that an ``__init__.py`` re-exports it by, since that is
how the package wants to be imported.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from labwright.tools.errors import InputError

FORMAT = 3  # of the stored index
MOST_FILES, MOST_SYMBOLS, LARGEST_FILE = 6000, 30_000, 2_000_000
MOST_SIGNATURE, MOST_LINE, MOST_ABOUT = 240, 140, 400  # characters
_SKIPPED = frozenset(
    ("tests", "test", "testing", "_vendor", "vendor", "examples", "benchmarks", "conftest", "__pycache__")
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A public function or class.

    Attributes:
        path: to import it by, such as ``qutip.mesolve``.
        module: where it is defined.
        kind: ``function`` or ``class``.
        signature: arguments, as they are written.
        line: first line of its docstring.
        methods: public ones of a class.
        about: how its docstring begins, for the search.
    """

    path: str
    module: str
    kind: str
    signature: str
    line: str
    methods: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class PackageIndex:
    """An installed package.

    Attributes:
        package: import name.
        version: of its distribution.
        modules: public module -> first line of its docstring.
        symbols: in order of path.
    """

    package: str
    version: str
    modules: dict[str, str]
    symbols: tuple[Symbol, ...]

    def plain(self) -> dict[str, Any]:
        """JSON-plain."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> PackageIndex:
        """The index of `plain`."""
        symbols = tuple(Symbol(**{**one, "methods": tuple(one["methods"])}) for one in plain["symbols"])
        return cls(plain["package"], plain["version"], plain["modules"], symbols)


@dataclass
class _Module:
    name: str
    is_package: bool
    docstring: str
    defined: dict[str, Symbol] = field(default_factory=dict)
    brought: list[tuple[str, str, str]] = field(default_factory=list)  # (module, name, as); name `*` for all


def version_of(package: str) -> str:
    """Version of the distribution that holds a package; ``unknown`` where nothing says it."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        owners = _owners().get(package, [])
        return importlib.metadata.version(owners[0]) if owners else "unknown"


@cache
def _owners() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())


def read_package(package: str) -> PackageIndex:
    """The index of an installed package.

    Raises:
        InputError: it is not installed, or has no files that can be read.
    """
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    if spec is None:
        raise InputError(_absent(package))
    if spec.submodule_search_locations:
        files = list(_files(Path(next(iter(spec.submodule_search_locations))), package))
    elif spec.origin and spec.origin.endswith(".py"):
        files = [(package, False, Path(spec.origin))]
    else:
        raise InputError(f"The package {package!r} is compiled and has no text to read.")
    modules = {made.name: made for name, is_package, path in files if (made := _read(name, is_package, path))}
    shortest = _exported(modules, package)
    symbols: dict[str, Symbol] = {}
    for module in modules.values():
        for name, symbol in module.defined.items():
            path = shortest.get((module.name, name), symbol.path)
            if _public(path) and path not in symbols and len(symbols) < MOST_SYMBOLS:
                symbols[path] = replace(symbol, path=path)
    listed = {name: one.docstring for name, one in sorted(modules.items()) if _public(name)}
    return PackageIndex(package, version_of(package), listed, tuple(symbols[path] for path in sorted(symbols)))


def _absent(package: str) -> str:
    """Why there is no such package: it may be there under another name."""
    top = package.partition(".")[0]
    if top != package and top.isidentifier() and importlib.util.find_spec(top) is not None:
        return f"{package!r} is a module or nothing: search the package {top!r}, or open the module."
    spelt = re.sub(r"[-_.]+", "-", package).lower()
    names = [
        name for name, owners in _owners().items() if spelt in (re.sub(r"[-_.]+", "-", one).lower() for one in owners)
    ]
    names = sorted(one for one in names if one.isidentifier() and not one.startswith("_"))
    if names:
        return f"The package {package!r} is imported as {' or '.join(map(repr, names))}: ask for that."
    return f"The package {package!r} is not installed."


def _public(path: str) -> bool:
    return not any(part.startswith("_") for part in path.split("."))


def _files(folder: Path, package: str) -> Iterator[tuple[str, bool, Path]]:
    """Module name, whether it is a package, file; a stub stands for a compiled module."""
    count, waiting = 0, [(folder, package)]
    while waiting:
        here, name = waiting.pop()
        seen: set[str] = set()
        for path in sorted(here.iterdir(), key=lambda one: (one.suffix == ".pyi", one.name)):
            stem = path.name.split(".")[0]
            if stem.lower() in _SKIPPED or stem.startswith("test_"):
                continue
            if path.is_dir():
                if (path / "__init__.py").is_file() or (path / "__init__.pyi").is_file():
                    waiting.append((path, f"{name}.{path.name}"))
            elif path.suffix in (".py", ".pyi") and stem not in seen and count < MOST_FILES:
                seen.add(stem)
                count += 1
                is_package = stem == "__init__"
                yield (name if is_package else f"{name}.{stem}"), is_package, path


def _read(name: str, is_package: bool, path: Path) -> _Module | None:
    if path.stat().st_size > LARGEST_FILE:
        return None
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return None  # a template, or text for another Python; the package does without it, too
    made = _Module(name, is_package, first_line(ast.get_docstring(tree)))
    for node in _statements(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            made.defined.setdefault(node.name, _symbol(name, node))
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, name, is_package)
            made.brought += [(source, alias.name, alias.asname or alias.name) for alias in node.names]
    return made


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """At the top, and inside of ``try`` and ``if`` there."""
    for node in body:
        if isinstance(node, ast.Try):
            yield from _statements([*node.body, *(one for handler in node.handlers for one in handler.body)])
        elif isinstance(node, ast.If):
            yield from _statements([*node.body, *node.orelse])
        else:
            yield node


def _absolute(node: ast.ImportFrom, name: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    above = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*above, node.module] if node.module else above)


def _symbol(module: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Symbol:
    docstring = ast.get_docstring(node)
    line, about = first_line(docstring), _cut(" ".join((docstring or "").split()), MOST_ABOUT)
    if isinstance(node, ast.ClassDef):
        inside = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        made = next((one for name in ("__init__", "__new__") for one in inside if one.name == name), None)
        methods = tuple(one.name for one in inside if not one.name.startswith("_"))[:40]
        signature = _signature(made, skip=1) if made else "(...)" if node.bases else "()"
        return Symbol(f"{module}.{node.name}", module, "class", signature, line, methods, about)
    return Symbol(f"{module}.{node.name}", module, "function", _signature(node, skip=0), line, (), about)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, skip: int) -> str:
    text = ast.unparse(node.args)
    if skip:
        text = text.partition(", ")[2]
    gives = f" -> {ast.unparse(node.returns)}" if node.returns is not None and not skip else ""
    return _cut(f"({text}){gives}", MOST_SIGNATURE)


def first_line(docstring: str | None) -> str:
    """Of a docstring: its first line that says something, bounded."""
    lines = (docstring or "").strip().splitlines()
    return _cut(" ".join(lines[0].split()), MOST_LINE) if lines else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _exported(modules: dict[str, _Module], package: str) -> dict[tuple[str, str], str]:
    """Where a symbol is defined -> the shortest public path that leads to it."""
    found: dict[tuple[str, str], str] = {}
    for module in sorted(modules.values(), key=lambda one: one.name.count(".")):
        if not module.is_package or not _public(module.name):
            continue
        for name, home in _names_of(modules, module.name, set()).items():
            path = f"{module.name}.{name}"
            best = found.get(home)
            if best is None or path.count(".") < best.count("."):
                found[home] = path
    return found


def _names_of(modules: dict[str, _Module], name: str, seen: set[str]) -> dict[str, tuple[str, str]]:
    """Public names of a module -> where they are defined."""
    module = modules.get(name)
    if module is None or name in seen:
        return {}
    seen = {*seen, name}
    found = {one: (name, one) for one in module.defined}
    for source, wanted, known in module.brought:
        if wanted == "*":
            found |= {key: home for key, home in _names_of(modules, source, seen).items() if key not in found}
        elif not known.startswith("_"):
            home = _home(modules, source, wanted, seen)
            if home is not None:
                found.setdefault(known, home)
    return found


def _home(modules: dict[str, _Module], source: str, name: str, seen: set[str]) -> tuple[str, str] | None:
    module = modules.get(source)
    if module is None or source in seen:
        return None
    if name in module.defined:
        return source, name
    for further, wanted, known in module.brought:
        if known == name and wanted != "*":
            return _home(modules, further, wanted, {*seen, source})
        if wanted == "*" and (found := _home(modules, further, name, {*seen, source})):
            return found
    return None
