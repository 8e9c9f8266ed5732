"""Bounds, goals and limits of an optimisation in words."""

from __future__ import annotations

import math
import re

from labwright.agents.tool_forging.readers.language.accounting import Account


def bounds(account: Account) -> tuple[float | None, float | None]:
    number = r"([+-]?\s*\d+(?:\.\d+)?(?:\s*\*?\s*pi)?)"
    between = account.find(
        rf"(?:amplitudes?|bound\w*|limited|controls?|pulses?)[^.;\n]{{0,60}}?(?:between|to|in|within|by|"
        rf"of)\s*\[?\(?\s*{number}\s*(?:and|to|,|\.\.\.?)\s*{number}\s*[\])]?"
    )
    if between and _float(between[1]) < _float(between[2]):
        return _float(between[1]), _float(between[2])
    most = account.find(
        rf"\|\s*u(?:_\{{?[a-z]\}}?)?(?:\(t\))?\s*\|\s*(?:<=|<|(?:may |must |should |can )?(?:never|not) exceed|"
        rf"(?:is |stays )?(?:at most|bounded by|limited to|below)|may not be larger than)\s*{number}"
    ) or account.find(

            rf"(?:amplitudes?|controls?|pulses?)[^.;\n]{{0,50}}?(?:at most|not exceed|below|<=|\+-|\+/-|bounded by|"
            rf"limited to|up to)\s*(?:\+/?-\s*)?{number}"

    )  # fmt: skip
    if most:
        value = abs(_float(most[1]))
        return -value, value
    return None, None


def fidelity_goal(account: Account) -> float:
    said = account.find(

            r"(?:fidelity|infidelity)[^.;\n]{0,40}?(?:above|at least|exceed\w*|surpass\w*|reach\w*|beat\w*|no less "
            r"than|not below|>=|>|over|better than|of|below|<|<=|greater than|larger "
            r"than)\s*(\d+(?:\.\d+)?(?:e-?\d+)?)\s*(%)?"

    )  # fmt: skip
    if said is None:
        return 0.99
    value = float(said[1]) / (100 if said[2] else 1)
    return 1 - value if said[0].lower().startswith("infid") else min(value, 1.0)


def iterations(account: Account, penalised: bool) -> int:
    found = account.find(r"(?:at most|up to|maximum of|max(?:imum)?|within)?\s*(\d+)\s+iterations")
    return int(found[1]) if found else (40 if penalised else 200)


def seed(account: Account) -> int:
    found = account.find(r"seed(?:\s*(?:=|of|is)?\s*)(\d+)")
    return int(found[1]) if found else 0


def _float(text: str) -> float:
    plain = text.replace(" ", "")
    return float(re.sub(r"\*?pi", "", plain) or 1) * (math.pi if "pi" in plain else 1.0)
