"""The suite of routing: its halves, its scorer, and the half that may be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_model import Reply, Request, ScriptedModel, by_policy

from labwright.agents.call import Question
from labwright.agents.front_desk.route_request import ROUTE
from labwright.agents.front_desk.wishes import Routed, SearchWish, Talk
from labwright.agents.models import make_mind
from labwright.evaluation import routing


def test_there_are_120_messages_of_all_kinds_in_two_halves() -> None:
    halves = {half: routing.load_cases(half) for half in ("dev", "sealed")}  # type: ignore[arg-type]
    assert {half: len(cases) for half, cases in halves.items()} == {"dev": 60, "sealed": 60}
    texts = [case.say for cases in halves.values() for case in cases if not case.runs]
    assert len(texts) == len(set(texts))
    for cases in halves.values():
        kinds = {case.expect["kind"] for case in cases}
        assert kinds == {"calibrate", "search", "forge", "design", "ask", "talk", "runs"}
        assert any("uses" in case.expect for case in cases)


def test_the_development_half_stays_right() -> None:
    result = routing.run("dev")
    wrong = [(row["say"], row["verdict"]) for row in result["rows"] if not row["passed"]]
    assert result["score"] >= 0.95, wrong
    assert result["asked"]["dev"][0] == result["asked"]["dev"][1], wrong


@pytest.mark.parametrize(
    ("got", "says"),
    [
        (Question(text="?"), "ask given"),
        (Routed(wish=Talk(topic="help", text="x"), reason=""), "talk given"),
        ("digits", "right"),
        ("mnist", "dataset is 'mnist'"),
    ],
)
def test_the_scorer_tells_right_from_wrong(got: object, says: str) -> None:
    case = routing.Case("a map for digits", {"kind": "search", "dataset": "digits"})
    if isinstance(got, str):
        counts = dict.fromkeys(("trials", "ideas", "qubits", "features", "evaluations", "seed"))
        got = Routed(wish=SearchWish.model_validate({"dataset": got, "idea": "", "uses": [], **counts}), reason="")
    assert says in routing.verdict(case, got)  # type: ignore[arg-type]


def test_a_model_is_measured_by_the_same_suite(tmp_path: Path) -> None:
    heard: list[str] = []

    def script(request: Request) -> Reply:
        if request.input["message"] == "Hello":
            return Reply.question("What?")
        return by_policy(ROUTE)(request)

    with ScriptedModel(script) as model:
        mind = make_mind("openai:scripted", model.settings(tmp_path))
        result = routing.run("dev", mind, heard.append)
    assert (result["mind"], result["needless_questions"]) == ("openai:scripted", 1)
    assert heard == ["Hello: talk expected, ask given"]
    assert len(model.requests) == result["n"]
