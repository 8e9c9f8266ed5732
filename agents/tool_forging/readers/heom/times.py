"""Times of a propagation in words."""

from __future__ import annotations

import re
from typing import Literal

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.deliverables import wanted


def duration(account: Account) -> float | None:
    for match in re.finditer(
        r"(?:for|to|until|up to|over|=|within|during|of|first)\s*(?:about\s+|the first\s+|a total of\s+|t\s*=\s*)?(\d+(?:\.\d+)?)\s*(fs|ps|femtoseconds?|picoseconds?)\b",
        account.body.text,
    ):
        before = account.body.text[max(0, match.start() - 40) : match.start()]
        if re.search(r"gamma|cut-?off|correlation time|relaxation time|tau|every|memory", before[-32:], re.I):
            continue
        account.use(*match.span())
        return float(match[1]) * (1.0 if match[2].startswith("f") else 1000.0)
    return None


def n_times(account: Account, whole: float) -> int:
    every = account.find(r"every (\d+(?:\.\d+)?)\s*(fs|ps)\b")
    if every:
        return round(whole / (float(every[1]) * (1 if every[2] == "fs" else 1000))) + 1
    said = account.find(r"(\d+) (?:equally spaced |evenly spaced )?(?:time ?points|times|points|samples|steps)\b")
    if said:
        return int(said[1]) + (1 if "step" in said[0] else 0)
    return 201 if whole > 500 else 101


def time_unit(account: Account) -> Literal["fs", "ps"]:
    axes = " ".join(item.text for item in wanted(account.body.wanted, "population"))
    return "ps" if re.search(r"`time`\s*\(?(?:in )?ps", axes) else "fs"
