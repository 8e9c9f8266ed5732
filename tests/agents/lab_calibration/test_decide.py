"""Transitions by policy, and the transitions that no mind may make."""

from typing import Any

import pytest

from labwright.agents.lab_calibration.decide import (
    COMPLETE,
    FAILED,
    DecideIn,
    DecideOut,
    StageCard,
    check_decision,
    decide_by_rules,
)
from labwright.agents.lab_calibration.numbers import Named, Parameter

STAGES = [
    StageCard(label="Stage 1", instruction="Find the frequency"),
    StageCard(label="Stage 2", instruction="Tune the amplitude"),
    StageCard(label="Stage 3", instruction="Benchmark"),
]


def situation(**changes: Any) -> DecideIn:
    given: dict[str, Any] = {
        "current": STAGES[1],
        "rule": "",
        "stages": STAGES,
        "executed": 1,
        "failed": 1,
        "succeeded": 0,
        "retry_limit": 4,
        "stepped_back": 0,
        "verdict": "adjust",
        "diagnosis": "too few oscillations",
        "reason": "2.1 oscillations",
        "proposal": [Named(name="stop", value=2.0)],
        "parameters": [Parameter(name="stop", value=0.5, unit="us", minimum=0.05, maximum=100)],
    }
    return DecideIn(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "target"),
    [
        ({"verdict": "success", "proposal": []}, "Stage 3"),
        ({"verdict": "success", "proposal": [], "current": STAGES[2]}, COMPLETE),
        ({}, "Stage 2"),
        ({"executed": 4}, "Stage 1"),
        ({"executed": 4, "stepped_back": 1}, FAILED),
        ({"executed": 4, "current": STAGES[0]}, FAILED),
        ({"verdict": "wrong_setup"}, "Stage 1"),
        ({"verdict": "wrong_setup", "stepped_back": 1}, FAILED),
        ({"rule": "If fewer than 3 oscillations are seen, repeat, at most 2 times.", "executed": 2}, "Stage 2"),
        ({"rule": "If fewer than 3 oscillations are seen, repeat, at most 2 times.", "executed": 3}, "Stage 1"),
        # Good data in the wrong range are no failure while the stage can be repeated.
        ({"rule": "If it fails, go to FAILED."}, "Stage 2"),
        ({"rule": "If it fails, go to FAILED.", "executed": 4}, FAILED),
        ({"rule": "If it fails, go to FAILED.", "verdict": "bad_data"}, FAILED),
        ({"rule": "If it does not converge, repeat.", "verdict": "success", "proposal": []}, "Stage 3"),
        ({"rule": "If it does not converge, go back to the frequency step."}, "Stage 1"),
        ({"rule": "If it fails, go back to the frequency step.", "stepped_back": 2, "executed": 4}, FAILED),
        ({"rule": "Otherwise go to COMPLETE.", "executed": 4, "stepped_back": 1}, FAILED),  # the data are not good
        ({"rule": "Repeat with a stop time 2 times longer, at most 3 times.", "executed": 3}, "Stage 2"),
        ({"rule": "If it does not converge, go to FAILED."}, FAILED),
        ({"rule": "If it does not converge, repeat.", "verdict": "success", "diagnosis": "converged"}, "Stage 3"),
        ({"rule": "Once it has converged, go to FAILED."}, "Stage 2"),
        ({"rule": "If it fails, go back to the frequency step.", "verdict": "bad_data"}, "Stage 1"),
        ({"rule": "On failure go to Stage 3 in any case.", "verdict": "bad_data"}, "Stage 3"),
        ({"rule": "On failure, go to Stage 3 in any case.", "verdict": "bad_data"}, "Stage 3"),
        # The same run again would only give the same result.
        ({"rule": "Otherwise repeat.", "verdict": "wrong_setup", "proposal": []}, "Stage 1"),
        ({"rule": "If there are too few oscillations, go to Stage 3."}, "Stage 3"),
        ({"rule": "Go to Stage 3 in any case.", "verdict": "bad_data"}, "Stage 3"),
        ({"rule": "Continue regardless.", "verdict": "bad_data", "current": STAGES[2]}, COMPLETE),
        ({"rule": "On success, go to COMPLETE.", "verdict": "success", "proposal": []}, COMPLETE),
        # Conditions without a comma, behind the action, and turned round.
        ({"rule": "If too few oscillations are seen go back to Stage 1."}, "Stage 1"),
        ({"rule": "Go back to Stage 1 if too few oscillations are seen."}, "Stage 1"),
        ({"rule": "Unless it succeeds, go back to Stage 1."}, "Stage 1"),
        ({"rule": "Unless it fails, go back to Stage 1.", "verdict": "bad_data"}, "Stage 2"),
        ({"rule": "If the fit is good, go on, else go back to Stage 1."}, "Stage 1"),
        # Counted failures.
        ({"rule": "If it fails three times, go to FAILED."}, "Stage 2"),
        ({"rule": "If it fails three times, go to FAILED.", "executed": 3, "failed": 3}, FAILED),
        ({"rule": "After three failures, give up."}, "Stage 2"),
        ({"rule": "After 3 failures go to FAILED.", "executed": 3, "failed": 3}, FAILED),
        ({"rule": "On failure, repeat at most twice, then give up."}, "Stage 2"),
        ({"rule": "On failure, repeat at most twice, then give up.", "executed": 3}, FAILED),
        # Words that count elsewhere and not here.
        ({"rule": "Otherwise repeat. Once the fit is good, go on.", "executed": 2}, "Stage 2"),
        ({"rule": "If too few oscillations are seen, repeat with 2 times the stop time.", "executed": 3}, "Stage 2"),
        ({"rule": "If too few oscillations are seen, repeat with a longer stop time.", "executed": 2}, "Stage 2"),
        ({"rule": "If it fails again, go to FAILED. Otherwise go to COMPLETE."}, "Stage 2"),
        # An order to stop is obeyed, and it is no success.
        ({"rule": "If too few oscillations are seen, stop."}, FAILED),
        ({"rule": "If too few oscillations are seen, do not repeat."}, FAILED),
        ({"rule": "If it succeeds, stop.", "verdict": "success", "proposal": []}, COMPLETE),
    ],
)
def test_policy(changes: dict[str, Any], target: str) -> None:
    given = situation(**changes)
    answer = decide_by_rules(given)
    assert answer.next == target
    assert check_decision(given, answer) == []
    assert bool(answer.changes) == (target == "Stage 2")


