"""Rabi: what Gaussian pulses and pairs of pulses keep it from writing."""

import pytest

from labwright.tools.qpu.oracle import optimal_settings


@pytest.mark.parametrize("offset", [-6.0, 3.5, 12.0])  # MHz
def test_a_detuned_drive_is_named_with_its_sign_and_sets_no_amplitude(open_lab, offset):
    _, report = open_lab(frequency_offset=offset, amplitude_error=0.0).run("rabi")
    assert (report.verdict, report.cause) == ("wrong_setup", "frequency_off")
    assert report.estimates["detuning"].value == pytest.approx(-offset, abs=0.4)  # qubit minus drive


@pytest.mark.slow
def test_a_drive_that_compresses_is_calibrated_with_the_pulses_themselves(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0, compression=0.5)
    _, report = lab.run("rabi", amplitude=0.8, stop=0.1, step=0.001)
    best = optimal_settings(lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency))
    for name in ("amplitude_pi", "amplitude_pi2"):
        claim = report.estimates[name]
        assert abs(claim.value - getattr(best, name)) < 4 * claim.error < 0.06 * claim.value
        assert report.updates[name] == claim.value


def test_a_readout_turned_around_is_not_taken_for_a_pulse(open_lab):
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0)
    settings = lab.device.settings.current("Q1")
    around = {"readout_angle": settings.readout_angle + 3.1416, "readout_threshold": -settings.readout_threshold}
    lab.device.settings.update("Q1", around, key="around", reason="turned around")
    _, report = lab.run("rabi", stop=0.25)
    assert (report.verdict, report.cause) == ("wrong_setup", "readout_unresolved")
