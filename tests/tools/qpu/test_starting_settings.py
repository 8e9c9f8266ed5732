"""Which devices there are, and how wrong their controllers start."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.opening import check_device
from labwright.tools.qpu.oracle import device_errors, gate_errors, optimal_settings
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.qpu.starting_settings import SPOILT, choose
from labwright.tools.qpu.truth import paper_device


def test_demo_start() -> None:
    truth, settings = choose({})
    _, right = choose({"frequency_offset": 0.0, "amplitude_error": 0.0})
    q1 = settings["Q1"]
    assert abs(q1.frequency - truth.qubits["Q1"].frequency) == 1.5
    assert abs(q1.amplitude_pi / right["Q1"].amplitude_pi - 1) == pytest.approx(0.15)
    assert q1.drag == 0


def test_drawn_devices_spread_as_promised() -> None:
    drawn = [choose({"device": f"drawn:{seed}"}) for seed in range(40)]
    qubits = [truth.qubits["Q1"] for truth, _ in drawn]
    t1 = np.array([q.t1 for q in qubits])
    assert 40 <= t1.min() < 60
    assert 110 < t1.max() <= 130
    lost = np.array([1 - (q.gain(0.35) / 0.35) / (q.gain(0.2) / 0.2) for q in qubits])
    assert 0.009 < lost.min() < lost.max() < 0.031
    offset = np.array([s["Q1"].frequency - t.qubits["Q1"].frequency for t, s in drawn])
    amplitude = np.array([s["Q1"].amplitude_pi * t.qubits["Q1"].drive_scale for t, s in drawn])
    drag = np.array([s["Q1"].drag for _, s in drawn])
    for values in (offset, amplitude - np.median(amplitude), drag - 0.5):
        assert min((values > 0).sum(), (values < 0).sum()) > 8
    for q in qubits:
        amplitudes = np.linspace(0, 1, 200)
        assert np.all(np.diff(q.gain(amplitudes)) > 0)
        assert q.dephasing_rate > 0


def test_options_change_truth_and_start_of_the_named_qubit() -> None:
    truth, settings = choose({"qubit": "Q2", "t1": 50.0, "t2_echo": "40", "drag": 0.2})
    plain, _ = choose({})
    assert truth.qubits["Q2"].t1 == 50
    assert truth.qubits["Q2"].t2_echo == 40
    assert truth.qubits["Q1"] == plain.qubits["Q1"]
    assert (settings["Q2"].drag, settings["Q1"].drag) == (0.2, 0.5)


@pytest.mark.parametrize(
    "options",
    [
        {"device": "spoilt:nothing"},
        {"device": "drawn:x"},
        {"device": "elsewhere"},
        {"t1": "long"},
        {"warp": 9.0},
        {"qubit": "Q7"},
        {"t2_echo": 500.0},
    ],
)
def test_wrong_options_are_refused(options: dict[str, float | str]) -> None:
    with pytest.raises(InputError):
        choose(options)


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_devices_are_spoilt(name: str, tmp_path) -> None:
    device = open_simulated(tmp_path, 1, {"device": f"spoilt:{name}", "amplitude_error": 0.0})
    settings = device.settings.current("Q1")
    transmon = device.transmon("Q1", settings.frequency)
    device.close()
    symptom = {
        "short_t1": transmon.truth.t1 == 3.0,
        "low_snr": transmon.truth.snr == 0.3,
        "far_frequency": transmon.detuning == pytest.approx(40.0),
        "overdriven": settings.amplitude_pi * transmon.truth.drive_scale > 2.5 * 0.35 * 88,
        "jump": transmon.truth.step == 1.0,
    }
    assert symptom[name]


@pytest.mark.slow
@pytest.mark.parametrize("qubit", ["Q1", "Q8"])
def test_oracles_optimum_is_just_above_the_coherence_limit(qubit: str) -> None:
    truth = paper_device().qubits[qubit]
    best = optimal_settings(Transmon(truth, 0.0))
    at_best = Transmon(truth, truth.frequency - best.frequency)
    errors = gate_errors(at_best, best)
    assert 1.03 < errors.ratio < 1.05
    assert best.drag == pytest.approx(0.5, abs=0.03)
    without = gate_errors(at_best, dataclasses.replace(best, drag=0.0))
    assert without.gates["X180"] > 10 * errors.gates["X180"]


def test_errors_of_the_device_follow_its_settings(tmp_path) -> None:
    device = open_simulated(tmp_path, 1, {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5})
    good = device_errors(device, "Q1").ratio
    amplitude = device.settings.current("Q1").amplitude_pi
    device.settings.update("Q1", {"amplitude_pi": 1.05 * amplitude}, key="k", reason="spoil")
    assert good < 1.1
    assert device_errors(device, "Q1").ratio > 5 * good
    device.close()


@pytest.mark.parametrize("chip", ["grid:0:99", "grid:3", "paper", "drawn:1"])
def test_a_chip_in_place_of_a_device_is_said_to_be_one(chip: str) -> None:
    with pytest.raises(InputError, match=f"chip of the simulated processor.*--device-option device={chip}"):
        check_device(chip, {})
