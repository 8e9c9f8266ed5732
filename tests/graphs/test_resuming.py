"""Resuming touches nothing that another process drives, and an answer counts once."""

from pathlib import Path

import pytest

from labwright.graphs.checkpoints import FILE
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, fork, resume, start
from labwright.graphs.questions import Answer
from labwright.tools.errors import CorruptRecordError, LeaseError
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.pause_request import pause_requested, request_pause
from labwright.tools.runs.run import open_run


def waiting(root: Path) -> Outcome:
    """A run that waits for an approval."""
    options: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 1.0}
    choices = Choices(seed=3, device_options=options, approval="always", figures=False)
    outcome = start(CalibrationRequest("Measure T1 of Q1", choices), root)
    assert outcome.questions
    return outcome


def test_a_run_that_is_driven_keeps_its_checkpoints_and_its_pause(tmp_path: Path) -> None:
    run = open_run(tmp_path, waiting(tmp_path).run_id)
    request_pause(run)
    with run.lease(), pytest.raises(LeaseError):
        resume(run.run_id, tmp_path, rebuild=True)
    assert (run.folder / FILE).exists()
    assert pause_requested(run)


def test_an_answer_that_does_not_fit_leaves_the_run_waiting(tmp_path: Path) -> None:
    outcome = waiting(tmp_path)
    name = outcome.questions[0]["id"]
    wrong = Answer(id=name, decision="perhaps")
    again = resume(outcome.run_id, tmp_path, answers={name: wrong})
    assert again.status == "stopped"
    assert "not offered" in again.questions[0]["body_markdown"]
    assert resume(outcome.run_id, tmp_path, answers={name: Answer(id=name, decision="run")}).status == "complete"


@pytest.mark.slow
def test_a_fork_of_a_replayed_run_begins_where_the_stage_ended(tmp_path: Path) -> None:
    options: dict[str, float | str] = {"frequency_offset": 0.4, "amplitude_error": 0.0, "drag": 1.0}
    choices = Choices(seed=3, device_options=options, figures=False)
    text = "# Look at 'dut'\n## Steps\n- Measure T1 of 'dut'.\n- ramsey 'dut', offset = 1 MHz, stop = 10 us.\n"
    old = start(CalibrationRequest(text, choices.model_copy(update={"qubits": ("Q1",)})), tmp_path)
    assert old.status == "complete"
    before = fork(old.run_id, tmp_path, stage=1)
    assert resume(old.run_id, tmp_path, rebuild=True).status == "complete"
    after = fork(old.run_id, tmp_path, stage=1)
    for name in ("journal.jsonl", "settings.jsonl"):
        kept = [(tmp_path / run / "device" / name).read_bytes() for run in (before, after)]
        assert kept[0] == kept[1]
    assert kept[0] == b""


@pytest.mark.slow
def test_a_resume_that_fails_leaves_the_result_of_a_finished_run(tmp_path: Path) -> None:
    name = waiting(tmp_path).questions[0]["id"]
    done = resume("latest", tmp_path, answers={name: Answer(id=name, decision="run")})
    (done.run_dir / FILE).write_bytes(b"no database" * 100)
    with pytest.raises(CorruptRecordError):
        resume(done.run_id, tmp_path)
    kept = read_result(open_run(tmp_path, done.run_id))
    assert kept is not None
    assert kept["status"] == "complete"
    assert resume(done.run_id, tmp_path, rebuild=True).result == done.result
