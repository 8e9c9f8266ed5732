"""The published scores of a procedure against a reference (AutoLabs): steps matched by name, vials by position.

Steps are "Action Parameter Plate". Two steps are infinitely far apart if action or plate differ, else as far as their
parameters' Levenshtein distance, which counts as `FAR` beyond `CAP`. An optimal assignment pairs them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from labwright.evaluation.protocol_reference_procedures import Entry, Procedure

CAP = 5
FAR = 1e3
NEVER = 1e6  # stands for infinity, which the assignment cannot take
Pair = tuple[int, int]  # position in the generated procedure, position in the reference


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision, recall and F1 of matched things."""

    precision: float
    recall: float
    f1: float


def levenshtein(a: str, b: str) -> int:
    """Insertions, deletions and substitutions that turn `a` into `b`."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def distance(generated: Entry, reference: Entry) -> float:
    """How unlike two steps are; infinite if action or plate differ."""
    if (generated.action, generated.plate) != (reference.action, reference.plate):
        return math.inf
    return _capped(generated.subject, reference.subject)


def _capped(a: str, b: str) -> float:
    edits = levenshtein(a, b)
    return float(edits) if edits <= CAP else FAR


def match_steps(generated: Procedure, reference: Procedure) -> list[Pair]:
    """Pairs of steps that agree, in the order of the generated procedure."""
    return assigned([[distance(mine, theirs) for theirs in reference] for mine in generated])


def assigned(costs: Sequence[Sequence[float]]) -> list[Pair]:
    """The cheapest assignment, without the pairs that are too far apart to agree."""
    if not costs or not costs[0]:
        return []
    table = np.minimum(np.asarray(costs, dtype=float), NEVER)
    rows, columns = linear_sum_assignment(table)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if table[i, j] <= CAP]


def agreement(matched: int, generated: int, reference: int) -> Agreement:
    """Precision, recall and their harmonic mean; nothing against nothing agrees fully."""
    if generated == reference == 0:
        return Agreement(1.0, 1.0, 1.0)
    precision = matched / generated if generated else 0.0
    recall = matched / reference if reference else 0.0
    both = precision + recall
    return Agreement(precision, recall, 2 * precision * recall / both if both else 0.0)


def step_agreement(generated: Procedure, reference: Procedure) -> Agreement:
    """Of all steps."""
    return agreement(len(match_steps(generated, reference)), len(generated), len(reference))


def nrmse(generated: Procedure, reference: Procedure) -> float:
    """Root mean square error of all chemical-vial pairs over the range of the reference's amounts.

    Vials are the same if they stand in the same well; a chemical that one of the two lacks counts as 0 there.
    """
    mine, theirs = _totals(generated), _totals(reference)
    names, others = sorted(mine), sorted(theirs)
    pairs = assigned([[_capped(a, b) for b in others] for a in names])
    partners: list[tuple[str | None, str | None]] = [(names[i], others[j]) for i, j in pairs]
    partners += [(name, None) for i, name in enumerate(names) if i not in {i for i, _ in pairs}]
    partners += [(None, name) for j, name in enumerate(others) if j not in {j for _, j in pairs}]
    vials = sorted({vial for totals in (*mine.values(), *theirs.values()) for vial in totals})
    got = [[mine.get(a or "", {}).get(vial, 0.0) for vial in vials] for a, _ in partners]
    wanted = [[theirs.get(b or "", {}).get(vial, 0.0) for vial in vials] for _, b in partners]
    return normalised_error(np.array(got), np.array(wanted))


def normalised_error(got: Any, wanted: Any) -> float:
    """RMSE over the range of `wanted`; plain RMSE if that has no range."""
    if wanted.size == 0:
        return 0.0
    spread = float(wanted.max() - wanted.min())
    return float(np.sqrt(np.mean((got - wanted) ** 2))) / (spread or 1.0)


def _totals(procedure: Procedure) -> dict[str, dict[tuple[str, tuple[int, int]], float]]:
    """Chemical to vial to everything that Add steps put there."""
    found: dict[str, dict[tuple[str, tuple[int, int]], float]] = {}
    for step in procedure:
        if step.action == "Add":
            vials = found.setdefault(step.subject, {})
            for well, amount in step.amounts.items():
                vials[step.plate, well] = vials.get((step.plate, well), 0.0) + amount
    return found
