"""The head of a search's report: sentences that follow from the numbers and the paired tests, and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labwright.tools.feature_maps.paired_tests import sentence

RIVALS = 3  # methods that the summary speaks of, the strongest first; the table has them all


@dataclass(frozen=True, slots=True)
class Words:
    """Summary and cautions of a report."""

    summary: str
    cautions: list[str]


def words_of(status: str, cause: str, result: dict[str, Any], cautions: list[str]) -> Words:
    """What was searched, what was found, how it compares, and how sure that is."""
    facts, found = result["data"], result.get("feature_map")
    outcomes = [row["outcome"] for row in result["tried"]]
    told = [
        f"The search for a feature map of {facts['n_features']} features for {facts['data_set']} ended as {status}"
        f" after {_counted(result['trials'], 'trial')}: {cause.rstrip('.') or 'no cause was given'}.",
        f"{_counted(outcomes.count('evaluated'), 'map')} could be evaluated.",
    ]
    if found is None:
        return Words(" ".join([*told, "No map was found."]), cautions)
    told.append(
        f"The best map is {found['name']} of trial {found['trial']}, with a validation accuracy of"
        f" {found['validation_accuracy']:.4f}."
    )
    if result["test_accuracy"] is not None:
        told.append(f"On the test data it reaches {result['test_accuracy']:.4f}.")
        told += [sentence(*one) for one in compared(result)[:RIVALS]]
    rejected = [f"{n} {word}" for word in ("illegal", "invalid", "vetoed") if (n := outcomes.count(word))]
    left_out = [f"Not every idea was evaluated: {', '.join(rejected)}."] if rejected else []
    return Words(" ".join(told), [*_worse(result), *left_out, *cautions])


def compared(result: dict[str, Any]) -> list[tuple[str, float, float, Any]]:
    """Name, points, p and verdict of every method that was compared, the strongest first."""
    rows = [
        (name, round(100 * (result["test_accuracy"] - one["test_accuracy"]), 6), one["p"], one["verdict"])
        for name, one in result["baselines"].items()
        if one["test_accuracy"] is not None
    ]
    return sorted(rows, key=lambda row: row[1])


def _worse(result: dict[str, Any]) -> list[str]:
    if result["test_accuracy"] is None:
        return []
    names = [name for name, _, _, said in compared(result) if said == "worse"]
    return [f"{name} is better on the same samples; use it unless the circuit itself is wanted." for name in names]


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
