"""The suite of words and plans: its cases, and how an answer is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labwright.evaluation import plan_mutants, suites
from labwright.evaluation.plan_mutants import KINDS, lab_of, mutants, right_plan, shown
from labwright.evaluation.plan_mutants import Case as Mutated
from labwright.evaluation.plan_reading import SUITE, Case, _row, cases_of
from labwright.evaluation.runner import Context
from labwright.tools.specifications.plan_completion import complete

EXPECTED = {"kind": "run", "only": ["t1"]}
RIGHT, WRONG = {"steps": [{"experiment": "t1"}]}, {"steps": [{"experiment": "rabi"}]}


def test_every_instruction_has_a_name_of_its_own() -> None:
    cases = cases_of(SUITE.options)
    assert len({case.name for case in cases}) == len(cases) == 40
    assert [case.name for case in cases_of({**SUITE.options, "tasks": ("b02",), "seeds": 2})] == ["b02", "b02"]


def test_a_right_draft_that_a_check_refused_is_counted_apart() -> None:
    case = Case("x", {"words": "T1 of Q1", "expected": EXPECTED})
    refused = _row(case, {"given": "refused", "text": "no", "drafted": RIGHT})
    assert (refused["outcome"], refused["passed"], refused["check_refused_right"]) == ("refused", False, True)
    wrong = _row(case, {"given": "plan", "plan": WRONG, "drafted": WRONG})
    assert (wrong["outcome"], wrong["check_refused_right"]) == ("wrong", False)
    assert _row(case, {"given": "plan", "plan": RIGHT, "drafted": None})["outcome"] == "right"
    assert _row(case, {"given": "invalid", "text": "no step"})["outcome"] == "refused"


def test_rules_that_a_person_found_wrong_make_a_plan_wrong(tmp_path: Path) -> None:
    """Without a model, words that are no short form are asked about."""
    text = "".join(f'- {{id: {name}, words: "Please be so kind.", expected: {{kind: ask}}}}\n' for name in "ab")
    (tmp_path / "cases.yaml").write_text(text)
    result = suites.run("plans", source=tmp_path / "cases.yaml", out=tmp_path)
    assert (result["score"], result["outcomes"]["right"]) == (1.0, 2), result["rows"]
    (tmp_path / "plans" / "graded.yaml").write_text("graph: [b]\n")
    graded = suites.run("plans", source=tmp_path / "cases.yaml", out=tmp_path)
    assert (graded["resumed"], graded["score"], graded["outcomes"]["wrong"]) == (2, 0.5, 1)


def row(name: str, seed: int = 0) -> dict[str, Any]:
    return plan_mutants.run(Mutated(name, seed), Context({"seeds": 1}, Path()))


@pytest.mark.parametrize("case", [Mutated("drawn", 1), Mutated("p03"), Mutated("p52"), Mutated("p54")])
def test_a_right_plan_has_no_problem_and_mutants_differ_from_it(case: Mutated) -> None:
    plain, lab = right_plan(case), lab_of(case)
    assert not complete(plain, lab).problems
    assert all(mutant != plain for _, _, mutant in mutants(plain, lab, case.seed))


@pytest.mark.slow
def test_every_kind_of_change_is_drawn() -> None:
    found = {kind for seed in range(8) for kind, _, fate in row("drawn", seed)["mutants"] if fate != "same"}
    assert found == set(KINDS)


def test_what_is_not_shown_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_mutants, "shown", lambda done, lab: [])
    assert not row("p02")["passed"]


def test_upkeep_tells_when_it_asks() -> None:
    """A mutant that changed `approval` of a plan that maintains was silent."""
    case = Mutated("p52")
    plain, lab = right_plan(case), lab_of(case)
    policies = ("before writing settings", "before every measurement", "as the run says")
    assert len({str(shown(complete({**plain, "approval": each}, lab), lab)) for each in policies}) == 3
