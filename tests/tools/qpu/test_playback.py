"""Whole programs: nodes, fused sequences, and what textbook experiments must show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labwright.tools.qpu import playback
from labwright.tools.qpu.cliffords import GATES, clifford_group
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.oracle import calibrated_gate, gate_errors, optimal_settings
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.starting_settings import Start, believed
from labwright.tools.qpu.truth import paper_device

Q8 = paper_device().qubits["Q8"]
SETTINGS = believed(Q8, Start(0.0, 0.0, 0.5))
X90 = Pulse(SETTINGS.amplitude_pi2, 0.03, drag=0.5)
X180 = Pulse(SETTINGS.amplitude_pi, 0.03, drag=0.5)


def excited(program: Program, transmon: Transmon) -> np.ndarray:
    return playback.populations(transmon, program)[:, 1]


def test_ramsey_follows_the_gaussian_times_exponential() -> None:
    """P1 with a final X90 minus P1 with a final -X90: exp(-t/T2E - (2 pi sigma t)^2 / 2) cos(2 pi d t')."""
    times, detuning = np.linspace(0.1, 60, 90), 0.2
    ends = [np.array([0, i + 2, end]) for end in (0, 1) for i in range(len(times))]
    program = Program("Q8", (X90, replace(X90, phase=np.pi), *map(Delay, times)), tuple(ends))
    both = excited(program, Transmon(Q8, detuning)).reshape(2, -1)
    envelope = np.exp(-times / Q8.t2_echo - (2 * np.pi * Q8.detuning_sigma * times) ** 2 / 2)
    # Precession within a pulse counts by the sine of the angle turned so far.
    shape = gaussian(np.array([X90.amplitude]), np.zeros(1), 0.03, Q8.anharmonicity)[0].real
    angle = 2 * np.pi * np.cumsum(Q8.gain(shape)) * 0.03 / len(shape)
    during_pulses = 2 * 0.03 * np.sin(angle).mean()
    expected = (1 - 2 * Q8.thermal) * envelope * np.cos(2 * np.pi * detuning * (times + during_pulses))
    assert np.abs(both[0] - both[1] - expected).max() < 2e-3


def test_echo_refocuses_quasi_static_noise() -> None:
    y180 = replace(X180, phase=np.pi / 2)
    program = Program("Q8", (X90, Delay(20.0), y180), (np.array([0, 1, 2, 1, 0]), np.array([0, 1, 1, 0])))
    noisy = playback.populations(Transmon(Q8, 0.0), program)[:, 1]
    quiet = playback.populations(Transmon(replace(Q8, detuning_sigma=0.0), 0.0), program)[:, 1]
    assert noisy[0] == pytest.approx(quiet[0], abs=2e-3)
    assert noisy[1] < quiet[1] - 0.05


@pytest.mark.parametrize("phi", [0.5, 2.0, 5.0, 8.0])
def test_quasi_static_nodes_average_a_phase_exactly(phi: float) -> None:
    sigma = 5e-3
    idle = phi / (2 * np.pi * sigma)
    offsets, weights = playback.quasi_static(sigma, idle)
    assert weights @ np.cos(2 * np.pi * offsets * idle) == pytest.approx(np.exp(-(phi**2) / 2), abs=1e-6)


def test_fused_playback_equals_plain_playback(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    operations = tuple(calibrated_gate(gate, SETTINGS) for gate in GATES)
    sequences = tuple(rng.integers(0, len(GATES), n) for n in (5, 33, 64, 1, 0, 200))
    program = Program("Q8", operations, sequences)
    transmon = Transmon(Q8, 0.3)
    fused = playback.populations(transmon, program)
    monkeypatch.setattr(playback, "FUSE_FROM", 10**9)
    assert np.abs(fused - playback.populations(transmon, program)).max() < 1e-9


def test_benchmarking_decays_as_the_oracles_error_says() -> None:
    """With depolarising error r a gate, survival - its complement = (1 - 2 * 1.875 r)^m to first order."""
    transmon = Transmon(Q8, 0.0)
    best = optimal_settings(transmon)
    at_best = Transmon(Q8, Q8.frequency - best.frequency)
    r = gate_errors(at_best, best).per_gate
    group, rng = clifford_group(), np.random.default_rng(5)
    number = {gate: i for i, gate in enumerate(GATES)}
    sequences, length = [], 300
    for _ in range(20):
        drawn = rng.integers(0, 24, length)
        total = 0
        for c in drawn:
            total = group.product[total, c]
        for end in (0, group.element("X180")):
            last = group.product[group.inverse[total], end]
            sequences.append(np.array([number[g] for c in (*drawn, last) for g in group.decompositions[c]]))
    operations = tuple(calibrated_gate(gate, best) for gate in GATES)
    p1 = excited(Program("Q8", operations, tuple(sequences)), at_best).reshape(20, 2)
    start = excited(Program("Q8", (X180,), (np.array([], int),)), at_best)[0]
    decay = (p1[:, 1] - p1[:, 0]).mean() / (1 - 2 * start)
    measured = (1 - decay ** (1 / (length + 1))) / 2 / 1.875
    assert measured == pytest.approx(r, rel=0.03)


def test_leakage_appears_without_drag() -> None:
    short = tuple(Pulse(0.9, 0.012, drag=d) for d in (0.0, 1.0))
    third = playback.populations(Transmon(Q8, 0.0), Program("Q8", short, (np.array([0]), np.array([1]))))[:, 2]
    assert third[0] > 3 * third[1]
    assert third[0] > 1e-3


def test_empty_program_leaves_the_thermal_state() -> None:
    levels = playback.populations(Transmon(Q8, 0.0), Program("Q8", (), (np.array([], int),)))[0]
    assert levels[1] / (levels[0] + levels[1]) == pytest.approx(Q8.thermal, rel=0.02)
