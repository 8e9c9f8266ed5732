"""What a person is asked about a reading, and what becomes of answers that do not fit."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from plan_labs import completed, lab

from labwright.graphs.questions import Answer
from labwright.graphs.understand.reading_questions import applied, question_of
from labwright.tools.errors import InputError
from labwright.tools.specifications.plan_completion import complete
from labwright.tools.specifications.yaml_files import is_document, read_document, to_yaml

DRAFT = {"spec": 1, "system": "lab_calibration", "steps": [{"experiment": "t1", "qubits": ["Q1"]}]}
MISSING = {
    "path": ("steps", 0, "qubits"),
    "message": "t1 needs a qubit.",
    "fix": "Which qubit is meant?",
    "missing": True,
    "options": ("Q1", "Q2"),
}


class Reading:
    """A reading that knows one line and has no model."""

    system = "lab_calibration"
    reads_words = False
    elsewhere = ""
    grows = False
    corrects = False
    filler = None

    def parse(self, words: str) -> Any:
        if words == "refused":
            raise InputError("Malformed.")
        if is_document(words):
            return read_document(words).data, "written"
        return ({}, "short form") if words == "t1 Q2" else None

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        return "In this order: t1 Q1."

    def how(self, data: dict[str, Any]) -> list[str]:
        return []

    def besides(self, state: Any) -> str:
        return ""


def answered(state: dict[str, Any], decision: str, **value: Any) -> dict[str, Any]:
    """The state after an answer."""
    answer = Answer(id="any", decision=decision, value=value)
    return {**state, **applied(Reading(), state, answer)}  # type: ignore[arg-type]


def asked(state: dict[str, Any]) -> Any:
    return question_of(Reading(), state)  # type: ignore[arg-type]


WHOLE: dict[str, Any] = {"words": "t1 please", "draft": DRAFT, "origin": "model", "problems": [], "reading": []}


def test_what_was_wrong_is_said_once() -> None:
    state = answered(answered(WHOLE, "edit"), "steps.0.parameters.stop = 2 us")
    assert (state["then"], state["why"]) == ("validate", "")
    assert state["draft"]["steps"][0]["parameters"] == {"stop": "2 us"}


def test_a_qubit_that_is_not_there_is_asked_about_again() -> None:
    open_step = {"spec": 1, "system": "lab_calibration", "steps": [{"experiment": "t1"}]}
    missing = {**WHOLE, "draft": open_step, "problems": [MISSING], "origin": "short form"}
    assert [option.value for option in asked(missing).options] == ["Q1", "Q2", "cancel"]
    again = answered(missing, "Q7")
    assert again["then"] == "person"
    assert "no 'Q7'" in asked(again).body_markdown
    assert answered(again, "Q2")["draft"]["steps"] == [{"experiment": "t1", "qubits": ["Q2"]}]


OWN = {"title": "My own pair test", "parameters": ["qubit"], "steps": [{"experiment": "t1", "qubits": ["qubit"]}]}
CALLS = {"procedure": "my-own-pair-test"}
KEPT = completed({**CALLS, "qubits": ["Q1"]}, procedures={"my-own-pair-test": OWN}).plan.plain()
FREE = completed(CALLS, procedures={"my-own-pair-test": OWN})
ON_Q2 = to_yaml({"system": "lab_calibration", "steps": [{**CALLS, "qubits": ["Q2"]}]})


@pytest.mark.parametrize(
    ("decision", "value"),
    [
        ("steps.0.qubits = [Q2]", {}),
        ("qubits = [Q2]", {}),
        ("edit", {"steps.0.qubits": ["Q2"]}),
        ("edit", {"yaml": ON_Q2}),
        (ON_Q2, {}),
    ],
)
def test_a_procedure_of_the_person_s_own_survives_an_answer(decision: str, value: dict[str, Any]) -> None:
    state = answered({**WHOLE, "draft": KEPT}, decision, **value)
    done = complete(state["draft"], lab())
    assert (done.problems, done.plan.plain()["steps"]) == ([], [{**CALLS, "qubits": ["Q2"]}])


def test_a_procedure_of_the_person_s_own_survives_the_naming_of_a_qubit() -> None:
    problems = [asdict(each) for each in FREE.problems]
    state = answered({**WHOLE, "draft": FREE.plan.plain(), "problems": problems}, "Q2")
    assert complete(state["draft"], lab()).problems == []


def test_an_edit_may_replace_the_procedure_that_the_plan_brings_along() -> None:
    other = {**OWN, "steps": [{"experiment": "ramsey", "qubits": ["qubit"]}]}
    edited = to_yaml({"system": "lab_calibration", "steps": KEPT["steps"], "procedures": {"my-own-pair-test": other}})
    state = answered({**WHOLE, "draft": KEPT}, "edit", yaml=edited)
    assert state["draft"]["procedures"]["my-own-pair-test"] == other
