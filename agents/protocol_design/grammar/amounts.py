"""Numbers of a recipe: single amounts, lists, ranges with steps, ratios, and counts in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from labwright.tools.chemistry.quantities import SPELLINGS, UNITS, canonical_unit

COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "sixteen": 16, "twenty": 20, "twenty-four": 24, "forty-eight": 48, "ninety-six": 96,
}  # fmt: skip
_COUNT = "|".join(sorted(COUNTS, key=len, reverse=True))
# "1,000" is a thousand, "5,10,15" a list: only ",000" continues a number.
NUMBER = r"(?:\d+(?:,000)*(?:\.\d+)?|\.\d+)"
_SPELLED = sorted((name for name in {*UNITS, *SPELLINGS} if name), key=len, reverse=True)
_BASIS = r"(?:\s*\(?(?:v/v|w/w|w/v|wt|vol)\)?)?"
UNIT = rf"(?:(?:wt|vol)[ .-]?%|%{_BASIS}|mol ?%|(?:{'|'.join(map(re.escape, _SPELLED))})(?![A-Za-z]){_BASIS})"
_ONE = rf"{NUMBER}(?:\s?-?{UNIT})?"
_SEP = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+|\s*;\s*)"
_BEFORE = r"(?<![\w.])(?<![A-Za-z]-)"
_RATIO = re.compile(rf"{_BEFORE}{NUMBER}\s?:\s?{NUMBER}(?:{_SEP}{NUMBER}\s?:\s?{NUMBER})*")
_STEPPED = re.compile(
    rf"{_BEFORE}(?:from\s+)?(?P<low>{NUMBER})\s*(?P<lowunit>{UNIT})?\s*(?:to|-|–|through)\s*(?P<high>{NUMBER})\s*"
    rf"(?P<unit>{UNIT})?,?\s+(?:in|with|at)\s+(?:steps|increments|intervals)\s+of\s+(?P<step>{NUMBER})\s*"
    rf"(?P<stepunit>{UNIT})?",
    re.IGNORECASE,
)
_EVEN = re.compile(
    rf"(?:evenly|equally)\s+(?:spaced|distributed)\s+(?:between|from)\s+(?P<low>{NUMBER})\s*(?P<lowunit>{UNIT})?\s*"
    rf"(?:and|to)\s*(?P<high>{NUMBER})\s*(?P<unit>{UNIT})?",
    re.IGNORECASE,
)
# "Diluted by a factor of 5 to 10 mL" states no range.
_SPAN = re.compile(
    rf"{_BEFORE}(?<!factor of )(?<!DF of )(?:from\s+|between\s+)?"
    rf"(?P<low>{NUMBER})\s*(?P<lowunit>{UNIT})?\s*(?:to|-|–)\s*(?P<high>{NUMBER})\s*(?P<unit>{UNIT})",
    re.IGNORECASE,
)
_LIST = re.compile(rf"{_BEFORE}{_ONE}(?:{_SEP}{_ONE})*(?![\w])|{_BEFORE}{NUMBER}\s?%")
# Times in words; "an hour" after a number word is that many.
_SPOKEN = re.compile(r"\b(?:(?P<half>half an)|an|one) hour\b", re.IGNORECASE)
_COUNTED = re.compile(rf"\b(?:{_COUNT})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amounts:
    """One place of the text that states numbers.

    Attributes:
        values: in `unit`, in the order of the text.
        unit: canonical; ``ratio`` for pairs such as 1:3, whose second members are `seconds`.
        basis: of a percentage, where the text says it.
        form: ``list`` (also of one), ``steps``, ``even`` (needs a count), ``range`` (says no levels) or ``ratio``.
    """

    values: tuple[float, ...]
    unit: str
    basis: str
    form: str
    start: int
    end: int
    words: str
    seconds: tuple[float, ...] = ()


def number(text: str) -> float:
    """``"1,000"`` as 1000."""
    return float(text.replace(",", ""))


def unit_of(text: str) -> tuple[str, str]:
    """Canonical unit and basis of a unit as written, such as ``% v/v`` or ``wt%``."""
    bare = text.strip(" -")
    basis = next((found for found in ("v/v", "w/w", "w/v") if found in bare.lower()), "")
    if "%" in bare or "percent" in bare.lower():
        if re.search(r"\bwt|w/w", bare, re.IGNORECASE):
            basis = "w/w"
        return ("mol%", "") if bare.lower().startswith("mol") else ("%", basis or ("v/v" if "vol" in bare else ""))
    bare = re.sub(r"\s*\(?(?:v/v|w/w|w/v|wt|vol)\)?$", "", bare)
    return canonical_unit(bare), basis


def find_amounts(text: str) -> list[Amounts]:
    """Every place of `text` that states numbers, in order, not overlapping. `text` has its chemical names masked."""
    found: list[Amounts] = []
    readers: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Amounts | list[Amounts] | None]]] = [
        (_STEPPED, _stepped),
        (_EVEN, _even),
        (_RATIO, _ratio),
        (_SPAN, _span),
        (_LIST, _listed),
        (_SPOKEN, _spoken),
    ]
    for pattern, make in readers:
        for match in pattern.finditer(text):
            if any(match.start() < old.end and old.start < match.end() for old in found):
                continue
            made = make(match)
            found += made if isinstance(made, list) else [made] if made else []
    return sorted(found, key=lambda item: item.start)


def expand(item: Amounts, count: int | None = None) -> tuple[float, ...]:
    """The levels that `item` means; evenly spaced ones need to know how many."""
    if item.form == "even" and count and count > 1:
        low, high = item.values
        return tuple(round(low + (high - low) * i / (count - 1), 9) for i in range(count))
    return item.values if item.form in ("list", "steps") else ()


def counts(text: str) -> list[tuple[int, int, int]]:
    """Numbers written as words: value, start, end."""
    return [(COUNTS[match.group().lower()], match.start(), match.end()) for match in _COUNTED.finditer(text)]


def _units(match: re.Match[str]) -> tuple[str, str]:
    written = match["unit"] or match["lowunit"] or ""
    return unit_of(written) if written else ("", "")


def _stepped(match: re.Match[str]) -> Amounts | None:
    low, high, step = (number(match[name]) for name in ("low", "high", "step"))
    if step <= 0 or high <= low or (high - low) / step > 1000:
        return None
    n = int((high - low) / step + 1e-9) + 1
    unit, basis = unit_of(match["stepunit"]) if match["stepunit"] and not match["unit"] else _units(match)
    values = tuple(round(low + i * step, 9) for i in range(n))
    return Amounts(values, unit, basis, "steps", match.start(), match.end(), match.group())


def _even(match: re.Match[str]) -> Amounts:
    unit, basis = _units(match)
    ends = (number(match["low"]), number(match["high"]))
    return Amounts(ends, unit, basis, "even", match.start(), match.end(), match.group())


def _span(match: re.Match[str]) -> Amounts | None:
    unit, basis = _units(match)
    ends = (number(match["low"]), number(match["high"]))
    if ends[0] >= ends[1]:
        return None
    return Amounts(ends, unit, basis, "range", match.start(), match.end(), match.group())


def _ratio(match: re.Match[str]) -> Amounts:
    pairs = [pair.split(":") for pair in re.findall(rf"{NUMBER}\s?:\s?{NUMBER}", match.group())]
    firsts, seconds = tuple(number(a.strip()) for a, _ in pairs), tuple(number(b.strip()) for _, b in pairs)
    return Amounts(firsts, "ratio", "", "ratio", match.start(), match.end(), match.group(), seconds)


def _spoken(match: re.Match[str]) -> Amounts:
    hours = 0.5 if match["half"] else 1.0
    return Amounts((hours,), "h", "", "list", match.start(), match.end(), match.group())


def _listed(match: re.Match[str]) -> list[Amounts]:
    """One item a run of equal units: "0.5 mmol, 2 mL" is two."""
    parts = list(re.finditer(rf"({NUMBER})(?:\s?-?({UNIT}))?", match.group()))
    units: list[tuple[str, str] | None] = [unit_of(part[2]) if part[2] else None for part in parts]
    for i in range(len(parts) - 2, -1, -1):
        units[i] = units[i] or units[i + 1]  # "5, 10 and 15 mg": a number takes the unit that comes next
    made: list[Amounts] = []
    for (unit, basis), run in groupby(zip(units, parts, strict=True), key=lambda pair: pair[0] or ("", "")):
        items = [part for _, part in run]
        start, end = match.start() + items[0].start(), match.start() + items[-1].end()
        words = match.string[start:end]
        made.append(Amounts(tuple(number(part[1]) for part in items), unit, basis, "list", start, end, words))
    return made
