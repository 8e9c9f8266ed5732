"""Times of a propagation in words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.quantities import Filled, Quantity
from labwright.agents.tool_forging.readers.language.timegrid import TimeGrid, time_grid
from labwright.agents.tool_forging.readers.language.units import converted


def grid(account: Account, filled: Filled) -> TimeGrid | None:
    """When the populations are recorded: by the slots, else by the words of time ranges."""
    spans = [one for one in filled.of("span") if one.numbers.kind == "range"] or filled.of("span")
    ends = {(tuple(one.numbers.values({})), one.numbers.unit) for one in spans}
    if len(ends) == 1:
        return _by_slots(account, spans[0], filled)
    found = time_grid(account.body.text, True, [(one.start, one.end) for one in filled.of("cutoff")])
    for span in found.spans if found else ():
        account.use(*span)
    return found


def _by_slots(account: Account, span: Quantity, filled: Filled) -> TimeGrid:
    numbers = span.numbers
    values = [item.value({}) for item in numbers.items]
    made = TimeGrid(
        values[0] if len(values) > 1 else 0.0,
        values[-1],
        numbers.unit,
        _several(numbers.points),
        numbers.step,
        numbers.unit,
    )
    for name in ("span", "step", "points"):
        for one in filled.of(name):
            account.use(one.start, one.end)
    if not made.points and not made.step and filled.of("step"):
        step = filled.of("step")[0].numbers
        made = replace(made, step=step.values({})[0], step_unit=step.unit)
    if not made.points and not made.step and filled.of("points"):
        one = filled.of("points")[0]
        steps = one.after.strip().lower().startswith(("step", "time step"))
        made = replace(made, points=round(one.numbers.values({})[0]) + steps)
    return made


def _several(points: int | None) -> int | None:
    """A number of points that can be one of a run: "one point every 10 fs" counts no run's."""
    return points if points and points > 1 else None


def duration(found: TimeGrid) -> float:
    """Length of the propagation, fs."""
    return round(converted(found.stop - found.start, found.unit or "femtosecond", "femtosecond"), 9)


def n_times(found: TimeGrid, whole: float) -> int:
    """How many times are recorded."""
    if found.points:
        return found.points
    if found.step:
        return round(whole / converted(found.step, found.step_unit or found.unit or "femtosecond", "femtosecond")) + 1
    return 201 if whole > 500 else 101


def time_unit(account: Account) -> Literal["fs", "ps"]:
    axes = " ".join(item.text for item in wanted(account.body.wanted, "population"))
    return "ps" if re.search(r"`time`\s*\(?(?:in )?ps", axes) else "fs"
