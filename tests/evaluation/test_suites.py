"""Runs end to end on the simulated processor, from several starts; and what a suite refuses."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from labwright.evaluation import adversarial_experiments, all_suites, frequency_offsets, suites, unattended_calibration
from labwright.evaluation.benchmarks.toolset_scale import measure
from labwright.evaluation.case import FOLDER as DEVICES
from labwright.evaluation.case import QUBIT, Case
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.peers.run import Task, measured, ratios
from labwright.evaluation.random_truths import drawn
from labwright.evaluation.settings_error import judged
from labwright.evaluation.suites import SUITES
from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Estimate, Report
from labwright.tools.qpu.simulated import open_simulated

RAMSEYS = {
    "0.02 MHz off": 2,  # too short; then at its own offset
    "0.1 MHz off": 2,  # corrected; confirmed
    "1.5 MHz off": 3,  # too short; corrected; confirmed
    "5 MHz off": 3,  # the fringe of -2 MHz is too short; its sign is known; confirmed
    "-5 MHz off": 2,  # fringes at 8 MHz are enough in 0.5 us; confirmed
    "1.5 MHz off, default sweep": 2,
}
STARTS = {one["name"]: one for one in json.loads((DEVICES / "starts.json").read_text())}


@pytest.mark.parametrize(
    "name",
    [name if name in ("1.5 MHz off", "-5 MHz off") else pytest.param(name, marks=pytest.mark.slow) for name in RAMSEYS],
)
def test_how_often_ramsey_is_repeated_depends_on_the_start(name, tmp_path):
    """Same rule and same procedure; the number of runs follows from what they show."""
    one = STARTS[name]
    words = f"ramsey {QUBIT}, offset = {one['offset']:g} MHz, stop = {one['stop']:g} us. Repeat at most 8 times"
    case = Case(name, one["seed"], one["options"], request=words)
    outcome = unattended_calibration.started(case, tmp_path, "rules")
    assert outcome.status == "complete"
    device = open_simulated(outcome.run_dir / "device", case.seed, case.options)
    off = device.transmon(QUBIT, device.settings.current(QUBIT).frequency).detuning
    device.close()
    assert abs(off) < 5e-3  # MHz
    assert len(outcome.result["stages"]) == RAMSEYS[name]


def test_unknown_suites_and_options_are_named():
    with pytest.raises(InputError, match="no suite 'coffee'"):
        suites.run("coffee")
    with pytest.raises(InputError, match="no option 'sugar'"):
        suites.run("arena", sugar=1)


def test_every_suite_is_in_the_small_pass_or_says_why_not() -> None:
    full = {name for name in SUITES if name not in all_suites.ELSEWHERE}
    assert all_suites.SMALL.keys() <= full
    assert all_suites.ELSEWHERE.keys() <= SUITES.keys()


@pytest.mark.slow
def test_a_pass_goes_on_where_it_was_and_notices_a_row_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings, results = tmp_path / "recordings", tmp_path / "results"
    shutil.copytree(all_suites.RECORDINGS / "forge", recordings / "forge")
    results.mkdir()
    was = json.loads((all_suites.FOLDER / "offers.json").read_text(encoding="utf-8"))
    was["rows"][0]["passed"] = not was["rows"][0]["passed"]
    was["rows"][0].pop("outcome", None)
    (results / "offers.json").write_text(json.dumps(was), encoding="utf-8")
    monkeypatch.setattr(all_suites, "SMALL", {"offers": {"limit": 4}})
    monkeypatch.setattr(all_suites, "RECORDINGS", recordings)
    monkeypatch.setattr(all_suites, "FOLDER", results)
    said: list[str] = []
    all_suites.run_all(tmp_path / "out", True, 0, said.append)
    page = (tmp_path / "out" / all_suites.PAGE).read_text(encoding="utf-8")
    [offers, forged] = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert offers[0] == "| `offers`"
    assert offers[3] == "3 of 4"
    assert (forged[0], forged[3]) == ("| `forge-texts, replayed`", "1 of 1")
    shutil.rmtree(recordings)  # a recording is played once a process
    all_suites.run_all(tmp_path / "out", True, 0, said.append)
    assert "offers: 4 of 4 rows are there" in said


def test_every_offset_on_every_device_meets_every_life():
    drawn = frequency_offsets.cases({"seeds": 6, "first": 0})
    met = {(case.seed, case.options["detuning_sigma"]) for case in drawn}
    at = {(case.options["frequency_offset"], case.options["detuning_sigma"]) for case in drawn}
    assert len(drawn) == 6 * 9 * 3
    assert len(met) == 6 * 3
    assert len(at) == 9 * 3
    assert {case.options["frequency_offset"] for case in drawn} == {-12, -9, -6, -3, 0, 3, 6, 9, 12}


def test_a_drive_12_mhz_off_and_noise_of_5_us_are_calibrated(tmp_path, monkeypatch):
    monkeypatch.setattr(frequency_offsets, "OFFSETS", (-12,))
    monkeypatch.setattr(frequency_offsets, "LIVES", (5.0,))
    result = suites.run("offsets", seeds=1, first=100, workers=0, out=tmp_path)
    [row] = result["rows"]
    assert row["ended"] == "right", row
    assert row["ratio"] < 1.1
    assert abs(row["frequency_error"]) < 15  # kHz


def test_the_committed_result_holds_no_silently_wrong_run():
    kept = json.loads((FOLDER / "offsets.json").read_text(encoding="utf-8"))
    assert kept["n"] == 162
    assert kept["score"] == 1.0
    assert set(kept["ended"]) <= {"right", "failed for the cause"}


@pytest.mark.parametrize("large", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_reading_does_not_grow_with_the_toolset(large: int) -> None:
    small, big = measure(10), measure(large)
    assert (
        big["read_most"] < (1 + math.log10(large / 10)) * small["read_most"]
    )  # a listing more for ten times the tools
    assert big["all_descriptions"] > 0.9 * large / 10 * small["all_descriptions"]
    assert big["read_most"] < 2 / large * big["all_descriptions"] + 6000
    assert big["largest_listing"] < 1600  # ten lines
    assert (big["crowded_folders"], big["broken"]) == (0, 0)


@pytest.mark.slow
def test_a_peer_takes_turns_with_us_and_one_that_is_missing_is_named(tmp_path: Path) -> None:
    task = Task("two turns", lambda: np.array(2), ("create_agent", "dynamiqs"), {"turns": 2})
    done, missing = measured(task, tmp_path, 2)
    assert (done["peer"], done["difference"], done["repeats"]) == ("create_agent", 0.0, 2)
    assert done["clock"]["theirs"] > 0
    assert missing == {"task": "two turns", "peer": "dynamiqs", "missing": "not installed, or it failed"}


def test_a_ratio_is_of_medians_and_its_spread_of_the_repeats() -> None:
    found = ratios([(1.0, 1.0), (2.0, 1.0), (9.0, 1.0)], [(4.0, 3.0), (2.0, 2.0), (9.0, 5.0)])
    assert found["clock"] == {"ours": 2.0, "theirs": 4.0, "ratio": 2.0, "spread": [1.0, 4.0]}
    assert found["processor"]["ratio"] == pytest.approx(3.0)


def test_two_cases_of_one_experiment_end_in_one_line(tmp_path):
    result = suites.run("adversarial", seeds=2, experiment=["resonator_spectroscopy"], out=tmp_path)
    [line] = result["rows"]
    assert line["n"] == 2 == line["right"] + line["off"] + line["refused"] + line["silently_wrong"]
    assert result["passed"]
    with pytest.raises(InputError, match="'t1' is no experiment that writes"):
        suites.run("adversarial", experiment=["t1"])


def test_nothing_seen_in_48_leaves_six_per_cent():
    assert adversarial_experiments.upper_bound(0, 48) == pytest.approx(1 - 0.05 ** (1 / 48), rel=1e-3)
    assert adversarial_experiments.upper_bound(48, 48) == 1.0


@pytest.mark.parametrize("name", adversarial_experiments.writers())
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
