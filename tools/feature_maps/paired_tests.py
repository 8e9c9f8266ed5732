"""Whether one classifier is better than another: paired tests, and the only words that a report may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

Verdict = Literal["better", "worse", "open"]
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two classifiers on the same test samples.

    Attributes:
        wins: samples that only the first classifies rightly.
        losses: samples that only the second does.
        p: probability of so uneven a count, or a more uneven one, if both were equally good (exact, two-sided).
    """

    wins: int
    losses: int
    p: float


@dataclass(frozen=True, slots=True)
class OverSplits:
    """Two classifiers on several splits of the same data.

    Attributes:
        mean: difference of the test accuracies, percentage points; above 0: the first is better.
        error: its standard error, corrected for splits that share samples; infinite for a single split.
        p: of the two-sided t test with that error; 1 for a single split.
        splits: how many.
    """

    mean: float
    error: float
    p: float
    splits: int


def mcnemar(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> McNemar:
    """The exact test of McNemar (Psychometrika 12, 153, 1947): a binomial test of the samples on which two differ.

    Args:
        first: which samples the first classifier gets right, shape (n,).
        second: the same of the second.

    Raises:
        InputError: they were not tested on the same samples.
    """
    from scipy.stats import binomtest

    if first.shape != second.shape:
        raise InputError(f"A paired test needs the same samples; there are {first.shape} and {second.shape}.")
    wins, losses = int(np.sum(first & ~second)), int(np.sum(~first & second))
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return McNemar(wins, losses, p)


def over_splits(first: Sequence[float], second: Sequence[float], n_train: int, n_test: int) -> OverSplits:
    """Mean difference over random splits, with the corrected error of Nadeau and Bengio (Mach. Learn. 52, 239, 2003).

    The splits share training samples, so that the naive error is too small; its square ``s^2 / J`` becomes
    ``(1 / J + n_test / n_train) s^2``.

    Args:
        first: test accuracies of the first classifier, one a split, 0 .. 1.
        second: those of the second on the same splits.
        n_train: samples that each was fitted to.
        n_test: samples that each was tested on.

    Raises:
        InputError: not one accuracy of each for every split.
    """
    from scipy.stats import t

    if len(first) != len(second) or not first:
        raise InputError(f"A paired test needs the same splits; there are {len(first)} and {len(second)} accuracies.")
    differences = 100 * (np.array(first) - np.array(second))
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        return OverSplits(mean, inf, 1.0, n)
    error = sqrt((1 / n + n_test / n_train) * float(differences.var(ddof=1)))
    if error == 0:
        return OverSplits(mean, 0.0, 1.0 if mean == 0 else 0.0, n)
    return OverSplits(mean, error, float(2 * t.sf(abs(mean) / error, n - 1)), n)


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """The p values of several tests, adjusted so that one false alarm among all is as rare as with one test.

    Holm (Scandinavian Journal of Statistics 6, 65, 1979).
    """
    found: dict[str, float] = {}
    largest = 0.0
    for place, name in enumerate(sorted(p, key=lambda one: p[one])):
        largest = max(largest, min(1.0, (len(p) - place) * p[name]))
        found[name] = largest
    return found


def verdict(difference: float, p: float, adjusted: float | None = None) -> Verdict:
    """What a test allows one to say.

    A win has to hold among all comparisons, a loss is admitted as soon as its own test shows it.

    Args:
        difference: above 0: the first is ahead.
        p: of this test.
        adjusted: the same among all tests of the table, see `holm`.
    """
    if difference > 0 and (p if adjusted is None else adjusted) < LEVEL:
        return "better"
    return "worse" if difference < 0 and p < LEVEL else "open"


def sentence(name: str, points: float, p: float, said: Verdict, error: float | None = None) -> str:
    """One comparison in words.

    Args:
        name: of the other classifier.
        points: by how much the first is ahead, percentage points.
        p: of the test.
        said: its verdict.
        error: of `points`, if there are several splits.
    """
    words = {"better": "it is better", "worse": "it is worse", "open": "no difference is shown"}[said]
    spread = f" +- {error:.2f}" if error is not None and np.isfinite(error) else ""
    return f"Against {name} the difference is {points:+.2f}{spread} points (p = {p:.2g}): {words}."
