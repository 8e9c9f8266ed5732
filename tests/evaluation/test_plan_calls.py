"""A sample of the benchmark of plans; the whole of it is run by hand."""

from __future__ import annotations

from labwright.evaluation.benchmarks.plan_calls import BREAKS, right, wrong


def test_right_plans_complete_as_text_and_as_a_document() -> None:
    result = right(40, seed=500_000)
    assert result["wrong"] == []


def test_wrong_plans_are_named_where_they_are_wrong() -> None:
    result = wrong(4 * len(BREAKS), seed=500_000)
    assert result["missed"] == []
    assert set(result["kinds"].values()) == {4}
