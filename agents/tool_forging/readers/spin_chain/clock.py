"""The time grid of a chain by slots: how long, in which steps, with how many points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.quantities import Quantity, fill, quantities
from labwright.agents.tool_forging.readers.spin_chain.chain import Chain
from labwright.agents.tool_forging.readers.spin_chain.slots import SLOTS, THINGS

_TINY = 1e-12
_TIMES = frozenset({"t", "T", "tmax", "tf", "Jt", "tJ", "tend", "tfinal", "Ttotal"})


@dataclass(frozen=True)
class Clock:
    """Times as a text gives them; None where it does not."""

    total: float | None
    unit: str
    steps: int | None
    spans: tuple[tuple[int, int], ...]


def clock(chain: Chain, taken: list[tuple[int, int]]) -> Clock:
    """Total time and number of steps; nothing where the text names several."""
    values = {name: found[0] for name, found in chain.values.items()}
    filled = fill(quantities(chain.body, taken, values, THINGS), SLOTS)

    def numbers(one: Quantity) -> list[float]:
        found = [item.value_or_none(values) for item in one.numbers.items]
        return [value for value in found if value is not None]

    ranges = [
        one
        for one in (*(one for slot in SLOTS for one in filled.of(slot.name)), *filled.rest)
        if one.numbers.kind in {"range", "interval"} and len(numbers(one)) > 1 and numbers(one)[0] == 0.0
    ]
    totals = ranges or [one for one in filled.of("total") if numbers(one)[-1:] > [_TINY]]
    named = [one for one in totals if one.symbol in _TIMES or one.numbers.points or one.numbers.step]
    totals = named or totals
    ends = {(numbers(one)[-1], one.numbers.unit) for one in totals}
    if len(ends) != 1:
        return Clock(None, "", None, ())
    whole, unit = ends.pop()
    spans = tuple((one.start, one.end) for slot in SLOTS for one in filled.of(slot.name))
    spans += tuple((one.start, one.end) for one in ranges)
    return Clock(whole, unit, _steps(whole, totals, filled.slots, numbers), spans)


def _steps(
    whole: float, totals: list[Quantity], slots: dict[str, list[Quantity]], numbers: Callable[[Quantity], list[float]]
) -> int | None:
    for one in slots.get("steps", []):
        value = numbers(one)[-1]
        if value > 1 and value == round(value) and one.numbers.kind == "single":
            return round(value)
    for one in totals:
        if one.numbers.points:
            return one.numbers.points - 1
        if one.numbers.step:
            return max(1, round(whole / one.numbers.step))
    for one in slots.get("step", []):
        value = numbers(one)[-1]
        if 0 < value < whole:
            return max(1, round(whole / value))
    for one in slots.get("points", []):
        value = numbers(one)[-1]
        if value > 1:
            return round(value) - 1
    return None
