"""A kernel on the simulated processor: what is played, and what comes back."""

from pathlib import Path

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench
from labwright.tools.feature_maps.evolve import plain_recipe
from labwright.tools.feature_maps.native_gates import Native
from labwright.tools.feature_maps.noise import GateErrors
from labwright.tools.feature_maps.processor_kernel import Chip, run_on_processor, slots_of
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.qpu.joint_program import Turn
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated

CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


@pytest.fixture
def device(tmp_path: Path):
    opened: SimulatedProcessor = open_simulated(tmp_path, 0, CALIBRATED)
    yield opened
    opened.close()


def test_the_chip_gives_the_kernel_that_its_gate_errors_predict(device: SimulatedProcessor) -> None:
    circuit = circuit_of(plain_recipe(axes=["RX", "RY"], entangler="none", scale=2.0), 2, 4)
    random = np.random.default_rng(0)
    y = np.arange(10) % 2
    X = 0.4 * random.random((10, 4)) + 0.5 * y[:, None]
    chip = Chip(device, ("Q1", "Q2"), "test")
    found = run_on_processor(circuit, chip, (X[:6], y[:6]), (X[6:], y[6:]), GateErrors(3e-4, 0.01), 2000)
    assert len(found.measured) == 6 * 5 // 2 + 6 * 4
    pulls = (np.array(found.measured) - np.array(found.predicted)) / np.array(found.error)
    assert np.abs(pulls).max() < 4.5
    assert found.predicted_deviation < 1.5 * found.shot_error
    assert found.measured_accuracy == found.exact_accuracy == 1.0
    assert found.cz_gates == 0
    again = run_on_processor(circuit, chip, (X[:6], y[:6]), (X[6:], y[6:]), GateErrors(3e-4, 0.01), 2000)
    assert again.measured == found.measured  # the same key plays nothing again


def test_gates_without_a_calibrated_coupling_are_refused(device: SimulatedProcessor) -> None:
    circuit = circuit_of(plain_recipe(axes=["RX", "RY"], entangler="CZ", pattern="line"), 2, 4)
    X, y = np.random.default_rng(0).random((4, 4)), np.arange(4) % 2
    with pytest.raises(InputError, match="No couplings join"):
        run_on_processor(circuit, Chip(device, ("Q1", "Q2"), "k"), (X[:2], y[:2]), (X[2:], y[2:]), GateErrors(), 100)
    with pytest.raises(InputError, match="Name as many"):
        run_on_processor(circuit, Chip(device, ("Q1",), "k"), (X[:2], y[:2]), (X[2:], y[2:]), GateErrors(), 100)


def test_turns_and_pulses_stand_in_slots_of_their_own(device: SimulatedProcessor) -> None:
    chip = Chip(device, ("Q1", "Q2"), "k")
    gates = [Native("turn", (0,), 0.3), Native("x90", (0,)), Native("x90", (1,)), Native("turn", (1,), 0.2)]
    slots = slots_of(gates, chip, Bench(device, "k"))
    kinds = [[None if each is None else isinstance(each, Turn) for each in slot] for slot in slots]
    assert kinds == [[True, None], [False, False], [None, True]]
