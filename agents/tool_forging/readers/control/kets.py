"""States of a text as sums of kets with coefficients: ``(|01> - i |10>)/sqrt(2)``, ``0.6|0> + 0.8|1>``."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_ROOT = r"sqrt\s*\(?\s*\d+(?:\.\d+)?(?:\s*/\s*\d+)?\s*\)?"
_NUMBER = rf"(?:{_ROOT}|\d+(?:\.\d+)?|\.\d+)"
_FACTOR = rf"(?:(?:{_NUMBER}(?:\s*/\s*{_NUMBER})?\s*\*?\s*)?(?:(?<![A-Za-z])i\s*\*?\s*)?)"
_KET = r"\|\s*(?:[^|<>\s]{1,6})\s*>(?!\s*<)"
_STATE = re.compile(
    rf"(?P<front>(?<![\w.])1\s*/\s*{_NUMBER}\s*\*?\s*(?=\())?\(?\s*(?P<sum>-?\s*(?<![\w.]){_FACTOR}{_KET}"
    rf"(?:\s*[+-]\s*{_FACTOR}{_KET})*)(?P<behind>\s*\)?\s*/\s*\(?\s*{_NUMBER}\s*\)?)?"
)
_PART = re.compile(rf"(?P<sign>[+-])?\s*(?P<factor>{_FACTOR})\|\s*(?P<name>[^|<>\s]{{1,6}})\s*>")


@dataclass(frozen=True, slots=True)
class Kets:
    """A state, not normalised.

    Attributes:
        parts: name of a basis state -> its amplitude.
        start: of the words in the text.
        end: behind them.
        text: the words.
    """

    parts: dict[str, complex]
    start: int
    end: int
    text: str


def states(text: str, levels: Collection[str]) -> list[Kets]:
    """Every sum of kets of these levels, in order; parts of operators and of overlaps are none."""
    found: list[Kets] = []
    for match in _STATE.finditer(text):
        parts: dict[str, complex] = {}
        for part in _PART.finditer(match["sum"]):
            sign = -1 if part["sign"] == "-" else 1
            parts[part["name"]] = parts.get(part["name"], 0) + sign * _amplitude(part["factor"])
        if parts.keys() <= set(levels) and not re.search(r"<[^|<>]{0,12}$", text[: match.start("sum")]):
            words = text[match.start() : match.end()].strip()
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            found.append(Kets(parts, start, start + len(words), words))
    return found


def is_whole(text: str, kets: Kets) -> bool:
    """Whether nothing beside a state looks like a further part of it that was not understood."""
    more = re.match(r"\s*[+-](?!>)(?:[^|.;,\n]|\.\d){0,24}\|[^|<>\s]{1,6}>(?!\s*<)", text[kets.end :])
    return not more and not re.search(r"(?:[)}*]|\d|\|\s*[+-])$", text[: kets.start].rstrip(" "))


def named_levels(text: str, levels: Collection[str]) -> list[Kets]:
    """Levels that a text calls by name without a ket: ``level 2``."""
    found = re.finditer(r"\b(?:level|state)\s+(?P<name>\w{1,6})\b(?!\s*[>|])", text, re.I)
    return [Kets({one["name"]: 1.0}, *one.span(), f"|{one['name']}>") for one in found if one["name"] in levels]


def _amplitude(factor: str) -> complex:
    """``i``, ``0.6``, ``sqrt(1/3) i``; one where nothing stands."""
    turned = bool(re.search(r"(?<![A-Za-z])i(?![A-Za-z])", factor))
    value = 1.0
    for k, number in enumerate(re.finditer(_NUMBER, factor)):
        plain = re.sub(r"sqrt|[\s()]", "", number[0])
        top, _, below = plain.partition("/")
        size = float(top) / (float(below) if below else 1.0)
        size = size**0.5 if "sqrt" in number[0] else size
        value = value / size if k else size
    return value * (1j if turned else 1.0)
