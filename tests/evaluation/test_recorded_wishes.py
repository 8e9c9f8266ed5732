"""Wishes of strangers that a reader turned into searches or questions, played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labwright.evaluation import suites
from labwright.evaluation.reproduce import run_suite

HERE = Path(suites.__file__).parent
RECORDED = HERE / "recordings" / "wishes"
RESULT = RECORDED / "result.json"


def test_recorded_wishes_become_the_same_searches_or_questions(tmp_path: Path) -> None:
    """Changed prompts, or a changed page on how a search is written, need a new recording (docs/recordings.md)."""
    data = str(HERE / "cases" / "wishes" / "a")
    result = run_suite(
        "search_wishes", mind=f"replay:{RECORDED}", data=data, out=tmp_path
    )  # raises if any is left over
    kept = json.loads(RESULT.read_text(encoding="utf-8"))
    assert [_shown(row) for row in result["rows"]] == [_shown(row) for row in kept["rows"]]


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """What a person sees before anything runs."""
    return {name: row.get(name) for name in ("case", "given", "asked", "body")}
