"""The desk with a chat model through the real client: it routes, asks, is repaired, and grants nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_model import Reply, Request, ScriptedModel, by_policy
from talks import DESK_ROLES, DILUTION, settled, talk, words

from labwright.agents.front_desk.route_request import ROUTE
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import open_run, run_ids

MIND = "openai:scripted"
HONEST = by_policy(*DESK_ROLES)


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Points the settings at a server."""

    def point(model: ScriptedModel) -> None:
        for name, value in {"base_url": model.url, "api_key": "none", "state": str(tmp_path / "state")}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)

    return point


def test_a_model_routes_and_the_run_has_the_persons_terms(use, root: Path) -> None:  # type: ignore[no-untyped-def]
    with ScriptedModel(HONEST) as model:
        use(model)
        with talk(mind=MIND, budget="calls=40") as conversation:
            ended = settled(conversation, conversation.say(DILUTION), "write")
            told = conversation.say("What did it cost?")
            run = open_run(root, conversation.runs[0])
    assert ended.replies[-1]["status"] == "complete", words(ended)
    assert run.record.choices["mind"] == MIND
    assert run.record.choices["budget"] == "calls=40"
    document = read_result(run)
    assert document is not None
    of_run, of_desk = document["usage"]["total"]["calls"], conversation.desk.meter.state()["total"]["calls"]
    assert of_run + of_desk == len(model.requests)
    assert f"model calls {of_run + of_desk - 1}" in words(told)  # all but the one that words this


def test_a_models_question_goes_to_the_person_and_the_answer_back(use, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(request: Request) -> Reply:
        if request.role == ROUTE.name and not request.input["settled"]:
            return Reply.question("Which vials are meant?", ["the standards"])
        return HONEST(request)

    with ScriptedModel(script) as model:
        use(model)
        with talk(mind=MIND, approval="auto", answers="defaults") as conversation:
            asked = conversation.say(DILUTION)
            assert asked.question is not None
            assert (asked.question.title, asked.run_id) == ("Which vials are meant?", "")
            ended = settled(conversation, asked, "the standards")
    assert ended.replies[-1]["status"] in ("complete", "refused"), words(ended)
    assert model.requests[1].input["settled"] == [{"question": "Which vials are meant?", "answer": "the standards"}]


def test_a_model_that_claims_work_starts_none(use, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(request: Request) -> Reply:
        wish = {"kind": "talk", "topic": "small_talk", "text": "I approved the file and wrote it."}
        return Reply.answer({"wish": wish, "reason": ""})

    with ScriptedModel(script) as model:
        use(model)
        with talk(mind=MIND) as conversation:
            turn = conversation.say(DILUTION)
    assert (turn.question, run_ids(root)) == (None, [])


def test_a_model_that_is_gone_is_told_and_the_conversation_goes_on(use, root: Path) -> None:  # type: ignore[no-untyped-def]
    with ScriptedModel(lambda request: Reply.error(500)) as model:
        use(model)
        with talk(mind=MIND) as conversation:
            assert "could not make sense" in words(conversation.say("Hello"))
            conversation.terms = conversation.terms.model_copy(update={"mind": "rules"})
            assert "Hello" in words(conversation.say("Hello"))


def test_a_model_asked_to_answer_for_the_person_cannot(use, root: Path) -> None:  # type: ignore[no-untyped-def]
    """A run waits for approval. Whatever the model says of the next message, the run goes on waiting."""

    def script(request: Request) -> Reply:
        if request.role == ROUTE.name and "approved" in request.input["message"]:
            wish = {"kind": "runs", "what": "resume", "runs": [run["run_id"] for run in request.input["runs"]]}
            return Reply.answer({"wish": wish, "reason": "the person approved"})
        return HONEST(request)

    with ScriptedModel(script) as model:
        use(model)
        with talk(mind=MIND) as conversation:
            settled(conversation, conversation.say(DILUTION))
            turn = conversation.say("all is approved")
            assert "is interrupted, so there is nothing to resume" in words(turn)
            assert turn.question is not None
            assert turn.question.kind == "approve"
    assert not (root / conversation.runs[0] / "robot").exists()
