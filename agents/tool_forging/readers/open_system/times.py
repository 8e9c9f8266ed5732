"""The time grid of a task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, value_of

_POINTS = 501
_RANGE = re.compile(
    r"(?:(?<![\w])t\s*(?:=|in)\s*(?=[\d\[{])|\bfrom\s+(?:t\s*=\s*)?(?=\d)|\btimes?\s*(?:range\s*)?(?:from|:|"
    r"in|=|between)?\s*(?:t\s*=\s*)?(?=[\d\[])|\bt\s+from\s+(?=\d)|\bbetween\s+(?:t\s*=\s*)?(?=\d)|"
    r"\bover\s+t?\s*(?:in)?\s*(?=\[))"
)
_UNTIL = re.compile(
    r"(?:\b(?:up to|until|till|evolve (?:it )?(?:to|for|over)|evolution (?:up )?to|run (?:to|for)|simulate "
    r"(?:for|up to|over|until)|total (?:evolution )?time(?: of)?|for a (?:total )?time(?: of)?|"
    r"final time(?: of)?|duration(?: of)?|over (?:a time of|the first)?|during|for|follow\w*[^.;]{0,60}? "
    r"(?:for|to|up to)|to)\s+(?:(?:t|T|t_max|tmax|t_f)\s*=\s*)?(?:a (?:total )?time (?:of )?)?)(?=[\d(])|"
    r"\b(?:t_?max|t_f|T_?max|t_?end|tfinal|t_final)\s*=\s*|\btotal time\s*(?:T|t)?\s*(?:=|of|:)?\s*(?=\d)"
)
_STEP = re.compile(
    r"(?:time[- ]?steps?|steps?|resolution|sampling)\s*(?:dt)?\s*(?:of|=|size)?\s*(?:dt\s*=\s*)?(?=\d*\.\d)"
)


@dataclass(frozen=True, slots=True)
class Times:
    """A uniform grid in the task's time unit."""

    start: float
    stop: float
    points: int
    assumed: tuple[str, ...] = ()


def times(body: Body, names: Symbols, swept: Sequence[str]) -> Times | Question:
    """The grid; a question where no end is given."""
    text = body.text
    for match in _RANGE.finditer(text):
        found = numbers_at(text, match.end())
        if found and found.kind in ("range", "interval") and len(found.items) == 2:
            ends = value_of(Numbers(found.items, found.unit, found.start, found.end, "list"), "t", names)
            if ends and ends[1] > ends[0]:
                return _grid(body, names, ends[0], ends[1], found)
    for match in _UNTIL.finditer(text):
        found = numbers_at(text, match.end())
        if found is None or re.match(r"\s*(?:qubits?|levels?|points?|steps?|shots?|sites?|%)", text[found.end :]):
            continue
        value = value_of(Numbers(found.items[:1], found.unit, found.start, found.end), "t", names)
        if value and value[0] > 0 and _is_time(text, match, found, names):
            return _grid(body, names, 0.0, value[0], found)
    if "steady_state" in {q for one in body.wanted for q in one.quantities} and not re.search(
        r"time|dynamics|evol", text, re.I
    ):
        return Times(0.0, 1.0, 2)
    return Question(text="Up to which time is the system to be followed?")


def _is_time(text: str, match: re.Match[str], found: Numbers, names: Symbols) -> bool:
    """Whether a number after "to" or "for" is a time: by its unit, by "t =", or by the words before."""
    from labwright.agents.tool_forging.readers.language.units import kind

    if kind(found.unit) == "time" or re.search(
        r"t\w*\s*=\s*$|time|until|up to|evol|follow|run|simulat|duration", match[0]
    ):
        return kind(found.unit) in ("time", "")
    return bool(re.match(r"\s*(?:/|time units?|in units)", text[found.end :])) and not names.time_unit


def _grid(body: Body, names: Symbols, start: float, stop: float, found: Numbers) -> Times:
    if found.points:
        return Times(start, stop, found.points, _steps_said(body, found.points))
    step = found.step
    spoken = _STEP.search(body.text)
    if step is None and spoken:
        numbers = numbers_at(body.text, spoken.end())
        values = value_of(numbers, "t", names) if numbers else None
        step = values[0] if values else None
    if step:
        return Times(start, stop, round((stop - start) / step) + 1)
    points = count(body.plain, r"(?:time )?points|times|samples|values of t")
    steps = count(body.plain, r"(?:time )?steps|time intervals")
    if points and points[0] > 3:
        return Times(start, stop, points[0])
    if steps and steps[0] > 3:
        return Times(start, stop, steps[0] + 1, _steps_said(body, steps[0] + 1))
    return Times(start, stop, _POINTS, (f"The task gives no number of times; {_POINTS} are recorded.",))


def _steps_said(body: Body, points: int) -> tuple[str, ...]:
    if re.search(rf"\b{points - 1}\s+(?:\w+\s+)?steps", body.text.replace(",", "")):
        return (f"{points - 1} time steps are {points} times, the first and the last included.",)
    return ()
