"""Channels beside QuTiP's master-equation solver, and beside formulas where there are any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import qutip
from tiers import sampled

from labwright.tools.qpu.dynamics import LEVELS, Transmon, channels, play_constant, play_shaped, slice_unitaries
from labwright.tools.qpu.program import Delay, Operation, Pulse
from labwright.tools.qpu.pulses import gaussian, sample_count
from labwright.tools.qpu.truth import QubitTruth, paper_device

# Much noisier than the paper's qubits, so that a wrong rate shows within one pulse.
NOISY = replace(paper_device().qubits["Q1"], t1=0.8, t2_echo=0.7, thermal=0.05, detuning_sigma=0.0)
SUPERPOSITION = np.array([0.6, 0.5 + 0.3j, 0.4j, 0.2])


def initial() -> qutip.Qobj:
    return 0.7 * qutip.ket2dm(qutip.Qobj(SUPERPOSITION).unit()) + 0.3 * qutip.fock_dm(LEVELS, 1)


def mesolve(truth: QubitTruth, detuning: float, operations: list[Operation]) -> np.ndarray:
    """The same operations, solved by QuTiP in the frame of the program's drive."""
    a, n = qutip.destroy(LEVELS), qutip.num(LEVELS)
    photons = truth.thermal_photons
    jumps = [
        np.sqrt((photons + 1) / truth.t1) * a,
        np.sqrt(photons / truth.t1) * a.dag(),
        np.sqrt(2 * truth.dephasing_rate) * n,
    ]
    state = initial()
    options = {"atol": 1e-10, "rtol": 1e-8, "nsteps": 100000}
    for operation in operations:
        free = detuning * n + truth.anharmonicity / 2 * n * (n - 1)
        envelope = np.zeros(1, complex)
        if isinstance(operation, Pulse):
            envelope = np.array([operation.amplitude], complex)
            if operation.shape == "gaussian":
                envelope = gaussian(envelope.real, np.array([operation.drag]), operation.duration, truth.anharmonicity)[
                    0
                ]
        for k, sample in enumerate(envelope):
            rabi = truth.drive_scale * sample / (1 + truth.compression * abs(sample) ** 2)
            step = operation.duration / len(envelope)
            drive = rabi * np.exp(1j * getattr(operation, "phase", 0.0))
            beat = 2 * np.pi * getattr(operation, "detuning", 0.0)
            h = [2 * np.pi * free]
            if rabi:
                # The drive of a detuned pulse turns in the program's frame, starting at the pulse's own start.
                h += [
                    [np.pi * drive * a.dag(), lambda t, w=beat, s=k * step: np.exp(-1j * w * (t + s))],
                    [np.pi * np.conj(drive) * a, lambda t, w=beat, s=k * step: np.exp(1j * w * (t + s))],
                ]
            state = qutip.mesolve(h, state, [0, step], jumps, options=options).states[-1]
    return np.asarray(state.full())


def ours(truth: QubitTruth, detuning: float, operations: list[Operation]) -> np.ndarray:
    state = initial().full().ravel()
    for channel in channels(Transmon(truth, detuning), tuple(operations)):
        state = channel @ state
    return state.reshape(LEVELS, LEVELS)


CASES: dict[str, list[Operation]] = {
    "square": [Pulse(0.3, 0.05, "square", phase=0.4)],
    "detuned square": [Pulse(0.2, 0.04, "square", phase=-0.3, detuning=7.0), Delay(0.01)],
    "gaussian": [Pulse(0.36, 0.03, phase=1.1)],
    "gaussian with drag, detuned": [Pulse(0.36, 0.03, drag=0.7, detuning=-4.0, phase=2.0), Delay(0.02)],
    "ramsey": [Pulse(0.18, 0.03, drag=0.5), Delay(0.3), Pulse(0.18, 0.03, drag=0.5, phase=0.8)],
    "echo": [Pulse(0.18, 0.03), Delay(0.15), Pulse(0.36, 0.03, phase=np.pi / 2), Delay(0.15), Pulse(0.18, 0.03)],
}


@pytest.mark.parametrize("name", sampled(CASES, 3))
def test_channels_agree_with_mesolve(name: str) -> None:
    assert np.abs(ours(NOISY, 1.7, CASES[name]) - mesolve(NOISY, 1.7, CASES[name])).max() < 1e-4


@pytest.mark.parametrize("name", ["square", "gaussian with drag, detuned"])
def test_channels_of_the_papers_qubit_agree_with_mesolve(name: str) -> None:
    truth = paper_device().qubits["Q8"]
    assert np.abs(ours(truth, -0.4, CASES[name]) - mesolve(truth, -0.4, CASES[name])).max() < 1e-5


