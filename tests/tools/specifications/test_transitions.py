"""What follows from a result."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.tools.specifications.calibration import Transition
from labwright.tools.specifications.transition_conditions import Situation
from labwright.tools.specifications.transitions import Outcome, move
from labwright.tools.specifications.values import Quantity

LABELS = ["a", "b", "c"]
PROPOSAL = {"stop": 2.0}


def after(
    verdict: str, *on: tuple[str, str], at: int = 1, limit: int = 3, proposal: Any = None, **situation: Any
) -> Any:
    rules = [Transition.model_validate({"if": condition, "go": go}) for condition, go in on]
    failed = {} if verdict == "success" else {"failed": situation.get("executed", 1)}
    now = Situation(verdict, **{**failed, **situation})
    outcome = Outcome(LABELS, at, now, runs=now.executed, limit=limit, proposal=proposal or {})
    return move(rules, outcome)


@pytest.mark.parametrize(
    ("verdict", "at", "more", "goal"),
    [
        ("success", 1, {}, "c"),
        ("success", 2, {}, "COMPLETE"),
        ("adjust", 1, {}, "b"),
        ("bad_data", 1, {"executed": 3}, "a"),  # exhausted: one step back, once
        ("bad_data", 1, {"executed": 3, "went_back": 1}, "FAILED"),
        ("bad_data", 0, {"executed": 3}, "FAILED"),
        ("wrong_setup", 1, {}, "a"),  # repeating would give the same
        ("wrong_setup", 1, {"proposal": PROPOSAL}, "b"),
    ],
)
def test_without_rules(verdict: str, at: int, more: dict[str, Any], goal: str) -> None:
    assert after(verdict, at=at, **more).next == goal


@pytest.mark.parametrize(
    ("rules", "verdict", "goal"),
    [
        ([("success", "COMPLETE")], "success", "COMPLETE"),
        ([("failed", "next"), ("failed", "FAILED")], "bad_data", "c"),  # the first that holds
        ([("failed", "previous")], "bad_data", "a"),
        ([("failed", "repeat")], "bad_data", "b"),
        ([("failed", "c")], "bad_data", "c"),
        ([("t1 < 50 us", "FAILED")], "success", "FAILED"),
        ([("t1 < 30 us", "FAILED")], "success", "c"),
        ([("t2 < 30 us", "FAILED")], "success", "c"),  # not measured: does not hold
        ([("exhausted", "FAILED")], "bad_data", "b"),
    ],
)
def test_rules_in_order(rules: list[tuple[str, str]], verdict: str, goal: str) -> None:
    assert after(verdict, *rules, names={"t1": Quantity(40.0, "us")}).next == goal


def test_a_repetition_takes_what_the_inspection_proposes_and_ends_at_the_limit() -> None:
    assert after("adjust", ("failed", "repeat"), proposal=PROPOSAL).change == PROPOSAL
    found = after("adjust", ("failed", "repeat"), proposal=PROPOSAL, executed=3)
    assert found.next == "a"
    assert after("bad_data", ("exhausted", "FAILED"), executed=3).next == "FAILED"
    assert after("success", ("success", "c"), proposal=PROPOSAL).change == {}


def test_the_limit_is_for_the_runs_since_the_step_was_reached() -> None:
    again = Outcome(LABELS, 1, Situation("bad_data", executed=5, failed=5), runs=1, limit=3)
    assert not again.exhausted
    assert move([], again).next == "b"


def test_a_way_back_that_does_not_help_is_left() -> None:
    assert after("bad_data", ("failed", "a"), went_back=1).next == "a"
    assert after("bad_data", ("failed", "a"), went_back=2).next == "b"
    assert after("success", ("success", "a"), went_back=9).next == "a"
    counted = ("failed and not went_back 4 times", "a")
    assert after("bad_data", counted, went_back=3).next == "a"


def test_a_rule_in_free_words_is_somebody_else_s() -> None:
    rule = Transition(rule="if it looks odd, stop")
    found = move([rule], Outcome(LABELS, 0, Situation("success"), runs=1, limit=3))
    assert (found.next, found.rule) == ("", "if it looks odd, stop")
