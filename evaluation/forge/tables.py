"""The paper's tables from rows: scores, times, cost, iterations, tools; a task a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
MEASURED = (
    "score", "accuracy", "methodology", "seconds", "science_seconds", "other_seconds", "calls", "tokens",
    "cost", "iterations", "made", "used", "unused", "edited",
)  # fmt: skip


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Means over all runs, standard deviations over repeats of the whole set, share of tools that were used."""
    if not rows:
        return {}
    repeats = sorted({row["repeat"] for row in rows})
    table: dict[str, Any] = {"runs": len(rows), "passed": sum(bool(row["passed"]) for row in rows)}
    for name in MEASURED:
        per_repeat = [_mean([row.get(name) for row in rows if row["repeat"] == repeat]) for repeat in repeats]
        known = [value for value in per_repeat if value is not None]
        if known:
            table[name] = _short(sum(known) / len(known))
            if len(known) > 1:
                table[f"{name} sd"] = _short(_deviation(known))
    made, unused = (sum(row.get(name) or 0 for row in rows) for name in ("made", "unused"))
    table["tools_made"], table["tools_unused"] = made, unused
    table["use_rate"] = _short(1 - unused / made) if made else None
    table["runs_with_edits"] = sum(bool(row.get("edited")) for row in rows)
    return table


def grouped(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Task -> means over its repeats."""
    names = list(dict.fromkeys(row["task"] for row in rows))
    return {name: totals([row for row in rows if row["task"] == name]) for name in names}


def _mean(values: Sequence[Any]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _deviation(values: Sequence[float]) -> float:
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _short(value: float) -> float:
    return float(f"{value:.5g}")
