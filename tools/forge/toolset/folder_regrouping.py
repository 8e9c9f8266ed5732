"""A folder with too many tools is regrouped: somebody proposes groups, the files move, imports and indexes follow."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath

from labwright.tools.errors import InputError
from labwright.tools.forge.toolset.listing import folders
from labwright.tools.forge.toolset.stored_tool import Tool, sha256
from labwright.tools.forge.toolset.toolset import Toolset

MOST = 10  # tools and folders that one folder may hold
Groups = Mapping[str, Sequence[str]]  # folder -> names of tools
_FROM = re.compile(rb"from\s+([\w.]+)\s+import")
Edit = tuple[int, int, bytes]  # bytes of the text from, to, and what stands there instead
_FOLDER = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*")


def crowded(tools: Sequence[Tool], most: int = MOST) -> list[str]:
    """Folders that hold more than `most` tools and folders directly."""
    found = []
    every = folders(tools)
    for folder in every:
        here = sum(one.folder == folder for one in tools)
        below = sum(one != "" and _parent(one) == folder for one in every)
        if here + below > most:
            found.append(folder)
    return found


def _parent(folder: str) -> str:
    parent = str(PurePosixPath(folder).parent)
    return "" if parent == "." else parent


def propose_groups(packages: Mapping[str, str], most: int = MOST) -> dict[str, list[str]]:
    """Folder -> tools, by package, then by the first words of names; no folder holds more than `most` entries.

    Args:
        packages: tool -> distribution that does its work.
        most: entries of a folder.
    """
    found: dict[str, list[str]] = {}
    _split(sorted(packages, key=lambda name: (packages[name], name)), packages, "", most, found)
    return dict(sorted(found.items()))


def _split(names: list[str], packages: Mapping[str, str], folder: str, most: int, found: dict[str, list[str]]) -> None:
    if len(names) <= most:
        found[folder] = sorted(names)
        return
    by_package = {packages[name]: [one for one in names if packages[one] == packages[name]] for name in names}
    if 1 < len(by_package) <= most:
        parts = {f"with_{re.sub(r'[^a-z0-9]+', '_', one.lower())}": inside for one, inside in by_package.items()}
    else:
        size = most
        while size * most < len(names):
            size *= most
        chunks: list[list[str]] = []
        for _, together in groupby(names, key=lambda name: name.split("_")[0]):
            same = list(together)
            if chunks and len(chunks[-1]) + len(same) <= size:
                chunks[-1] += same
            else:
                chunks.append(same)
        if not 1 < len(chunks) <= most:
            chunks = [names[begin : begin + size] for begin in range(0, len(names), size)]
        first = [one[0].split("_")[0] for one in chunks]
        paired = enumerate(zip(first, chunks, strict=True), 1)
        parts = {f"{word}_and_on_{number}": one for number, (word, one) in paired}
    for word, inside in parts.items():
        _split(inside, packages, f"{folder}/{word.strip('_')}".lstrip("/"), most, found)


def regroup(toolset: Toolset, groups: Groups, about: Mapping[str, str] | None = None) -> list[str]:
    """Move tools into groups; the names of those that moved. All or nothing.

    Sources and tests keep every letter but their imports of tools, records say where a tool was moved to, and all
    indexes are written anew.

    Args:
        toolset: to change.
        groups: folder -> names; tools that are not named stay where they are.
        about: folder -> one line about it, for the indexes.

    Raises:
        InputError: a folder or a name is wrong.
    """
    with toolset.held():
        tools = toolset.own()
        places = _places(groups, {one.name for one in tools})
        now = {one.name: replace(one, folder=places.get(one.name, one.folder)) for one in tools}
        moved = [one for one in tools if now[one.name].folder != one.folder]
        moves = {one.module: now[one.name].module for one in moved}
        after = [_moved(one, now[one.name], moves) for one in tools]
        changes: dict[str, bytes | None] = {one.path: None for one in moved}
        for before, one in zip(tools, after, strict=True):
            if one != before:
                changes |= one.files
        toolset.change(changes, after, about)
    return [one.name for one in moved]


def _places(groups: Groups, names: set[str]) -> dict[str, str]:
    places: dict[str, str] = {}
    for folder, group in groups.items():
        if folder and (not _FOLDER.fullmatch(folder) or any(map(keyword.iskeyword, folder.split("/")))):
            raise InputError(f"The folder {folder!r} must be words of small letters, digits and _, joined by /.")
        if clash := set(folder.split("/")) & names:
            raise InputError(f"The folder {folder!r} is named as the tool {', '.join(sorted(clash))}. Choose another.")
        for name in group:
            if name not in names:
                raise InputError(f"The toolset has no tool {name!r}.")
            if places.setdefault(name, folder) != folder:
                raise InputError(f"The tool {name!r} is in two groups, {places[name]} and {folder}.")
    return places


def _moved(before: Tool, now: Tool, moves: Mapping[str, str]) -> Tool:
    """The tool in its new place, with the imports of whatever moved."""
    source, tests = (rewrite_imports(text, moves) for text in (before.source, before.tests))
    if source == before.source and tests == before.tests and now.folder == before.folder:
        return before
    ast.parse(source), ast.parse(tests)  # a move that breaks a text is a mistake of ours: nothing is written then
    trail = [*before.record.moved, now.folder] if now.folder != before.folder else before.record.moved
    changed = {"source_sha256": sha256(source.encode()), "tests_sha256": sha256(tests.encode()), "moved": trail}
    return replace(now, source=source, tests=tests, record=before.record.model_copy(update=changed))


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
