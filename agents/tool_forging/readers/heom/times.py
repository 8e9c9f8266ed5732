"""Times of a propagation in words."""

from __future__ import annotations

import re
from typing import Literal

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.timegrid import TimeGrid, time_grid
from labwright.agents.tool_forging.readers.language.units import converted

_BATH = re.compile(
    (
        r"[^.;,\n]{0,60}\b(?:gamma|cut-?off|correlat\w+|relaxation|tau_?c?|memory|"
        r"Debye)\b[^.;,\n]{0,24}?\d+(?:\.\d+)?\s*(?:fs|ps)\b(?:\s*\([^()]*\))?"
    ),
    re.I,
)


def grid(account: Account) -> TimeGrid | None:
    """When the populations are recorded; times of the bath are none of these."""
    found = time_grid(account.body.text, True, [match.span() for match in _BATH.finditer(account.body.text)])
    for span in found.spans if found else ():
        account.use(*span)
    return found


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
