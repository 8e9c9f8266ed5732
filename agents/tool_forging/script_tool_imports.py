"""Which tools the scripts of a solution import, read from their syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from labwright.agents.tool_forging.solution import is_there
from labwright.tools.errors import InputError
from labwright.tools.workspace.workspace import TOOLS, Workspace


def imported_tools(workspace: Workspace, scripts: Sequence[str]) -> set[str]:
    """Names of the tools that scripts import, themselves, through modules beside them, or through another tool."""
    waiting, seen = list(scripts), set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            tree = ast.parse(workspace.files.text(path))
        except (InputError, SyntaxError, ValueError):
            continue
        here = PurePosixPath(path).parent
        for module in _modules(tree):
            below = module.replace(".", "/") + ".py"
            waiting += [found for found in (below, str(here / below)) if is_there(workspace, found)]
    return {PurePosixPath(path).stem for path in seen if path.startswith(f"{TOOLS}/")}


def _modules(tree: ast.AST) -> Iterator[str]:
    """Dotted names that might be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)
