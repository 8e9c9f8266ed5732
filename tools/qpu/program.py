"""What a device plays: an alphabet of operations, and sequences over it.

Every experiment, from spectroscopy to randomized benchmarking, is a `Program`. A device needs to know
nothing else about it, so there is one dynamics for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Pulse:
    """A drive pulse. `amplitude` is the peak in units of full scale; `duration` in us; `phase` in rad."""

    amplitude: float
    duration: float
    shape: Literal["square", "gaussian"] = "gaussian"  # gaussian: 4 sigma long, lifted so that it starts at zero
    phase: float = 0.0
    drag: float = 0.0
    detuning: float = 0.0  # MHz, added to the program's drive frequency


@dataclass(frozen=True, slots=True)
class Delay:
    """Nothing is played for `duration` us."""

    duration: float


Operation = Pulse | Delay
Returns = Literal["counts", "average", "shots"]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """One acquisition on one qubit: every sequence is played and read out `shots` times.

    Attributes:
        qubit: name of the qubit.
        operations: the alphabet.
        sequences: one array of indices into `operations` a point, in playing order; may be empty (readout only).
        shots: repetitions of every point.
        returns: ``counts`` (shots that the calibrated discriminator reads as 1), ``average`` (mean IQ point)
            or ``shots`` (every IQ point).
        frequency: drive frequency in MHz; the calibrated one if None.
        readout_frequency: MHz, one value or one a point; the calibrated one if None.
        readout_amplitude: full scale units, one value or one a point; the calibrated one if None.
        readout_duration: us, one value or one a point; the device's own window if None.
    """

    qubit: str
    operations: tuple[Operation, ...]
    sequences: tuple[NDArray[np.intp], ...]
    shots: int = 1000
    returns: Returns = "counts"
    frequency: float | None = None
    readout_frequency: float | NDArray[np.float64] | None = None
    readout_amplitude: float | NDArray[np.float64] | None = None
    readout_duration: float | NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Acquired:
    """What came back. Exactly one of `counts`, `average`, `iq` is filled, as `Program.returns` says.

    Attributes:
        counts: (n_points,) shots read as 1. Of a `joint.JointProgram` (n_points, 2^n_qubits) shots of every outcome, or
            (n_points, n_qubits) shots that each qubit reads as 1, if it returns marginals.
        average: (n_points,) complex mean IQ point.
        average_error: (n_points,) standard error of the mean, a quadrature.
        iq: (n_points, shots) complex.
        shots: repetitions of every point.
        seconds: device time the acquisition took.
        clock: device time at its start, s.
    """

    shots: int
    seconds: float
    clock: float
    counts: NDArray[np.int64] | None = None
    average: NDArray[np.complex128] | None = None
    average_error: NDArray[np.float64] | None = None
    iq: NDArray[np.complex128] | None = None
