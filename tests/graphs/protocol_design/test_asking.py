"""What a specification leaves open is asked; the answer is taken as data, and one that is not never ends the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from calibrations import Person
from designs import CLEAR_YAML, OPEN, completed, design

from labwright.graphs.protocol_design.running import resume
from labwright.graphs.questions import Answer

STRANGER = """\
system: protocol_design
chemicals: [{name: zorbinol}, {name: water}]
groups:
  - doses:
      - {substance: zorbinol, kind: molarity, amount: 10 mM}
      - {substance: water, kind: remainder}
    total_volume: 1 mL
"""
TABLE = "vial,zorbinol (mmol),water (mL)\nA1,0.1,1\nA2,0.2,1\n"


def amount(outcome: object, name: str = "zorbinol") -> float:
    return float(outcome.result["vials"][0]["contents"][name]["amount"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("said", ["solid, 200 g/mol", "solid; 200 g/mol"])
@pytest.mark.parametrize(("text", "wanted"), [(STRANGER, 2.0), (TABLE, 20.0)])
def test_an_unknown_substance_is_answered_in_one_question(text: str, wanted: float, said: str, root: Path) -> None:
    person = Person(script=[said])
    outcome = design(text, root, on_question=person)
    assert (outcome.status, outcome.reason) == ("complete", "")
    assert len(person.asked) == 1
    assert "zorbinol" in person.asked[0].title
    assert amount(outcome) == pytest.approx(wanted)


def test_the_form_takes_the_same(root: Path) -> None:
    filled = {"state": "liquid", "molar_mass": "100 g/mol", "density": "0.25 g/mL"}
    outcome = completed(STRANGER, root, on_question=Person(script=[("edit", filled)]))
    assert amount(outcome) == pytest.approx(4.0)


def test_an_answer_that_settles_nothing_is_asked_for_again_with_the_reason_and_never_taken_for_a_name(
    root: Path,
) -> None:
    person = Person(script=["the usual one", "caffeine", "no idea", "solid, 200 g/mol"])
    outcome = completed(STRANGER, root, on_question=person)
    assert len(person.asked) == 4
    assert "'caffeine' is not a state" in person.asked[2].body_markdown
    assert {name for vial in outcome.result["vials"] for name in vial["contents"]} == {"zorbinol", "water"}


def test_a_patch_answers_it_too(root: Path) -> None:
    said = "chemicals.0.molar_mass = 200 g/mol\nchemicals.0.state = solid"
    outcome = completed(STRANGER, root, on_question=Person(script=[said]))
    assert amount(outcome) == pytest.approx(2.0)


def test_which_of_several_substances_is_a_choice_and_keeps_the_persons_name(root: Path) -> None:
    waiting = design(OPEN, root, answers="defaults")
    [question] = waiting.questions  # no default is safe
    assert [option["value"] for option in question["options"]] == ["1-propanol", "2-propanol", "cancel"]
    still = resume(
        waiting.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="rubbing alcohol")}
    )
    assert still.status == "stopped"
    [again] = still.questions
    done = resume(waiting.run_id, root, answers={again["id"]: Answer(id=again["id"], decision="2-propanol")})
    assert done.status == "complete", done.reason
    assert {name for vial in done.result["vials"] for name in vial["contents"]} == {"propanol", "water"}


def test_a_volume_that_is_none_is_asked_for_again(root: Path) -> None:
    text = CLEAR_YAML.replace("    total_volume: 1 mL\n", "")
    person = Person(script=["plenty", "5 min", "1 mL"])
    completed(text, root, on_question=person)
    assert "'5 min' is not a volume" in person.asked[2].body_markdown


def test_cancel_ends_it(root: Path) -> None:
    outcome = design(STRANGER, root, on_question=Person(script=["cancel"]))
    assert (outcome.status, outcome.reason) == ("stopped", "A person cancelled it.")
