"""Ramsey finds the qubit from either side, and repeats as often as the start demands, not as a script says."""

import numpy as np
import pytest
from tiers import sampled

from labwright.tools.errors import InputError
from labwright.tools.experiments.fringes import FARTHEST, delays, fit_fringes


def error_left(lab):
    return lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency).detuning


@pytest.mark.parametrize(
    ("off", "arguments"),
    sampled(
        (off, arguments)
        for off in (0.1, -0.1, 1.5, -1.5, 2.5, 2.8, 5.0, -5.0)
        for arguments in ({"offset": 3.0, "stop": 0.5}, {})
    ),
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


@pytest.mark.slow
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


@pytest.mark.parametrize("off", sampled([-12.0, -6.5, -3.1, 7.2, 5.0, 12.0], 4))
@pytest.mark.parametrize("arguments", [{"offset": 3.0, "stop": 2.0}, {"offset": 0.1, "stop": 50.0}, {"step": 0.04}])
def test_one_run_gives_the_sign_and_no_alias(open_lab, off, arguments):
    """The fringe of |error + offset| has two signs, and a step of 0.5 us an alias every 2 MHz."""
    lab = open_lab(frequency_offset=off, amplitude_error=0.1)
    _, report = lab.run("ramsey", **arguments)
    assert report.cause == "frequency_corrected", report
    assert abs(report.estimates["frequency_error"].value + off) < 0.02
    assert report.proposal["offset"] != arguments.get("offset", 10.0)
    report, _ = lab.until_done("ramsey", **arguments | report.proposal)
    assert abs(error_left(lab)) < 0.01


def test_two_frequencies_that_fit_alike_are_not_told_by_chance(open_lab):
    """So few shots that the short delays cannot tell the multiple of 1 / step."""
    t, rng = delays(0.0, 50.0, 0.5), np.random.default_rng(2)
    turned = 2 * np.pi * 2.1 * t
    y = 0.5 + 0.3 * np.stack([np.cos(turned), -np.sin(turned)])
    sure = fit_fringes(t, y + rng.normal(0, 0.02, y.shape), np.full(y.shape, 0.02), 0.5, 0.1)
    assert sure.fit["frequency"] == pytest.approx(2.1, abs=0.001)
    assert sure.margin > 100
    grid = t[np.isclose(t % 0.5, 0)]
    alone = 0.5 + 0.3 * np.stack([np.cos(2 * np.pi * 2.1 * grid), -np.sin(2 * np.pi * 2.1 * grid)])
    unsure = fit_fringes(grid, alone + rng.normal(0, 0.02, alone.shape), np.full(alone.shape, 0.02), 0.5, 0.1)
    assert unsure.margin < 1
    apart = abs(unsure.other - unsure.fit["frequency"])
    assert apart == pytest.approx(2 * round(apart / 2), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.004, 0.02, 0.5, 4.0])
def test_the_short_delays_leave_no_frequency_in_reach_that_looks_like_another(step):
    t = delays(0.0, 60 * step, step)
    apart = np.arange(0.6 / t[-1], FARTHEST, 0.2 / t[-1])
    alike = np.abs(np.exp(2j * np.pi * np.outer(apart, t)).mean(axis=1))
    assert alike.max() < 1 - 1e-3


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


@pytest.mark.slow
@pytest.mark.parametrize(("stop", "off"), [(0.5, 2.98), (2.0, 3.0)])
def test_a_fringe_that_stands_still_asks_for_another_offset(open_lab, stop, off):
    lab = open_lab(frequency_offset=off)
    assert lab.run("ramsey", offset=3.0, stop=stop)[1].cause == "fringe_stands_still"
    report, _ = lab.until_done("ramsey", offset=3.0, stop=stop)
    assert report.verdict == "success"
    assert abs(error_left(lab)) < 0.01


def test_a_step_that_aliases_is_refused(open_lab):
    with pytest.raises(InputError, match="aliased"):
        open_lab().run("ramsey", offset=10.0, step=0.2)
    with pytest.raises(InputError, match="must be above `start`"):
        open_lab().run("ramsey", start=2.0, stop=1.0)


@pytest.mark.parametrize("arguments", [{"shots": 200}, {"step": 0.4, "shots": 100}])
def test_a_sweep_far_beyond_the_dephasing_time_shrinks_to_it(open_lab, arguments):
    """T2 of 4 us: a sweep of 50 us is noise for most of its length, and the frequency is not known to 5 kHz."""
    lab = open_lab(seed=3, t1=3.0, t2_echo=4.0, frequency_offset=0.0, amplitude_error=0.0)
    _, report = lab.run("ramsey", offset=0.1, stop=50.0, **arguments)
    assert report.verdict == "adjust"
    assert report.diagnosis.startswith("fringes decay within the sweep")
    assert 5 < report.proposal["stop"] < 15
    assert 3 <= report.proposal["offset"] * report.proposal["stop"] <= 10
    _, report = lab.run("ramsey", **{"shots": 1000} | report.proposal)
    assert report.verdict == "success", report
    assert abs(error_left(lab)) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("life", "off"), [(5.0, -12.0), (9.0, 0.02), (15.0, 0.0)])
def test_a_long_sweep_finds_the_frequency_of_a_qubit_that_dephases_soon(open_lab, life, off):
    lab = open_lab(detuning_sigma=2**0.5 / (2 * np.pi * life), frequency_offset=off, amplitude_error=0.0)
    report, _ = lab.until_done("ramsey", offset=0.1, stop=50.0)
    assert report.verdict == "success"
    assert abs(error_left(lab)) < 5 * report.estimates["frequency_error"].error
