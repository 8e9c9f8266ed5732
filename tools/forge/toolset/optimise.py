"""A folder with too many tools is regrouped: somebody proposes groups, the files move, imports and indexes follow."""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from labwright.tools.errors import InputError
from labwright.tools.forge.toolset.listing import folders
from labwright.tools.forge.toolset.shelf import Tool, sha256
from labwright.tools.forge.toolset.toolset import Toolset
from labwright.tools.knowledge.embedding import HashingEmbedder

MOST = 10  # tools and folders that one folder may hold
DEEPEST = 4
Groups = Mapping[str, Sequence[str]]  # folder -> names of tools
Check = Callable[[Sequence[Tool]], list[str]]  # tools as they would be -> what is no longer green
_FROM = re.compile(rb"from\s+([\w.]+)\s+import")
Edit = tuple[int, int, bytes]  # bytes of the text from, to, and what stands there instead
_FOLDER = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*")
_LITTLE = frozenset(
    "a an and as at by for from in into is it its of on one or the their to with without over under given between each"
    " all any value values input output list number compute computes calculate function tool returns numpy"
    " scipy".split()
)


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


class Described(Protocol):
    """What a tool is grouped by: a contract, or its summary."""

    @property
    def name(self) -> str:
        """Of the tool."""

    @property
    def purpose(self) -> str:
        """One sentence."""

    @property
    def package(self) -> str:
        """Distribution that does the work."""


def propose_groups(tools: Sequence[Described], most: int = MOST) -> dict[str, list[str]]:
    """Groups by package, words of names and likeness of descriptions; no folder holds more than `most` entries.

    Args:
        tools: of one folder, or of the whole toolset.
        most: entries of a folder.
    """
    if len(tools) <= most:
        return {"": sorted(one.name for one in tools)}
    ordered = sorted(tools, key=lambda one: one.name)
    embedder = HashingEmbedder(512)
    # The name thrice: people name things well. The package once more: tools of one package belong together.
    texts = [f"{_spaced(one)} " * 3 + f"{one.package} {one.name} {one.purpose} {one.package}" for one in ordered]
    vectors = embedder.matrix(texts).astype(float)
    found: dict[str, list[str]] = {}
    _split(ordered, vectors, "", most, found, {one.name for one in ordered})
    return {folder: sorted(names) for folder, names in sorted(found.items())}


def _spaced(tool: Described) -> str:
    return tool.name.replace("_", " ")


def _split(
    tools: list[Described],
    vectors: NDArray[np.float64],
    folder: str,
    most: int,
    found: dict[str, list[str]],
    names: set[str],
) -> None:
    if len(tools) <= most or folder.count("/") >= DEEPEST:
        found.setdefault(folder, []).extend(one.name for one in tools)
        return
    count = min(most, max(2, math.ceil(len(tools) / (0.7 * most))))
    labels = _clustered(vectors, count, most)
    used: set[str] = set()
    for label in sorted(set(labels.tolist()), key=lambda one: (-int((labels == one).sum()), one)):
        inside = [i for i in range(len(tools)) if labels[i] == label]
        word = _word([tools[i] for i in inside], tools, used | names | set(folder.split("/")))
        used.add(word)
        below = f"{folder}/{word}".lstrip("/")
        _split([tools[i] for i in inside], vectors[inside], below, most, found, names)


def _clustered(vectors: NDArray[np.float64], count: int, most: int) -> NDArray[np.int64]:
    """A label for each row; no group of one, and never a single group."""
    labels = np.asarray(KMeans(count, n_init=4, random_state=0).fit_predict(vectors), dtype=np.int64)
    for label, size in Counter(labels.tolist()).items():
        others = [one for one in set(labels.tolist()) if one != label]
        if size == 1 and others:
            centres = np.stack([vectors[labels == one].mean(axis=0) for one in others])
            row = int(np.flatnonzero(labels == label)[0])
            labels[row] = others[int((centres @ vectors[row]).argmax())]
    if len(set(labels.tolist())) < 2:  # tools that nothing tells apart are dealt out in order
        labels = np.arange(len(vectors), dtype=np.int64) * count // len(vectors)
    return labels


def _word(inside: Sequence[Described], among: Sequence[Described], taken: set[str]) -> str:
    """The word that best tells a group from the rest, as a folder's name."""

    def words(tool: Described) -> set[str]:
        text = f"{_spaced(tool)} {tool.purpose} {tool.package}".lower()
        return {word for word in re.findall(r"[a-z][a-z0-9]{2,}", text) if word not in _LITTLE}

    here, everywhere = Counter[str](), Counter[str]()
    for tool in among:
        everywhere.update(words(tool))
    for tool in inside:
        here.update(words(tool))
        here.update(word for word in tool.name.split("_") if word in words(tool))  # names count twice
    scored = {
        word: count * math.log(1 + len(among) / everywhere[word])
        for word, count in here.items()
        if word not in taken and not keyword.iskeyword(word)
    }
    if scored:
        return max(scored, key=lambda word: (scored[word], word))
    return next(f"group_{i}" for i in range(1, len(taken) + 2) if f"group_{i}" not in taken)


def regroup(
    toolset: Toolset, groups: Groups, about: Mapping[str, str] | None = None, check: Check | None = None
) -> list[str]:
    """Move tools into groups; the names of those that moved. All or nothing.

    Sources and tests keep every letter but their imports of tools, records say where a tool was moved to, and all
    indexes are written anew.

    Args:
        toolset: to change.
        groups: folder -> names; tools that are not named stay where they are.
        about: folder -> one line about it, for the indexes.
        check: tells what is no longer green, given all tools as they would be; nothing is written if it names any.

    Raises:
        InputError: a folder or a name is wrong, or `check` names a tool.
    """
    with toolset.held():
        tools = toolset.own()
        places = _places(groups, {one.name for one in tools})
        now = {one.name: replace(one, folder=places.get(one.name, one.folder)) for one in tools}
        moved = [one for one in tools if now[one.name].folder != one.folder]
        moves = {one.module: now[one.name].module for one in moved}
        after = [_moved(one, now[one.name], moves) for one in tools]
        if wrong := check(after) if check is not None and moved else []:
            raise InputError(f"The toolset stays as it was: after the move these are not green: {', '.join(wrong)}.")
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
