"""What a neighbour's pulse does to a gate: the averaged kick against a direct integration, and its size by detuning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm
from tiers import sampled

from labwright.tools.qpu.cliffords import GATES
from labwright.tools.qpu.crosstalk import felt_channels, tones_on
from labwright.tools.qpu.dynamics import LEVELS, LOWER, NUMBER, Tone, Transmon, channels
from labwright.tools.qpu.oracle import average_error, calibrated_gate, gate_errors, optimal_settings
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.truth import paper_device

TRUTH = replace(paper_device().qubits["Q1"], t1=1e6, t2_echo=1e6, thermal=1e-9)
QUBIT = Transmon(TRUTH, 0.0)


@pytest.fixture(scope="module")
def settings() -> QubitSettings:
    return optimal_settings(QUBIT)


def integrated(pulse: Pulse, tone: Tone, phase: float) -> NDArray[np.complex128]:
    """The unitary (4, 4) of `pulse` with the tone on top, by small steps of the whole Hamiltonian."""
    n = 480
    step = pulse.duration / n
    own = QUBIT.rabi_rate(_fine(pulse, TRUTH.anharmonicity, n))
    other = _fine(tone.pulse, tone.anharmonicity, n)
    other = other / (1 + tone.compression * np.abs(other) ** 2)
    total = np.eye(LEVELS, dtype=complex)
    for k in range(n):
        t = (k + 0.5) * step
        turned = np.exp(-1j * (2 * np.pi * tone.detuning * t + phase))
        rabi = own[k] + TRUTH.drive_scale * TRUTH.crosstalk * other[k] * turned
        h = TRUTH.anharmonicity / 2 * np.diag(NUMBER * (NUMBER - 1.0)) + (rabi * LOWER.T + np.conj(rabi) * LOWER) / 2
        total = expm(-2j * np.pi * h * step) @ total
    return total


def _fine(pulse: Pulse, anharmonicity: float, n: int) -> NDArray[np.complex128]:
    """A Gaussian envelope at `n` points."""
    coarse = gaussian(np.array([pulse.amplitude]), np.array([pulse.drag]), pulse.duration, anharmonicity)[0]
    at = (np.arange(n) + 0.5) / n * len(coarse) - 0.5
    grid = np.arange(len(coarse))
    return np.asarray(np.interp(at, grid, coarse.real) + 1j * np.interp(at, grid, coarse.imag))


@pytest.mark.parametrize("detuning", sampled([20.0, -60.0, 50.0, -180.0], 2))
def test_a_gate_under_a_tone_is_the_phase_average_of_the_whole_hamiltonian(
    detuning: float, settings: QubitSettings
) -> None:
    pulse = Pulse(settings.amplitude_pi2, 0.03, drag=settings.drag)
    tone = Tone(detuning, Pulse(0.35, 0.03, drag=0.5), 1.0, 0.25, -197.0)
    whole = [integrated(pulse, tone, phase) for phase in 2 * np.pi * np.arange(5) / 5]
    expected = np.mean([np.kron(u, u.conj()) for u in whole], axis=0)
    bare = channels(QUBIT, (pulse,))[0]
    felt = felt_channels(replace(QUBIT, tones=(tone,)), (pulse,))[0]
    effect = np.abs(expected - bare).max()
    assert np.abs(felt - expected).max() < 0.06 * effect + 5e-5
    assert np.abs(felt - bare).max() == pytest.approx(effect, rel=0.1, abs=5e-5)


def test_the_error_falls_steeply_with_distance_and_the_upper_line_counts(settings: QubitSettings) -> None:
    def cost(detuning: float) -> float:
        tones = tuple(
            Tone(detuning, Pulse(a, 0.03, drag=0.5), share, 0.25, -197.0)
            for a, share in ((settings.amplitude_pi, 0.25), (settings.amplitude_pi2, 0.6))
        )
        return _error(replace(QUBIT, tones=tones), settings) - _error(QUBIT, settings)

    assert 5e-5 < cost(20.0) < 3e-4
    assert cost(50.0) < 2e-5
    assert cost(62.0) < 5e-6
    assert cost(-197.0) > 1e-4  # the neighbour drives the 1-2 transition
    assert cost(-262.0) < 5e-6
    assert cost(100.0) < 1e-7


def _error(transmon: Transmon, settings: QubitSettings) -> float:
    operations = tuple(calibrated_gate(gate, settings) for gate in GATES)
    felt = felt_channels(transmon, operations)
    return float(np.mean([average_error(c, gate) for c, gate in zip(felt, GATES, strict=True)]))


def test_a_long_idle_feels_the_mean_stark_shift() -> None:
    tone = Tone(60.0, Pulse(0.35, 0.1, "square"), 0.5, 0.0, -197.0)
    felt = felt_channels(replace(QUBIT, tones=(tone,)), (Delay(10.0),))[0]
    phase = np.angle(felt[1, 1] / channels(QUBIT, (Delay(10.0),))[0][1, 1])
    rabi = TRUTH.drive_scale * TRUTH.crosstalk * 0.35
    shift = -2 * np.pi * 10.0 * 0.5 * _stark(rabi, 60.0)
    assert phase == pytest.approx(-shift, rel=0.02)


def _stark(rabi: float, detuning: float) -> float:
    """Shift of the 0-1 line under a constant tone, MHz, from the eigenvalues in the tone's frame."""
    h = np.diag(-detuning * NUMBER + TRUTH.anharmonicity / 2 * NUMBER * (NUMBER - 1.0)) + rabi / 2 * (LOWER + LOWER.T)
    values, vectors = np.linalg.eigh(h)
    dressed = [values[np.abs(vectors[level]).argmax()] for level in (0, 1)]
    return float(dressed[1] - dressed[0] + detuning)


def test_who_is_far_away_or_idle_makes_no_tone(settings: QubitSettings) -> None:
    drive = Pulse(settings.amplitude_pi, 0.03)
    busy = Program("Q2", (drive,), (np.zeros(10, np.intp),))
    own = Program("Q1", (drive,), (np.zeros(20, np.intp),))
    idle = Program("Q8", (Delay(10.0),), (np.zeros(1, np.intp),))
    programs = {"Q1": own, "Q2": busy, "Q8": idle}
    transmons = dict.fromkeys(programs, QUBIT)
    [tone] = tones_on("Q1", {"Q1": 4900.0, "Q2": 4840.0, "Q8": 4880.0}, programs, transmons)
    assert tone.detuning == -60.0
    assert tone.share == pytest.approx(0.5)  # ten pulses in the time of twenty
    assert tones_on("Q1", {"Q1": 4900.0, "Q2": 4300.0, "Q8": 4880.0}, programs, transmons) == ()


def test_no_tone_changes_nothing(settings: QubitSettings) -> None:
    assert gate_errors(QUBIT, settings) == gate_errors(replace(QUBIT, tones=()), settings)
