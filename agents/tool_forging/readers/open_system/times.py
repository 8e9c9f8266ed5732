"""The time grid of a task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.timegrid import TimeGrid, time_grid
from labwright.agents.tool_forging.readers.language.units import converted
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols

_POINTS = 501


@dataclass(frozen=True, slots=True)
class Times:
    """A uniform grid in the task's time unit."""

    start: float
    stop: float
    points: int
    assumed: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


def times(body: Body, names: Symbols, swept: Sequence[str]) -> Times | Question:
    """The grid; a question where no end is given."""
    found = time_grid(body.text, bool(names.time_unit), names.constants, names.single())
    if found is not None:
        return _grid(found, names)
    if "steady_state" in {q for one in body.wanted for q in one.quantities} and not re.search(
        r"time|dynamics|evol", body.text, re.I
    ):
        return Times(0.0, 1.0, 2)
    if re.search(r"\b(?:steady|stationary)\b", body.text, re.I):
        return Times(
            0.0, 1.0, 2, ("Only the steady state is asked for; the system is followed over one unit of time.",)
        )
    return Question(text="Up to which time is the system to be followed?")


def _grid(found: TimeGrid, names: Symbols) -> Times:
    def own(value: float, unit: str) -> float:
        return converted(value, unit, names.time_unit) if unit and names.time_unit else value

    start, stop = own(found.start, found.unit), own(found.stop, found.unit)
    if found.points:
        said = (f"{found.points - 1} time steps are {found.points} times, the first and the last included.",)
        return Times(start, stop, found.points, said if found.steps_said else (), found.spans)
    if found.step:
        step = own(found.step, found.step_unit or found.unit)
        return Times(start, stop, round((stop - start) / step) + 1, (), found.spans)
    return Times(start, stop, _POINTS, (f"The task gives no number of times; {_POINTS} are recorded.",), found.spans)
