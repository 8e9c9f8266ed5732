"""Scorers: pure functions from what a run left behind and what the oracle says to a verdict. No files, no clock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LARGEST_RATIO = 1.15  # true error over coherence limit; the optimum of a perfect calibration is 1.03-1.06
RB_SIGMAS = 3.0
RB_PRECISION = 0.05  # of the coherence limit


@dataclass(frozen=True, slots=True)
class TrueState:
    """The oracle's word on one qubit at the end of a run, at the device's clock and with its last settings.

    Attributes:
        error_per_gate: average gate error over the Clifford gate mix.
        limit: coherence limit of the true T1 and echo time.
        best_error_per_gate: the same error with the best settings there are.
        frequency_error: kHz, drive minus true qubit frequency, drift included.
        amplitude_pi_error: per cent of the best amplitude.
        amplitude_pi2_error: per cent of the best amplitude.
        drag_error: calibrated minus best DRAG coefficient.
    """

    error_per_gate: float
    limit: float
    best_error_per_gate: float
    frequency_error: float
    amplitude_pi_error: float
    amplitude_pi2_error: float
    drag_error: float

    @property
    def ratio(self) -> float:
        """True error over limit."""
        return self.error_per_gate / self.limit


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


def rb_deviation(ended: Ended, true: TrueState) -> float | None:
    """Measured minus true error per gate in units of the measurement's own sigma; None if there is no measurement."""
    if ended.rb_error is None or not ended.rb_std:
        return None
    return (ended.rb_error - true.error_per_gate) / ended.rb_std


def calibration_faults(ended: Ended, true: TrueState | None) -> list[str]:
    """Every demand on a calibrated and benchmarked qubit that is not met; empty if it passes."""
    if ended.status != "complete" or true is None:
        return [f"ended {ended.status}: {ended.cause or 'no cause given'}"]
    return [*gate_faults(true), *benchmark_faults(ended, true)]


def gate_faults(true: TrueState) -> list[str]:
    """Whether the gates are as good as coherence allows."""
    if true.ratio <= LARGEST_RATIO:
        return []
    return [f"true error is {true.ratio:.3f} times the limit, above {LARGEST_RATIO:g}"]


def benchmark_faults(ended: Ended, true: TrueState) -> list[str]:
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


def spoilt_faults(ended: Ended, true: TrueState | None, causes: Sequence[str]) -> list[str]:
    """A spoilt device may fail, if it says why, or be calibrated all the same; it may not be COMPLETE and wrong.

    Args:
        ended: what the run says.
        true: what is true at its end.
        causes: phrases; the cause of a failure must hold one of them, in small letters.
    """
    if ended.status == "complete":
        return calibration_faults(ended, true)
    if ended.status != "failed":
        return [f"ended {ended.status}: {ended.cause or 'no cause given'}"]
    if any(phrase in ended.cause.lower() for phrase in causes):
        return []
    return [f"failed for another reason than {' / '.join(causes)}: {ended.cause or 'no cause given'}"]


def case_faults(causes: Sequence[str], ended: Ended, true: TrueState | None) -> list[str]:
    """By what a case demands: only one with `causes` may fail, and then for one of them."""
    return spoilt_faults(ended, true, causes) if causes else calibration_faults(ended, true)


def wilson(passed: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a fraction, 95 % by default (Wilson, JASA 22, 209, 1927); (0, 1) for nothing."""
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
