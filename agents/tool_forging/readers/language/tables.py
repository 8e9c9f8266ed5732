"""Tables of a task as sentences: ``| T1 | 20 us |`` says "T1: 20 us." and a row of a wider table names its columns."""

from __future__ import annotations

import re
from itertools import pairwise

from labwright.agents.tool_forging.readers.base import Span
from labwright.agents.tool_forging.readers.language.traced import Clean
from labwright.agents.tool_forging.readers.language.units import UNIT

_ROW = re.compile(r"^[ \t]*\|(?P<cells>.*)\|[ \t]*$", re.M)
_RULE = re.compile(r"[\s|:-]+")
_BAR = re.compile(r"(?<!\\)\|(?![01+\-a-z]{1,12}(?:>|⟩|\\rangle))")


def told(text: str) -> Clean:
    """The text with its tables and JSON in words; every character remembers where it stood."""
    pieces: list[str] = []
    origin: list[int] = []
    end = 0
    for start, stop in _tables(text):
        pieces.append(text[end:start])
        origin += range(end, start)
        words, places = _spoken(text, start, stop)
        pieces.append(words)
        origin += places
        end = stop
    pieces.append(text[end:])
    origin += range(end, len(text))
    return Clean("".join(pieces), (*origin, len(text)))


def _tables(text: str) -> list[tuple[int, int]]:
    """Where tables stand: at least two rows of cells, one below the other."""
    rows = [match.span() for match in _ROW.finditer(text) if len(_cells(text, *match.span("cells"))) > 1]
    groups: list[list[Span]] = []
    for row in rows:
        if groups and row[0] - groups[-1][-1][1] <= 1:
            groups[-1].append(row)
        else:
            groups.append([row])
    return [(one[0][0], one[-1][1]) for one in groups if len(one) > 1]


