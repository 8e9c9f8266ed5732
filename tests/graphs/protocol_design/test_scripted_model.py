"""A design driven by a chat model behind a loopback server, through the real client."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calibrations import Person
from designs import CLEAR, OPEN, ROLES, design, events
from scripted_model import Reply, Request, ScriptedModel, by_policy

from labwright.agents.protocol_design.tag import TAG
from labwright.agents.protocol_design.understand import REFINE, UNDERSTAND
from labwright.agents.protocol_design.write_report import WRITE_REPORT
from labwright.graphs.protocol_design.running import Outcome, resume
from labwright.graphs.questions import Answer
from labwright.tools.liquid_handler.reading import read_lsr
from labwright.tools.liquid_handler.steps import Protocol

MIND = "openai:scripted"
HONEST = by_policy(*ROLES)
TIP = {"step_2": "PDT Tip1000uL"}
Use = Callable[..., None]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Use:
    """Points the settings at a server."""

    def point(model: ScriptedModel, **settings: str) -> None:
        usual = {"base_url": model.url, "api_key": "none", "state": str(tmp_path / "state"), "timeout": "20"}
        for name, value in {**usual, **settings}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)

    return point


def protocol(outcome: Outcome) -> Protocol:
    return read_lsr((outcome.run_dir / outcome.result["xml"]).read_bytes())


def roles(model: ScriptedModel) -> list[str]:
    return [request.role for request in model.requests]


def test_two_clarifications_an_edit_of_a_tip_and_an_approval(root: Path, use: Use) -> None:
    with ScriptedModel(HONEST) as model:
        use(model)
        person = Person(script=["2-propanol", "12 h", ("edit", TIP), "write"])
        outcome = design(OPEN, root, approval="risky", mind=MIND, on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert [question.kind for question in person.asked] == ["clarify", "clarify", "approve", "approve"]
    assert roles(model)[:3] == [UNDERSTAND.name, REFINE.name, REFINE.name]
    assert (roles(model).count(TAG.name), roles(model)[-1]) == (2, WRITE_REPORT.name)
    assert "PDT Tip1000uL" in person.asked[-1].body_markdown

    # What the person said stands in the file, and nothing else differs from the run without a model.
    rules = design(OPEN, root, on_question=Person(script=["2-propanol", "12 h"]))
    ours, planned = protocol(outcome), protocol(rules)
    assert {source.name for source in ours.sources} == {"2-propanol", "water"}
    assert 720 in [value for step in ours.steps if step.subject == "Delay" for value in step.amounts.values()]
    assert ours.steps[1].tags == ("PDT", "Tip1000uL")
    differing = [
        number for number, pair in enumerate(zip(ours.steps, planned.steps, strict=True), 1) if pair[0] != pair[1]
    ]
    assert differing == ([] if planned.steps[1].tags == ours.steps[1].tags else [2])
    assert (ours.plates, ours.sources) == (planned.plates, planned.sources)


def test_each_question_may_be_answered_by_another_process(root: Path, use: Use) -> None:
    with ScriptedModel(HONEST) as model:
        use(model)
        waiting = design(OPEN, root, approval="risky", mind=MIND)
        asked = []
        for decision, value in (("2-propanol", {}), ("12 h", {}), ("edit", TIP), ("write", {})):
            [question] = waiting.questions
            asked.append(question["id"])
            answer = Answer(id=question["id"], decision=decision, value=value)
            waiting = resume(waiting.run_id, root, answers={question["id"]: answer})
    assert waiting.status == "complete", waiting.reason
    assert waiting.result["steps"][1]["tags"] == ["PDT", "Tip1000uL"]
    assert [event["id"] for event in events(waiting, "answer")] == asked
    total = waiting.document["usage"]["total"]
    assert (total["calls"], total["input_tokens"]) == (model.spent.replies, model.spent.input_tokens)


def test_an_invented_number_goes_back_to_the_model(root: Path, use: Use) -> None:
    def script(request: Request) -> Reply:
        reply = HONEST(request)
        if request.role == UNDERSTAND.name and not request.complaints:
            spoilt = json.loads(json.dumps(reply.content))
            spoilt["answer"]["groups"][0]["total_volume"] |= {"value": 7.0}
            return Reply(spoilt)
        return reply

    with ScriptedModel(script) as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND)
    assert outcome.status == "complete"
    assert "do not state 7 mL" in model.requests[1].complaints[0]
    assert {vial["contents"]["water"]["amount"] for vial in outcome.result["vials"]} == {950, 980, 990}


def test_a_way_that_is_not_offered_goes_back_to_the_tagger(root: Path, use: Use) -> None:
    def script(request: Request) -> Reply:
        reply = HONEST(request)
        if request.role == TAG.name and not request.complaints:
            tags: list[dict[str, Any]] = reply.content["answer"]["tags"]
            return Reply.answer({"tags": [{**tags[0], "way": "Spoon"}, *tags[1:]]})
        return reply

    with ScriptedModel(script) as model:
        use(model)
        outcome = design(CLEAR, root, mind=MIND)
    assert outcome.status == "complete"
    [complaint] = [request.complaints[0] for request in model.requests if request.complaints]
    assert "Spoon" in complaint


def test_a_models_own_question_is_put_to_the_person(root: Path, use: Use) -> None:
    def script(request: Request) -> Reply:
        if request.role == UNDERSTAND.name and not request.input["settled"]:
            return Reply.question("Is the water degassed?", ["yes", "no"])
        return HONEST(request)

    with ScriptedModel(script) as model:
        use(model)
        person = Person(script=["no"])
        outcome = design(CLEAR, root, mind=MIND, on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert [question.title for question in person.asked] == ["Is the water degassed?"]
    assert model.requests[1].input["settled"][0]["answer"] == "no"


def test_a_spent_budget_stops_the_run_and_a_larger_one_goes_on(root: Path, use: Use) -> None:
    with ScriptedModel(HONEST) as model:
        use(model, cache="false")
        stopped = design(CLEAR, root, mind=MIND, budget="calls=1")
        assert (stopped.status, "budget" in stopped.reason) == ("stopped", True)
        ended = resume(stopped.run_id, root, budget="calls=20")
    assert ended.status == "complete"
    assert ended.document["usage"]["total"]["calls"] == model.spent.replies == len(model.requests)
