"""The line through later accuracies against first ones, with errors that know which points belong to one search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 3  # searches from which an error can be told


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One search.

    Attributes:
        name: of the search.
        kind: how it searched.
        best: (trial, best validation accuracy of that trial), trials without an evaluated map left out.
    """

    name: str
    kind: str
    best: tuple[tuple[int, float], ...]

    def pairs(self) -> list[tuple[float, float]]:
        """(accuracy of the first trial, accuracy of a later one); none if the first trial has no accuracy."""
        if not self.best or self.best[0][0] != 1:
            return []
        first = self.best[0][1]
        return [(first, accuracy) for _, accuracy in self.best[1:]]


@dataclass(frozen=True, slots=True)
class Line:
    """``later = slope * first + intercept``.

    Attributes:
        slope: of the accuracies, dimensionless.
        intercept: accuracy.
        slope_error: standard error; None if it is not known.
        intercept_error: standard error; None if it is not known.
        points: later trials.
        searches: that they come from.
        what: where the line comes from, if it is not ours.
    """

    slope: float
    intercept: float
    slope_error: float | None
    intercept_error: float | None
    points: int
    searches: int
    what: str = ""

    def plain(self) -> dict[str, Any]:
        """As JSON holds it, five digits."""
        return {
            name: float(f"{value:.5g}") if isinstance(value, float) else value for name, value in asdict(self).items()
        }

    def words(self) -> str:
        """``y = (0.52 +- 0.08) x + (0.43 +- 0.07)``, and what it rests on."""
        slope, intercept = _with_error(self.slope, self.slope_error), _with_error(self.intercept, self.intercept_error)
        behind = f" ({self.points} trials of {self.searches} searches)" if self.points else ""
        return f"y = {slope} x {'-' if intercept.startswith('-') else '+'} {intercept.lstrip('-')}{behind}"


# Sakka et al. (2025), Fig. 3, validation data: MNIST, 45 searches by language models. The errors are not given there.
PUBLISHED = Line(0.5164, 0.4315, None, None, 0, 45, "Sakka et al. 2025, Fig. 3, MNIST, 45 searches by language models")


def regression(trajectories: Sequence[Trajectory]) -> Line | None:
    """Ordinary least squares through the pairs of all searches; None if they do not determine a line.

    The trials of one search share their abscissa and are alike, so that errors which take every trial for an
    independent point would be too small. These are of the jackknife: each search is left out once.
    """
    groups = [np.array(pairs) for one in trajectories if (pairs := one.pairs())]
    if not groups:
        return None
    fit = _fitted(np.concatenate(groups))
    if fit is None:
        return None
    errors = _jackknife(groups)
    slope_error, intercept_error = (None, None) if errors is None else (float(errors[0]), float(errors[1]))
    points = sum(len(group) for group in groups)
    return Line(float(fit[0]), float(fit[1]), slope_error, intercept_error, points, len(groups))


def _fitted(pairs: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Slope and intercept, shape (2,)."""
    x, y = pairs.T
    spread = x - x.mean()
    if not np.ptp(x):
        return None
    slope = float(spread @ y / (spread @ spread))
    return np.array([slope, y.mean() - slope * x.mean()])


def _jackknife(groups: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Standard errors of slope and intercept, shape (2,); None with few searches, or if one of them decides alone."""
    n = len(groups)
    if n < FEWEST:
        return None
    without = [_fitted(np.concatenate([*groups[:left], *groups[left + 1 :]])) for left in range(n)]
    known = np.array([fit for fit in without if fit is not None])
    if len(known) < n:
        return None
    found: NDArray[np.float64] = math.sqrt((n - 1) / n) * np.sqrt(((known - known.mean(axis=0)) ** 2).sum(axis=0))
    return found


def _with_error(value: float, error: float | None) -> str:
    return f"{value:.4f}" if error is None else f"({value:.3f} ± {error:.3f})"
