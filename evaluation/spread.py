"""Mean and spread of test accuracies, and paired differences: what a table of seeds says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, stdev

from labwright.evaluation.runner import Row


def compared(rows: Sequence[Row], by: str, references: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each value of the column `by`: accuracies with standard deviation, differences with standard error.

    Args:
        rows: with ``test`` and the references' accuracies, each row on a split of its own; those without are left out.
        by: column that tells the groups apart.
        references: columns to compare with, row by row.

    Returns:
        ``{group: {n, test, "test sd", <reference>, "<reference> sd", "minus <reference>", "minus <reference> se"}}``,
        accuracies 0 .. 1; no spread where a group has a single row.
    """
    table = {}
    for group in dict.fromkeys(str(row[by]) for row in rows if by in row):
        own = [row for row in rows if str(row.get(by)) == group and row.get("test") is not None]
        if own:
            table[group] = _of_group(own, references)
    return table


def _of_group(rows: Sequence[Row], references: Sequence[str]) -> dict[str, float]:
    tests = [float(row["test"]) for row in rows]
    entry = {"n": float(len(rows)), "test": mean(tests), **_sd("test sd", tests)}
    for name in references:
        others = [float(row[name]) for row in rows]
        apart = [test - other for test, other in zip(tests, others, strict=True)]
        entry |= {name: mean(others), **_sd(f"{name} sd", others), f"minus {name}": mean(apart)}
        entry |= {key: value / math.sqrt(len(rows)) for key, value in _sd(f"minus {name} se", apart).items()}
    return {key: float(f"{value:.5g}") for key, value in entry.items()}


def _sd(key: str, values: Sequence[float]) -> dict[str, float]:
    return {key: stdev(values)} if len(values) > 1 else {}
