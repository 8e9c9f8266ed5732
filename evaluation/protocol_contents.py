"""A fair score of a procedure: chemicals by identity, vials by what they end up with, parameters by their values.

The same chemistry in another order of vials scores 0 error here, and two names of one substance are one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from labwright.evaluation.autolabs_scores import Agreement, Pair, agreement, assigned, normalised_error
from labwright.evaluation.protocol_reference_procedures import Entry, Procedure, Well, identity

Vial = dict[str, float]  # identity to mg or uL; VialTimers to min
TIMER = "VialTimers"
CLOSE = 0.01  # relative; parameter values that count as equal
_UNLIKE = 10.0  # beyond what the assignment calls a match


@dataclass(frozen=True, slots=True)
class Contents:
    """How the vials compare.

    Attributes:
        nrmse: over every chemical of every matched vial, by the reference's range.
        worst: largest relative error of any chemical in any vial; 1 where it is missing or superfluous.
        by_chemical: the same for each chemical.
        missing, extra: vials that only the reference, or only the procedure, has.
    """

    nrmse: float
    worst: float
    by_chemical: dict[str, float]
    missing: int
    extra: int


def vials_of(procedure: Procedure) -> list[Vial]:
    """What every vial holds in the end, and its own time if it has one. Portions are taken from mixed vials."""
    deck: dict[tuple[str, Well], Vial] = {}
    liquid: dict[tuple[str, Well], float] = {}
    timers: dict[tuple[str, Well], float] = {}
    for step in procedure:
        for well, amount in step.amounts.items():
            here = (step.plate, well)
            there = (step.subject, step.origins.get(well, well))
            if step.action == "Add":
                _put(deck, here, {identity(step.subject): amount})
                liquid[here] = liquid.get(here, 0.0) + (amount if step.unit == "uL" else 0.0)
            elif step.action == "Transfer" and step.moves:
                deck[here], liquid[here] = deck.pop(there, {}), liquid.pop(there, 0.0)
                if here in timers:
                    deck[here][TIMER] = timers[here]
            elif step.action == "Transfer":
                share = min(1.0, amount / liquid[there]) if liquid.get(there) else 0.0
                taken = {name: share * held for name, held in deck.get(there, {}).items()}
                _put(deck, there, {name: -held for name, held in taken.items()})
                _put(deck, here, taken)
                liquid[here] = liquid.get(here, 0.0) + share * liquid.get(there, 0.0)
                liquid[there] = (1 - share) * liquid.get(there, 0.0)
            elif step.subject == TIMER:
                timers[here] = amount
    return [vial for vial in deck.values() if any(vial.values())]


def _put(deck: dict[tuple[str, Well], Vial], where: tuple[str, Well], what: Vial) -> None:
    vial = deck.setdefault(where, {})
    for name, amount in what.items():
        vial[name] = vial.get(name, 0.0) + amount


def relative(got: float, wanted: float) -> float:
    """Difference over the larger of the two: 0 if equal, 1 if one of them is nothing."""
    larger = max(abs(got), abs(wanted))
    return abs(got - wanted) / larger if larger > 0 else 0.0


def unlike(a: Vial, b: Vial) -> float:
    """Sum of the relative errors of all chemicals that either vial has."""
    return sum(relative(a.get(name, 0.0), b.get(name, 0.0)) for name in a.keys() | b.keys())


def compare_contents(generated: Procedure, reference: Procedure) -> Contents:
    """Vials matched by assignment on their contents; a vial without a partner is compared with an empty one."""
    mine, theirs = vials_of(generated), vials_of(reference)
    rows, columns = (
        linear_sum_assignment([[unlike(a, b) for b in theirs] for a in mine]) if mine and theirs else ([], [])
    )
    pairs: list[tuple[Vial, Vial]] = [(mine[i], theirs[j]) for i, j in zip(rows, columns, strict=True)]
    alone = [vial for i, vial in enumerate(mine) if i not in set(rows)]
    lost = [vial for j, vial in enumerate(theirs) if j not in set(columns)]
    pairs += [(vial, {}) for vial in alone] + [({}, vial) for vial in lost]
    names = sorted({name for pair in pairs for vial in pair for name in vial})
    errors = {name: max(relative(a.get(name, 0.0), b.get(name, 0.0)) for a, b in pairs) for name in names}
    chemicals = [name for name in names if name != TIMER]
    got = np.array([[a.get(name, 0.0) for name in chemicals] for a, _ in pairs])
    wanted = np.array([[b.get(name, 0.0) for name in chemicals] for _, b in pairs])
    return Contents(normalised_error(got, wanted), max(errors.values(), default=0.0), errors, len(lost), len(alone))


def match_fairly(generated: Procedure, reference: Procedure) -> list[Pair]:
    """Steps that do the same to the same plate: chemicals by identity, parameters with the value that is asked."""

    def cost(i: int, j: int) -> float:
        if not _same(generated[i], reference[j]):
            return _UNLIKE
        return abs(i / len(generated) - j / len(reference))  # among equals, those in like places

    return assigned([[cost(i, j) for j in range(len(reference))] for i in range(len(generated))])


def _same(generated: Entry, reference: Entry) -> bool:
    if (generated.action, generated.plate, generated.moves) != (reference.action, reference.plate, reference.moves):
        return False
    if generated.action == "Set":
        return generated.subject == reference.subject and _same_values(generated, reference)
    return identity(generated.subject) == identity(reference.subject)


def _same_values(generated: Entry, reference: Entry) -> bool:
    """The same values for as many vials each, in any order; a free one only has to be switched on."""
    a, b = sorted(generated.amounts.values()), sorted(reference.amounts.values())
    if reference.free:
        return len(a) == len(b) and min(a, default=0.0) > 0
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=CLOSE) for x, y in zip(a, b, strict=True))


def fair_agreement(generated: Procedure, reference: Procedure) -> Agreement:
    """Precision, recall and F1 of steps that do the same."""
    return agreement(len(match_fairly(generated, reference)), len(generated), len(reference))


def differing(generated: Procedure, reference: Procedure) -> tuple[list[str], list[str]]:
    """Steps of the reference that are missing, and steps that it does not have, in words."""
    pairs = match_fairly(generated, reference)
    mine, theirs = {i for i, _ in pairs}, {j for _, j in pairs}
    return _words(reference, theirs), _words(generated, mine)


def _words(procedure: Procedure, matched: set[int]) -> list[str]:
    lines: Sequence[Entry] = [step for i, step in enumerate(procedure) if i not in matched]
    return [f"{step.action} {step.subject} {step.plate} {min(step.amounts.values(), default=0):g}" for step in lines]
