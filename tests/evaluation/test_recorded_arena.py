"""A reader's answers to Labwright on a sealed device, played again: the grade comes out as it was."""

from __future__ import annotations

import json
from pathlib import Path

from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.reproduce import run_suite

RECORDED = FOLDER.parent / "recordings" / "arena" / "labwright-100"


def test_a_recorded_run_has_the_same_grade_again(tmp_path: Path) -> None:
    kept = json.loads((FOLDER / "arena_models.json").read_text(encoding="utf-8"))
    (tmp_path / "arena.secret").write_text(kept["secret"])
    again = run_suite("arena-models", tasks=["labwright 100"], mind=f"replay:{RECORDED}", diagnose=False, out=tmp_path)
    [row], [before] = again["rows"], [row for row in kept["rows"] if row["case"] == "labwright 100"]
    same = ("entrant", "ended", "cause", "claims", "ratio", "device_seconds", "acquisitions", "device_faults")
    assert {name: row[name] for name in same} == {name: before[name] for name in same}
    assert row["usage"]["calls"] == before["usage"]["calls"] == 11
