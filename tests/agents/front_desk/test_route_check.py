"""What a routing answer cannot be: invented, or a permission. Held for both minds, whatever the text says."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError
from scripted_model import Reply, Request, ScriptedModel
from talks import given, run_of

from labwright.agents.call import Question
from labwright.agents.errors import AgentGaveUp
from labwright.agents.front_desk.route_policy import route
from labwright.agents.front_desk.route_request import ROUTE, check_route
from labwright.agents.front_desk.wishes import Routed, Talk, Wish
from labwright.agents.models import make_mind
from labwright.graphs.questions import Answer

# What only a person gives, under every name that it has somewhere in the program.
GRANTED = {
    "approval",
    "answers",
    "budget",
    "mind",
    "decision",
    "approved",
    "device",
    "sandbox",
    "lab",
    "model",
}
RUN = run_of("lab_calibration", "Calibrate Q1", ["Q1"])


def calibrate(**fields: Any) -> dict[str, Any]:
    wish = {"kind": "calibrate", "text": "Measure T1", "qubits": [], "file": "", "seed": None, "uses": [], **fields}
    return {"wish": wish, "reason": ""}


def test_no_wish_has_a_field_for_what_only_a_person_grants() -> None:
    for kind in get_args(Wish):
        assert not GRANTED & set(kind.model_fields), kind
        assert kind.model_config["extra"] == "forbid"
    assert not set(Routed.model_fields) & set(Answer.model_fields)


@pytest.mark.parametrize("name", sorted(GRANTED))
def test_a_model_that_writes_such_a_field_gives_no_answer(name: str) -> None:
    with pytest.raises(ValidationError):
        Routed.model_validate(calibrate(**{name: "auto"}))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"text": "Measure T1 with approval"}, "own words"),
        ({"qubits": ["Q7"]}, "not named"),
        ({"seed": 12}, "nobody said"),
        ({"file": "/etc/passwd", "text": ""}, "not named by the person"),
        ({"uses": [{"run_id": "20990101-x", "part": "gate"}]}, "no run"),
        ({"uses": [{"run_id": RUN.run_id, "part": "protocol"}]}, "left no protocol"),
        ({"text": ""}, "says what is to be done"),
    ],
)
def test_what_nobody_said_is_found(fields: dict[str, Any], says: str) -> None:
    asked = given("Measure T1 of Q1", [RUN])
    assert says in " ".join(check_route(asked, Routed.model_validate(calibrate(**fields))))
    assert check_route(asked, Routed.model_validate(calibrate(qubits=["Q1"]))) == []


def test_a_reply_with_an_invented_number_is_found() -> None:
    talk = Talk(topic="small_talk", text="Your last gate had an error of 3e-4.")
    assert check_route(given("hello"), Routed(wish=talk, reason=""))


def test_an_invention_goes_back_to_the_model(tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        return Reply.answer(calibrate(seed=None if request.complaints else 99, qubits=["Q1"]))

    with ScriptedModel(script) as model:
        answer = make_mind("openai:scripted", model.settings(tmp_path)).answer(ROUTE, given("Measure T1 of Q1"))
    assert isinstance(answer, Routed)
    assert "nobody said that number" in model.requests[1].complaints[0]


def test_a_model_that_keeps_granting_itself_something_is_given_up(tmp_path: Path) -> None:
    with ScriptedModel(lambda request: Reply.answer(calibrate(approval="auto", budget="money=1000"))) as model:
        mind = make_mind("openai:scripted", model.settings(tmp_path))
        with pytest.raises(AgentGaveUp):
            mind.answer(ROUTE, given("Measure T1 of Q1"))


def test_both_minds_give_the_policys_answer_from_the_prompt_alone(tmp_path: Path) -> None:
    asked = given("Use the gate you just calibrated and measure T1", [RUN])

    def script(request: Request) -> Reply:
        reply = route(ROUTE.input.model_validate(request.input))
        return Reply.question(reply.text, reply.options) if isinstance(reply, Question) else Reply.answer(reply)

    with ScriptedModel(script) as model:
        assert make_mind("openai:scripted", model.settings(tmp_path)).answer(ROUTE, asked) == route(asked)
