"""What a person is asked, and what each answer does to the run."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from calibrations import CALIBRATED, ONE_STAGE, TWO_STAGES, Person, calibrate, calls, pause_at
from forgetful_device import PowerCut

from labwright.graphs.front_desk.workers import Workers, in_this_process
from labwright.graphs.lab_calibration.running import resume
from labwright.graphs.questions import Answer
from labwright.tools.runs.pause_request import pause_requested
from labwright.tools.runs.run import open_run, run_ids

LOUD = "rabi Q1, amplitude = 0.9"  # above the cautious limit of 0.8


def played(root: Path) -> int:
    return len((root / run_ids(root)[-1] / "device" / "journal.jsonl").read_text().splitlines())


def test_always_asks_before_every_measurement(root: Path) -> None:
    person = Person(rest="run")
    outcome = calibrate(TWO_STAGES, root, qubits=["Q1"], approval="always", on_question=person)
    assert outcome.status == "complete"
    assert len(person.asked) == len(calls(outcome)) >= 2
    assert {question.kind for question in person.asked} == {"approve"}
    assert [option.value for option in person.asked[0].options] == ["run", "edit", "skip", "abort"]


def test_risky_asks_only_above_the_cautious_limit(root: Path) -> None:
    person = Person(rest="abort")
    assert calibrate(ONE_STAGE, root, approval="risky", on_question=person).status == "complete"
    assert person.asked == []
    outcome = calibrate(LOUD, root, approval="risky", on_question=person)
    assert "0.9" in person.asked[0].body_markdown
    assert "0.8" in person.asked[0].body_markdown
    assert (outcome.status, outcome.reason) == ("stopped", "A person aborted the run.")
    assert calls(outcome) == []


def test_auto_never_asks(root: Path) -> None:
    person = Person(rest="abort")
    outcome = calibrate(LOUD, root, approval="auto", on_question=person)
    assert person.asked == []
    assert calls(outcome)[0][0] == "rabi"


def test_without_a_person_the_run_waits_and_is_resumed_with_the_answer(root: Path) -> None:
    waiting = calibrate(ONE_STAGE, root, approval="always")
    assert (waiting.status, waiting.reason) == ("stopped", "Waits for an answer.")
    [question] = waiting.questions
    assert calls(waiting) == []
    again = resume(waiting.run_id, root)
    assert again.questions == waiting.questions
    done = resume(waiting.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="run")})
    assert done.status == "complete"
    assert len(calls(done)) == 1


def test_an_edit_outside_the_limits_is_not_measured(root: Path) -> None:
    person = Person(script=[("edit", {"stop": 1e9})], rest="run")
    outcome = calibrate(ONE_STAGE, root, approval="always", on_question=person)
    assert all(arguments.get("stop", 0) < 1e9 for _, arguments in calls(outcome))
    assert outcome.status in ("refused", "failed") or len(person.asked) > 1


def test_a_skipped_stage_is_recorded_and_not_measured(root: Path) -> None:
    person = Person(script=["skip"], rest="run")
    outcome = calibrate(TWO_STAGES, root, qubits=["Q1"], approval="always", on_question=person)
    assert outcome.status == "complete"
    assert {name for name, _ in calls(outcome)} == {"spin_echo"}
    assert outcome.result["stages"][0]["diagnosis"] == "skipped by a person"


def test_an_aborted_run_keeps_what_was_measured_and_stays_ended(root: Path) -> None:
    person = Person(script=["run"], rest="abort")
    outcome = calibrate(TWO_STAGES, root, qubits=["Q1"], approval="always", on_question=person)
    assert (outcome.status, outcome.reason) == ("stopped", "A person aborted the run.")
    assert len(calls(outcome)) == 1
    assert (outcome.run_dir / "report.md").is_file()
    assert resume(outcome.run_id, root).status == "stopped"
    assert len(calls(outcome)) == 1


def test_a_run_pauses_at_the_next_stage_boundary(root: Path) -> None:
    person = Person()
    paused = calibrate(TWO_STAGES, root, qubits=["Q1"], on_event=pause_at("measured", root), on_question=person)
    [question] = paused.questions
    assert (paused.status, question["kind"]) == ("stopped", "choose")
    assert not pause_requested(open_run(root, "latest"))
    before = len(calls(paused))
    done = resume(paused.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="run")})
    assert done.status == "complete"
    assert len(calls(done)) > before


def test_a_pause_counts_that_was_asked_for_while_the_worker_was_still_starting(root: Path) -> None:
    def cut(event: dict[str, Any]) -> None:
        if event["kind"] == "measured":
            raise PowerCut

    with pytest.raises(PowerCut):
        calibrate(TWO_STAGES, root, qubits=["Q1"], on_event=cut)
    run, workers, paused = open_run(root, "latest"), Workers(), threading.Event()

    def starts_late(*given: Any) -> None:
        paused.wait()
        in_this_process(*given)

    workers.way = starts_late
    assert workers.drive(run)
    workers.pause(run)
    paused.set()
    assert workers.wait(60)
    assert [event["question"]["kind"] for event in run.events.read() if event["kind"] == "question"] == ["choose"]


@pytest.mark.slow
@pytest.mark.parametrize("said", ["run", ("edit", {"stop": 420.0})])
def test_what_was_seen_at_a_pause_is_approved_by_that(root: Path, said: Any) -> None:
    person = Person(script=[said], rest="run")
    outcome = calibrate(ONE_STAGE, root, approval="always", on_event=pause_at("planned", root), on_question=person)
    assert outcome.status == "complete"
    assert [question.kind for question in person.asked] == ["choose"]
    assert calls(outcome)[0][1].get("stop") == (420.0 if said != "run" else None)


def test_words_that_nobody_reads_are_handed_back_and_nothing_is_run(root: Path) -> None:
    waiting = calibrate("Please have a look at the relaxation time T1 of Q1", root, approval="auto", answers="defaults")
    assert (waiting.status, waiting.reason) == ("stopped", "Waits for an answer.")
    [question] = waiting.questions
    assert question["title"] == "These words were not fully read."
    assert "Nothing was done." in question["body_markdown"]
    assert "--model" in question["body_markdown"]
    assert "t1 Q1" in [option["value"] for option in question["options"]]
    assert question["default"] is None  # nothing is preselected
    assert calls(waiting) == []
    done = resume(waiting.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="t1 Q1")})
    assert done.status == "complete"
    assert calls(done) == [("t1", {"qubit": "Q1"})]


@pytest.mark.slow
@pytest.mark.parametrize("said", ["t1 Q2, stop = 400 us", "system: lab_calibration\nsteps: [t1 Q2]\n"])
def test_words_may_be_said_again_as_an_order_or_a_plan(root: Path, said: str) -> None:
    person = Person(script=["Take a look at Q2", said])  # as long as the words before
    outcome = calibrate("Have a look at Q2", root, on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert len({question.id for question in person.asked}) == len(person.asked) == 2
    assert calls(outcome)[0][1]["qubit"] == "Q2"
    again = resume(outcome.run_id, root, rebuild=True)  # every answer is found again in the log
    assert (again.status, calls(again)) == ("complete", calls(outcome))


@pytest.mark.slow
def test_words_that_were_not_read_may_be_given_up(root: Path) -> None:
    outcome = calibrate("Have a look at Q2", root, on_question=Person(rest="cancel"))
    assert (outcome.status, outcome.reason) == ("stopped", "A person cancelled it.")
    assert calls(outcome) == []


def test_a_plan_asks_before_it_writes_whatever_the_run_allows(root: Path) -> None:
    plan = "system: lab_calibration\napproval: before writing settings\nsteps: [t1 Q1, qubit_spectroscopy Q1]\n"
    person = Person(rest="run")
    outcome = calibrate(plan, root, approval="auto", on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert next(name for name, _ in calls(outcome)) == "t1"
    assert {question.kind for question in person.asked} == {"approve"}
    assert all("qubit_spectroscopy" in question.title for question in person.asked)
    assert "It may write frequency" in person.asked[0].body_markdown


def test_an_answer_that_was_not_offered_is_asked_again(root: Path) -> None:
    person = Person(script=["maybe"], rest="run")
    outcome = calibrate(ONE_STAGE, root, approval="always", on_question=person)
    assert outcome.status == "complete"
    assert "'maybe' is not offered" in person.asked[1].body_markdown


def test_the_missing_qubit_is_asked_for(root: Path) -> None:
    person = Person(rest="Q2")
    outcome = calibrate("Measure T1", root, on_question=person)
    assert [question.kind for question in person.asked] == ["clarify"]
    assert [option.value for option in person.asked[0].options] == ["Q1", "Q2", "Q8", "cancel"]
    assert outcome.status == "complete"
    assert calls(outcome)[0][1]["qubit"] == "Q2"


@pytest.mark.slow
def test_a_default_answer_is_taken_and_recorded_as_an_assumption(root: Path) -> None:
    outcome = calibrate(ONE_STAGE, root, answers="defaults", on_event=pause_at("planned", root))
    assert outcome.status == "complete"
    [assumption] = outcome.result["assumptions"]
    assert "Assumed: run" in assumption
    assert assumption in (outcome.run_dir / "report.md").read_text()


def test_a_question_without_a_default_is_asked_even_so(root: Path) -> None:
    outcome = calibrate("Measure T1", root, answers="defaults")
    assert outcome.status == "stopped"
    assert outcome.questions[0]["kind"] == "clarify"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "status", "again"), [("again", "complete", 1), ("fail", "complete", 1), ("abort", "stopped", 0)]
)
def test_a_person_decides_where_the_device_cannot_tell(root: Path, said: str, status: str, again: int) -> None:
    choices: dict[str, Any] = {
        "device": "forgetful_device:open_forgetful",
        "device_options": {**CALIBRATED, "cut_at": 1},
    }
    with pytest.raises(PowerCut):
        calibrate(ONE_STAGE, root, **choices)
    assert played(root) == 1

    waiting = resume("latest", root)
    assert "cannot tell" in waiting.questions[0]["title"]
    assert played(root) == 1  # nothing is played while nobody has decided

    person = Person(script=[said], rest="again")
    ended = resume("latest", root, on_question=person)
    assert ended.status == status
    assert played(root) == 1 + again
    if said == "fail":
        assert [row["verdict"] for row in ended.result["stages"]] == ["bad_data", "success"]
