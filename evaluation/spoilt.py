"""Suite `spoilt`: devices with something wrong.

A run may fail for the true cause, or recover; it may not end COMPLETE and wrong. What is right for each device is
written beside it in ``cases/calibration/spoilt.json``.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from labwright.evaluation import fixed_script
from labwright.evaluation.calibration import calibrate
from labwright.evaluation.case import spoilt_cases
from labwright.evaluation.row import scored
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases

COLUMNS = ("case", "status", "passed", "ratio", "start_ratio", "cause", "faults", "stage_runs", "device_seconds")


def run(
    seeds: int = 1,
    on_progress: OnProgress | None = None,
    *,
    first: int = 0,
    mind: str = "rules",
    workers: int = 2,
    out: Path | None = None,
    baseline: bool = True,
) -> dict[str, Any]:
    """Score the spoilt devices, each with `seeds` seeds from `first` on; all have to pass."""
    cases = spoilt_cases(seeds, first)
    with kept_or_temporary(out) as folder:
        rows = run_cases(partial(calibrate, mind=mind), cases, folder / "spoilt", workers, on_progress)
    result = {**scored("spoilt", rows), "mind": mind, "columns": COLUMNS}
    result["passed"] = result["score"] == 1.0
    if baseline:
        result["baselines"] = fixed_script.beside(cases, on_progress, workers, out)
    return result
