"""Reagents that are sold as solutions are asked for their strength; the answer is data, and no answer ends the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from calibrations import Person
from designs import completed, design

from labwright.graphs.protocol_design.running import resume
from labwright.graphs.questions import Answer

DILUTED = """\
system: protocol_design
chemicals:
- {{name: {reagent}}}
- {{name: water}}
groups:
- doses:
  - {{substance: {reagent}, kind: {kind}, amount: {amount}}}
  - {{substance: water, kind: remainder}}
  total_volume: 1 mL
"""


def text(kind: str = "moles", amount: str = "0.5 mmol", reagent: str = "ammonia") -> str:
    return DILUTED.format(kind=kind, amount=amount, reagent=reagent)


def added(outcome: object, name: str = "ammonia") -> float:
    return float(outcome.result["vials"][0]["contents"][name]["amount"])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("said", "volume"),
    [("28 wt%", 33.79), ("28 %", 33.79), ("30 wt%, 0.892 g/mL", 31.82), ("7 M", 71.43), ("28 wt%, 0.9 g/mL", 33.79)],
)
def test_the_strength_is_one_question_whose_answer_is_data(said: str, volume: float, root: Path) -> None:
    person = Person(script=[said])
    outcome = completed(text(), root, on_question=person)
    assert len(person.asked) == 1
    assert person.asked[0].title.startswith("'ammonia' is sold as a solution. How strong is it?")
    assert [option.value for option in person.asked[0].options] == ["28 wt%", "25 wt%", "edit", "cancel"]
    assert added(outcome) == pytest.approx(volume, abs=0.01)  # 0.5 mmol x 17.031 g/mol, by hand


@pytest.mark.parametrize("said", ["the concentrated one", "12", "NH3", "0.9 g/mL", "28 wt%, solid", "40 % v/v"])
def test_an_answer_that_settles_nothing_is_asked_again_in_other_words(said: str, root: Path) -> None:
    person = Person(script=[said, "28 wt%"])
    outcome = completed(text(), root, on_question=person)
    assert len(person.asked) == 2
    assert person.asked[1].body_markdown != person.asked[0].body_markdown or said == "40 % v/v"
    assert added(outcome) == pytest.approx(33.79, abs=0.01)


def test_a_strength_without_a_known_density_is_asked_for_that(root: Path) -> None:
    person = Person(script=["20 wt%", "a bit lighter than water", "0.923 g/mL"])
    outcome = completed(text(), root, on_question=person)
    assert "density" in person.asked[1].title
    assert added(outcome) == pytest.approx(0.5 * 17.031 / (0.2 * 0.923), abs=0.02)


def test_the_form_takes_strength_solvent_and_density(root: Path) -> None:
    person = Person(script=[("edit", {"strength": "2 M", "solvent": "methanol"})])
    outcome = completed(text(), root, on_question=person)
    assert added(outcome) == pytest.approx(250, abs=0.1)
    assert "ammonia" in (outcome.run_dir / "report.md").read_text()


def test_volumes_and_masses_count_the_solution_and_are_asked_too(root: Path) -> None:
    by_volume = design(text("volume", "100 uL", "formalin"), root, on_question=Person(script=["37 wt%"]))
    assert added(by_volume, "formalin") == 100
    by_mass = design(text("mass", "109 mg", "formalin"), root, on_question=Person(script=["37 wt%"]))
    assert added(by_mass, "formalin") == pytest.approx(100, abs=0.01)
    report = (by_mass.run_dir / "report.md").read_text()
    assert "37 wt%" in report or "37 % w/w" in report
    assert "supplier label" in report


def test_what_the_text_says_is_not_asked(root: Path) -> None:
    said = text().replace("{name: ammonia}", "{name: ammonia, strength: 28 wt%}")
    acid = "- {name: dioxane}\nstocks: [{name: acid, solute: HCl, solvent: dioxane, concentration: 1 M}]\ngroups:"
    stock = text("volume", "10 uL", "HCl").replace("groups:", acid).replace("substance: HCl,", "substance: acid,")
    for each in (said, stock):
        person = Person()
        assert design(each, root, on_question=person, approval="auto").status in ("complete", "stopped")
        assert not [question for question in person.asked if question.kind == "clarify"]


def test_it_waits_for_a_person_and_goes_on_in_another_process(root: Path) -> None:
    waiting = design(text(reagent="hydrogen peroxide"), root, answers="defaults")
    assert waiting.status == "stopped"  # two strengths are usual: no default is safe
    [question] = waiting.questions
    answer = Answer(id=question["id"], decision="30 wt%")
    again = resume(waiting.run_id, root, answers={question["id"]: answer})
    assert not [each for each in again.questions if "How strong" in each["title"]]


def test_the_laboratorys_inventory_answers_and_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = root.parent / "inventory.csv"
    file.write_text("name,state,strength,location\nammonia,solution,7 M,acids cabinet\n", encoding="utf-8")
    monkeypatch.setenv("LABWRIGHT_INVENTORY", str(file))
    outcome = completed(text(), root, on_question=Person())
    assert added(outcome) == pytest.approx(71.43, abs=0.01)
    report = (outcome.run_dir / "report.md").read_text()
    assert "inventory.csv line 2: strength, location" in report
    assert "acids cabinet" in report
    assert "strength: 7 M" in (outcome.run_dir / "spec.yaml").read_text()  # the run needs the inventory no more


def test_an_inventory_that_does_not_read_is_said_before_anything_is_asked(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = root.parent / "inventory.csv"
    file.write_text("name,density\nammonia,0.9\n", encoding="utf-8")
    monkeypatch.setenv("LABWRIGHT_INVENTORY", str(file))
    outcome = design(text(), root, on_question=Person())
    assert (outcome.status, "inventory.csv, line 2" in outcome.reason) == ("refused", True)
