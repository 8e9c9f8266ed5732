"""The suite of routing: its halves, its scorer, and the half that may be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_model import Reply, Request, ScriptedModel, by_policy

from labwright.agents.call import Question
from labwright.agents.front_desk.route_request import ROUTE
from labwright.agents.front_desk.wishes import Routed, SearchWish, Talk
from labwright.evaluation import routing, suites


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
    result = suites.run("routing", split="dev")
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
    case = routing.Case("x", "a map for digits", {"kind": "search", "dataset": "digits"})
    if isinstance(got, str):
        counts = dict.fromkeys(("trials", "ideas", "qubits", "features", "evaluations", "seed"))
        got = Routed(wish=SearchWish.model_validate({"dataset": got, "idea": "", "uses": [], **counts}), reason="")
    assert says in routing.verdict(case, got)  # type: ignore[arg-type]


def test_a_model_is_measured_by_the_same_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def script(request: Request) -> Reply:
        if request.input["message"] == "Hello":
            return Reply.question("What?")
        return by_policy(ROUTE)(request)

    with ScriptedModel(script) as model:
        for name, value in {"base_url": model.url, "api_key": "none", "state": str(tmp_path / "state")}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
        result = suites.run("routing", split="dev", mind="openai:scripted", on_progress=heard.append)
    assert (result["backend"], result["needless_questions"]) == ("openai:scripted", 1)
    [asked] = [line for line in heard if not line.endswith(": passed")]
    assert asked.endswith("talk expected, ask given")
    assert (result["outcomes"]["asked"], result["outcomes"]["right"]) == (1, 59)
    assert len(model.requests) == result["n"] == result["cost"]["requests"]
    assert result["cost"]["tokens_in"] == model.spent.input_tokens
    assert result["cost"]["characters_in"] > result["cost"]["tokens_in"]
