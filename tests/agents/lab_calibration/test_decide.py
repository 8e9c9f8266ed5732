"""Rules in free words: which decisions of a model are taken, and what needs no model."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.lab_calibration.decide import DECIDE, DecideIn, DecideOut, StageCard, check_decision
from labwright.agents.lab_calibration.grounding import Measurement, Named, Parameter
from labwright.agents.rules_backend import RulesMind
from labwright.agents.typed_call import Refusal
from labwright.tools.specifications.calibration import COMPLETE, FAILED

STAGES = [
    StageCard(label="Stage 1", instruction="ramsey Q1"),
    StageCard(label="Stage 2", instruction="amplitude_pingpong Q1"),
    StageCard(label="Stage 3", instruction="single_qubit_rb Q1"),
]


def situation(**changes: Any) -> DecideIn:
    given: dict[str, Any] = {
        "current": "Stage 2",
        "rule": "Once more with a longer sweep if the curve looks odd, but never more than twice.",
        "stages": STAGES,
        "executed": 1,
        "failed": 1,
        "most_runs": 4,
        "went_back": 0,
        "verdict": "adjust",
        "cause": "too_few_oscillations",
        "reason": "2.1 oscillations",
        "estimates": [Measurement(name="oscillations", value=2.1, error=0.1, unit="")],
        "proposal": [Named(name="stop", value=2.0)],
        "parameters": [Parameter(name="stop", value=0.5, unit="us", minimum=0.05, maximum=100)],
    }
    return DecideIn(**{**given, **changes})


def decided(**answer: Any) -> DecideOut:
    return DecideOut(**{"analysis": "because", "applies": True, "changes": [], **answer})


@pytest.mark.parametrize("verdict", ["success", "adjust", "bad_data", "wrong_setup"])
@pytest.mark.parametrize("goal", ["Stage 1", "Stage 2", "Stage 3", COMPLETE, FAILED])
def test_a_persons_rule_may_lead_anywhere(goal: str, verdict: str) -> None:
    """The rule is the person's: no guard of ours holds its words against the verdict."""
    assert check_decision(situation(verdict=verdict), decided(next=goal)) == []


def test_parameters_may_change_for_another_run_of_the_same_stage() -> None:
    assert check_decision(situation(), decided(next="Stage 2", changes=[Named(name="stop", value=3.7)])) == []


@pytest.mark.parametrize(
    ("changes", "answer", "complaint"),
    [
        ({}, {"next": "Stage 9"}, "must be one of Stage 1, Stage 2, Stage 3, COMPLETE, FAILED"),
        ({}, {"next": ""}, "must be one of"),
        ({"executed": 4}, {"next": "Stage 2"}, "ran 4 times, which is the most it may"),
        ({}, {"next": "Stage 2", "changes": [Named(name="duration", value=2.0)]}, "no parameter 'duration'"),
        ({}, {"next": "Stage 2", "changes": [Named(name="stop", value=2000)]}, "between 0.05 and 100"),
        ({}, {"next": "Stage 1", "changes": [Named(name="stop", value=2.0)]}, "only where the same stage"),
    ],
)
def test_what_cannot_be_done_is_caught(changes: dict[str, Any], answer: dict[str, Any], complaint: str) -> None:
    [finding] = check_decision(situation(**changes), decided(**answer))
    assert complaint in finding


def test_a_rule_that_does_not_apply_needs_no_goal() -> None:
    assert check_decision(situation(), decided(applies=False, next="")) == []


def test_without_a_model_nobody_decides_by_free_words() -> None:
    answer = RulesMind().answer(DECIDE, situation())
    assert isinstance(answer, Refusal)
    assert "--model" in answer.reason
