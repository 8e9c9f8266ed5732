"""The whole sequence on the simulated processor, judged by its truth; and devices that nobody can calibrate."""

import numpy as np
import pytest
from tiers import sampled

from labwright.tools.experiments.drag_calibration import DragCalibration
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.qpu.oracle import device_errors, optimal_settings

# Those that a qubit's name is enough for; what all promise is in test_conformance.py.
ONE_QUBIT = sorted(
    name for name, kind in experiments().items() if [p.name for p in card(kind).parameters if p.required] == ["qubit"]
)
RESONATOR = ("resonator_power_sweep", "dispersive_shift")  # need no states apart, as spectroscopy does not


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, pytest.param(7, marks=pytest.mark.slow)])
def test_the_sequence_reaches_the_coherence_limit(open_lab, seed):
    lab = open_lab(seed, device=f"drawn:{seed}")
    lab.calibrate()
    settings = lab.device.settings.current("Q1")
    transmon = lab.device.transmon("Q1", settings.frequency)
    best = optimal_settings(transmon)
    errors = device_errors(lab.device, "Q1")
    assert errors.ratio < 1.15
    assert abs(transmon.detuning) < 0.01
    assert abs(settings.amplitude_pi / best.amplitude_pi - 1) < 1e-3
    assert abs(settings.amplitude_pi2 / best.amplitude_pi2 - 1) < 1e-3
    assert abs(settings.drag - best.drag) < 0.05
    t1, _ = lab.until_done("t1")
    echo, _ = lab.until_done("spin_echo")
    for report, name, truth in ((t1, "t1", transmon.truth.t1), (echo, "t2_echo", transmon.truth.t2_echo)):
        assert abs(report.variables[name] - truth) < 4 * report.variables[f"{name}_error"]
    rb, _ = lab.until_done("single_qubit_rb", **t1.variables, **echo.variables)
    measured = rb.estimates["error_per_gate"]
    assert abs(measured.value - errors.per_gate) < 3 * measured.error
    assert measured.error < 0.05 * errors.limit
    assert rb.verdict == "success"


def test_gates_out_of_tune_are_not_called_a_success(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.05, drag=0.0)
    _, report = lab.run("single_qubit_rb", t1=126.0, t2_echo=124.0, max_length=256)
    assert report.verdict == "wrong_setup"
    _, alone = lab.run("single_qubit_rb", max_length=64, shots=20000)
    assert alone.verdict == "wrong_setup"  # more shots cannot mend gates with wrong angles
    assert "calibrate the gates first" in alone.diagnosis
    experiment, _ = lab.run("single_qubit_rb", max_length=64, kinds=20)
    above, below = experiment.plot().axes[:2]
    top = experiment.data["fraction"].max()
    assert above.get_ylim()[1] > top + 0.1 * (top - above.get_ylim()[0])  # the legend covers no point
    assert any("10$^{-3}$" in text.get_text() or "10$^{-2}$" in text.get_text() for text in below.texts)
    assert "+- 0" not in report.analysis  # the errors of T1 and echo were not given, which is not an error of zero
    assert "miscalibrated" in report.diagnosis


def test_spectroscopy_finds_a_qubit_40_mhz_away(open_lab):
    lab = open_lab(device="spoilt:far_frequency")
    for name in ("ramsey", "rabi"):
        _, report = lab.run(name)
        assert report.verdict == "wrong_setup"
        assert "run qubit_spectroscopy" in report.diagnosis
    _, report = lab.run("amplitude_pingpong")
    assert report.verdict == "wrong_setup"
    report, _ = lab.until_done("qubit_spectroscopy")
    assert report.verdict == "success"
    settings = lab.device.settings.current("Q1")
    assert abs(lab.device.transmon("Q1", settings.frequency).detuning) < 0.5


@pytest.mark.slow
def test_a_drive_three_times_too_strong_is_recovered_by_rabi_and_refused_by_pingpong(open_lab):
    lab = open_lab(device="spoilt:overdriven", frequency_offset=0.0, amplitude_error=0.0)
    _, report = lab.run("amplitude_pingpong")
    assert report.verdict == "wrong_setup"
    _, report = lab.run("rabi")
    assert report.verdict == "adjust"
    assert "too many oscillations" in report.diagnosis
    lab.calibrate()
    assert device_errors(lab.device, "Q1").ratio < 1.15


