"""Mean and spread of test accuracies, and paired differences: what a table of seeds says."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev

from labwright.evaluation.runner import Row
from labwright.tools.feature_maps.paired_tests import over_splits


def compared(rows: Sequence[Row], by: str, references: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each value of the column `by`: accuracies with standard deviation, differences with their corrected error.

    Args:
        rows: with ``test`` and the references' accuracies, each row on a split of its own; those without are left out.
        by: column that tells the groups apart.
        references: columns to compare with, row by row.

    Returns:
        ``{group: {n, test, "test sd", <reference>, "<reference> sd", "minus <reference>", "minus <reference> se",
        "minus <reference> p"}}``,
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
    for name in (one for one in references if all(row.get(one) is not None for row in rows)):
        others = [float(row[name]) for row in rows]
        paired = over_splits(tests, others, int(rows[0].get("n_train", 3)), int(rows[0].get("n_test", 1)))
        entry |= {name: mean(others), **_sd(f"{name} sd", others), f"minus {name}": paired.mean / 100}
        if len(rows) > 1:
            entry |= {f"minus {name} se": paired.error / 100, f"minus {name} p": paired.p}
    return {key: float(f"{value:.5g}") for key, value in entry.items()}


def _sd(key: str, values: Sequence[float]) -> dict[str, float]:
    return {key: stdev(values)} if len(values) > 1 else {}