def _cells(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    bars = [start - 1, *(m.start() for m in _BAR.finditer(text, start, stop)), stop]
    return [(a + 1, b) for a, b in pairwise(bars)]


def _spoken(text: str, start: int, stop: int) -> tuple[str, list[int]]:
    if (matrix := _matrix(text, start, stop)) is not None:
        return matrix
    if (
        asked := to_fill_in(text, [_cells(text, *line.span("cells")) for line in _ROW.finditer(text, start, stop)])
    ) is not None:
        words, places = asked
        return "\n" + words, [start, *places]
    head: list[str] = []
    lines = list(_ROW.finditer(text, start, stop))
    ruled = len(lines) > 1 and _RULE.fullmatch(lines[1][0]) is not None
    words, places = "", list[int]()
    open_names: list[str] = []  # of what is to be filled in

    def add(piece: str, at: int | None = None, own: int = 0) -> None:
        nonlocal words
        words += piece
        places.extend(range(at, at + len(piece)) if at is not None else [own] * len(piece))

    for index, line in enumerate(lines):
        cells = _cells(text, *line.span("cells"))
        if _RULE.fullmatch(line[0]):
            continue
        if index == 0 and ruled:
            head = [_plain(text[a:b]) for a, b in cells]
            continue
        for column, (a, b) in enumerate(cells):
            raw = text[a:b].replace("\\|", " |")
            name, unit = _unit_of(head[column]) if column < len(head) and (column or len(cells) > 2) else ("", "")
            lead = len(raw) - len(raw.lstrip())
            if not raw.strip():
                continue
            if column and _OPEN.fullmatch(raw):
                open_names.append(
                    head[column] if len(cells) > 2 and column < len(head) else _plain(text[slice(*cells[0])])
                )
                continue
            if column == 0 and head and re.fullmatch(r"\d" if len(cells) == 2 else r"[\dA-Za-z]", raw.strip()):
                add(f"{head[0]} ", own=a)
            if column == 1 and len(cells) == 2:
                add(": ", own=a)
            elif column and column < len(head):
                add(
                    f"{'; ' if column > 1 else ': '}{name} {'= ' if re.fullmatch(r'[^ ]{1,12}', name) else ': '}", own=a
                )
            elif column:
                add(", ", own=a)
            add(raw.strip().replace("\n", " "), at=a + lead)
            if unit and re.fullmatch(r"[-+−]?[\d.,eE+-]+", raw.strip()):
                add(f" {unit}", own=a)
        add(".\n", own=line.end() - 1)
    if open_names:
        add(f"Wanted: {', '.join(dict.fromkeys(open_names))}.", own=start)
        add("\n", own=stop - 1)
    return "\n" + words, [start, *places]


_BLANK = re.compile(r"\s*(?:\?+|\.{2,3}|\u2026|tbd|_+)?\s*", re.I)
_OPEN = re.compile(r"\s*(?:\?+|\.{2,3}|\u2026|tbd|_+)\s*", re.I)
_VALUE = re.compile(r"\s*\$?[-+\u2212]?\d[\d.]*(?:e[-+]?\d+)?\s*(?P<unit>[A-Za-z/\d^-]*)\$?\s*", re.I)


def to_fill_in(text: str, rows: list[list[Span]]) -> tuple[str, list[int]] | None:
    """A table of values whose results are to be filled in, as the values and what is wanted; None for other tables.

    The values stand in its first line and the results' names in its first column, or the other way round.
    """
    rows = [row for row in rows if not all(_RULE.fullmatch(text[a:b]) or a == b for a, b in row)]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    inner = [cell for row in rows[1:] for cell in row[1:]]
    if not all(_BLANK.fullmatch(text[a:b]) for a, b in inner) or not text[slice(*rows[0][0])].strip():
        return None
    top, side = rows[0][1:], [row[0] for row in rows[1:]]
    if all(_VALUE.fullmatch(text[a:b]) for a, b in top) and not any(_VALUE.fullmatch(text[a:b]) for a, b in side):
        values, names = top, side
    elif all(_VALUE.fullmatch(text[a:b]) for a, b in side):
        values, names = side, top
    else:
        return None
    if not all(text[a:b].strip() for a, b in names):
        return None
    return _value_line(text, rows[0][0], values, names)


def _value_line(text: str, corner: Span, values: list[Span], names: list[Span]) -> tuple[str, list[int]]:
    name, unit = _unit_of(_plain(text[slice(*corner)]))
    words, places = f"{name} = ", [corner[0]] * (len(name) + 3)
    for k, (a, b) in enumerate(values):
        piece, between = text[a:b].strip(), ", " if k + 1 < len(values) else f" {unit}.\n" if unit else ".\n"
        at = a + len(text[a:b]) - len(text[a:b].lstrip())
        words += piece + between
        places += [*range(at, at + len(piece)), *[b] * len(between)]
    wanted = f"Wanted: {', '.join(text[a:b].strip() for a, b in names)} for each {name}."
    # what is wanted stands for the whole table
    return words + wanted + "\n", [*places, *[corner[0]] * len(wanted), max(b for _, b in (*values, *names))]


def _matrix(text: str, start: int, stop: int) -> tuple[str, list[int]] | None:
    """A square table of numbers with names at both edges, as a nested list; None for other tables."""
    lines = [match for match in _ROW.finditer(text, start, stop) if not _RULE.fullmatch(match[0])]
    rows = [_cells(text, *line.span("cells"))[1:] for line in lines[1:]]
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        return None
    heads = [_plain(text[a:b]) for a, b in _cells(text, *lines[0].span("cells"))[1:]]
    sides = [_plain(text[slice(*_cells(text, *line.span("cells"))[0])]) for line in lines[1:]]
    if heads != sides and any(len(head) > 3 for head in heads):
        return None  # columns of different quantities
    cells = [[text[a:b].replace("−", "-").strip() for a, b in row] for row in rows]
    if not all(re.fullmatch(r"[-+]?\d+(?:\.\d+)?", cell) for row in cells for cell in row):
        return None
    words = "\n[" + ", ".join(f"[{', '.join(row)}]" for row in cells) + "]\n"
    return words, [start] * (len(words) - 1) + [stop - 1]


def _unit_of(head: str) -> tuple[str, str]:
    """A column's name and its unit: ``energy (cm^-1)`` is (energy, cm^-1)."""
    found = re.fullmatch(rf"(?P<name>.*?)\s*[(\[/]\s*(?:in )?(?P<unit>{UNIT}|cm\^?\{{?[-−⁻]\}}?1|cm⁻¹)\s*[)\]]?", head)
    return (found["name"], found["unit"]) if found else (head, "")


def _plain(cell: str) -> str:
    return cell.replace("\\|", "|").strip(" `*")
