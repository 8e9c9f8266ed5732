"""What benchmarks and tomography say of a pair's gate, beside its true process."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.cz_process_tomography import ProcessTomography
from labwright.tools.experiments.interleaved_rb_cz import InterleavedRbCz
from labwright.tools.experiments.pair_benchmarking_sequences import pair_slots
from labwright.tools.experiments.repeated_sizzle_gate import ConditionalStarkRepeatedGate
from labwright.tools.experiments.two_qubit_cliffords import random_clifford, unitary
from labwright.tools.experiments.two_qubit_rb import TwoQubitRb
from labwright.tools.qpu.cz_gate_operations import cz_slots
from labwright.tools.qpu.oracle_pair import average_error, pair_error, true_process
from labwright.tools.qpu.simulated import SimulatedProcessor

pytestmark = pytest.mark.slow


@pytest.fixture
def device(open_with_gate: Callable[..., SimulatedProcessor]) -> SimulatedProcessor:
    return open_with_gate(3)


def true_clifford_error(device: SimulatedProcessor, samples: int) -> tuple[float, float]:
    """Mean error of a random two-qubit Clifford in calibrated pulses, and the error of that mean."""
    each = tuple(device.settings.current(name) for name in ("Q1", "Q2"))
    cz, its = cz_slots(device.settings.pair("Q1-Q2"), *each), device.register(("Q1", "Q2"))
    rng = np.random.default_rng(5)
    drawn = [random_clifford(rng) for _ in range(samples)]
    errors = [average_error(true_process(its, pair_slots(layers, each, cz)), unitary(layers)) for layers in drawn]
    return float(np.mean(errors)), float(np.std(errors) / np.sqrt(samples))


def test_two_qubit_rb_is_the_mean_error_of_the_cliffords(device: SimulatedProcessor) -> None:
    true, spread = true_clifford_error(device, 60)
    benchmark = TwoQubitRb(Bench(device, "rb"))
    benchmark.run("Q1", "Q2", kinds=12)
    report = benchmark.report()
    found = report.estimates["error_per_clifford"]
    assert abs(found.value - true) < 4 * np.hypot(found.error, spread)
    assert found.error < 0.15 * true


def test_interleaved_rb_is_the_error_of_the_gate(device: SimulatedProcessor) -> None:
    benchmark = InterleavedRbCz(Bench(device, "irb"))
    benchmark.run("Q1", "Q2")
    report = benchmark.report()
    assert report.verdict == "success", report
    found = report.estimates["cz_error"]
    assert abs(found.value - pair_error(device, "Q1-Q2").total) < 4 * found.error


def test_process_tomography_is_the_error_of_the_gate(device: SimulatedProcessor) -> None:
    tomography = ProcessTomography(Bench(device, "qpt"))
    tomography.run("Q1", "Q2")
    report = tomography.report()
    assert report.verdict == "success", report
    found = report.estimates["cz_error"]
    assert abs(found.value - pair_error(device, "Q1-Q2").total) < 4 * found.error
    assert found.error < 0.005


def test_repeated_gate_adds_up_the_conditional_phase_of_one(device: SimulatedProcessor) -> None:
    look = ConditionalStarkRepeatedGate(Bench(device, "train"))
    gate = device.settings.pair("Q1-Q2")
    look.run("Q1", "Q2", gate.frequency, gate.amplitude_first, gate.duration)
    report = look.report()
    assert report.verdict == "success", report
    found = report.estimates["conditional_phase"]
    true = 2 * np.pi * pair_error(device, "Q1-Q2").conditional_phase
    assert abs(abs(found.value) - true) < 4 * found.error + 0.01  # the second amplitude follows from its pi pulse
    assert found.error < 0.01
