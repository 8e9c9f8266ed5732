"""Every verdict, cause and count of the shipped procedures, against what their manual alone makes one expect.

`expected_moves.py` was written by somebody who had the manual and the documents, and not the code.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from tiers import sampled

from labwright.tools.experiments import registry
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import catalogue_of
from labwright.tools.specifications.plan_completion import Lab, complete
from labwright.tools.specifications.procedures import load_procedures
from labwright.tools.specifications.transition_conditions import Situation
from labwright.tools.specifications.transitions import Outcome, move

RUNS, PROCEDURE_RUNS = 6, 2  # of an experiment and of a procedure, where a step does not say


def _expected() -> Any:
    name = "expected_moves"
    found = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert found
    assert found.loader
    module = sys.modules[name] = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


EXPECTED = _expected()
CATALOGUE = catalogue_of(
    {name: registry.card(kind) for name, kind in registry.experiments().items()}, load_procedures()
)


def steps_of(slug: str) -> list[Step]:
    """The steps of a shipped procedure, as a plan carries them."""
    qubits = ["Q1", "Q2"][: len(CATALOGUE.procedures[slug].parameters)]
    lab = Lab(CATALOGUE, ("Q1", "Q2", "Q8"), ("Q1-Q2", "Q1-Q8"))
    done = complete({"system": "lab_calibration", "steps": [{"procedure": slug, "qubits": qubits}]}, lab)
    assert done.problems == []
    return [step for step in done.plan.procedures[slug].steps if isinstance(step, Step)]


def moved(steps: list[Step], at: int, now: dict[str, Any]) -> str:
    """Where the run goes by our code."""
    step = steps[at]
    runs = PROCEDURE_RUNS if step.procedure else RUNS
    counts = {name: now[name] for name in ("verdict", "cause", "executed", "failed", "succeeded", "went_back")}
    outcome = Outcome(
        labels=[f"Stage {number}" for number, _ in enumerate(steps, 1)],
        at=at,
        situation=Situation(**counts),
        runs=now["runs"],
        limit=runs if step.repeats is None else min(runs, step.repeats + 1),
        proposal={"shots": 1.0} if now["has_proposal"] else {},
    )
    return move(step.on, outcome).next


@pytest.mark.parametrize("slug", sampled(sorted(EXPECTED.PROCEDURES), 4))
def test_every_situation_goes_where_the_manual_says(slug: str) -> None:
    steps, wrong, seen = steps_of(slug), [], 0
    assert len(steps) == len(EXPECTED.PROCEDURES[slug])
    for at in range(len(steps)):
        for now in EXPECTED.situations(slug, at):
            seen += 1
            wanted = EXPECTED.expected(slug, at, **now)
            if (got := moved(steps, at, now)) != wanted:
                wrong.append(f"step {at} {now}: {got}, expected {wanted}")
    assert seen > 1000
    assert not wrong, f"{len(wrong)} of {seen}; first: {wrong[:5]}"
