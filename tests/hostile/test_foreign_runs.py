"""A run of another lab, or one that was changed, is read and not driven; who takes it over is asked everything anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calibrations import ONE_STAGE, calibrate
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.evaluation.benchmarks.run_comparison import repeated_actions
from labwright.evaluation.benchmarks.shared_worker_jobs import facts
from labwright.evaluation.faults.small_runs import RUNS, live, make_data, person
from labwright.graphs.front_desk.conversation import open_conversation
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.lab_calibration.running import resume
from labwright.graphs.questions import Answer, Question
from labwright.graphs.registry import driver
from labwright.tools.errors import ForeignRunError, RecordError
from labwright.tools.runs.run import open_run
from labwright.tools.runs.verifying import verify

ASKED = "approve request@1 run 1 t1(qubit='Q1')"
RUN = {ASKED: Answer(id=ASKED, decision="run")}


@pytest.fixture
def foreign(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run that waits for an approval, made with another key than this lab's."""
    monkeypatch.setenv("LABWRIGHT_STATE", "another")
    folder = calibrate(ONE_STAGE, root, approval="always").run_dir
    monkeypatch.delenv("LABWRIGHT_STATE")
    return folder


def played(folder: Path) -> bool:
    journal = folder / "device" / "journal.jsonl"
    return journal.exists() and bool(journal.read_text())


def test_it_is_read_and_not_driven(foreign: Path, root: Path) -> None:
    said = CliRunner().invoke(app, ["runs", "show", foreign.name])
    assert said.exit_code == 0, said.output
    for words in (["verify", foreign.name], ["resume", foreign.name], ["fork", foreign.name]):
        said = CliRunner().invoke(app, ["runs", *words])
        assert said.exit_code != 0
        assert "--adopt" in " ".join(said.output.split())
    with pytest.raises(ForeignRunError):
        resume(foreign.name, root, answers=RUN)
    with pytest.raises(ForeignRunError):
        resume(foreign.name, root, answers=RUN, rebuild=True)
    assert not played(foreign)


def test_who_adopts_it_is_asked_anew_and_replays_the_journal(foreign: Path, root: Path) -> None:
    event = {
        "seq": 99,
        "kind": "answer",
        "id": ASKED,
        "decision": "run",
        "value": {},
        "note": "",
        "time": "",
        "by": "me",
    }
    with (foreign / "events.jsonl").open("a") as log:
        log.write(json.dumps(event) + "\n")
    waiting = resume(foreign.name, root, adopt=True)
    assert [one["id"] for one in waiting.questions] == [ASKED]
    assert not played(foreign)
    assert list(foreign.glob("checkpoints.sqlite.aside*"))
    done = resume(foreign.name, root, answers=RUN)
    assert done.status == "complete"
    assert verify(foreign).whole, verify(foreign).findings


@pytest.mark.parametrize(
    "name", ["design", *(pytest.param(slow, marks=pytest.mark.slow) for slow in ("calibration", "search", "forge"))]
)
def test_a_run_of_every_system_is_adopted_and_ends_as_it_did(
    name: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_data(tmp_path)
    asked: list[str] = []

    def answer(question: Question) -> Answer:
        asked.append(question.id)
        return person(question)

    monkeypatch.setenv("LABWRIGHT_STATE", str(tmp_path / "another"))
    first = live(name, tmp_path, root, answer=answer)
    questions, before = sorted(asked), facts(first.run_dir)
    assert first.status == "complete", first.reason
    assert verify(first.run_dir).whole, verify(first.run_dir).findings
    monkeypatch.delenv("LABWRIGHT_STATE")
    asked.clear()
    with pytest.raises(ForeignRunError):
        live(name, tmp_path, root, run_id=first.run_id, answer=answer)
    again = driver(RUNS[name].system).resume(first.run_id, root, adopt=True, on_question=answer)
    assert again.status == "complete", again.reason
    assert facts(first.run_dir) == before
    assert sorted(asked) == questions
    assert repeated_actions(first.run_dir) == []
    assert verify(first.run_dir).whole, verify(first.run_dir).findings


@pytest.mark.parametrize(
    ("old", "new"), [('"approval": "always"', '"approval": "auto"'), ('"lab": ""', '"lab": "/tmp"')]
)
def test_changed_choices_are_not_followed(old: str, new: str, root: Path) -> None:
    folder = calibrate(ONE_STAGE, root, approval="always").run_dir
    text = (folder / "run.json").read_text()
    assert old in text
    (folder / "run.json").write_text(text.replace(old, new))
    with pytest.raises(ForeignRunError, match=r"run\.json was changed"):
        resume(folder.name, root)
    assert not played(folder)


def test_an_answer_that_another_program_logged_is_none_when_the_run_is_replayed(root: Path) -> None:
    folder = calibrate(ONE_STAGE, root, approval="always").run_dir
    event = {
        "seq": 99,
        "kind": "answer",
        "id": ASKED,
        "decision": "run",
        "value": {},
        "note": "",
        "time": "",
        "by": "me",
    }
    with (folder / "events.jsonl").open("a") as log:
        log.write(json.dumps(event) + "\n")
    assert resume(folder.name, root, rebuild=True).questions
    assert not played(folder)
    assert open_run(root, folder.name).chain.ours


def test_a_conversation_whose_terms_were_changed_is_not_taken_up(root: Path) -> None:
    with open_conversation(Terms(approval="always", figures=False)) as talk:
        folder = talk.run.folder
    with open_conversation(conversation=folder.name) as talk:
        assert talk.terms.approval == "always"
    text = (folder / "run.json").read_text()
    (folder / "run.json").write_text(text.replace('"approval": "always"', '"approval": "auto"'))
    with pytest.raises(RecordError, match="does not carry the seal"), open_conversation(conversation=folder.name):
        pass
