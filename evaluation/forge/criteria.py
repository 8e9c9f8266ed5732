"""One computed demand on a run, and the few forms that demands have."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


class Missing(Exception):
    """What a criterion looks at is not there; the criterion is not met, and says so."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A demand, and how far it is met.

    Attributes:
        name: ``C1`` ... of the paper's tables; ``I1`` ... of invariants and exact solutions; ``M1`` ... of methodology.
        demand: in one line.
        score: 1 met, 0 not; 0.5 in chemistry where the paper says so; between where a demand has parts.
        found: what was seen, with numbers.
        weight: within its list.
        counted: False where there is no reference yet: then it is in no score.
    """

    name: str
    demand: str
    score: float
    found: str
    weight: float = 1.0
    counted: bool = True

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "score": round(self.score, 4)}


Seen = tuple[float | bool, str]


def check(name: str, demand: str, look: Callable[[], Seen], weight: float = 1.0) -> Criterion:
    """A criterion from what `look` sees: (score or truth, what was found). What is missing scores 0.

    Results are whatever a run left: arrays too short to compare, or zeros to divide by, are said and score 0, too.
    """
    try:
        score, found = look()
    except Missing as missing:
        return Criterion(name, demand, 0.0, str(missing), weight)
    except (ArithmeticError, ValueError, IndexError) as unusable:
        return Criterion(name, demand, 0.0, f"cannot be compared: {type(unusable).__name__}: {unusable}", weight)
    value = float(score)
    return Criterion(name, demand, value if math.isfinite(value) else 0.0, found, weight)


def left_out(name: str, demand: str, why: str) -> Criterion:
    """A criterion that nothing can be held against yet."""
    return Criterion(name, demand, 0.0, why, counted=False)


def graded(value: float, reference: float, full: float, half: float) -> Seen:
    """1 within `full` of the reference, 0.5 within `half`, else 0."""
    error = abs(value - reference)
    score = 1.0 if error <= full else 0.5 if error <= half else 0.0
    return score, f"{value:.6g}, reference {reference:.6g}"


def all_of(parts: Iterable[tuple[bool, str]]) -> Seen:
    """True if every part holds; tells the first that does not, else all."""
    listed = list(parts)
    failed = [words for held, words in listed if not held]
    return not failed, failed[0] if failed else "; ".join(words for _, words in listed)


def share(parts: Iterable[tuple[bool, str]]) -> Seen:
    """The share of the parts that hold; tells those that do not."""
    listed = list(parts)
    failed = [words for held, words in listed if not held]
    score = (len(listed) - len(failed)) / len(listed) if listed else 0.0
    return score, "all there" if not failed else "not found: " + "; ".join(failed)


def mean(criteria: Sequence[Criterion]) -> float | None:
    """Weighted mean of the scores that count; None if none does."""
    counted = [one for one in criteria if one.counted]
    total = sum(one.weight for one in counted)
    return sum(one.weight * one.score for one in counted) / total if total else None
