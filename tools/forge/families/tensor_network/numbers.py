"""Numbers out of results, for judging and reporting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.results import Results


def values(results: Results, quantity: str, **labels: Any) -> NDArray[np.float64] | None:
    """The first such record as an array; None if there is none."""
    found = results.find(quantity, **labels)
    return np.atleast_1d(np.array(found[0].value, dtype=float)) if found else None


def number(results: Results, quantity: str, **labels: Any) -> float:
    """The first such record as a number; nan if there is none."""
    found = results.find(quantity, **labels)
    value = found[0].value if found else None
    return float(value) if isinstance(value, int | float) else math.nan
