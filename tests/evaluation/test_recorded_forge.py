"""A task in words that a reader turned into a card, played again: the card runs, and its numbers are right."""

from __future__ import annotations

from pathlib import Path

from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite

RECORDED = Path(suites.__file__).parent / "recordings" / "forge"


def test_a_recorded_task_is_right_again(tmp_path: Path) -> None:
    result = run_suite("forge-texts", mind=f"replay:{RECORDED}", tasks=["07_jc_revival"], out=tmp_path)
    [row] = result["rows"]
    assert (row["outcome"], row["way"], row["calls"]) == ("right", "card", 3)
