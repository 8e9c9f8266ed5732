"""What an answer that says nothing does to a run: the default and an assumption, or a question that stays open."""

from __future__ import annotations

from pathlib import Path

import pytest
from calibrations import Person
from designs import CLEAR, OPEN, design, events

from labwright.graphs.protocol_design.running import resume
from labwright.graphs.questions import Answer

AUTOPILOT = "Please use your best judgment and proceed."
STRANGER = "Dissolve 5 mg of zorbinol in water. The total volume is 1 mL."


def test_it_takes_the_defaults_which_are_told_with_their_consequence(root: Path) -> None:
    person = Person(rest=AUTOPILOT)
    outcome = design(OPEN, root, on_question=person)
    assert (outcome.status, outcome.reason) == ("complete", "")
    assert [question.id for question in person.asked] == ["chemical:propanol", "heating time"]
    usual = design(OPEN, root, answers="defaults")
    assert outcome.result["vials"] == usual.result["vials"]
    for told, default in zip(outcome.result["assumptions"], usual.result["assumptions"], strict=True):
        assert told == f"{default} A person left it open: {AUTOPILOT!r}."
        assert told in (outcome.run_dir / "report.md").read_text()
    assert [event["decision"] for event in events(outcome, "answer")] == [AUTOPILOT] * 2


def test_without_a_default_it_is_asked_again_and_then_refused_with_the_reason(root: Path) -> None:
    person = Person(rest=AUTOPILOT)
    outcome = design(STRANGER, root, on_question=person)
    assert outcome.status == "refused"
    assert "'zorbinol' is not in the table of chemicals" in outcome.reason
    assert f"{AUTOPILOT!r} leaves it open" in outcome.reason
    assert [question.id for question in person.asked] == ["chemical:zorbinol"] * 2
    assert "no default is safe" in person.asked[1].body_markdown
    assert not (outcome.run_dir / "robot").exists()
    assert events(outcome, "agent")[-1]["agent"] == "protocol_design.write_report"


def test_an_answer_to_the_second_asking_goes_on(root: Path) -> None:
    outcome = design(STRANGER, root, on_question=Person(script=["no idea", "caffeine"]))
    assert (outcome.status, outcome.reason) == ("complete", "")
    assert {name for vial in outcome.result["vials"] for name in vial["contents"]} == {"caffeine", "water"}


def test_given_to_a_run_that_waits_it_leaves_the_question_open(root: Path) -> None:
    waiting = design(STRANGER, root)
    about = waiting.questions[0]["id"]
    still = resume(waiting.run_id, root, answers={about: Answer(id=about, decision="you decide")})
    assert (still.status, still.questions[0]["id"]) == ("stopped", about)
    done = resume(waiting.run_id, root, answers={about: Answer(id=about, decision="caffeine")})
    assert done.status == "complete"


def test_words_that_were_not_understood_are_not_left_out_by_it(root: Path) -> None:
    text = CLEAR.replace("Vortex", "Centrifuge at 3000 rpm. Vortex")
    outcome = design(text, root, on_question=Person(rest="whatever you think"))
    assert outcome.status == "refused"
    assert 'Not understood: "Centrifuge at 3000 rpm."' in outcome.reason


@pytest.mark.parametrize("answer", ["no idea", AUTOPILOT])
def test_a_design_in_yaml_is_held_to_the_same(answer: str, root: Path) -> None:
    made = design(CLEAR, root)
    text = (made.run_dir / "design.yaml").read_text().replace("caffeine", "zorbinol")
    outcome = design(text, root, on_question=Person(rest=answer))
    assert outcome.status == "refused"
    assert "zorbinol" in outcome.reason
    assert f"{answer!r} leaves it open" in outcome.reason


def test_an_approval_is_not_given_by_it(root: Path) -> None:
    person = Person(script=[AUTOPILOT, "whatever", "abort"])
    outcome = design(CLEAR, root, approval="risky", on_question=person)
    assert [question.kind for question in person.asked] == ["approve"] * 3
    assert outcome.status == "stopped"
    assert not (outcome.run_dir / "robot").exists()


def test_an_answer_about_lost_words_that_is_not_the_offered_one_ends_the_run_instead_of_asking_for_ever(
    root: Path,
) -> None:
    text = CLEAR.replace("Vortex", "Centrifuge at 3000 rpm. Vortex")
    outcome = design(text, root, on_question=Person(rest="do it by hand"))
    assert outcome.status == "refused"
    assert "The answer 'do it by hand' does not settle it." in outcome.reason
