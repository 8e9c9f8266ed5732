"""What a filled form means, whatever the browser sent."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plan_question import PLAN, WHOLE

from labwright.apps.console.question_form import QuestionForm, answered, in_words, typed
from labwright.graphs.questions import Answer, Option, Question
from labwright.tools import named_persons
from labwright.tools.errors import InputError

FIELDS = {
    "stop": {"type": "number", "default": 0.5, "minimum": 0.1, "maximum": 5},
    "shots": {"type": "integer", "default": 100},
    "echo": {"type": "boolean", "default": False},
    "qubit": {"type": "string", "default": "Q1"},
}
NOW = {name: item["default"] for name, item in FIELDS.items()}
ASKED = Question(
    id="approve 1",
    kind="approve",
    title="Measure?",
    options=[
        Option(value="run", label="Run it"),
        Option(value="edit", label="Change"),
        Option(value="abort", label="Stop"),
    ],
    form_schema={"type": "object", "properties": FIELDS},
)


def test_an_edit_holds_what_was_changed_and_nothing_else() -> None:
    answer = answered(ASKED, "edit", {**NOW, "stop": 2, "echo": True})
    assert answer.value == {"stop": 2.0, "echo": True}
    assert (answer.id, answer.decision) == ("approve 1", "edit")
    assert in_words(ASKED, answer) == "Change: stop = 2.0, echo = true"


def test_a_decision_takes_the_values_as_they_are() -> None:
    answer = answered(ASKED, "run", NOW)
    assert (answer.decision, answer.value) == ("run", {})
    assert in_words(ASKED, answer) == "Run it"


@pytest.mark.parametrize(
    ("decision", "values", "words"),
    [
        ("edit", NOW, "Nothing is changed"),
        ("run", {**NOW, "stop": 2}, "You changed stop"),
        ("edit", {"budget": "money=1000"}, "no field"),
        ("edit", {**NOW, "stop": 50}, "between 0.1 and 5"),
        ("edit", {**NOW, "stop": "much"}, "must be a number"),
        ("edit", {**NOW, "stop": float("nan")}, "must be a number"),
        ("edit", {**NOW, "stop": float("inf")}, "must be a number"),
        ("edit", {**NOW, "stop": [1]}, "must be a number"),
        ("edit", {**NOW, "shots": 2.5}, "whole number"),
        ("edit", {**NOW, "echo": "yes"}, "yes or no"),
        ("edit", {**NOW, "qubit": {"a": 1}}, "must be a text"),
        ("edit", {**NOW, "qubit": "x" * 20_001}, "at most"),
        ("approved", NOW, "not offered"),
        ("", NOW, "not offered"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(decision: str, values: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        answered(ASKED, decision, values)


def test_a_free_answer_is_its_words_and_an_empty_one_is_none() -> None:
    free = Question(id="c", kind="clarify", title="Which?")
    assert answered(free, "the second", {}).decision == "the second"
    with pytest.raises(InputError, match="empty"):
        answered(free, "  ", {})


def test_an_empty_number_is_no_change() -> None:
    assert typed("stop", FIELDS["stop"], None) is None
    assert typed("stop", FIELDS["stop"], "") is None


def test_a_specification_is_taken_as_it_was_changed() -> None:
    answer = answered(WHOLE, "edit", {"yaml": PLAN.replace("Q1", "Q2")})
    assert answer.value == {"yaml": PLAN.replace("Q1", "Q2")}
    assert in_words(WHOLE, answer).startswith("Edit it:\nspec: 1")


@pytest.mark.parametrize(
    ("decision", "text", "words"),
    [
        ("edit", PLAN, "Nothing is changed"),
        ("run", PLAN + " ", "You changed the specification"),
        ("edit", "x" * 200_001, "at most"),
    ],
)
def test_a_specification_is_not_lost_by_the_wrong_button(decision: str, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        answered(WHOLE, decision, {"yaml": text})


@pytest.mark.parametrize(
    ("said", "decision"), [("yes", "run"), ("Run it", "run"), ("1", "run"), ("t1 Q2 instead", "t1 Q2 instead")]
)
def test_a_free_question_takes_words(said: str, decision: str) -> None:
    assert answered(WHOLE, said, {"yaml": PLAN}).decision == decision


def test_a_named_person_signs_in_the_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "people.json"
    named_persons.add(file, "jane", "correct horse")
    monkeypatch.setenv("LABWRIGHT_PEOPLE", str(file))
    options = [Option(value="accept", label="Accept"), Option(value="abort", label="Abort")]
    question = Question(id="sign 1", kind="approve", title="Accept?", options=options, signs="abc")
    form = QuestionForm(question, "", (), lambda _answer, _words: None, tmp_path)
    form._signer, form._passphrase = SimpleNamespace(value="jane"), SimpleNamespace(value="wrong horse")
    with pytest.raises(InputError, match="do not belong together"):
        form._sign(Answer(id="sign 1", decision="accept"))
    assert form._passphrase.value == ""
    form._passphrase.value = "correct horse"
    form._sign(Answer(id="sign 1", decision="accept"))
    assert named_persons.signed(file, tmp_path, "abc") is not None
