"""Temperatures of a task about Gibbs states: inverse or not, in units of a coupling or in its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.assignments import Assignment, phrase
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at

GRID = 21  # temperatures between infinity and the asked one
_SAYS = r"\s*(?:=|:|\bin\b|(?:is|are|equals?|of|runs? over|takes? the values?)|(?:should|shall|must|will) be|to be)\s*"
# "beta J in {1, 2}", "T/t = 0.5", "k_B T should be 1 and 2"
_SCALED = re.compile(
    rf"(?<![\w/])(?:(?P<beta>beta)\s*\*?\s*(?P<times>[tJ]\b)?|"
    rf"(?:k_?\{{?B\}}?\s*)?(?P<warm>T)(?:\s*/\s*(?P<over>[tJ]\b))?){_SAYS}"
    r"(?=[-+]?\.?\d|[\[{(]\s*\d|(?:from|between)\s+\d|(?:zero|one|two|half)\b)"
    r"|(?<![\w/])(?:(?P<rising>beta)|(?P<hotter>T))\s*,?\s+(?:(?:is|are|runs?|goes|varied|swept)\s+){0,2}(?=(?:from|"
    r"between)\s+\d)"
)


@dataclass(frozen=True, slots=True)
class Cooling:
    """Where the chain is looked at.

    Attributes:
        betas: rising from 0, those between and those asked for.
        temperatures: that the task names, where it names no inverse ones.
        asked: the inverse temperatures that the task names.
    """

    betas: list[float]
    temperatures: list[float]
    asked: list[float]


def coupling_sets(text: str, sets: Sequence[Assignment]) -> list[Assignment]:
    """The assignments without those of a unit, as ``J = 0.5`` in "beta J = 0.5"."""
    spans = [one.span() for one in _SCALED.finditer(text) if one["times"] or one["over"]]
    return [one for one in sets if not any(a <= one.start < b for a, b in spans)]


def cooling(task: Framed, values: Mapping[str, float]) -> Cooling | Question:
    """All temperatures of the text."""
    told = list(_told(task, values))
    if not told:
        told = list(_spoken(task))
    told = [(inverse, [round(one, 12) for one in row]) for inverse, row in told]
    cold = [one for inverse, row in told for one in row if inverse and one > 0]
    warm = [one for inverse, row in told for one in row if not inverse and one > 0]
    asked = sorted({*cold, *(1 / one for one in warm)})
    if not asked:
        return Question(text="To which inverse temperature beta is the chain cooled?")
    # derivatives by temperature need points that lie close
    points = min(81, max(GRID, round(asked[-1] / 0.1) + 1))
    grid = [asked[-1] * k / (points - 1) for k in range(points)]
    apart = 0.3 * asked[-1] / (points - 1)  # neighbours that nearly coincide spoil derivatives
    kept = [one for one in grid if one == 0 or all(abs(one - value) > apart for value in asked)]
    return Cooling(sorted({*kept, *asked}), list(dict.fromkeys(warm)), sorted({*cold}))


def _told(task: Framed, values: Mapping[str, float]) -> Iterator[tuple[bool, list[float]]]:
    """Whether inverse, and the values: what symbols are set to."""
    for match in _SCALED.finditer(task.text):
        numbers = numbers_at(task.text, match.end())
        if numbers is None or any(item.names for item in numbers.items) or _is_zero(match, numbers):
            continue
        unit = values.get(match["times"] or match["over"] or "", 1.0)
        inverse = bool(match["beta"] or match["rising"])
        task.account.use(match.start(), numbers.end)
        yield inverse, [one / unit if inverse else one * unit for one in numbers.values()]
    for one in task.sets:
        if one.key in {"kBT", "1/T"} and all(not item.names for item in one.numbers.items):
            task.account.use(one.start, one.end)
            yield one.key == "1/T", one.numbers.values()


def _is_zero(match: re.Match[str], numbers: Numbers) -> bool:
    return match["warm"] is not None and numbers.values() == [0.0]


def _spoken(task: Framed) -> Iterator[tuple[bool, list[float]]]:
    for words, inverse in ((r"inverse temperatures?(?: up to)?", True), (r"(?<!inverse )temperatures?", False)):
        spoken = phrase(task.body.plain, words)
        if spoken and all(not item.names for item in spoken[0].items):
            task.account.use(spoken[1], spoken[0].end)
            yield inverse, spoken[0].values()
            return
