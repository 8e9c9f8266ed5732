"""Distances of a VQE task: every length of the text, lists and ranges, for the molecule that it is told for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.numbers import Numbers, integer, numbers_at
from labwright.agents.tool_forging.readers.language.units import converted, kind, unit_at

_START = re.compile(r"(?<![\w.^{+*/-])(?<!\d )\.?\d")
_LED = re.compile(r"(?:\b(?:from|between|ranging from|over|range of)\s+(?:[Rrd]\s*=\s*)?|[\[{(]\s*)$")
_ROW = re.compile(r"\d+(?:\.\d+)?(?:[ \t]+\d+(?:\.\d+)?){2,}(?!\w|\.\d)")
_BOND = r"distance|bond|length|separation|spacing|apart|stretch|\bR\b|\br\b|\bR_|geometr|dissociat"
_HEAD = r"(?:/|\bin|\(|\[)\s*(angstroms?|Å|bohrs?|a_?0|pm|nm|picomet\w+|nanomet\w+)\s*[\])]?[^.;\n\d]{0,24}$"
_WRONG = re.compile(
    r"\s*(?:electrons?|orbitals?|qubits?|layers?|points?|steps?|m?Ha|milli|kcal|eV|degrees?|%|e\b|o\b|°)", re.I
)


@dataclass(frozen=True, slots=True)
class Length:
    """One or several distances (angstrom) and where they stand; `ends` of a range without a number of points."""

    values: tuple[float, ...]
    start: int
    end: int
    open_range: bool = False


def lengths(account: Account) -> tuple[list[Length], bool]:
    """All of them in the order of the text, and whether a unit had to be assumed."""
    text = account.body.text
    found: list[Length] = []
    assumed = False
    last = 0
    for match in _START.finditer(text):
        if match.start() < last or any(a <= match.start() < b for a, b in account.used):
            continue
        row = _ROW.match(text, match.start())
        lead = _LED.search(text[max(0, match.start() - 40) : match.start()])
        numbers = None if row else _numbers(text, match.start() - (len(lead[0]) if lead else 0), match.start())
        end = row.end() if row else numbers.end if numbers else 0
        if end <= match.start():
            continue
        unit, behind = (numbers.unit, end) if numbers and numbers.unit else unit_at(text, end)
        if unit and kind(unit) != "length":
            last = end
            continue
        if not unit and (letter := re.match(r"\s?A(?![A-Za-z0-9])", text[end:])):
            unit, behind = "angstrom", end + letter.end()
        if not unit:
            unit = _told(text, match.start(), end)
            if not unit and (numbers is not None and _bond(text, match.start(), end)):
                unit, assumed = "angstrom", True
        if not unit or (not numbers and not row):
            continue
        raw = [float(one) for one in row[0].split()] if row else (numbers.values({}) if numbers else [])
        vague = bool(
            re.match(r"\s*or more|\s*at least", text[end:]) or re.search(r"at least", text[match.start() : end])
        )
        ranged = numbers is not None and numbers.kind in ("range", "interval")
        ranged = ranged and (vague or (numbers is not None and not (numbers.points or numbers.step)))
        values = tuple(converted(one, unit, "angstrom") for one in raw)
        if all(0.2 < one < 20 for one in values):
            found.append(Length(values, match.start(), max(end, behind), ranged))
            last = max(end, behind)
    return found, assumed


def _numbers(text: str, led: int, place: int) -> Numbers | None:
    for start in dict.fromkeys((led, place)):
        found = numbers_at(text, start)
        if found is not None and not any(one.names for one in found.items):
            return found
    return None


def _told(text: str, start: int, end: int) -> str:
    """The unit in a heading in front of bare numbers or in brackets behind them: ``R/angstrom: 0.7 1.0``."""
    head = re.search(_HEAD, text[max(0, start - 60) : start], re.I)
    tail = re.match(r"[\s,]*[(\[]?\s*(?:all |each )?(?:in\s+)?([A-Za-zÅ_0]+)", text[end : end + 24])
    for word in (head[1] if head else "", tail[1] if tail else ""):
        unit = unit_at(word, 0)[0] if word else ""
        if unit and kind(unit) == "length":
            return unit
    return ""


def _bond(text: str, start: int, end: int) -> bool:
    """Whether bare numbers are distances by the words in front of them."""
    if _WRONG.match(text, end):
        return False
    clause = re.split(r"[;:\n]|[.]\s", text[max(0, start - 60) : start])[-1]
    return bool(re.search(rf"(?:{_BOND})[^\d]{{0,30}}$", clause, re.I))


def spread(account: Account, length: Length, note: Callable[[str], None]) -> list[float]:
    """The distances of a range whose number of points stands elsewhere or nowhere."""
    if not length.open_range:
        return list(length.values)
    low, high = length.values[0], length.values[-1]
    least = account.find(
        r"(?:at\s+)?(?:least\s+)?(\d+|[a-z]+)\s+(?:or more\s+)?(?:(?:equally|evenly)[- ]spaced |equidistant )?"
        r"(?:different )?(?:bond )?(?:distances|points|geometries|bond lengths|values|lengths|separations)"
        r"(?:\s+or more)?\b"
    )
    asked = integer(least[1]) if least else None
    if asked is None or (least and re.search(r"least|or more", least[0])):
        asked = _round_count(low, high, max(asked or 0, 13))
        note(f"{asked} equally spaced distances are computed between {low:g} and {high:g}.")
    return [low + (high - low) * k / (asked - 1) for k in range(asked)]


def _round_count(low: float, high: float, least: int) -> int:
    """At least so many points, so that their distance is a multiple of 0.05 if possible."""
    for points in range(least, 2 * least):
        steps = (high - low) / (points - 1) / 0.05
        if abs(steps - round(steps)) < 1e-9:
            return points
    return least


def shared(found: Sequence[Length], mentions: Mapping[str, Sequence[int]], text: str) -> dict[str, list[Length]] | None:
    """Which lengths belong to which molecule: each to the one that is named nearest to it in its sentence.

    All belong to all where no molecule or not every molecule has its own. None if some have and others have not.
    """
    if len(mentions) < 2:
        return {name: list(found) for name in mentions}
    own: dict[str, list[Length]] = {name: [] for name in mentions}
    for one in found:
        start = max((m.end() for m in re.finditer(r"\n|[.;]\s", text[: one.start])), default=0)
        stop = re.search(r"\n|[.;]\s", text[one.end :])
        end = one.end + (stop.start() if stop else len(text))
        before = [
            (one.start - at, name) for name, places in mentions.items() for at in places if start <= at < one.start
        ]
        behind = [(at - one.end, name) for name, places in mentions.items() for at in places if one.end <= at < end]
        # "H2 at 0.74 and LiH at 1.6" goes by what stands in front, "0.74 for H2" by what stands behind
        direct = [name for far, name in behind if far < 8]
        name = min(before)[1] if before else direct[0] if direct else ""
        several = len({name for _, name in before}) > 1 and not _alternates(own, before, found)
        if name and not several:
            own[name].append(one)
    if not any(own.values()) or len(found) == 1:
        return {name: list(found) for name in mentions}
    return own if all(own.values()) else ({name: list(found) for name in mentions} if _common(own, found) else None)


def _alternates(own: Mapping[str, list[Length]], before: Sequence[tuple[int, str]], found: Sequence[Length]) -> bool:
    """Whether the molecule in front is followed by its own distance: the others have theirs already."""
    nearest = min(before)[1]
    return all(own[name] for _, name in before if name != nearest)


def _common(own: Mapping[str, list[Length]], found: Sequence[Length]) -> bool:
    """Whether the distances are told for all molecules: no molecule has one that stands right behind its name."""
    return sum(len(rows) for rows in own.values()) < len(found)
