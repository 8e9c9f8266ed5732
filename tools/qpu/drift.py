"""Slow drift of a qubit as a pure function of seed and device clock, so that a resumed run sees the same path."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.truth import QubitTruth

GRID = 60.0  # s; the path is drawn at these times and linear between them
AMPLITUDE_TIME = 8 * 3600.0  # s over which the drive amplitude forgets
DRIFT_STREAM = 1 << 63  # keeps these streams apart from those of the acquisitions


def stream(seed: int, number: int) -> np.random.Generator:
    """Counter-based generator of (seed, number)."""
    return np.random.Generator(np.random.Philox(key=np.array([seed % 2**64, number], dtype=np.uint64)))


def drifted(truth: QubitTruth, seed: int, qubit_number: int, clock: float) -> tuple[float, float]:
    """Frequency shift in MHz and factor on the drive amplitude at device time `clock` s; (0, 1) at the start."""
    first = DRIFT_STREAM + 4 * qubit_number
    shift = _ornstein_uhlenbeck(stream(seed, first), clock, truth.drift_sigma, truth.drift_time)
    hour = np.sqrt(1 - np.exp(-2 * 3600 / AMPLITUDE_TIME))
    gain = 1 + _ornstein_uhlenbeck(stream(seed, first + 1), clock, truth.amplitude_drift / hour, AMPLITUDE_TIME)
    shift += _jumps(stream(seed, first + 2), clock, truth.jump_rate, truth.jump_sigma)
    return shift + (truth.step if clock >= truth.step_at else 0.0), gain


def with_lifetime(truth: QubitTruth, seed: int, qubit_number: int, clock: float) -> QubitTruth:
    """The truth at device time `clock` s: T1 wanders as resonant defects come and go, pure dephasing stays."""
    if truth.t1_drift == 0:
        return truth
    rng = stream(seed, DRIFT_STREAM + 4 * qubit_number + 3)
    t1 = truth.t1 * float(np.exp(_ornstein_uhlenbeck(rng, clock, truth.t1_drift, truth.t1_drift_time)))
    t2_echo = 1 / (truth.dephasing_rate + (1 + 4 * truth.thermal_photons) / (2 * t1))
    return replace(truth, t1=t1, t2_echo=t2_echo)


def _ornstein_uhlenbeck(rng: np.random.Generator, clock: float, sigma: float, time: float) -> float:
    """Path that starts at 0, with standard deviation `sigma` once `time` has passed a few times."""
    cell = int(clock // GRID)
    kept = np.exp(-GRID / time)
    kicks: NDArray[np.float64] = sigma * np.sqrt(1 - kept**2) * rng.standard_normal(cell + 1)
    path = list(accumulate(map(float, kicks), lambda here, kick: kept * here + kick, initial=0.0))
    return float(np.interp(clock / GRID, np.arange(cell + 2), path))


def _jumps(rng: np.random.Generator, clock: float, rate: float, sigma: float) -> float:
    """Sum of the rare jumps so far; at most one a cell of the grid."""
    draws = rng.standard_normal((int(clock // GRID) + 1, 2))
    # |z| of a normal deviate above the quantile decides whether a cell has a jump: one stream, no branching.
    happened = np.abs(draws[:-1, 0]) > np.sqrt(2) * _erfinv(1 - rate * GRID)
    return float(sigma * draws[:-1, 1][happened].sum())


def _erfinv(x: float) -> float:
    from scipy.special import erfinv

    return float(erfinv(x))
