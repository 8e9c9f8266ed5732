"""A small forging run for tests: a task, its tool in a bad, a poor and a good draft, and a model for all roles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripted_model import Reply, Request

from labwright.graphs.running import Outcome
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.running import ForgeRequest, resume, start
from labwright.tools.runs.run import open_run, run_ids

Turn = Callable[[Request], Reply]
TASK = """# Driven two-level system

Compute the probability of finding a resonantly driven two-level system in its upper state for times from 0 to 4 us
in steps of 0.5 us, at a Rabi frequency of 1.3 rad/us.

## results.json

- `population` with the axis `time` (us)
"""
NAME = "rabi_probability"
CONTRACT: dict[str, Any] = {
    "name": NAME,
    "purpose": "Probability of the upper state of a driven two-level system at given times.",
    "package": "numpy",
    "method": "Closed form of the Rabi problem in the rotating frame.",
    "inputs": [
        {"name": "rabi", "type": "float", "description": "Rabi frequency.", "unit": "rad/us"},
        {"name": "detuning", "type": "float", "description": "Drive minus transition frequency.", "unit": "rad/us"},
        {"name": "times", "type": "list[float]", "description": "Times.", "unit": "us"},
    ],
    "outputs": [{"name": "probability", "type": "list[float]", "description": "Of the upper state.", "unit": "1"}],
    "invariants": ["Without detuning the probability reaches 1 at a quarter of the full cycle."],
}
SOURCE = '''"""Probability of the upper state of a driven two-level system.

P(t) = (rabi / w)^2 sin^2(w t / 2) with w^2 = rabi^2 + detuning^2, in the rotating frame.

Source: I. I. Rabi, Physical Review 51, 652 (1937).
"""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, Field


class RabiProbabilityInput(BaseModel, allow_inf_nan=False):
    """A drive, and when to look."""

    rabi: float = Field(gt=0, description="Rabi frequency in rad/us.")
    detuning: float = Field(description="Drive minus transition frequency in rad/us.")
    times: list[float] = Field(min_length=1, description="Times in us.")


class RabiProbabilityOutput(BaseModel):
    """The probability at each time."""

    probability: list[float] = Field(description="Of the upper state, 1 is certain (unit 1).")


def rabi_probability(given: RabiProbabilityInput) -> RabiProbabilityOutput:
    """Give the probability of the upper state at each time, starting from the lower state.

    Source: I. I. Rabi, Physical Review 51, 652 (1937).
    """
    turning = np.sqrt(given.rabi**2 + given.detuning**2)
    angle = turning * np.asarray(given.times) / 2
    probability = (given.rabi / turning) ** 2 * np.sin(angle) ** 2
    return RabiProbabilityOutput(probability=[float(one) for one in probability])
'''
TESTS = '''"""Tests of the Rabi formula against exact values."""

import math

import pytest
from pydantic import ValidationError
from tools.rabi_probability import RabiProbabilityInput, rabi_probability


def probability(rabi: float, detuning: float, *times: float) -> list[float]:
    given = RabiProbabilityInput(rabi=rabi, detuning=detuning, times=list(times))
    return rabi_probability(given).probability


def test_invariant_a_resonant_pi_pulse_inverts() -> None:
    assert probability(2.0, 0.0, math.pi / 2) == pytest.approx([1.0], abs=1e-12)
    assert probability(2.0, 0.0, math.pi / 4, math.pi) == pytest.approx([0.5, 0.0], abs=1e-12)


def test_invariant_detuning_bounds_the_probability() -> None:
    assert probability(3.0, 4.0, math.pi / 5) == pytest.approx([9 / 25], abs=1e-12)


def test_a_detuned_value() -> None:
    assert probability(3.0, 4.0, 0.2) == pytest.approx([0.36 * math.sin(0.5) ** 2], abs=1e-12)


def test_error_of_a_drive_that_is_none() -> None:
    with pytest.raises(ValidationError):
        RabiProbabilityInput(rabi=0.0, detuning=1.0, times=[1.0])
'''
# The gate refuses it: an exception is swallowed.
SWALLOWING = SOURCE.replace(
    "    turning = np.sqrt(given.rabi**2 + given.detuning**2)\n",
    """    try:
        turning = np.sqrt(given.rabi**2 + given.detuning**2)
    except Exception:
        turning = 1.0
