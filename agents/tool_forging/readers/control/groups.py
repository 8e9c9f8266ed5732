"""Operators that are told together: their names in brackets, and ``the same on the second spin``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from labwright.agents.tool_forging.readers.control.spoken_operators import Spoken

_NAME = r"[A-Za-z]\w{0,5}"
_NAMED = re.compile(
    r"[^().;\n]{0,30}?\(\s*"
    r"(?:(?:(?:we|I)\s+)?(?:call(?:ed)?|named?|label(?:led)?|denoted?(?: by)?)\s+(?:(?:them|it|these)\s+)?)?"
    rf"(?P<names>{_NAME}(?:\s*(?:,\s*and\b|,|\band\b)\s*{_NAME})*)\s*\)"
)
_SAME = re.compile(
    r"\b(?:the\s+)?same(?:\s+(?:two|pair|operators?|controls?|ones?))?\s+(?:on|for|at|of)\s+(?:the\s+)?"
    r"(?P<where>other|first|second|third|fourth|(?:qubit|spin|atom|ion)\s*#?(?P<n>\w))\b"
    r"(?:\s+(?:qubit|spin|atom|ion|one)\b)?",
    re.I,
)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_LINKED = re.compile(r"\s*(?:,|and|or|&|,\s*and)\s*")


def grouped(found: Sequence[Spoken], text: str, qubits: int, base: int) -> tuple[list[Spoken], list[tuple[int, int]]]:
    """The operators with the names that brackets give them, and copies for other qubits; and what was read for it.

    Args:
        base: number of the first qubit in the text.
    """
    made: list[Spoken] = []
    read: list[tuple[int, int]] = []
    for group in _groups(found):
        if any(a <= group[0].start < b for a, b in read):
            continue  # names of operators that stood before
        end = group[-1].end
        group, end = _named(group, text, end, read)
        made += group
        same = _SAME.search(text, end, min(len(text), end + 80))
        if same is None or not all(one.bare and one.where for one in group):
            continue
        place = _place(same, group, qubits, base)
        if place is not None:
            read.append(same.span())
            copies = [replace(one, where=(place,), name="", start=same.start(), end=same.end()) for one in group]
            made += _named(copies, text, same.end(), read)[0]
    return made, read


def _groups(found: Sequence[Spoken]) -> list[list[Spoken]]:
    """Operators side by side on the same qubit."""
    made: list[list[Spoken]] = []
    for one in found:
        beside = made and one.bare and one.where and made[-1][-1].where == one.where and _LINKED.fullmatch(one.before)
        if beside:
            made[-1].append(one)
        else:
            made.append([one])
    return made


def _named(group: list[Spoken], text: str, end: int, read: list[tuple[int, int]]) -> tuple[list[Spoken], int]:
    """The group with the names in the brackets behind it, if there are as many."""
    match = _NAMED.match(text, end)
    if match is None or not all(one.bare and one.where for one in group):
        return group, end
    names = re.findall(_NAME, re.sub(r"\band\b", ",", match["names"]))
    if len(names) != len(group):
        return group, end
    read.append((end, match.end()))
    return [replace(one, name=name) for one, name in zip(group, names, strict=True)], match.end()


def _place(same: re.Match[str], group: Sequence[Spoken], qubits: int, base: int) -> int | None:
    """The qubit that the same operators act on, too."""
    word = same["where"].lower()
    if word == "other":
        rest = set(range(qubits)) - set(group[0].where)
        return rest.pop() if len(rest) == 1 else None
    if word in _PLACES:
        return _PLACES[word]
    name = same["n"]
    place = int(name) - base if name.isdigit() else ord(name.upper()) - ord("A")
    return place if 0 <= place < qubits else None
