"""The agent of a siZZle search: rules that pass their own checks, and checks that catch what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.lab_calibration.sizzle import DRIVE, Agents, DriveIn, DriveOut, Tried
from labwright.agents.typed_call import Refusal
from labwright.tools.experiments.sizzle_policy import Attempt, Situation, next_drive

QUBITS: dict[str, Any] = {
    "frequencies": [4888.0, 4795.0], "anharmonicities": [-197.0, -197.0], "highest": 0.35, "strongest": 30.0,
}  # fmt: skip


def searching(*attempts: Tried, left: int = 30, only: float | None = None) -> DriveIn:
    tried = len({a.frequency for a in attempts})
    return DriveIn(**QUBITS, only=only, attempts=list(attempts), frequencies_left=20 - tried, acquisitions_left=left)


def tried(frequency: float, amplitude: float, error: float = 0.0, outcome: Any = "success") -> Tried:
    return Tried(
        frequency=frequency, amplitude=amplitude, outcome=outcome, reason="seen", zz_rate=0.6, duration=0.45,
        gate_error=error, gate_error_std=0.0005 if error else 0.0,
    )  # fmt: skip


def answer_of(frequency: float, amplitude: float) -> Tried:
    """A landscape with its best drive at 4761 MHz; nearer than 20 MHz to a transition every full drive fails."""
    near = min(abs(frequency - f) for f in QUBITS["frequencies"])
    if near < 20 and amplitude > 0.9 * 0.35:
        return tried(frequency, amplitude, outcome="failed")
    full = amplitude > 0.99 * 0.35
    return tried(frequency, amplitude, 0.011 + 3e-5 * abs(frequency - 4761) if full else 0.0)


def test_rules_search_passes_its_own_checks_and_comes_near_the_best() -> None:
    attempts: list[Tried] = []
    for _ in range(60):
        given = searching(*attempts, left=60 - len(attempts))
        found = DRIVE.policy(given)
        assert isinstance(found, DriveOut)
        assert DRIVE.check(given, found) == []
        if found.stop:
            break
        attempts.append(answer_of(found.frequency, found.amplitude))
    assert found.stop
    best = min((a for a in attempts if a.gate_error), key=lambda a: a.gate_error)
    assert abs(best.frequency - 4761) <= 4
    assert len({a.frequency for a in attempts}) <= 20


@pytest.mark.parametrize(
    ("frequency", "amplitude", "complaint"),
    [
        (4790.0, 0.3, "from a transition"),
        (4500.0, 0.3, "nothing happens"),
        (4763.0, 0.301, "tried already"),
        (4763.0, 0.5, "at most 0.35"),
        (4750.0, 0.0, "above 0"),
    ],
)
def test_a_drive_that_makes_no_sense_is_caught(frequency: float, amplitude: float, complaint: str) -> None:
    answer = DriveOut(analysis="", stop=False, frequency=frequency, amplitude=amplitude)
    assert complaint in DRIVE.check(searching(tried(4763.0, 0.3)), answer)[0]


def test_the_best_frequency_may_be_tried_at_another_amplitude() -> None:
    answer = DriveOut(analysis="", stop=False, frequency=4763.0, amplitude=0.3)
    assert DRIVE.check(searching(tried(4763.0, 0.35, 0.012)), answer) == []


def test_an_attempt_at_one_frequency_stays_there_wherever_it_lies() -> None:
    near = DriveOut(analysis="", stop=False, frequency=4790.0, amplitude=0.3)
    assert DRIVE.check(searching(only=4790.0), near) == []
    assert "4790" in DRIVE.check(searching(only=4790.0), near.model_copy(update={"frequency": 4763.0}))[0]


def test_giving_up_before_anything_was_tried_is_caught() -> None:
    assert DRIVE.check(searching(), DriveOut(analysis="", stop=True, frequency=0.0, amplitude=0.0))


def test_where_an_agent_refuses_the_rules_answer() -> None:
    now = Situation((4888.0, 4795.0), (-197.0, -197.0), 0.35, (Attempt(4763.0, 0.26, "failed", "moved"),), 19, 30)
    assert Agents(lambda call, given: Refusal(reason="no")).drive(now) == next_drive(now)