""",
)
# The gate lets it in; the reviewer sees that a negative time is nonsense that nobody refuses.
CARELESS = SOURCE
CAREFUL = SOURCE.replace(
    "    turning = np.sqrt",
    """    if min(given.times) < 0:
        raise ValueError("Argument `times` must not be negative.")
    turning = np.sqrt""",
)
CAREFUL_TESTS = (
    TESTS
    + """

def test_error_of_a_negative_time() -> None:
    with pytest.raises(ValueError, match="times"):
        probability(1.0, 0.0, -1.0)
"""
)
SCRIPT = '''"""Populations at the task's times."""

import json

from tools.rabi_probability import RabiProbabilityInput, rabi_probability

times = [0.5 * n for n in range(9)]
found = rabi_probability(RabiProbabilityInput(rabi=1.3, detuning=0.0, times=times))
record = {
    "quantity": "population",
    "labels": {},
    "axes": [{"name": "time", "values": times, "unit": "us"}],
    "value": found.probability,
    "unit": "1",
}
with open("results.json", "w") as file:
    json.dump({"parameters": {"rabi": 1.3}, "records": [record]}, file)
print(found.probability[2])
'''
POOR_REPORT = """# Driven two-level system

A resonant drive of 1.3 rad/us turns the two-level system. The populations at nine times from 0 to 4 us were computed
with the tool rabi_probability from the closed form of the Rabi problem; they lie in results.json, and the trial gave 0
at time 0.
"""
REPORT = (
    POOR_REPORT
    + """
The population follows sin^2(0.65 t); at 1 us it is 0.366.
"""
)


def forge(
    text: str, root: Path, *, on_question: Any = None, inputs: dict[str, bytes] | None = None, **choices: Any
) -> Outcome:
    """A forging run with a toolset of its own unless one is named."""
    return start(ForgeRequest(text, inputs or {}, Choices.model_validate(choices)), root, on_question=on_question)


def live(root: Path, text: str, choices: dict[str, Any]) -> None:
    """One process of a run: it begins, or goes on with the one that is there."""
    if known := run_ids(root):
        resume(known[-1], root)
    else:
        forge(text, root, **choices)


def events(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    """The log's events of one kind."""
    return [event for event in open_run(outcome.run_dir.parent, outcome.run_id).events.read() if event["kind"] == kind]


def who(request: Request) -> str:
    """The role of a request: of a typed call by its form, of a loop of tools by what stands in its prompt."""
    if request.role:
        return request.role.rpartition(".")[2]
    fields = set(request.input)
    marks = {"index": "analyse", "job_seconds": "execute", "executed": "evaluate_solution"}
    return next(role for mark, role in marks.items() if mark in fields)


@dataclass
class Player:
    """Plays every role. Each role goes through its turns; a turn is what is said after so many tools were used.

    Attributes:
        turns: role -> its answers in order, one list for each time it is asked to work: tools to use, then the reply.
    """

    turns: dict[str, list[list[Turn]]]
    asked: list[str] = field(default_factory=list)
    _work: dict[str, int] = field(default_factory=dict)
    _said: dict[str, int] = field(default_factory=dict)

    def __call__(self, request: Request) -> Reply:
        role = who(request)
        self.asked.append(role)
        if role == "pick_card" and role not in self.turns:
            return Reply.answer(NO_CARD)
        work, said = self._work.get(role, 0), self._said.get(role, 0)
        turns = self.turns[role][work]
        if said + 1 == len(turns):
            self._work[role], self._said[role] = work + 1, 0
        else:
            self._said[role] = said + 1
        return turns[said](request)


def says(reply: Reply) -> Turn:
    """A turn that does not look at the request."""
    return lambda _request: reply


def writes(path: str, text: str) -> Turn:
    """A turn that writes a file of the workspace."""
    return says(Reply.use("write_file", path=path, text=text))


def draft(source: str, tests: str) -> Turn:
    """The turn of a generator."""
    return says(Reply.answer({"source": source, "tests": tests, "notes": "The closed form, with numpy."}))


ANALYSIS = {
    "stages": [{"purpose": "Populations at the times.", "tool": NAME}],
    "reuse": [],
    "new": [CONTRACT],
    "pitfalls": ["Angular frequencies."],
    "packages": ["numpy"],
    "assumptions": [],
}
PLANNED_AGAIN = {**ANALYSIS, "reuse": [NAME], "new": []}
NO_CARD = {"reason": "No kind of card is a driven spin here.", "kind": ""}
BUG = {"what": "A negative time is accepted.", "line": 34}
REFUSED_TIME = f"""import pytest
from tools.{NAME} import RabiProbabilityInput, {NAME}


def test_error_of_time_before_the_start() -> None:
    with pytest.raises(ValueError, match="times"):
        {NAME}(RabiProbabilityInput(rabi=1.0, detuning=0.0, times=[-0.5]))
"""
FULL_CYCLE = f"""import math

from tools.{NAME} import RabiProbabilityInput, {NAME}


def test_a_full_cycle_ends_below() -> None:
    found = {NAME}(RabiProbabilityInput(rabi=1.0, detuning=0.0, times=[2 * math.pi, math.pi])).probability
    assert abs(found[0]) < 1e-12 and abs(found[1] - 1) < 1e-12
"""


CHECK = """import math


def expected():
    said = "P = sin^2(rabi t / 2) on resonance"
    wanted = {"quantity": "population", "labels": {}, "within": 1e-9, "why": said}
    return [{**wanted, "at": [n], "value": math.sin(1.3 * 0.5 * n / 2) ** 2} for n in (1, 2, 7)]
"""


def executed(*figures: str) -> dict[str, Any]:
    return {
        "scripts": ["script_1.py"], "figures": list(figures), "tools": [NAME], "trial": "One time: 0.",
        "failures": [], "summary": "Nine populations.",
    }  # fmt: skip


def judged(complete: bool, check: str = CHECK) -> dict[str, Any]:
    flags = ("bug_need_fix", "script_complete", "further_simulation_needed", "result_complete")
    evidence = [
        {
            "flag": flag,
            "statement": f"Report and results were read for {flag}.",
            "passed": complete or flag != "result_complete",
            "where": "",
        }
        for flag in flags
    ]
    return {
        "bug_need_fix": False, "script_complete": True, "further_simulation_needed": False,
        "result_complete": complete, "evidence": evidence,
        "check": check,
        "next_step_plan": "" if complete else "Say in report.md what the population is at 1 us.",
    }  # fmt: skip


def reviews(test: str) -> list[Turn]:
    """The turn of a reviewer who approves with a test."""
    return [says(Reply.answer({"approved": True, "bugs": [], "reason": "Read.", "test": test, "accepted": []}))]


def rejects(test: str) -> list[Turn]:
    """The turn of a reviewer who shows a bug."""
    return [says(Reply.answer({"approved": False, "bugs": [BUG], "reason": "Read.", "test": test, "accepted": []}))]


def evaluates(complete: bool, check: str = CHECK) -> list[Turn]:
    """The turn of an evaluator, who computes numbers in `check`."""
    return [says(Reply.answer(judged(complete, check)))]


def solving() -> list[Turn]:
    """The turns of an executor that solves the task."""
    run = says(Reply.use("execute", command="python script_1.py"))
    return [writes("/script_1.py", SCRIPT), run, writes("/report.md", REPORT), says(Reply.answer(executed()))]
