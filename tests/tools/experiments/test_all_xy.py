"""AllXY names what is wrong with the pulses, and says nothing where nothing is."""

import numpy as np
import pytest

from labwright.tools.experiments.all_xy import AllXY
from labwright.tools.experiments.allxy_model import IDEAL, PAIRS, staircase

CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


def test_perfect_pulses_make_the_ideal_staircase():
    assert len(PAIRS) == len(set(PAIRS)) == 21
    assert staircase(0, 0, 0, 0.03) == pytest.approx(IDEAL, abs=1e-12)


def test_first_order_patterns():
    """An amplitude error e turns X90 I by e pi/2 too far; a detuning acts through the phase between two pulses."""
    strong = staircase(0.02, 0, 0, 0.03)
    assert strong[PAIRS.index(("X90", "I"))] == pytest.approx(np.sin(np.pi / 4 * 1.02) ** 2)
    assert strong[PAIRS.index(("X180", "X180"))] == pytest.approx(np.sin(np.pi * 1.02) ** 2)
    off = staircase(0, 0.5, 0, 0.03) - IDEAL
    assert off[PAIRS.index(("X90", "Y90"))] == pytest.approx(-off[PAIRS.index(("Y90", "X90"))], abs=0.01)
    assert abs(off[PAIRS.index(("X90", "Y90"))]) > 5 * abs(off[PAIRS.index(("X90", "X90"))])


@pytest.mark.parametrize(
    ("error", "diagnosis"),
    [
        ({"amplitude_error": 0.05}, "pulse amplitude is off; run amplitude_pingpong"),
        ({"amplitude_error": -0.04}, "pulse amplitude is off; run amplitude_pingpong"),
        ({"amplitude_error": 0.2}, "pulse amplitude is off; run rabi"),
        ({"frequency_offset": 1.0}, "drive frequency is off; run ramsey"),
        ({"frequency_offset": -1.0}, "drive frequency is off; run ramsey"),
        ({"drag": -0.3}, "DRAG coefficient is off; run drag_calibration"),
        ({"drag": 1.2}, "DRAG coefficient is off; run drag_calibration"),
    ],
)
def test_the_error_is_named_and_nothing_is_written(open_lab, error, diagnosis):
    lab = open_lab(**CALIBRATED | error)
    _, report = lab.run("all_xy", shots=4000)
    assert (report.verdict, report.diagnosis) == ("wrong_setup", diagnosis)
    assert lab.device.settings.version == 0


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_the_size_of_the_error_is_that_of_the_truth(open_lab, seed):
    lab = open_lab(seed, **CALIBRATED | {"amplitude_error": 0.03, "frequency_offset": 0.8})
    _, report = lab.run("all_xy", shots=8000, repetitions=4)
    amplitude, detuning = report.estimates["amplitude_error"], report.estimates["detuning"]
    assert abs(amplitude.value - 0.03) < 5 * amplitude.error
    truth = lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency).detuning
    assert abs(detuning.value - truth) < 5 * detuning.error
    assert detuning.error < 0.05


def test_a_bend_whose_cause_is_not_certain_asks_for_shots(open_lab):
    lab = open_lab(**CALIBRATED | {"drag": 0.0})
    _, report = lab.run("all_xy", shots=150, repetitions=1)
    assert report.verdict == "adjust"
    assert report.proposal == {"shots": 600}


def test_a_pattern_of_another_kind_is_bad_data(open_lab):
    """Data whose middle step jumps half-way through: the readout changed while the pairs were played."""
    experiment, _ = open_lab(**CALIBRATED).run("all_xy")
    assert isinstance(experiment, AllXY)
    experiment.data["fraction"][0, 12:] += 0.08
    experiment.fit()
    report = experiment.report()
    assert report.verdict == "bad_data"
    assert "no error of amplitude, frequency or DRAG" in report.diagnosis
