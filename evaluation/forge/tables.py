"""The paper's tables from rows: scores, times, cost, iterations, tools; a task a line, and two modes side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labwright.evaluation.committed import FOLDER
from labwright.tools.runs.files import read_json

Row = dict[str, Any]
MEASURED = (
    "score", "accuracy", "methodology", "prose", "seconds", "science_seconds", "other_seconds", "calls", "tokens",
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


def markdown(result: dict[str, Any]) -> str:
    """One result as a Markdown table, a task a line, as in the paper's tables 16 and 17."""
    lines = [
        "| task | runs passed | score | accuracy | methodology | time | science | apart from it | tools made (used) |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    tasks = {**result["summary"]["tasks"], "all": result["summary"]["total"]}
    for name, entry in tasks.items():
        cells = [
            name.partition("/")[2] or name,
            f"{entry['passed']} of {entry['runs']}",
            *(_percent(entry, part) for part in ("score", "accuracy", "methodology")),
            *(f"{entry.get(part, 0.0):.1f} s" for part in ("seconds", "science_seconds", "other_seconds")),
            f"{entry.get('tools_made', 0)} ({entry.get('tools_made', 0) - entry.get('tools_unused', 0)})",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def compared(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Two modes of the same tasks side by side: time apart from the science, and score, as in the tables 11 and 12."""
    lines = [
        f"| task | {one['mode']}: apart from the science | {other['mode']} | change"
        f" | score {one['mode']} | {other['mode']} |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    ones, others = one["summary"]["tasks"], other["summary"]["tasks"]
    shared = [name for name in ones if name in others]
    rows = [(name, ones[name], others[name]) for name in shared]
    for name, a, b in [*rows, ("all", _over([a for _, a, _ in rows]), _over([b for _, _, b in rows]))]:
        before, after = a.get("other_seconds", 0.0), b.get("other_seconds", 0.0)
        change = f"{100 * (after / before - 1):+.0f} %" if before else ""
        cells = [name.partition("/")[2] or name, f"{before:.1f} s", f"{after:.1f} s", change]
        lines.append("| " + " | ".join([*cells, _percent(a, "score"), _percent(b, "score")]) + " |")
    return "\n".join(lines)


def stored(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """A committed result of a suite."""
    return read_json(folder / f"{name}.json", f"Make it anew: labwright eval {name} --out DIR.")


def _over(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: _mean([one.get(name) for one in entries]) for name in ("other_seconds", "score")}


def _percent(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    spread = entry.get(f"{name} sd")
    return f"{100 * value:.1f} %" + (f" ± {100 * spread:.1f}" if spread else "")


def _mean(values: Sequence[Any]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _deviation(values: Sequence[float]) -> float:
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _short(value: float) -> float:
    return float(f"{value:.5g}")
