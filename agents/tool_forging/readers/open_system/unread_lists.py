"""Lists of values that nothing has read: each of them is a comparison that would be passed over."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.quantities import quantities
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, value_of

_COMPARED = {"time", "rate", "frequency", "angular", "energy", "temperature"}


def unread_list(body: Body, symbols: Symbols, used: Collection[tuple[int, int]], taken: Sequence[float]) -> str:
    """The first list of at least two quantities of one kind that no symbol, time grid or jump has; empty for none."""
    for one in quantities(body, [], symbols.single()):
        if len(one.numbers.items) < 2 or one.kind not in _COMPARED:
            continue
        if any(a < one.end and one.start < b for a, b in used):
            continue
        warm = one.kind == "temperature"
        rates = one.numbers.values() if warm else value_of(one.numbers, "gamma", symbols, rate=True)
        plain = rates if warm else value_of(one.numbers, "", symbols)
        if not rates or not plain:
            continue
        if all(_known(a, taken) or _known(b, taken) for a, b in zip(rates, plain, strict=True)):
            continue
        return body.original(one.start, one.end)
    return ""


def _known(value: float, taken: Sequence[float]) -> bool:
    """Whether a value, or its inverse, is among those that something was made with."""
    return any(
        math.isclose(form, other, rel_tol=1e-6) for other in taken for form in (value, 1 / value if value else value)
    )