def test_a_weak_drive_is_told_from_a_dead_one(open_lab):
    lab = open_lab(frequency_offset=0.0)
    _, report = lab.run("rabi", amplitude=0.012)
    assert report.verdict == "adjust"
    assert "too few oscillations" in report.diagnosis
    report, _ = lab.until_done("rabi", amplitude=0.012)
    assert report.updates["amplitude_pi"] == pytest.approx(0.355, rel=0.03)


@pytest.mark.slow
def test_a_short_lifetime_is_measured_and_not_taken_for_a_bad_gate(open_lab):
    lab = open_lab(device="spoilt:short_t1")
    lab.calibrate()
    t1, _ = lab.until_done("t1")
    echo, _ = lab.until_done("spin_echo")
    assert t1.variables["t1"] == pytest.approx(3.0, rel=0.1)
    assert echo.variables["t2_echo"] == pytest.approx(4.0, rel=0.1)
    rb, _ = lab.until_done("single_qubit_rb", **t1.variables, **echo.variables)
    errors = device_errors(lab.device, "Q1")
    assert abs(rb.estimates["error_per_gate"].value - errors.per_gate) < 3 * rb.estimates["error_per_gate"].error


@pytest.mark.parametrize("stop", [0.5, 1400.0])
def test_a_lifetime_is_found_from_a_sweep_far_too_short_or_long(open_lab, stop):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0, t1=3.0, t2_echo=4.0)
    assert lab.until_done("t1", stop=stop)[0].variables["t1"] == pytest.approx(3.0, rel=0.1)


def test_a_poor_refocusing_pulse_does_not_change_the_echo_time(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.03, detuning_sigma=0.0)
    _, report = lab.run("spin_echo", shots=20000)
    assert report.estimates["t2_echo"].error < 0.8
    assert abs(report.estimates["t2_echo"].value - 124) < 3 * report.estimates["t2_echo"].error


def test_readout_and_resonator_are_brought_up(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0)
    _, report = lab.run("resonator_spectroscopy")
    assert report.verdict == "success"
    experiment, report = lab.run("readout_calibration")
    assert report.verdict == "success"
    assert report.estimates["snr"].value == pytest.approx(3.0, abs=0.25)
    after = lab.run("readout_calibration")[0]
    # the written angle turns the line between the blobs onto the real axis, state 1 on the far side
    assert abs(np.angle(np.exp(1j * (after.angle - lab.device.settings.current("Q1").readout_angle)))) < 0.05
    assert experiment.reads_one[1] - experiment.reads_one[0] > 0.55


def test_jumps_during_readout_do_not_bring_the_blobs_together(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0, t1=10.0, t2_echo=10.0)
    snr = lab.run("readout_calibration", shots=20000)[1].estimates["snr"]
    assert snr.error < 0.05
    assert abs(snr.value - 3) < 3 * snr.error


def test_overdriven_readout_shows_a_third_blob(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0, overdrive=0.25)
    _, report = lab.run("readout_calibration")
    assert report.estimates["third_blob"].value > 0.05


@pytest.mark.parametrize("seed", sampled(range(3)))
def test_drag_sweeps_off_centre_come_back(open_lab, seed):
    lab = open_lab(seed, frequency_offset=0.0, amplitude_error=0.0)
    _, first = lab.run("drag_calibration", start=1.0, stop=3.0)
    assert first.verdict == "adjust"
    assert "central half" in first.diagnosis
    assert not first.updates
    report, _ = lab.until_done("drag_calibration", start=1.0, stop=3.0)
    assert abs(report.updates["drag"] - 0.5) < 0.06
    assert DragCalibration.name in lab.device.settings.history("Q1")[-1].reason


@pytest.mark.parametrize("name", sampled(ONE_QUBIT, 8))
@pytest.mark.parametrize("spoilt", ["low_snr", pytest.param("far_frequency", marks=pytest.mark.slow)])
def test_failed_runs_can_be_drawn_and_an_unresolved_readout_is_named(open_lab, name, spoilt, tmp_path):
    experiment, report = open_lab(device=f"spoilt:{spoilt}").run(name)
    experiment.plot().savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000  # axes and points, not an empty page
    if spoilt == "low_snr" and not ("spectroscopy" in name or name in RESONATOR):
        assert report.verdict == "wrong_setup", report
        assert "apart" in report.diagnosis
        assert not report.updates
