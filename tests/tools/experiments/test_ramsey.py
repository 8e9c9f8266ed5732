"""Ramsey finds the qubit from either side, and repeats as often as the start demands, not as a script says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.experiments.ramsey import ALTERNATIVE, PRIMARY, read_fringe
from labwright.tools.qpu.settings import SettingsVersion


def error_left(lab):
    return lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency).detuning


@pytest.mark.parametrize(
    ("off", "arguments"),
    [
        (off, arguments)
        for off in (0.1, -0.1, 1.5, -1.5, 2.5, 2.8, 5.0, -5.0)
        for arguments in ({"offset": 3.0, "stop": 0.5}, {})
    ],
)
def test_the_frequency_is_found(open_lab, off, arguments):
    lab = open_lab(frequency_offset=off)
    report, _ = lab.until_done("ramsey", **arguments)
    assert report.verdict == "success", report
    assert abs(error_left(lab)) < 0.01


def test_the_short_first_run_is_made_three_to_four_times_longer(open_lab):
    _, report = open_lab(frequency_offset=1.5).run("ramsey", offset=3.0, stop=0.5)
    assert report.verdict == "adjust"
    assert report.diagnosis.startswith("too few oscillations")
    assert 1.5 <= report.proposal["stop"] <= 2.0
    assert not report.updates


def test_the_number_of_repeats_depends_on_the_start(open_lab):
    repeats = [
        open_lab(frequency_offset=off).until_done("ramsey", **arguments)[1]
        for off, arguments in (
            (0.001, {}),
            (0.1, {}),
            (1.5, {"offset": 3.0, "stop": 0.5}),
            (5.0, {"offset": 3.0, "stop": 0.5}),
        )
    ]
    assert repeats[0] == 1
    assert len(set(repeats)) >= 3, repeats


def test_a_wrong_sign_is_taken_back(open_lab):
    lab = open_lab(frequency_offset=5.0)  # the qubit is 5 MHz below the drive, more than the offset
    _, first = lab.run("ramsey", offset=3.0, stop=2.0)
    assert first.updates["frequency"] - lab.device.settings.history("Q1")[-1].before["frequency"] == pytest.approx(
        -1, abs=0.02
    )
    _, second = lab.run("ramsey", offset=3.0, stop=2.0)
    assert "wrong sign" in second.diagnosis
    assert abs(error_left(lab)) < 0.03


def test_a_report_can_be_read_twice_and_written_once(open_lab):
    lab = open_lab(frequency_offset=0.1)
    experiment, report = lab.run("ramsey")
    experiment.update()
    assert experiment.report() == report
    assert sum(v.key == f"{experiment.bench.key}.update" for v in lab.device.settings.history("Q1")) == 1


def test_update_false_writes_nothing(open_lab):
    lab = open_lab(frequency_offset=0.1)
    before = lab.device.settings.version
    lab.run("ramsey", update=False)
    assert lab.device.settings.version == before


def test_a_check_without_update_is_done_after_one_run_and_says_what_it_found(open_lab):
    """A second run would show the same fringe: nothing was corrected, and the report must not say that it was."""
    _, report = open_lab(frequency_offset=1.5).run("ramsey", update=False)
    assert report.verdict == "success"
    assert report.diagnosis.startswith("drive is off: frequency error -1.50")
    assert "not corrected" in report.diagnosis


def test_a_long_sweep_gives_t2_ramsey(open_lab):
    lab = open_lab(frequency_offset=0.0)
    _, report = lab.run("ramsey", offset=0.05, stop=160.0, shots=4000)
    assert abs(report.variables["t2_ramsey"] - 107) < 4 * report.variables["t2_ramsey_error"] + 5


def test_a_fringe_that_stands_still_asks_for_another_offset(open_lab):
    lab = open_lab(frequency_offset=3.0)
    report, _ = lab.until_done("ramsey", offset=3.0, stop=2.0)
    assert report.verdict == "success"
    assert abs(error_left(lab)) < 0.01


def test_a_step_that_aliases_is_refused(open_lab):
    with pytest.raises(InputError, match="aliased"):
        open_lab().run("ramsey", offset=10.0, step=0.2)
    with pytest.raises(InputError, match="must be above `start`"):
        open_lab().run("ramsey", start=2.0, stop=1.0)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.floats(-9.9, 9.9), st.floats(0.5, 10))
def test_two_fringes_settle_the_sign(error, offset):
    """Without noise: whatever the error, after two readings and two corrections nothing is left."""
    if min(abs(error + offset), abs(2 * offset + error), abs(error), abs(error + 1.5 * offset)) < 0.2:
        return  # the fringe stands still, or the candidates coincide
    first = read_fringe(abs(error + offset), offset, None)
    last = SettingsVersion(1, "Q1", {}, {}, "", "", 0.0, {PRIMARY: first.error, ALTERNATIVE: first.alternative})
    left = error - first.error
    second = read_fringe(abs(left + offset), offset, last)
    assert abs(left - second.error) < 1e-6


def test_a_small_correction_is_never_taken_for_a_wrong_sign():
    """After a correction of about nothing the other candidate, twice the offset away, foretells the same fringe."""
    last = SettingsVersion(1, "Q1", {}, {}, "", "", 0.0, {PRIMARY: -0.0005, ALTERNATIVE: -5.9995})
    for fringe in (2.9967, 3.0, 3.0033):
        reading = read_fringe(fringe, 3.0, last)
        assert not reading.flipped
        assert reading.error == pytest.approx(fringe - 3.0)


@pytest.mark.parametrize("arguments", [{}, {"step": 0.2}])
def test_a_sweep_far_beyond_the_dephasing_time_shrinks_to_it(open_lab, arguments):
    """T2 of 4 us: a sweep of 50 us is noise for most of its length, and the frequency is not known to 5 kHz."""
    lab = open_lab(seed=3, t1=3.0, t2_echo=4.0, frequency_offset=0.0, amplitude_error=0.0)
    _, report = lab.run("ramsey", offset=0.1, stop=50.0, shots=200, **arguments)
    assert report.verdict == "adjust"
    assert report.diagnosis.startswith("fringes decay within the sweep")
    assert 5 < report.proposal["stop"] < 15
    assert 3 <= report.proposal["offset"] * report.proposal["stop"] <= 10
    _, report = lab.run("ramsey", **{"offset": 0.1, "stop": 50.0} | arguments | report.proposal)
    assert report.verdict == "success", report
    assert abs(error_left(lab)) < 0.01
