"""Matrices in a task's text: LaTeX ``pmatrix``, nested lists, or rows of ``a & b``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.clean import Clean
from labwright.agents.tool_forging.readers.language.scalars import scalar_at

_LATEX = re.compile(r"\\begin\{(?P<kind>[pbv]?matrix|array)\}(?:\{[^}]*\})?(?P<body>.*?)\\end\{(?P=kind)\}", re.S)
_NESTED = re.compile(r"\[\s*\[[^\[\]]*\](?:\s*,?\s*\[[^\[\]]*\])*\s*,?\s*\]", re.S)
_ROWS = re.compile(r"\((?P<body>[^()]*&[^()]*\\\\[^()]*)\)", re.S)
_TURNED = re.compile(r"(?P<sign>[+-]?)(?:(?P<front>[^ij+]*[\d)])\*?)?[ij](?P<behind>[*/][^ij+-]+)?")  # i/sqrt(2)
_ENTRY = re.compile(r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*[ij]?|[+-]?\s*[ij]")


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of the text.

    Attributes:
        rows: complex entries, one inner tuple a row.
        name: symbol in front of it with an equals sign, such as ``H``; empty if there is none.
        start: offset in the cleaned text, the name included.
        end: behind it.
    """

    rows: tuple[tuple[complex, ...], ...]
    name: str
    start: int
    end: int


def matrices(task: Clean | str, names: Mapping[str, float] | None = None) -> list[Matrix]:
    """Every matrix of the text, in order. What is not rectangular or has an entry without a value is left out.

    Args:
        names: values of symbols that entries may hold, by key.
    """
    text = task if isinstance(task, str) else task.text
    known = names or {}
    found = [_made(text, m, re.split(r"\\\\", m["body"]), "&", known) for m in _LATEX.finditer(text)]
    found += [_made(text, m, re.findall(r"\[([^\[\]]*)\]", m[0]), ",", known) for m in _NESTED.finditer(text)]
    found += [_made(text, m, re.split(r"\\\\", m["body"]), "&", known) for m in _ROWS.finditer(text)]
    return sorted((one for one in found if one is not None), key=lambda one: one.start)


def _made(text: str, match: re.Match[str], lines: list[str], between: str, names: Mapping[str, float]) -> Matrix | None:
    rows = [[_entry(cell, names) for cell in line.split(between)] for line in lines if line.strip()]
    if not rows or len({len(row) for row in rows}) != 1 or any(cell is None for row in rows for cell in row):
        return None
    before = re.search(r"([A-Za-z]\w*(?:_\{[^}]*\})?)\s*=\s*(?:[A-Za-z]\s*=\s*)?$", text[: match.start()])
    full = tuple(tuple(complex(cell) for cell in row if cell is not None) for row in rows)
    return Matrix(full, before[1] if before else "", before.start() if before else match.start(), match.end())


def _entry(cell: str, names: Mapping[str, float]) -> complex | None:
    plain = cell.strip().strip("{}").replace(" ", "").replace("\\", "")
    parts = _ENTRY.findall(plain)
    if not parts or "".join(parts).replace(" ", "") != plain:
        turned = _TURNED.fullmatch(plain)
        if turned:
            size = _entry(f"{turned['sign']}{turned['front'] or '1'}{turned['behind'] or ''}", names)
            return None if size is None else 1j * size
        item = scalar_at(cell.strip(), 0, names)
        value = item.value_or_none(names) if item and item.end == len(cell.strip()) else None
        return None if value is None else complex(value)
    total = 0j
    for part in parts:
        imaginary = part[-1] in "ij"
        digits = part.rstrip("ij").replace(" ", "")
        size = float(digits) if digits not in {"", "+", "-"} else float(f"{digits}1")
        total += 1j * size if imaginary else size
    return total
