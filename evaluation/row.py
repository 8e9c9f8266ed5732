"""One line of a result: a case's numbers, flat and JSON-plain. And what a whole table of them says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from labwright.evaluation.case import Case
from labwright.evaluation.reading import Spent
from labwright.evaluation.runner import Context, Row
from labwright.evaluation.scoring import Ended, TrueState, rb_deviation

# what a terminal shows; the result document holds everything
COLUMNS = (
    "case", "status", "passed", "start_ratio", "ratio", "best_ratio", "rb_sigmas", "rb_precision", "frequency_error",
    "drag_error", "ramsey_runs", "device_seconds",
)  # fmt: skip
SUMMARISED = (
    "ratio", "best_ratio", "start_ratio", "rb_sigmas", "rb_precision", "frequency_error", "amplitude_pi_error",
    "amplitude_pi2_error", "drag_error", "ramsey_runs", "measurements", "shots", "device_seconds", "wall_seconds",
)  # fmt: skip


def row_of(
    case: Case, ended: Ended, true: TrueState, start_ratio: float, spent: Spent, runs: dict[str, int], faults: list[str]
) -> Row:
    """Everything that is kept of a case.

    Units: `frequency_error` kHz, `amplitude_*_error` per cent, `rb_precision` sigma as per cent of the limit, times s.
    """
    deviation = rb_deviation(ended, true)
    return {
        "case": case.name,
        "seed": case.seed,
        "status": ended.status,
        "passed": not faults,
        "faults": "; ".join(faults),
        "cause": ended.cause,
        "error_per_gate": _short(true.error_per_gate),
        "limit": _short(true.limit),
        "ratio": _short(true.ratio),
        "best_ratio": _short(true.best_error_per_gate / true.limit),
        "start_ratio": _short(start_ratio),
        "rb_error": _short(ended.rb_error),
        "rb_std": _short(ended.rb_std),
        "rb_sigmas": _short(deviation),
        "rb_precision": _short(100 * ended.rb_std / true.limit if ended.rb_std else None),
        "measured_limit": _short(ended.measured_limit),
        "frequency_error": _short(true.frequency_error),
        "amplitude_pi_error": _short(true.amplitude_pi_error),
        "amplitude_pi2_error": _short(true.amplitude_pi2_error),
        "drag_error": _short(true.drag_error),
        "ramsey_runs": runs.get("ramsey", 0),
        "stage_runs": sum(runs.values()),
        "runs": runs,
        "measurements": spent.measurements,
        "shots": spent.shots,
        "device_seconds": round(spent.device_seconds, 1),
    }


def summarise(rows: Sequence[Row], context: Context) -> dict[str, Any]:
    """Median and worst (largest magnitude) of every number, over the cases that have it."""
    table = {}
    for name in SUMMARISED:
        values = [float(row[name]) for row in rows if row.get(name) is not None]
        if values:
            sizes = [abs(value) for value in values]
            table[name] = {"median": _short(median(sizes)) or 0.0, "worst": _short(max(sizes)) or 0.0}
    return {"summary": table}


def _short(value: float | None) -> float | None:
    """Five digits: a committed result is read by people."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")
