"""The two agents of a siZZle search: rules that pass their own checks, and checks that catch what is wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest

from labwright.agents.call import Refusal
from labwright.agents.lab_calibration.sizzle import (
    AMPLITUDE,
    FREQUENCY,
    Agents,
    AmplitudeIn,
    AmplitudeOut,
    FrequencyOut,
    SearchIn,
    Tried,
)
from labwright.tools.experiments.sizzle_policy import Attempt, Situation, next_frequency

QUBITS: dict[str, Any] = {"frequencies": [4888.0, 4795.0], "anharmonicities": [-197.0, -197.0], "highest": 0.35}


def searching(*attempts: Tried, left: int = 30) -> SearchIn:
    return SearchIn(**QUBITS, attempts=list(attempts), frequencies_left=20 - len(attempts), acquisitions_left=left)


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
        found = FREQUENCY.policy(given)
        assert isinstance(found, FrequencyOut)
        assert FREQUENCY.check(given, found) == []
        if found.stop:
            break
        while True:
            at = AmplitudeIn(**given.model_dump(exclude={"attempts"}), attempts=attempts, frequency=found.frequency)
            strength = AMPLITUDE.policy(at)
            assert isinstance(strength, AmplitudeOut)
            assert AMPLITUDE.check(at, strength) == []
            if strength.stop:
                break
            attempts.append(answer_of(found.frequency, strength.amplitude))
    assert found.stop
    best = min((a for a in attempts if a.gate_error), key=lambda a: a.gate_error)
    assert abs(best.frequency - 4761) <= 4
    assert len({a.frequency for a in attempts}) <= 20


@pytest.mark.parametrize(
    ("frequency", "complaint"),
    [(4790.0, "from a transition"), (4500.0, "nothing happens"), (4763.0, "tried already")],
)
def test_a_frequency_that_makes_no_sense_is_caught(frequency: float, complaint: str) -> None:
    answer = FrequencyOut(analysis="", stop=False, frequency=frequency)
    assert complaint in FREQUENCY.check(searching(tried(4763.0, 0.3)), answer)[0]


def test_giving_up_before_anything_was_tried_is_caught() -> None:
    assert FREQUENCY.check(searching(), FrequencyOut(analysis="", stop=True, frequency=0.0))
    at = AmplitudeIn(**searching().model_dump(), frequency=4763.0)
    assert AMPLITUDE.check(at, AmplitudeOut(analysis="", stop=True, amplitude=0.0))


@pytest.mark.parametrize(("amplitude", "complaint"), [(0.5, "at most 0.35"), (0.0, "above 0"), (0.301, "was tried")])
def test_an_amplitude_out_of_bounds_or_twice_is_caught(amplitude: float, complaint: str) -> None:
    at = AmplitudeIn(**searching(tried(4763.0, 0.3)).model_dump(), frequency=4763.0)
    assert complaint in AMPLITUDE.check(at, AmplitudeOut(analysis="", stop=False, amplitude=amplitude))[0]


def test_where_an_agent_refuses_the_rules_answer() -> None:
    now = Situation((4888.0, 4795.0), (-197.0, -197.0), 0.35, (Attempt(4763.0, 0.26, "failed", "moved"),), 19, 30)
    advice = Agents(lambda call, given: Refusal(reason="no")).frequency(now)
    assert advice == next_frequency(now)
    assert math.isfinite(Agents(lambda call, given: Refusal(reason="no")).amplitude(now, 4763.0).amplitude)
