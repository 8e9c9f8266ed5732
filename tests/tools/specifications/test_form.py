"""A specification asked for field by field."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.apps.new_specification import checks
from labwright.tools.liquid_handler.vial_amounts import Amounts, calculate
from labwright.tools.specifications.form import FormField, Prompt, fields, interview
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.protocol_form import protocol_interview
from labwright.tools.specifications.schema import schema_of
from labwright.tools.specifications.yaml_files import validated


def filled(system: str, answers: dict[str, list[str]]) -> tuple[dict[str, Any], list[Prompt]]:
    """The data that the answers make; a path that is not among them is left empty."""
    asking, asked = interview(schema_of(system), checks(system, None)), []
    try:
        prompt = next(asking)
        while True:
            asked.append(prompt)
            said = answers.get(".".join(map(str, prompt.path)), [])
            prompt = asking.send(said.pop(0) if said else "")
    except StopIteration as done:
        return done.value, asked


def named(found: tuple[FormField, ...]) -> dict[str, FormField]:
    return {each.name: each for each in found}


def test_questions_have_descriptions_defaults_limits_and_nested_fields() -> None:
    search = named(fields(schema_of("feature_map_search")))
    assert (search["trials"].default, search["trials"].limits) == (20, "at least 1, at most 1000")
    assert search["strategy"].options == ("graded", "ungraded", "random")
    assert "Takes: one of graded, ungraded, random." in search["strategy"].help()
    assert not {"spec", "system", "read_by"} & set(search)
    design = named(fields(schema_of("protocol_design")))
    dose = named(named(design["groups"].inner)["doses"].inner)
    assert design["groups"].repeated
    assert dose["kind"].required
    assert "span" not in dose
    assert dose["amount"].about


def test_empty_answers_take_the_defaults() -> None:
    data, asked = filled("feature_map_search", {})
    assert data == {"spec": 1, "system": "feature_map_search"}
    assert any(prompt.text == "trials (Rounds of ideas, each followed by a review) [20]:" for prompt in asked)


def test_help_wrong_answers_and_lists() -> None:
    answers = {
        "title": ["?", "Mine"],
        "mode": ["nonsense"],
        "steps.0": ["banana", "t1 Q1, stop = 300 us"],
        "steps.1": ["ramsey Q1"],
        "seed": ["-1", "x", "7"],
    }
    data, asked = filled("lab_calibration", answers)
    steps = ["t1 Q1, stop = 300 us", "ramsey Q1"]
    assert data == {"spec": 1, "system": "lab_calibration", "title": "Mine", "steps": steps, "seed": 7}
    said = " ".join(prompt.said for prompt in asked)
    for part in ("What the report is called.", "It should be 'calibrate'", "Not read", "greater than or equal to 0"):
        assert part in said


WATER = {
    "chemicals.0.name": "water",
    "groups.0.doses.0.substance": "water",
    "groups.0.doses.0.kind": "volume",
    "groups.0.doses.0.amount": "1 mL",
    "groups.0.total_volume": "1 mL",
}
GROUP = {"doses": [{"substance": "water", "kind": "volume", "amount": "1 mL"}], "total_volume": "1 mL"}
PROTOCOL = {"spec": 1, "system": "protocol_design", "chemicals": [{"name": "water"}], "groups": [GROUP]}


def test_nested_objects_and_amounts_with_units() -> None:
    answers = {path: [said] for path, said in WATER.items()}
    answers["groups.0.doses.0.substance"].insert(0, "")
    answers["groups.0.doses.0.amount"].insert(0, "1 banana")
    data, asked = filled("protocol_design", answers)
    assert data == PROTOCOL
    said = [prompt.said for prompt in asked if prompt.said]
    assert said[0].startswith("It has to be given")
    assert any("banana" in each for each in said)


@pytest.mark.parametrize("said", ["9" * 5000, "*anchor", "!!int 7"])
def test_a_strange_answer_is_asked_for_again(said: str) -> None:
    data, asked = filled("feature_map_search", {"trials": [said, "7"]})
    assert data["trials"] == 7
    assert "It is" in next(prompt.said for prompt in asked if prompt.said)


@pytest.mark.parametrize("yes", ["y", "ok", "Yes"])
def test_an_object_is_filled_in_by_every_word_that_says_yes(yes: str) -> None:
    data, _ = filled("lab_calibration", {"steps.0": ["t1 Q1"], "device": [yes], "device.factory": ["lab:open"]})
    assert data["device"] == {"factory": "lab:open"}


@pytest.mark.parametrize("patch", ["steps = [t1 Q1]", "nowhere.x = 3"])
def test_what_is_wrong_in_the_end_is_put_right_by_path_and_value(patch: str) -> None:
    data, asked = filled("lab_calibration", {"PATH = VALUE": [patch, "steps = [t1 Q1]"]})
    assert data == {"spec": 1, "system": "lab_calibration", "steps": ["t1 Q1"]}
    assert "The plan has no steps" in " ".join(prompt.said for prompt in asked)


def test_a_field_that_takes_a_list_or_an_object_is_one_text() -> None:
    schema = {"properties": {"cases": {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}}}
    (cases,) = fields(schema)
    assert (cases.kinds, cases.repeated) == (("object", "array"), False)


def test_a_protocol_is_asked_for_in_turn_and_can_be_run() -> None:
    lines = ["Standards", "caffeine", "strong", "10 mM", "0.1 mM, 5 min", "0.1 mM, 0.2 mM", "caffeine", "water", ""]
    lines += ["plenty", "rest", "", "5 g", "1 mL", "none", "2"]
    asking, said = protocol_interview(), []
    prompt = next(asking)
    for line in lines[:-1]:
        prompt = asking.send(line)
        said += [prompt.said] if prompt.said else []
    with pytest.raises(StopIteration) as done:
        asking.send(lines[-1])
    design = validated(ProtocolSpec, done.value.value).design
    amounts = calculate(design)
    assert isinstance(amounts, Amounts)
    assert [vial.additions for vial in amounts.vials] == [
        {"caffeine": 10, "water": 990},
        {"caffeine": 10, "water": 990},
        {"caffeine": 20, "water": 980},
        {"caffeine": 20, "water": 980},
    ]
    assert len(said) == 6  # each wrong answer is asked for again, with the reason
