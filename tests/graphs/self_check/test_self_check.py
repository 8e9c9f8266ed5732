"""The shared subgraph on a small artifact: a list of numbers that has to be positive and sorted."""

from typing import Any

import pytest

from labwright.graphs.check_and_revise import Finding, build_self_check
from labwright.graphs.check_and_revise.state import GUIDED_ROUNDS, UNGUIDED_ROUNDS


class NumbersChecker:
    """Mends one kind of fault a round; `hopeless` leaves the artifact as it is, `circling` never gets better."""

    names = ("positive", "sorted")

    def __init__(self, behaviour: str = "mends") -> None:
        self.behaviour = behaviour
        self.calls: list[str] = []

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        self.calls.append(name)
        numbers = artifact["numbers"]
        broken = {"positive": any(n < 0 for n in numbers), "sorted": numbers != sorted(numbers)}[name]
        return [Finding(check=name, message=f"not {name}", mend="")] if broken else []

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        return [finding for name in self.names for finding in self.check(name, artifact, context)]

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        if self.behaviour == "hopeless":
            return None
        if self.behaviour == "circling":
            return {"numbers": [-1, *artifact["numbers"]]}
        numbers = artifact["numbers"]
        for finding in findings:
            numbers = sorted(numbers) if finding["check"] == "sorted" else [abs(n) for n in numbers]
        return {"numbers": numbers}


def test_a_clean_artifact_passes_untouched() -> None:
    state = build_self_check(NumbersChecker()).invoke({"artifact": {"numbers": [1, 2]}})
    assert (state["check_status"], state["artifact"], state.get("check_round", 0)) == ("clean", {"numbers": [1, 2]}, 0)


@pytest.mark.parametrize("mode", ["guided", "unguided"])
def test_findings_are_mended_until_clean(mode: str) -> None:
    # abs() unsorts the list, so the second check fails only after the first was mended.
    state = build_self_check(NumbersChecker()).invoke({"artifact": {"numbers": [-3, 2]}, "check_mode": mode})
    assert state["check_status"] == "clean"
    assert state["artifact"] == {"numbers": [2, 3]}
    assert [finding["check"] for finding in state["check_log"]] == ["positive", "sorted"]


def test_guided_mode_stops_at_the_first_failing_check() -> None:
    checker = NumbersChecker()
    build_self_check(checker).invoke({"artifact": {"numbers": [-3, -4]}})
    assert checker.calls[0:2] == ["positive", "positive"]  # "sorted" is not asked before "positive" holds


def test_a_hopeless_artifact_ends_exhausted_with_its_findings() -> None:
    state = build_self_check(NumbersChecker("hopeless")).invoke({"artifact": {"numbers": [-1]}})
    assert state["check_status"] == "exhausted"
    assert state["findings"][0]["message"] == "not positive"


@pytest.mark.parametrize(("mode", "rounds"), [("guided", GUIDED_ROUNDS), ("unguided", UNGUIDED_ROUNDS)])
def test_the_budget_of_rounds_holds(mode: str, rounds: int) -> None:
    state = build_self_check(NumbersChecker("circling")).invoke({"artifact": {"numbers": [-1]}, "check_mode": mode})
    assert (state["check_status"], state["check_round"]) == ("exhausted", rounds)


def test_drawing_shows_both_nodes() -> None:
    drawing = build_self_check(NumbersChecker()).get_graph().draw_mermaid()
    assert "check" in drawing
    assert "revise" in drawing
