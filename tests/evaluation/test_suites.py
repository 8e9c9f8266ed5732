"""Suites end to end on the simulated processor: one drawn device, several starts, and, if asked, the spoilt ones."""

import json

import pytest

from labwright.evaluation import calibration, suites
from labwright.evaluation.case import FOLDER as DEVICES
from labwright.evaluation.case import QUBIT, Case, spoilt_cases
from labwright.evaluation.committed import FOLDER
from labwright.evaluation.reading import read_device
from labwright.tools.errors import InputError

SEED = 100  # not one of the seeds that are reported


def test_one_drawn_device_is_calibrated_to_its_limit(tmp_path):
    chosen = {"seeds": 1, "first": SEED, "workers": 0, "out": tmp_path, "baseline": False}
    result = suites.run("calibration", **chosen)
    [row] = result["rows"]
    assert row["faults"] == ""
    assert row["status"] == "complete"
    assert row["best_ratio"] <= row["ratio"] < 1.1 < row["start_ratio"]
    assert abs(row["frequency_error"]) < 30  # kHz
    assert abs(row["amplitude_pi_error"]) < 0.3  # per cent
    assert abs(row["drag_error"]) < 0.05
    assert row["shots"] > 1e6
    assert result["passed"]

    # the same folder is not measured again: the stored row comes back, seconds and all
    assert suites.run("calibration", **chosen)["rows"] == [row]


def test_the_fixed_script_is_judged_by_the_same_demands(tmp_path):
    """Seed 102 shows less than one fringe in one short Ramsey run; nobody notices."""
    result = suites.run("fixed_script", seeds=1, first=102, workers=0, out=tmp_path)
    [row] = result["rows"]
    assert row["status"] == "complete"
    assert not row["passed"]
    assert "times the limit" in row["faults"]
    assert abs(row["frequency_error"]) > 100
    assert result["score"] == 0


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
    outcome = calibration.started(case, tmp_path, "rules")
    assert outcome.status == "complete"
    true, _ = read_device(outcome.run_dir / "device", case.seed, case.options, QUBIT)
    assert abs(true.frequency_error) < 5  # kHz
    assert len(outcome.result["stages"]) == RAMSEYS[name]


def test_unknown_suites_and_options_are_named():
    with pytest.raises(InputError, match="no suite 'coffee'"):
        suites.run("coffee")
    with pytest.raises(InputError, match="no option 'sugar'"):
        suites.run("calibration", sugar=1)


def test_committed_results_say_where_they_come_from():
    for name in ("calibration", "spoilt", "fixed_script", "expert_script"):
        kept = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        assert kept["suite"] == name
        assert kept["commit"]
        assert kept["date"]
        assert kept["score"] == sum(row["passed"] for row in kept["rows"]) / kept["n"]


def test_every_spoilt_device_says_what_is_right():
    cases = spoilt_cases({"seeds": 1, "first": 0})
    assert {case.options["device"] for case in cases} == {
        f"spoilt:{name}" for name in ("short_t1", "low_snr", "far_frequency", "overdriven", "jump")
    }
    assert all(case.causes for case in cases)


@pytest.mark.slow
def test_spoilt_devices_fail_for_the_true_cause_or_recover():
    result = suites.run("spoilt", first=SEED, baseline=False)
    assert [row["faults"] for row in result["rows"]] == [""] * 5
    by_name = {row["case"].split()[0]: row["status"] for row in result["rows"]}
    assert by_name["low_snr"] == "failed"
    assert by_name["jump"] == "complete"