@pytest.mark.parametrize(
    ("changes", "answer", "complaint"),
    [
        ({}, {"next": "Stage 9"}, "must be one of"),
        ({}, {"next": "Stage 3"}, "may not go on"),
        ({}, {"next": COMPLETE}, "may not go on"),
        ({"rule": "If it fails, repeat. A figure is optional."}, {"next": "Stage 3"}, "may not go on"),
        ({"rule": "If it fails, go back to Stage 1 in any case."}, {"next": COMPLETE}, "may not go on"),
        ({"verdict": "success", "proposal": []}, {"next": FAILED}, "may not end as FAILED"),
        ({"verdict": "success", "proposal": [], "current": STAGES[0]}, {"next": "Stage 3"}, "skips stages"),
        ({"executed": 4}, {"next": "Stage 2"}, "limit is 4"),
        ({"verdict": "success", "proposal": []}, {"next": "Stage 1"}, "names no way back"),
        ({"verdict": "success", "proposal": []}, {"next": "Stage 2"}, "names no way back"),
        (
            {"verdict": "success", "proposal": [], "rule": "If it fails, go back to Stage 1."},
            {"next": "Stage 1"},
            "names no way back",
        ),
        ({"rule": "Otherwise repeat."}, {"next": FAILED}, "before giving up"),
        ({}, {"next": "Stage 2", "changes": [Named(name="stop", value=3.7)]}, "does not propose stop = 3.7"),
        ({}, {"next": "Stage 2", "changes": [Named(name="duration", value=2.0)]}, "no parameter 'duration'"),
        ({}, {"next": "Stage 2", "changes": [Named(name="stop", value=2000)]}, "between 0.05 and 100"),
        ({}, {"next": "Stage 1", "changes": [Named(name="stop", value=2.0)]}, "only when the same stage"),
    ],
)
def test_wrong_decisions_of_a_model_are_caught(changes: dict[str, Any], answer: dict[str, Any], complaint: str) -> None:
    given = situation(**changes)
    findings = check_decision(given, DecideOut(**{"analysis": "because", "changes": [], **answer}))
    assert complaint in " ".join(findings)
