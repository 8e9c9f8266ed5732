"""The slash commands, and what a typed line means while a question is open."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from talks import DILUTION, talk

from labwright.apps.chat.chat_output import Shown
from labwright.apps.chat.piped import settle
from labwright.apps.chat.session import Session, tried
from labwright.graphs.front_desk.workers import WORKERS
from labwright.tools.runs import create_run, list_runs, open_run, run_ids, summarise


@pytest.fixture
def session(root: Path) -> Iterator[Session]:
    with talk() as conversation:
        opened = Session(conversation, WORKERS, Shown(root))
        yield opened
        opened.close()


def typed(session: Session, *lines: str) -> None:
    for line in lines:
        assert session.line(line)
        settle(session)


def test_terms_change_for_runs_that_start_from_now_on(session: Session, root: Path) -> None:
    typed(session, DILUTION)
    assert session.question is not None
    typed(session, "/approve auto", f"/new {DILUTION}")
    assert session.question is not None  # the run that asked before still has to be answered
    first, second = (open_run(root, run_id).record.choices["approval"] for run_id in run_ids(root))
    assert (first, second) == ("risky", "auto")


def test_a_model_that_is_none_is_refused(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    typed(session, "/model nonsense")
    assert "must be `rules` or `provider:name`" in capsys.readouterr().out
    assert session.conversation.terms.mind == "rules"


@pytest.mark.slow
def test_a_pause_is_a_question_and_resume_answers_it(session: Session, root: Path) -> None:
    session.line("Calibrate Q1")
    while not session.hear(0.2):
        pass
    session.pause_all()
    settle(session)
    assert session.question is not None
    assert "asked to pause" in session.question.body_markdown
    typed(session, "/resume")
    assert [run.status for run in list_runs(root)] == ["complete"]


@pytest.mark.slow
def test_a_fork_is_a_run_of_the_conversation(session: Session, root: Path) -> None:
    typed(session, "Measure T1 of Q1", "/fork")
    old, new = run_ids(root)
    assert session.conversation.runs == [old, new]
    assert open_run(root, new).record.parent == {"run_id": old, "stage": 0}
    assert summarise(open_run(root, new)).status == "complete"


def test_a_long_line_is_a_message_even_if_a_choice_is_open(session: Session) -> None:
    typed(session, "/approve always", "Measure T1 of Q1")
    asked = session.question
    assert asked is not None
    assert (asked.kind, asked.free) == ("approve", False)
    typed(session, "what can you do for me, by the way?")
    assert session.question == asked


def test_a_long_line_at_an_open_approval_is_a_change_to_make_and_no_approval(session: Session, root: Path) -> None:
    typed(session, DILUTION)
    asked = session.question
    assert asked is not None
    typed(session, "yes, that is fine, please write the robot's file")
    again = session.question
    assert again is not None
    assert (again.kind, again.id == asked.id) == ("approve", False)
    assert "Not read: «yes, that is fine" in again.body_markdown
    assert not (root / run_ids(root)[0] / "robot").exists()
    typed(session, "write")
    assert session.question is None
    assert (root / run_ids(root)[0] / "robot").exists()


def test_a_line_begun_before_the_question_came_does_not_answer_it(session: Session, root: Path) -> None:
    typed(session, DILUTION)
    asked = session.question
    assert asked is not None
    session.line("1", meant="")  # "1" would approve
    settle(session)
    assert session.question == asked
    assert not (root / run_ids(root)[0] / "robot").exists()


@pytest.mark.parametrize("line", ["/approve", "/edit a = 1", "/nonsense", "/pause", "/show nothing", "/fork x 1"])
def test_a_command_that_does_not_fit_says_so_and_the_chat_goes_on(
    line: str, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(session, line)
    assert len(capsys.readouterr().out.strip()) > 10


def test_a_fault_of_the_program_is_told_and_counted_and_the_chat_goes_on(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise KeyError("nothing of the person's")

    assert tried(session, broken) is None
    assert "A fault in Labwright: KeyError" in capsys.readouterr().out
    assert session.faults == 1
    typed(session, "hello")
    assert "Without a model" in capsys.readouterr().out


def test_stages_of_a_run_that_goes_on_are_counted_on(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = create_run(root, "lab_calibration", "Calibrate Q1", {}, 0)
    stage = [
        {"kind": "stage_started", "instruction": "Ramsey on Q1", "attempt": 1},
        {"kind": "measured", "experiment": "ramsey"},
        {"kind": "inspected", "verdict": "success", "estimates": {}},
        {"kind": "decided", "changes": {}},
    ]
    for event in stage:
        run.events.append(event)
    time.sleep(0.01)
    shown = Shown(root)
    for event in stage:
        run.events.append(event)
        shown.event(run.run_id, event)
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [["2", "ramsey"]]


def test_a_specification_is_asked_for_field_by_field_and_started(
    session: Session, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [
        "", "", "?", "", "banana", "t1 Q1, points = 21, shots = 500", "", "", "", "", "", "", "", "4",
    ]  # fmt: skip
    typed(session, "/new calibration", *answers)
    told = capsys.readouterr().out
    assert "Start it? [y/N]" in told
    assert "Not read from here on: 'banana'" in told
    assert run_ids(root)[1:] == []  # the conversation's own
    typed(session, "y")
    [run] = [open_run(root, name) for name in run_ids(root) if open_run(root, name).record.system == "lab_calibration"]
    assert summarise(run).status == "complete"
    assert session.form is None


def test_a_form_is_left_and_another_word_is_a_message(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    typed(session, "/new search", "/drop", "/new")
    assert session.form is None
    assert "name a system: calibration, search" in capsys.readouterr().out
