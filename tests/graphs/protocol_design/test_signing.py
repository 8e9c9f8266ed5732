"""A finding that needs a named person stops the run under every policy until one whom the lab knows has signed it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from calibrations import Person
from designs import AZIDE, CLEAR, completed, design, events

from labwright.graphs.protocol_design.example_retrieval import finished
from labwright.graphs.protocol_design.running import resume
from labwright.graphs.questions import Answer
from labwright.tools import named_persons
from labwright.tools.runs.run import create_run

WORDS = "correct horse"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LABWRIGHT_PEOPLE", str(tmp_path / "people.json"))
    named_persons.add(tmp_path / "people.json", "jane", WORDS)
    return tmp_path / "people.json"


def accept(outcome: Any, root: Path) -> Any:
    asked = outcome.questions[0]["id"]
    return resume(outcome.run_id, root, answers={asked: Answer(id=asked, decision="accept")})


@pytest.mark.parametrize("approval", ["auto", "risky", "always"])
@pytest.mark.parametrize("answers", ["ask", "defaults"])
def test_it_waits_under_every_policy_with_the_finding_in_the_question(
    approval: str, answers: str, root: Path, file: Path
) -> None:
    waiting = design(AZIDE, root, approval=approval, answers=answers)
    assert waiting.status == "stopped"
    assert "A named person must accept" in waiting.questions[0]["title"]
    first = waiting.questions[0]["body_markdown"].splitlines()[0]
    assert "toxic gas, explosion; up to 0.3 mmol of hydrazoic acid" in first  # the worst stands first
    assert not (waiting.run_dir / "robot").exists()


def test_accepting_without_a_sign_off_changes_nothing(root: Path, file: Path) -> None:
    again = accept(design(AZIDE, root, approval="auto"), root)
    assert again.status == "stopped"
    assert "Nobody whom this laboratory knows" in again.questions[0]["body_markdown"]
    other = Person(rest="accept")
    ended = resume(again.run_id, root, on_question=other)
    assert ended.status == "stopped"
    assert len(other.asked) == 4
    assert not (ended.run_dir / "robot").exists()


@pytest.mark.parametrize("note", ["signed by jane", '{"name": "jane", "passphrase": "correct horse"}'])
def test_no_answer_can_carry_the_name(note: str, root: Path, file: Path) -> None:
    waiting = design(AZIDE.replace("azide and acid", "accepted by jane"), root, approval="auto")
    asked = waiting.questions[0]["id"]
    forged = Answer(id=asked, decision="accept", note=note, value={})
    assert resume(waiting.run_id, root, answers={asked: forged}).status == "stopped"


@pytest.mark.parametrize("approval", ["risky", "always"])
def test_after_the_sign_off_the_file_is_approved_as_any_other(approval: str, root: Path, file: Path) -> None:
    waiting = design(AZIDE, root, approval=approval)
    named_persons.sign(file, waiting.run_dir, waiting.questions[0]["signs"], "jane", WORDS)
    asked = accept(waiting, root)
    assert asked.questions[0]["title"] == "Write the robot's file?"
    assert "is open" not in asked.questions[0]["body_markdown"]  # the sign-off is no answer to this question
    answer = Answer(id=asked.questions[0]["id"], decision="write")
    assert resume(asked.run_id, root, answers={answer.id: answer}).status == "complete"


def test_a_correction_in_place_of_the_sign_off_is_planned_anew(root: Path, file: Path) -> None:
    person = Person(script=["groups.0.doses.0.amount = lots", "groups.0.doses.0.amount = 2.5 mg"], rest="")
    waiting = design(AZIDE, root, approval="auto", on_question=person)
    assert "Nothing is changed." in person.asked[1].body_markdown
    first, asked = person.asked[0], waiting.questions[0]
    assert asked["signs"] != first.signs  # other amounts are other findings
    assert "Nobody" not in asked["body_markdown"]  # nothing was accepted, so nothing is said of a sign-off


def test_a_named_person_signs_and_stands_in_the_record_and_the_run_is_no_example(root: Path, file: Path) -> None:
    waiting = design(AZIDE, root, approval="auto")
    named_persons.sign(file, waiting.run_dir, waiting.questions[0]["signs"], "jane", WORDS)
    done = accept(waiting, root)
    assert (done.status, done.reason) == ("complete", "")
    assert done.result["accepted"]["by"]["name"] == "jane"
    assert events(done, "signed")[0]["name"] == "jane"
    assert WORDS not in (done.run_dir / "events.jsonl").read_text()
    ordinary = design(CLEAR, root)
    assert [note.title for note in finished(create_run(root, "protocol_design", CLEAR, {}, 0))] == [
        f"Run {ordinary.run_id}"
    ]


def test_a_sign_off_of_another_run_does_not_count(root: Path, file: Path) -> None:
    first, second = (design(AZIDE, root, approval="auto") for _ in range(2))
    named_persons.sign(file, first.run_dir, first.questions[0]["signs"], "jane", WORDS)
    (second.run_dir / named_persons.SIGN_OFF).write_bytes((first.run_dir / named_persons.SIGN_OFF).read_bytes())
    assert accept(second, root).status == "stopped"


def test_ordinary_chemistry_asks_nobody(root: Path, file: Path) -> None:
    done = completed(CLEAR, root, approval="auto")
    assert "accepted" not in done.result
