"""Which third-party modules a tool's text imports; nothing of them is run."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from labwright.tools.forge.toolset.tool_source import modules_imported


def preloads(trees: Iterable[ast.Module]) -> list[str]:
    """Third-party modules that some texts import, submodules named in ``from a import b`` among them."""
    found: set[str] = set()
    for tree in trees:
        for module in modules_imported(tree):
            if _third_party(module):
                found.add(module)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level and _third_party(node.module):
                found |= {f"{node.module}.{one.name}" for one in node.names if is_module(f"{node.module}.{one.name}")}
    return sorted(found)


def _third_party(module: str) -> bool:
    top = module.split(".")[0]
    if not top or top in ("tools", "labwright") or top in sys.stdlib_module_names:
        return False
    return importlib.util.find_spec(top) is not None and (module == top or is_module(module))


@cache
def is_module(dotted: str) -> bool:
    """Whether a dotted name is a module of an installed package, by its files; nothing is imported."""
    top, *rest = dotted.split(".")
    if top in ("", "tools", "labwright", "__main__") or top in sys.stdlib_module_names:
        return False
    spec = importlib.util.find_spec(top)
    places = list(spec.submodule_search_locations or []) if spec else []
    if not rest:
        return spec is not None
    for place in places:
        path = Path(place, *rest)
        if (path / "__init__.py").is_file() or path.with_suffix(".py").is_file():
            return True
        if any(path.parent.glob(f"{path.name}.*.so")) or any(path.parent.glob(f"{path.name}.so")):
            return True
    return False
