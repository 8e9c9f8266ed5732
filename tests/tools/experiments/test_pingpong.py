"""Ping-pong: trains cannot tell an angle from one a whole turn more, nor an amplitude from a detuning."""

import pytest


@pytest.mark.parametrize("offset", [-3.0, 1.5])  # MHz
def test_a_detuned_drive_is_named_with_its_sign(open_lab, offset):
    _, report = open_lab(frequency_offset=offset, amplitude_error=0.0).run("amplitude_pingpong")
    assert (report.verdict, report.cause) == ("wrong_setup", "frequency_off")
    assert report.estimates["detuning"].value == pytest.approx(-offset, abs=0.4)


@pytest.mark.parametrize("name", ["amplitude_pi", "amplitude_pi2"])
@pytest.mark.parametrize("factor", [3.0, 5.0])
def test_pulses_of_many_half_turns_are_not_taken_for_one(open_lab, name, factor):
    """Five half turns, or five quarter turns, end where one does, in every train."""
    lab = open_lab(frequency_offset=0.0, amplitude_error=0.0, drive_scale=264.0, compression=0.0)
    right = getattr(lab.device.settings.current("Q1"), name)
    lab.device.settings.update("Q1", {name: factor * right}, key="far", reason="far off")
    _, report = lab.run("amplitude_pingpong")
    assert (report.verdict, report.cause) == ("wrong_setup", "amplitude_far_off"), report
