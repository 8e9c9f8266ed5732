"""Punch-out: the largest amplitude is where the truth's resonator has moved by a quarter of its linewidth."""

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.qpu.readout import remaining_pull
from labwright.tools.qpu.truth import paper_device

CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
Q1 = paper_device().qubits["Q1"]
LINEWIDTH = Q1.kappa_ext + Q1.resonator_frequency / Q1.q_internal


def true_dip(amplitude):
    """Of level 0, relative to the resonator frequency, MHz."""
    return -Q1.chi + (Q1.lamb_shift - Q1.chi) * (remaining_pull(Q1, np.array([amplitude]))[0] - 1)


@pytest.mark.parametrize("seed", [0, *(pytest.param(later, marks=pytest.mark.slow) for later in (1, 2))])
def test_the_chosen_amplitude_and_the_dips_are_those_of_the_truth(open_lab, seed):
    lab = open_lab(seed, **CALIBRATED)
    experiment, report = lab.run("resonator_power_sweep")
    assert report.verdict == "success", report
    below = experiment.amplitudes < 0.7  # above it the tone leaks to level 2, whose dip lies elsewhere
    wanted = np.array([true_dip(a) for a in experiment.amplitudes[below]])
    assert np.abs(experiment.centre[below] - wanted).max() < 0.08
    largest = report.estimates["largest_amplitude"]
    low, high = (abs(true_dip(largest.value + k * largest.error) - true_dip(1e-6)) for k in (-4, 4))
    assert low < 0.25 * LINEWIDTH < high
    assert largest.error < 0.005
    assert experiment.width == pytest.approx(LINEWIDTH, rel=0.05)
    assert lab.device.settings.version == 0  # the readout would have to be calibrated anew, so it is not touched


def test_asked_to_update_it_writes_the_amplitude(open_lab):
    lab = open_lab(**CALIBRATED)
    _, report = lab.run("resonator_power_sweep", update=True)
    assert lab.device.settings.current("Q1").readout_amplitude == report.variables["largest_amplitude"]
    assert lab.until_done("resonator_spectroscopy")[0].verdict == "success"
    assert lab.until_done("readout_calibration")[0].verdict == "success"


@pytest.mark.slow
def test_tones_that_are_too_weak_or_too_strong_ask_for_others(open_lab):
    lab = open_lab(**CALIBRATED)
    _, weak = lab.run("resonator_power_sweep", stop=0.25)
    assert (weak.verdict, weak.proposal) == ("adjust", {"stop": 1.0})
    _, strong = lab.run("resonator_power_sweep", start=0.5)
    assert (strong.verdict, strong.proposal) == ("adjust", {"start": 0.125})
    assert lab.until_done("resonator_power_sweep", start=0.5)[0].verdict == "success"


@pytest.mark.slow
@pytest.mark.parametrize("off", [6.0, -20.0])
def test_a_sweep_beside_the_resonator_comes_back(open_lab, off):
    lab = open_lab(**CALIBRATED)
    book = lab.device.settings.current("Q1")
    lab.device.settings.update("Q1", {"readout_frequency": book.readout_frequency + off}, key="off", reason="away")
    assert lab.run("resonator_power_sweep")[1].verdict == "adjust"
    report, _ = lab.until_done("resonator_power_sweep")
    assert report.verdict == "success"


def test_a_resonator_without_a_qubit_does_not_move(open_lab):
    _, report = open_lab(**CALIBRATED, critical_amplitude=1e3, overdrive=10.0).run("resonator_power_sweep")
    assert report.verdict == "wrong_setup"
    assert "no qubit is coupled" in report.diagnosis


def test_dips_that_drown_in_noise_ask_for_shots(open_lab):
    _, report = open_lab(**CALIBRATED, snr=0.25).run("resonator_power_sweep", shots=50, stop=0.4)
    assert report.verdict == "bad_data"
    assert report.proposal == {"shots": 200}


@pytest.mark.parametrize("arguments", [{"start": 0.5, "stop": 0.4}, {"step": 2.0}])
def test_an_empty_sweep_is_refused(open_lab, arguments):
    with pytest.raises(InputError, match=r"must be above|fewer than 10"):
        open_lab(**CALIBRATED).run("resonator_power_sweep", **arguments)
