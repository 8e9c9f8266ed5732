"""Runs from Python: the same seed gives the same run, the document tells the truth, limits hold."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from calibrations import CALIBRATED, ONE_STAGE, TWO_STAGES, calibrate

from labwright.apps.json_result import ResultDocument
from labwright.evaluation.benchmarks.run_comparison import differences, witness
from labwright.graphs.lab_calibration.running import resume
from labwright.tools.runs.listing import list_runs
from labwright.tools.runs.run import open_run


def test_a_seed_determines_the_run(root: Path) -> None:
    first, again, other = (calibrate(ONE_STAGE, root, seed=seed) for seed in (3, 3, 4))
    assert differences(witness(again.run_dir), witness(first.run_dir)) == []
    changed = [line.split(":")[0] for line in differences(witness(other.run_dir), witness(first.run_dir))]
    assert "measured" in changed


def test_the_document_names_every_file_with_its_hash(root: Path) -> None:
    outcome = calibrate(ONE_STAGE, root, figures=True)
    document = ResultDocument.model_validate(outcome.document)
    assert [item.kind for item in document.artifacts] == ["report", "figure", "data", "data"]
    for item in document.artifacts:
        assert hashlib.sha256((outcome.run_dir / item.path).read_bytes()).hexdigest() == item.sha256
    report = (outcome.run_dir / "report.md").read_text()
    assert document.artifacts[1].path in report
    [listed] = list_runs(root)
    assert (listed.status, listed.run_id) == ("complete", outcome.run_id)


@pytest.mark.parametrize("mode", ["guided", "unguided"])
def test_both_modes_of_the_self_check_lead_to_the_same_measurement(root: Path, mode: str) -> None:
    outcome = calibrate(ONE_STAGE, root, check_mode=mode)
    [claim] = [row["call"] for row in witness(outcome.run_dir).stages]
    assert claim == {"experiment": "t1", "arguments": {"qubit": "Q1"}}


@pytest.mark.slow
def test_two_qubits_are_measured_one_after_the_other(root: Path) -> None:
    outcome = calibrate("Measure T1 of Q1 and Q2", root)
    assert [entry["qubit"] for entry in witness(outcome.run_dir).acquisitions] == ["Q1", "Q2"]
    t1 = {name: entry["measured"]["t1.t1"]["value"] for name, entry in outcome.result["qubits"].items()}
    assert t1["Q1"] == pytest.approx(126, rel=0.15)  # the true ones
    assert t1["Q2"] == pytest.approx(89, rel=0.15)


@pytest.mark.slow
def test_a_value_of_an_earlier_step_has_a_long_and_a_short_name(root: Path) -> None:
    outcome = calibrate(
        "t1 Q1. spin_echo Q1, stop = contrast * 600 us. t2_ramsey Q1, stop = t1.contrast * 300 us", root
    )
    echo, ramsey = (row["call"]["arguments"]["stop"] for row in witness(outcome.run_dir).stages[1:3])
    contrast = outcome.result["qubits"]["Q1"]["measured"]["t1.contrast"]["value"]
    assert (echo, ramsey) == pytest.approx((contrast * 600, contrast * 300), rel=1e-3)


def test_spent_time_stops_the_run_and_more_of_it_goes_on(root: Path) -> None:
    stopped = calibrate(ONE_STAGE, root, budget="seconds=0.001")
    assert stopped.status == "stopped"
    assert "seconds is spent" in stopped.reason
    assert "--budget seconds=" in stopped.reason
    assert resume(stopped.run_id, root, budget="seconds=600").status == "complete"


def test_a_finished_run_stays_as_it_is(root: Path) -> None:
    done = calibrate(ONE_STAGE, root)
    before = witness(done.run_dir)
    again = resume(done.run_id, root)
    assert again.status == "complete"
    assert again.result == done.result
    assert differences(witness(done.run_dir), before) == []


def repeated(root: Path, change: str, experiment: str = "t1", **options: float) -> Any:
    """A run whose only step is measured twice, the second time with `change`."""
    rule = f"{{if: always, go: repeat, change: {{{change}}}}}"
    step = f"{{experiment: {experiment}, qubits: [Q1], repeats: 1, on: [{rule}]}}"
    return calibrate(f"system: lab_calibration\nsteps: [{step}]\n", root, device_options={**CALIBRATED, **options})


@pytest.mark.slow
def test_a_repetition_may_change_a_switch(root: Path) -> None:
    outcome = repeated(root, "update: no, stop: 0.2 us", "rabi")
    first, second = (row["call"]["arguments"] for row in witness(outcome.run_dir).stages)
    assert "update" not in first
    assert second["update"] is False
    assert second["stop"] == 0.2


@pytest.mark.slow
def test_a_change_by_what_was_not_measured_is_left_out_and_logged(root: Path) -> None:
    outcome = repeated(root, "stop: 3 * t1.t1, points: 31", snr=0.02)
    _first, second = (row["call"]["arguments"] for row in witness(outcome.run_dir).stages)
    assert second == {"qubit": "Q1", "points": 31}
    (event,) = [each for each in open_run(root, outcome.run_id).events.read() if each["kind"] == "not_changed"]
    assert event["name"] == "stop"
    assert "'t1.t1' is not known here" in event["reason"]


def lab_with(tmp_path: Path, **procedures: str) -> str:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name, text in procedures.items():
        (folder / f"{name}.md").write_text(text)
    return str(folder)


@pytest.mark.slow
def test_a_procedure_of_the_users_own_is_found_by_its_title(root: Path, tmp_path: Path) -> None:
    lab = lab_with(tmp_path, morning="# Do the morning round of 'dut'\n## Steps\n- Measure T1 of 'dut'.\n")
    outcome = calibrate("Do the morning round of Q2", root, lab=lab)
    assert outcome.status == "complete", outcome.reason
    assert [row["path"] for row in outcome.result["stages"]] == ["request@1/do-the-morning-round@1", "request@1"]
    assert witness(outcome.run_dir).acquisitions[0]["qubit"] == "Q2"


def test_a_procedure_that_calls_itself_ends_with_the_circle_named(root: Path, tmp_path: Path) -> None:
    lab = lab_with(
        tmp_path,
        chicken="# Raise the chicken of 'dut'\n## Steps\n- Hatch the egg of 'dut'.\n",
        egg="# Hatch the egg of 'dut'\n## Steps\n- Raise the chicken of 'dut'.\n",
    )
    outcome = calibrate("Raise the chicken of Q1", root, lab=lab)
    assert outcome.status in ("failed", "refused")
    assert "calls itself" in outcome.reason
    assert witness(outcome.run_dir).acquisitions == []


@pytest.mark.slow
def test_a_stage_that_never_succeeds_is_given_up_with_its_cause(root: Path) -> None:
    silent: dict[str, Any] = {**CALIBRATED, "snr": 0.05}
    outcome = calibrate(TWO_STAGES, root, qubits=["Q1"], device_options=silent, max_retries=2)
    assert outcome.status == "failed"
    assert outcome.reason
    assert len({row["action"] for row in outcome.result["stages"]} - {""}) <= 3
    assert {row["verdict"] for row in outcome.result["stages"]} <= {"bad_data", "wrong_setup", "adjust"}
