"""The calibrated gates as operations, and programs written as lists of operations."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.qpu.program import Delay, Operation, Program, Pulse, Returns
from labwright.tools.qpu.settings import QubitSettings

PHASES = {"X": 0.0, "Y": pi / 2, "Xm": pi, "Ym": 3 * pi / 2}


def gate(settings: QubitSettings, name: str) -> Operation:
    """The operation that plays gate `name`: I, X90, X90m, Y90, Y90m, X180, X180m, Y180 or Y180m."""
    if name == "I":
        return Delay(settings.pulse_duration)  # the identity idles as long as any other gate
    axis = PHASES[name[0] + ("m" if name.endswith("m") else "")]
    return half_turn(settings, axis) if "180" in name else quarter_turn(settings, axis)


def half_turn(settings: QubitSettings, phase: float = 0.0) -> Pulse:
    """The calibrated pi pulse about the axis at `phase` (rad) in the equator."""
    return Pulse(settings.amplitude_pi, settings.pulse_duration, "gaussian", phase, settings.drag)


def quarter_turn(settings: QubitSettings, phase: float = 0.0) -> Pulse:
    """The calibrated pi/2 pulse about the axis at `phase` (rad) in the equator."""
    return Pulse(settings.amplitude_pi2, settings.pulse_duration, "gaussian", phase, settings.drag)


def program(
    qubit: str,
    sequences: Sequence[Sequence[Operation]],
    shots: int,
    returns: Returns = "counts",
    frequency: float | None = None,
    readout_frequency: NDArray[np.float64] | None = None,
) -> Program:
    """A program that plays each of `sequences`; equal operations share one entry of the alphabet."""
    alphabet: dict[Operation, int] = {}
    indices = tuple(
        np.array([alphabet.setdefault(operation, len(alphabet)) for operation in sequence], dtype=np.intp)
        for sequence in sequences
    )
    return Program(qubit, tuple(alphabet), indices, int(shots), returns, frequency, readout_frequency)


def gaussian_area(duration: float) -> float:
    """Integral in us of a Gaussian pulse of unit peak that is 4 sigma long and lifted so that it starts at zero."""
    sigma, foot = duration / 4, exp(-2.0)
    return (sigma * sqrt(2 * pi) * erf(sqrt(2)) - foot * duration) / (1 - foot)


def grid(start: float, stop: float, step: float, unit: str = "MHz") -> NDArray[np.float64]:
    """Points from `start` to `stop` inclusive, `step` apart, all in `unit`.

    Raises:
        InputError: they are fewer than ten.
    """
    if (stop - start) / step < 10:
        sweep = f"The sweep from {start:g} to {stop:g} {unit}"
        raise InputError(f"{sweep} has fewer than 10 points. Choose a smaller `step`.")
    return np.asarray(start + step * np.arange(int((stop - start) / step + 1e-6) + 1), dtype=float)
