"""Imports of tools follow when tools move: texts change where the syntax tree says, and nowhere else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

_FROM = re.compile(rb"from\s+([\w.]+)\s+import")
Edit = tuple[int, int, bytes]  # bytes of the text from, to, and what stands there instead


def rewrite_imports(text: str, moves: Mapping[str, str]) -> str:
    """`text` with modules renamed.

    Args:
        text: Python that parses.
        moves: dotted module -> its new dotted name, such as ``tools.fidelity`` -> ``tools.states.fidelity``.
    """
    data = text.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    edits = sorted(_edits(ast.parse(text), data, starts, moves))
    for begin, end, put in reversed(edits):
        data = data[:begin] + put + data[end:]
    return data.decode()


def _edits(tree: ast.Module, data: bytes, starts: list[int], moves: Mapping[str, str]) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom | ast.Import | ast.Attribute):
            continue
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from _from(node, data, begin, end, moves)
        elif isinstance(node, ast.Import) and any(alias.name in moves for alias in node.names):
            names = [ast.alias(moves.get(alias.name, alias.name), alias.asname) for alias in node.names]
            yield begin, end, ast.unparse(ast.Import(names)).encode()
        elif isinstance(node, ast.Attribute) and (new := moves.get(ast.unparse(node))):
            yield begin, end, new.encode()


def _from(node: ast.ImportFrom, data: bytes, begin: int, end: int, moves: Mapping[str, str]) -> Iterator[Edit]:
    module = node.module or ""
    if module in moves:
        found = _FROM.match(data, begin)
        if found is not None:
            yield found.start(1), found.end(1), moves[module].encode()
        return
    moved = {alias.name: moves[f"{module}.{alias.name}"] for alias in node.names if f"{module}.{alias.name}" in moves}
    if not moved:
        return
    lines = []
    kept = [alias for alias in node.names if alias.name not in moved]
    if kept:
        lines.append(ast.unparse(ast.ImportFrom(module, kept, 0)))
    for alias in node.names:
        if alias.name in moved:
            lines.append(ast.unparse(ast.ImportFrom(moved[alias.name].rpartition(".")[0], [alias], 0)))
    indent = b"\n" + b" " * node.col_offset
    yield begin, end, indent.join(line.encode() for line in lines)
