"""The suite of routing: its halves, its scorer, and the half that may be looked at."""

from __future__ import annotations

import pytest

from labwright.agents.call import Question
from labwright.agents.front_desk.wishes import Routed, SearchWish, Talk
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
