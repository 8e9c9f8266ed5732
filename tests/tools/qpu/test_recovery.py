"""Fits to shot-noisy data give back the hidden T1, T2 echo and T2 Ramsey within their error bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, curve_fit

from labwright.tools.experiments.base import binomial_error
from labwright.tools.qpu.program import Delay, Operation, Program, Pulse
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.truth import paper_device

TRUTH = paper_device().qubits
SHOTS = 4000


@pytest.fixture(params=[("Q1", 1), ("Q2", 2), ("Q8", 3)], ids=lambda p: p[0])
def bench(request: pytest.FixtureRequest, tmp_path: Path):
    qubit, seed = request.param
    device = open_simulated(tmp_path, seed, {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5})
    yield device, qubit
    device.close()


def gates(device: SimulatedProcessor, qubit: str) -> tuple[Pulse, Pulse]:
    s = device.settings.current(qubit)
    return (
        Pulse(s.amplitude_pi2, s.pulse_duration, drag=s.drag),
        Pulse(s.amplitude_pi, s.pulse_duration, drag=s.drag),
    )


def measure(device: SimulatedProcessor, qubit: str, key: str, operations, sequences, **options) -> np.ndarray:
    program = Program(qubit, tuple(operations), tuple(map(np.array, sequences)), SHOTS, **options)
    return device.acquire(program, key).counts


def fitted(model: Callable[..., np.ndarray], times: np.ndarray, counts: np.ndarray, guess: list[float]):
    best, covariance = curve_fit(
        model, times, counts / SHOTS, guess, sigma=binomial_error(counts, SHOTS), absolute_sigma=True
    )
    return best, np.sqrt(np.diag(covariance))


def decay(t: np.ndarray, time: float, size: float, rest: float) -> np.ndarray:
    return rest + size * np.exp(-t / time)


def test_t1(bench: tuple[SimulatedProcessor, str]) -> None:
    device, qubit = bench
    times = np.linspace(0, 5 * TRUTH[qubit].t1, 60)
    operations: list[Operation] = [gates(device, qubit)[1], *map(Delay, times)]
    counts = measure(device, qubit, "t1", operations, [[0, i + 1] for i in range(60)])
    best, error = fitted(decay, times, counts, [80, 0.6, 0.1])
    assert error[0] < 0.06 * best[0]
    # A pi pulse on the thermal state fills level 2 as well, whose faster decay makes a single exponential 1.1 % short.
    assert abs(best[0] - TRUTH[qubit].t1) < 3 * error[0] + 0.011 * best[0]


def test_t2_echo(bench: tuple[SimulatedProcessor, str]) -> None:
    """Final X90 minus final -X90, so that relaxation of the mean drops out."""
    device, qubit = bench
    truth = TRUTH[qubit]
    x90, x180 = gates(device, qubit)
    times = np.linspace(0, 4 * truth.t2_echo, 50)
    operations = [x90, replace(x90, phase=np.pi), replace(x180, phase=np.pi / 2), *map(Delay, times / 2)]
    sequences = [[0, i + 3, 2, i + 3, end] for end in (0, 1) for i in range(50)]
    counts = measure(device, qubit, "echo", operations, sequences).reshape(2, -1)
    error = np.hypot(*(binomial_error(c, SHOTS) for c in counts))
    signal = (counts[1] - counts[0]) / SHOTS
    best, covariance = curve_fit(
        lambda t, time, size: decay(t, time, size, 0.0),
        times, signal, [80, np.sign(signal[0]) * 0.6], sigma=error, absolute_sigma=True,
    )  # fmt: skip
    assert abs(best[0] - truth.t2_echo) < 3 * covariance[0, 0] ** 0.5
    assert covariance[0, 0] ** 0.5 < 0.05 * truth.t2_echo


def test_t2_ramsey_is_the_papers(bench: tuple[SimulatedProcessor, str]) -> None:
    """1/e time of exp(-t/T2E - (2 pi sigma t)^2 / 2), with sigma fitted and T2E known."""
    device, qubit = bench
    truth = TRUTH[qubit]
    paper = {"Q1": 107.0, "Q2": 56.0, "Q8": 32.0}[qubit]
    x90, _ = gates(device, qubit)
    times, offset = np.linspace(0, 2.2 * paper, 120), 0.15
    operations = [x90, replace(x90, phase=np.pi), *map(Delay, times)]
    sequences = [[0, i + 2, end] for end in (0, 1) for i in range(120)]
    counts = measure(device, qubit, "ramsey", operations, sequences, frequency=truth.frequency - offset)
    counts = counts.reshape(2, -1)

    def model(t: np.ndarray, sigma: float, size: float, detuning: float, phase: float) -> np.ndarray:
        envelope = np.exp(-t / truth.t2_echo - (2 * np.pi * sigma * t) ** 2 / 2)
        return size * envelope * np.cos(2 * np.pi * detuning * t + phase)

    error = np.hypot(*(binomial_error(c, SHOTS) for c in counts))
    best, covariance = curve_fit(
        model, times, (counts[0] - counts[1]) / SHOTS, [truth.detuning_sigma, 0.6, offset, 0.0], sigma=error,
        absolute_sigma=True,
    )  # fmt: skip
    assert abs(abs(best[0]) - truth.detuning_sigma) < 3 * covariance[0, 0] ** 0.5
    assert abs(best[2] - offset) < 3 * covariance[2, 2] ** 0.5 + 1e-4  # and 0.1 kHz of the pulses' own Stark shift
    exponent = brentq(lambda t: t / truth.t2_echo + (2 * np.pi * truth.detuning_sigma * t) ** 2 / 2 - 1, 1, 500)
    assert exponent == pytest.approx(paper, rel=0.01)
