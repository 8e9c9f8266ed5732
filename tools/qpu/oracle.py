"""The true error of the calibrated gates, which no laboratory can know. For tests and evaluation only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from labwright.tools.qpu.cliffords import GATES, ROTATIONS, clifford_group, rotation
from labwright.tools.qpu.coherence_limit import coherence_limit
from labwright.tools.qpu.dynamics import LEVELS, Matrix, Transmon, channels
from labwright.tools.qpu.program import Delay, Operation, Pulse
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.starting_settings import BEST_DRAG, Start, believed

# The six states +-x, +-y, +-z are a 2-design: the mean fidelity over them is that over all pure states.
CARDINAL = np.array([[1, 0], [0, 1], [1, 1], [1, -1], [1, 1j], [1, -1j]]) / np.array([1, 1, 2, 2, 2, 2])[:, None] ** 0.5


@dataclass(frozen=True, slots=True)
class GateErrors:
    """Average gate errors of the true channels, and the coherence limit of the same truth.

    Attributes:
        per_gate: mean over the Clifford gate mix, 1.875 gates a Clifford, identity included.
        limit: `coherence_limit` of the true T1 and T2E at the pulse duration.
        gates: name -> error.
    """

    per_gate: float
    limit: float
    gates: dict[str, float]

    @property
    def ratio(self) -> float:
        """Error over limit: 1.03-1.05 at best."""
        return self.per_gate / self.limit


def device_errors(device: SimulatedProcessor, qubit: str) -> GateErrors:
    """Errors of the gates as the device would play them now, with its present settings and drift."""
    settings = device.settings.current(qubit)
    return gate_errors(device.transmon(qubit, settings.frequency), settings)


def gate_errors(transmon: Transmon, settings: QubitSettings) -> GateErrors:
    """Errors of the calibrated gates on a qubit whose detuning is that from `settings.frequency`.

    Fidelity is averaged over the states of levels 0 and 1; what leaks is lost. No virtual Z is allowed for: the gates
    are judged in the frame of the drive, in which randomized benchmarking plays them.
    """
    gates = dict(zip(GATES, (average_error(c, g) for g, c in _channels(transmon, settings)), strict=True))
    mix = Counter(gate for gates_of in clifford_group().decompositions for gate in gates_of)
    per_gate = sum(gates[gate] * count for gate, count in mix.items()) / mix.total()
    truth = transmon.truth
    return GateErrors(per_gate, coherence_limit(truth.t1, truth.t2_echo, settings.pulse_duration), gates)


def calibrated_gate(gate: str, settings: QubitSettings) -> Operation:
    """The pulse, or the idle, that the controller plays for one of `cliffords.GATES`."""
    axis, angle = ROTATIONS[gate]
    if angle == 0:
        return Delay(settings.pulse_duration)
    amplitude = settings.amplitude_pi if angle > 2 else settings.amplitude_pi2
    return Pulse(amplitude, settings.pulse_duration, phase=axis, drag=settings.drag)


def average_error(channel: Matrix, gate: str) -> float:
    """1 - average fidelity of a (16, 16) channel to the ideal `gate` on levels 0 and 1."""
    ideal = rotation(*ROTATIONS[gate])
    fidelity = 0.0
    for psi in CARDINAL:
        rho = np.zeros((LEVELS, LEVELS), dtype=complex)
        rho[:2, :2] = np.outer(psi, psi.conj())
        after = (channel @ rho.ravel()).reshape(LEVELS, LEVELS)[:2, :2]
        wanted = ideal @ psi
        fidelity += float((wanted.conj() @ after @ wanted).real) / len(CARDINAL)
    return 1 - fidelity


def optimal_settings(transmon: Transmon, start: QubitSettings | None = None) -> QubitSettings:
    """The best frequency, amplitudes and DRAG coefficient there are for this truth, found numerically.

    `transmon.detuning` is disregarded: the optimum is for the qubit frequency without drift.
    """
    truth = transmon.truth
    first = start or believed(truth, Start(0.0, 0.0, BEST_DRAG))
    scale = np.array([0.05, 0.002, 0.001, 0.05])

    def settings(x: NDArray[np.float64]) -> QubitSettings:
        step = x * scale
        return replace(
            first,
            frequency=truth.frequency + float(step[0]),
            amplitude_pi=first.amplitude_pi + float(step[1]),
            amplitude_pi2=first.amplitude_pi2 + float(step[2]),
            drag=first.drag + float(step[3]),
        )

    def cost(x: NDArray[np.float64]) -> float:
        tried = settings(x)
        return gate_errors(replace(transmon, detuning=truth.frequency - tried.frequency), tried).per_gate * 1e4

    found = minimize(cost, np.zeros(4), method="Powell", options={"xtol": 1e-2, "ftol": 1e-5})
    return settings(found.x)


def _channels(transmon: Transmon, settings: QubitSettings) -> list[tuple[str, Matrix]]:
    operations = tuple(calibrated_gate(gate, settings) for gate in GATES)
    return list(zip(GATES, channels(transmon, operations), strict=True))
