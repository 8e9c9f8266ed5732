"""The suite `adversarial`: what it draws, what it calls silently wrong, and two cases end to end."""

from dataclasses import replace

import pytest

from labwright.evaluation import adversarial, suites
from labwright.evaluation.random_truths import QUBIT, drawn
from labwright.evaluation.settings_error import judged
from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Estimate, Report


def test_two_cases_of_one_experiment_end_in_one_line(tmp_path):
    result = suites.run("adversarial", seeds=2, experiment=["resonator_spectroscopy"], out=tmp_path)
    [line] = result["rows"]
    assert line["n"] == 2 == line["right"] + line["off"] + line["refused"] + line["silently_wrong"]
    assert result["passed"]
    with pytest.raises(InputError, match="'t1' is no experiment that writes"):
        suites.run("adversarial", experiment=["t1"])


def test_nothing_seen_in_48_leaves_six_per_cent():
    assert adversarial.upper_bound(0, 48) == pytest.approx(1 - 0.05 ** (1 / 48), rel=1e-3)
    assert adversarial.upper_bound(48, 48) == 1.0


@pytest.mark.parametrize("name", adversarial.writers())
def test_every_experiment_that_writes_is_drawn_and_differs_from_case_to_case(name, tmp_path):
    one, again, other = (drawn(name, seed, tmp_path / str(place)) for place, seed in enumerate((3, 3, 4)))
    assert (one.arguments, one.start, one.truth) == (again.arguments, again.start, again.truth)
    assert (one.truth, one.start) != (other.truth, other.start)
    assert all(getattr(one.start[QUBIT], setting) is not None for setting in one.wrong)


@pytest.mark.parametrize(("off", "silent"), [(0.001, False), (0.05, True)])
def test_an_amplitude_far_outside_its_error_bar_is_silently_wrong(off, silent, tmp_path):
    made = drawn("rabi", 1, tmp_path, trouble=False)
    right = made.start[QUBIT]
    wrong = right.changed({"amplitude_pi": right.amplitude_pi * (1 + off)})
    device = replace(made, start={**made.start, QUBIT: wrong}).open(tmp_path / "device", 1)
    device.wait(1.0, "idle")
    device._played.append({"clock": 0.0})
    claim = Estimate(wrong.amplitude_pi, 0.0005 * wrong.amplitude_pi)
    found = judged(device, ("amplitude_pi",), Report("success", "", "", {"amplitude_pi": claim}), 1)
    device.close()
    assert found.silently_wrong is silent
    assert (found.factor > 2) is silent


@pytest.mark.slow
def test_claimed_errors_are_held_against_the_truth_they_claim(tmp_path):
    result = suites.run("coverage", seeds=12, experiment=["qubit_spectroscopy"], out=tmp_path)
    [line] = result["rows"]
    assert line["case"] == "qubit_spectroscopy.frequency"
    assert line["n"] == 12
    assert line["in_95"] > 0.7
    assert 0.3 < line["sd_pull"] < 2
    with pytest.raises(InputError, match="No truth is known for what 'all_xy'"):
        suites.run("coverage", experiment=["all_xy"])
