"""Scorers: pure functions from what a run left behind and what the oracle says to a verdict. No files, no clock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labwright.tools.qpu.oracle import GateErrors

LARGEST_RATIO = 1.15  # true error over coherence limit; the optimum of a perfect calibration is 1.03-1.06
RB_SIGMAS = 3.0
RB_PRECISION = 0.05  # of the coherence limit


@dataclass(frozen=True, slots=True)
class Ended:
    """What the run itself says.

    Attributes:
        status: ``complete``, ``failed``, ``refused``, ``stopped``; ``crashed`` if it left no result.
        cause: why it is not complete; empty if it is.
        rb_error: measured error per gate; None if it was not measured.
        rb_std: its one-sigma error.
        measured_limit: coherence limit from measured T1 and echo time.
    """

    status: str
    cause: str = ""
    rb_error: float | None = None
    rb_std: float | None = None
    measured_limit: float | None = None


def rb_deviation(ended: Ended, true: GateErrors) -> float | None:
    """Measured minus true error per gate in units of the measurement's own sigma; None if there is no measurement."""
    if ended.rb_error is None or not ended.rb_std:
        return None
    return (ended.rb_error - true.per_gate) / ended.rb_std


def benchmark_faults(ended: Ended, true: GateErrors) -> list[str]:
    """Whether the measured error per gate is true, and its error bar small."""
    deviation = rb_deviation(ended, true)
    if deviation is None or ended.rb_std is None:
        return ["the error per gate was not measured"]
    faults = []
    if abs(deviation) > RB_SIGMAS:
        faults.append(f"measured error is {deviation:+.1f} of its sigma from the true one")
    if ended.rb_std > RB_PRECISION * true.limit:
        faults.append(f"sigma of the measured error is {100 * ended.rb_std / true.limit:.1f} % of the limit")
    return faults


def wilson(passed: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a fraction, 95 % by default (Wilson, JASA 22, 209, 1927); (0, 1) for nothing.

    With a sum of scores between 0 and 1 as `passed` it is that of their mean, if anything too wide: no such scores
    spread more than those that are 0 or 1.
    """
    if n == 0:
        return 0.0, 1.0
    p = passed / n
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return round(max(0.0, (centre - half) / scale), 4), round(min(1.0, (centre + half) / scale), 4)


def bootstrap(values: Sequence[float], draws: int = 10_000) -> tuple[float, float]:
    """95 % interval of a mean by resampling `values` (percentile bootstrap; Efron, Ann. Statist. 7, 1, 1979).

    The draws are seeded: equal values have equal intervals.
    """
    drawn = np.random.default_rng(0).choice(np.asarray(values, dtype=float), (draws, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), (2.5, 97.5))
    return round(float(low), 4), round(float(high), 4)
