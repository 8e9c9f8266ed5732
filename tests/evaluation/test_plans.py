"""The suite of words and plans: its cases, and how an answer is judged."""

from __future__ import annotations

from pathlib import Path

from labwright.evaluation import suites
from labwright.evaluation.plan_reading import SUITE, Case, _row, cases_of

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
