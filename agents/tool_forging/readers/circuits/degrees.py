"""Degrees as radian and percent as fractions: values, lists, ranges with a step, and units that stand in front."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from labwright.agents.tool_forging.readers.language.traced import Clean, replaced

_NUMBER = r"-?\d+(?:\.\d+)?"
_DEGREES = r"(?:deg(?:rees?)?\b|°)(?! ?[CF]\b)"
_PERCENT = r"(?:%|per ?cent\b|pct\b)(?! confidence)"
_JOIN = r"(?:\s*(?:,\s*(?:and|or)?|;|\band\b|\bor\b|\bto\b|\.\.\.|->|(?<=\d)-(?=\d))\s*|\s+)+"
_EACH = re.compile(_NUMBER)
# "on qubit 1, 60 degrees": the first number is a name
_NAMED = re.compile(r"\b(?:qubits?|q|wires?|bits?|control|target)\s*$", re.I)


def plain_numbers(state: Clean) -> Clean:
    """The text with every angle in radian and every percentage as a fraction."""
    for unit, convert in ((_DEGREES, math.radians), (_PERCENT, _hundredth)):
        for pattern in _patterns(unit):
            state = replaced(state, pattern, _conversion(unit, convert))
    return state


def told_in_degrees(text: str) -> bool:
    """Whether words of the task, as they stand there, give an angle in degrees."""
    return bool(re.search(_DEGREES + r"|\\circ|\\degree", text))


def _hundredth(value: float) -> float:
    return float(f"{value / 100:.15g}")


def _patterns(unit: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Values whose unit stands in front of them, and those whose unit stands behind."""
    values = rf"{_NUMBER}(?:\s*{unit})?(?:{_JOIN}{_NUMBER}(?:\s*{unit})?)*"
    step = (
        rf"(?:,?\s*(?:in|with|by|at|every)?\s*(?:steps?|increments?|intervals?|spacing)\s*(?:of|=|:)?\s*{_NUMBER}"
        rf"(?!\s*{unit})(?![\w%]|\.\d))?"
    )
    before = re.compile(
        rf"(?:[(\[]\s*(?:in\s+)?{unit}\s*[)\]]|\bin\s+{unit}|,\s*{unit})\s*(?:=|:|\bis\b|\bare\b)?\s*(?:from\s+)?"
        rf"(?P<list>{values})(?!\s*{unit})(?P<step>{step})"
    )
    return before, re.compile(rf"(?<![\w.])(?P<list>{values})\s*{unit}(?P<step>{step})")


def _conversion(unit: str, convert: Callable[[float], float]) -> Callable[[re.Match[str]], str]:
    in_front = re.compile(rf"[(\[]\s*(?:in\s+)?{unit}\s*[)\]]|\bin\s+{unit}|,\s*{unit}")
    numbers = re.compile(rf"(?P<number>{_NUMBER})(?:\s*{unit})?")

    def made(match: re.Match[str]) -> str:
        kept = 0
        if _NAMED.search(match.string[max(0, match.start("list") - 12) : match.start("list")]):
            first = re.match(rf"{_NUMBER}{_JOIN}", match["list"])
            if first is None:
                return match[0]
            kept = first.end()
        lead = in_front.sub(" ", match.string[match.start() : match.start("list")]) + match["list"][:kept]
        rest = match["list"][kept:] + match["step"]
        return lead + numbers.sub(lambda one: f"{convert(float(one['number'])):.17g}", rest)

    return made
