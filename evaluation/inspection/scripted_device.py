"""A device that plays what a case has written: no dynamics, only a signal and the noise that is asked for.

The experiments run on it as on any device, so that what is inspected is exactly what they measured, fitted and drew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments.gates import gaussian_area
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.program import Acquired, Delay, Program, Pulse
from labwright.tools.qpu.settings import QubitSettings, SettingsVersion

Array = NDArray[np.float64]
Signal = Callable[[Program, np.random.Generator], Acquired]
SETTINGS = QubitSettings(
    frequency=4888.0,
    amplitude_pi=0.354,
    amplitude_pi2=0.177,
    drag=0.0,
    pulse_duration=0.03,
    anharmonicity=-197.0,
    readout_frequency=9997.0,
    readout_amplitude=0.2,
    readout_angle=0.0,
    readout_threshold=0.5,
)


class FixedSettings:
    """Settings that never change: a case is looked at once."""

    version = 0

    def current(self, qubit: str) -> QubitSettings:
        """The same for every qubit."""
        return SETTINGS

    def update(
        self, qubit: str, changes: dict[str, float], *, key: str, reason: str, notes: dict[str, float] | None = None
    ) -> SettingsVersion:
        """Nothing is written."""
        return SettingsVersion(0, qubit, changes, {}, reason, key, 0.0, notes or {})

    def revert(self, version: int, *, key: str, reason: str) -> SettingsVersion:
        """Nothing is taken back."""
        return SettingsVersion(version, "", {}, {}, reason, key, 0.0, {})

    def history(self, qubit: str | None = None) -> tuple[SettingsVersion, ...]:
        """Nothing was measured before."""
        return ()


class WrittenDevice:
    """Answers every program with `signal`, under one seed."""

    name, qubits, clock = "written", ("Q1",), 0.0
    limits = Limits()
    settings = FixedSettings()

    def __init__(self, signal: Signal, seed: int) -> None:
        self._signal, self._rng = signal, np.random.Generator(np.random.Philox(seed))

    def check(self, program: AnyProgram) -> None:
        """Everything is accepted."""

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """The case's signal for `program`."""
        assert isinstance(program, Program)
        return self._signal(program, self._rng)

    def status(self, key: str) -> Literal["absent", "done", "unknown"]:
        """Nothing is kept."""
        return "absent"

    def close(self) -> None:
        """Nothing is held."""


# --- what a program sweeps, read from what it plays ---------------------------------------------------------------


def pulse_lengths(program: Program, amplitude: float) -> Array:
    """Length in us of the square pulse of `amplitude` with the area of every sequence's first axis."""
    found = []
    for sequence in program.sequences:
        played = [program.operations[int(each)] for each in sequence]
        along = [each for each in played if isinstance(each, Pulse)]
        areas = [each.amplitude * gaussian_area(each.duration) / amplitude if each.shape == "gaussian" else
                 each.duration for each in along if each.phase == along[0].phase]  # fmt: skip
        found.append(sum(areas))
    return np.array(found)


def delays(program: Program) -> Array:
    """Summed length of the delays of every sequence, us."""
    return _summed(program, lambda operation: operation.duration if isinstance(operation, Delay) else 0.0)


def pulses(program: Program) -> Array:
    """Number of pulses of every sequence."""
    return _summed(program, lambda operation: float(isinstance(operation, Pulse)))


def first_pulses(program: Program) -> list[Pulse]:
    """The first pulse of every sequence."""
    operations = [program.operations[int(sequence[0])] for sequence in program.sequences]
    assert all(isinstance(operation, Pulse) for operation in operations)
    return [operation for operation in operations if isinstance(operation, Pulse)]


def _summed(program: Program, value: Callable[[Pulse | Delay], float]) -> Array:
    table = np.array([value(operation) for operation in program.operations])
    return np.array([table[sequence].sum() if len(sequence) else 0.0 for sequence in program.sequences])


# --- what comes back ----------------------------------------------------------------------------------------------


def counted(program: Program, probability: Array, rng: np.random.Generator) -> Acquired:
    """Shots read as 1, binomial."""
    counts = rng.binomial(program.shots, np.clip(probability, 0.0, 1.0))
    return Acquired(program.shots, 1.0, 0.0, counts=counts.astype(np.int64))


def averaged(program: Program, points: NDArray[np.complex128], sigma: float, rng: np.random.Generator) -> Acquired:
    """Mean IQ points with noise `sigma` a quadrature, which is also their stated error."""
    noise = rng.normal(0, sigma, (2, len(points)))
    error = np.full(len(points), sigma)
    return Acquired(program.shots, 1.0, 0.0, average=points + noise[0] + 1j * noise[1], average_error=error)
