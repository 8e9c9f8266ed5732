"""Faults put into right protocols: each kind is seen, and the committed table is what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.evaluation.benchmarks.protocol_faults import KINDS, measure, table
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.protocol_faults import Kind
from labwright.tools.runs.hashed_files import read_json

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol-checks.md"


@pytest.mark.slow  # the committed table is below
def test_every_kind_is_seen_and_nothing_else() -> None:
    result = measure(each=1, seed=5)
    assert result["false_alarms"] == []
    assert [(row["put"], row["seen"]) for row in result["rows"]] == [(1, 1)] * len(KINDS)


def test_a_fault_that_no_check_sees_is_counted_as_missed() -> None:
    blind = Kind("another title", "balance", lambda made, rng: made.protocol.__class__("x", *_rest(made.protocol)))
    result = measure(each=2, kinds=[blind])
    assert result["least"] == 0
    assert len(result["rows"][0]["missed"]) == 2


def _rest(protocol: object) -> list[object]:
    return [getattr(protocol, name) for name in ("plates", "sources", "steps")]


def test_the_committed_table_keeps_what_is_promised() -> None:
    result = read_json(FOLDER / "protocol_faults.json", "run the benchmark")
    assert {row["fault"] for row in result["rows"]} == {kind.name for kind in KINDS}
    assert len(KINDS) >= 25
    assert all(row["put"] >= 40 and row["seen"] >= 0.98 * row["put"] for row in result["rows"])
    assert result["false_alarms"] == []
    assert table(result) in DOCUMENT.read_text(encoding="utf-8")
