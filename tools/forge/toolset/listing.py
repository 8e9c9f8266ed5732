"""What is said of tools to whoever looks for one: a folder's index, and a tool without its body."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from labwright.tools.forge.toolset.stored_tool import Tool
from labwright.tools.forge.toolset.tool_source import ModelRead, ToolRead, camel, read_tool

MOST_LINE = 160  # characters of one line of an index


def index(tools: Sequence[Tool], folder: str = "", words: Mapping[str, str] | None = None) -> str:
    """``INDEX.md`` of one folder: its subfolders with count and one line, and the tools directly in it.

    Args:
        tools: of the whole toolset.
        folder: to index; empty for the root.
        words: folder -> one line about it; without one, the commonest words of its tools' names are given.
    """
    here = [one for one in tools if one.folder == folder]
    below: dict[str, list[Tool]] = {}
    for one in tools:
        part = _first_below(one.folder, folder)
        if part:
            below.setdefault(part, []).append(one)
    lines = [f"# {folder or 'Tools'}", ""]
    if below:
        lines += ["## Folders", ""]
        lines += [_line(f"- {part}/ ({len(found)}): {_about(found, part, words)}") for part, found in below.items()]
        lines.append("")
    if here:
        lines += ["## Tools here", ""]
        lines += [_line(f"- {one.name}: {one.contract.purpose}") for one in sorted(here, key=lambda one: one.name)]
        lines.append("")
    if not below and not here:
        lines += ["Nothing yet.", ""]
    return "\n".join(lines)


def _first_below(folder: str, above: str) -> str:
    """Path of the subfolder of `above` in which `folder` lies; empty if it lies elsewhere or is `above` itself."""
    parts, top = PurePosixPath(folder).parts, PurePosixPath(above).parts
    inside = parts[: len(top)] == top and len(parts) > len(top)
    return "/".join(parts[: len(top) + 1]) if inside else ""


def _about(tools: Sequence[Tool], folder: str, words: Mapping[str, str] | None) -> str:
    if words and words.get(folder):
        return words[folder]
    counted = Counter(word for one in tools for word in set(one.name.split("_")))
    return ", ".join(sorted(counted, key=lambda word: (-counted[word], word))[:6])


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MOST_LINE else flat[: MOST_LINE - 3] + "..."


def describe(tool: Tool) -> str:
    """A tool's contract, how to import and call it, and its fields; not its body."""
    read = read_tool(ast.parse(tool.source))
    given, gives = camel(tool.name) + "Input", camel(tool.name) + "Output"
    contract = tool.contract
    lines = [
        f"## {tool.name}",
        contract.purpose,
        f"`from {tool.module} import {tool.name}, {given}`",
        f"`{tool.name}(given: {given}) -> {gives}`, by {contract.package}: {contract.method}",
    ]
    lines += [f"{title}:\n{_fields(read, name)}" for title, name in (("Input", given), ("Output", gives))]
    nested = [name for name in read.models if name not in (given, gives)]
    lines += [f"{name}:\n{_fields(read, name)}" for name in nested]
    if contract.invariants:
        lines.append("Holds: " + "; ".join(one.rstrip(".") for one in contract.invariants) + ".")
    return "\n".join(lines) + "\n"


def _fields(read: ToolRead, name: str) -> str:
    model: ModelRead | None = read.models.get(name)
    if model is None:
        return "- (not found)"
    fields = [(one, "" if one.default is None else f" = {one.default}") for one in model.fields]
    return "\n".join(f"- {one.name}: {one.type}{default}: {one.description}" for one, default in fields)


def folders(tools: Iterable[Tool]) -> list[str]:
    """Every folder that holds a tool or a folder with one, the root (empty) first."""
    found = {""}
    for one in tools:
        parts = PurePosixPath(one.folder).parts
        found |= {"/".join(parts[: i + 1]) for i in range(len(parts))}
    return sorted(found)