def test_pulses_played_once_are_their_channels() -> None:
    transmon = Transmon(NOISY, 0.9)
    pulses = [
        Pulse(a, 0.03, drag=d, phase=p, detuning=f)
        for a, d, p, f in ((0.1, 0, 0, 0), (0.9, 1, 2, -5), (0.4, 0.5, 1, 3))
    ]
    state = initial().full().ravel()
    expected = channels(transmon, tuple(pulses)) @ state
    played = play_shaped(transmon, pulses, np.tile(state, (3, 1, 1)))[:, 0]
    assert np.abs(played - expected).max() < 1e-10


def test_square_pulses_played_once_are_their_channels() -> None:
    transmon = Transmon(NOISY, 0.9)
    pulses = [Pulse(a, t, "square", p, 0.0, f) for a, t, p, f in ((0.1, 0.2, 0, 0), (0.1, 1.9, 1, 0), (0, 0.3, 2, 9))]
    state = initial().full().ravel()
    expected = channels(transmon, tuple(pulses)) @ state
    played = play_constant(transmon, pulses, np.tile(state, (3, 1, 1)))[:, 0]
    assert np.abs(played - expected).max() < 1e-10


def test_interpolated_unitaries_are_exact() -> None:
    transmon = Transmon(NOISY, 3.0)
    rabi = np.array([0, 1, 5j, 60 * np.exp(2j), -88])
    exact = []
    for r in rabi:
        h = np.diag(np.diag(transmon.hamiltonian(np.zeros(1), 3.0)[0]))
        h = h + r / 2 * np.diag(np.sqrt([1, 2, 3]), -1) + np.conj(r) / 2 * np.diag(np.sqrt([1, 2, 3]), 1)
        values, vectors = np.linalg.eigh(h)
        exact.append(vectors @ np.diag(np.exp(-2j * np.pi * values * 5e-4)) @ vectors.conj().T)
    assert np.abs(np.moveaxis(slice_unitaries(transmon, rabi, 5e-4, 3.0), 2, 0) - exact).max() < 1e-11


def test_channels_keep_the_trace_and_the_thermal_state_at_rest() -> None:
    transmon = Transmon(NOISY, 0.3)
    made = channels(transmon, (Pulse(0.5, 0.03), Pulse(0.5, 0.5, "square"), Delay(3.0)))
    trace = np.eye(LEVELS).ravel()
    assert np.abs(trace @ made - trace).max() < 1e-9
    assert np.abs(made[2] @ transmon.thermal_state() - transmon.thermal_state()).max() < 1e-9


def test_populations_relax_with_t1_and_coherence_with_t2_echo() -> None:
    truth = replace(NOISY, thermal=0.0)
    t = 0.6
    channel = channels(Transmon(truth, 0.0), (Delay(t),))[0].reshape(4, 4, 4, 4)
    assert channel[1, 1, 1, 1].real == pytest.approx(np.exp(-t / truth.t1), abs=1e-9)
    assert abs(channel[0, 1, 0, 1]) == pytest.approx(np.exp(-t / truth.t2_echo), abs=1e-9)


def test_weak_drive_is_the_two_level_rabi_formula() -> None:
    """P1 = (W/W')^2 sin^2(pi W' t), W'^2 = W^2 + d^2, when W is far below the anharmonicity."""
    truth = replace(paper_device().qubits["Q1"], t1=1e6, t2_echo=1e6, thermal=0.0, compression=0.0)
    detuning, amplitude = 0.6, 0.01
    times = np.linspace(0.1, 2.0, 12)
    made = channels(Transmon(truth, detuning), tuple(Pulse(amplitude, t, "square") for t in times))
    rate = truth.drive_scale * amplitude
    total = np.hypot(rate, detuning)
    expected = (rate / total) ** 2 * np.sin(np.pi * total * times) ** 2
    assert made[:, 5, 0].real == pytest.approx(expected, abs=0.01)  # the AC Stark shift W^2/(2 alpha) is left over


def test_envelope_starts_at_zero_and_its_quadrature_is_the_derivative() -> None:
    shape = gaussian(np.array([0.5]), np.array([2.0]), 0.03, -200.0)[0]
    step = 0.03 / sample_count(0.03)
    slope = np.gradient(shape.real, step)
    assert abs(shape[0].real) < 0.02
    assert shape.real.max() == pytest.approx(0.5, rel=0.01)
    assert shape.imag[1:-1] == pytest.approx(-2.0 * slope[1:-1] / (2 * np.pi * -200.0), abs=2e-3)
