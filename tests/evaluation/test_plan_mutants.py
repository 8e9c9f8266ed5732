"""Changed plans are stopped or shown, and the suite counts what is neither."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labwright.evaluation import plan_mutants
from labwright.evaluation.plan_mutants import KINDS, Case, lab_of, mutants, right_plan, shown
from labwright.evaluation.runner import Context
from labwright.tools.specifications.plans import complete


def row(name: str, seed: int = 0) -> dict[str, Any]:
    return plan_mutants.run(Case(name, seed), Context({"seeds": 1}, Path()))


@pytest.mark.parametrize("case", [Case("drawn", 1), Case("p03"), Case("p52"), Case("p54")])
def test_a_right_plan_has_no_problem_and_mutants_differ_from_it(case: Case) -> None:
    plain, lab = right_plan(case), lab_of(case)
    assert not complete(plain, lab).problems
    assert all(mutant != plain for _, _, mutant in mutants(plain, lab, case.seed))


def test_every_kind_of_change_is_drawn() -> None:
    found = {kind for seed in range(8) for kind, _, fate in row("drawn", seed)["mutants"] if fate != "same"}
    assert found == set(KINDS)


def test_what_is_not_shown_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_mutants, "shown", lambda done, lab: [])
    assert not row("p02")["passed"]


def test_upkeep_tells_when_it_asks() -> None:
    """A mutant that changed `approval` of a plan that maintains was silent."""
    case = Case("p52")
    plain, lab = right_plan(case), lab_of(case)
    policies = ("before writing settings", "before every measurement", "as the run says")
    assert len({str(shown(complete({**plain, "approval": each}, lab), lab)) for each in policies}) == 3
