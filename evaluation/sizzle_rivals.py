"""Other ways to search for a siZZle drive, under the same noise and budget: random, grid, Bayesian, a fixed ladder.

Each proposes one drive at a time and hears the benchmarked error of the last; all else is the search's own. They know
the transition frequencies and the largest amplitude, as the search does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import optuna

from labwright.tools.experiments.sizzle_policy import Advice, Situation

BELOW, ABOVE = 80.0, 60.0  # MHz around the transitions in which drives are drawn
WEAKEST = 0.6  # of the largest amplitude
HOPELESS = 0.3  # what a drive that does not work counts as
GRID = 18
LADDER = (-30.0, 30.0, -40.0, 40.0, -25.0, 25.0, -50.0, 50.0, -35.0, 35.0, -60.0, 60.0)  # MHz from the lower qubit


class Rival(ABC):
    """An advisor that knows no region and no line."""

    def drive(self, now: Situation) -> Advice:
        """The next drive; whoever asks stops when the budget is spent."""
        frequency, level = self.next(now)
        return Advice(frequency, level * now.highest, False, "")

    @abstractmethod
    def next(self, now: Situation) -> tuple[float, float]:
        """Frequency in MHz and share of the largest amplitude."""


class Random(Rival):
    """Frequency and amplitude uniform."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def next(self, now: Situation) -> tuple[float, float]:
        """Drawn anew."""
        return float(self._rng.uniform(now.low - BELOW, now.high + ABOVE)), float(self._rng.uniform(WEAKEST, 1.0))


class Grid(Rival):
    """Equally spaced frequencies at the largest amplitude."""

    def __init__(self, seed: int) -> None:
        self._order = np.random.default_rng(seed).permutation(GRID)

    def next(self, now: Situation) -> tuple[float, float]:
        """The next of the grid, in random order."""
        place = self._order[len(now.attempts) % GRID]
        return float(np.linspace(now.low - BELOW, now.high + ABOVE, GRID)[place]), 1.0


class Ladder(Rival):
    """What a person would write down beforehand: steps away from the lower transition, at the largest amplitude."""

    def __init__(self, seed: int) -> None:
        del seed

    def next(self, now: Situation) -> tuple[float, float]:
        """The next rung; behind the last one the same around the upper transition."""
        rung = len(now.attempts)
        base = now.low if rung < len(LADDER) else now.high
        return base + LADDER[rung % len(LADDER)], 1.0


class Bayesian(Rival):
    """A tree-structured Parzen estimator (optuna) over frequency and amplitude."""

    def __init__(self, seed: int) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=6))
        self._open: optuna.Trial | None = None

    def next(self, now: Situation) -> tuple[float, float]:
        """Tells the last result, asks for the next drive."""
        if self._open is not None:
            last = now.attempts[-1]
            self._study.tell(self._open, last.gate_error or HOPELESS)
        self._open = self._study.ask()
        frequency = self._open.suggest_float("frequency", now.low - BELOW, now.high + ABOVE)
        return frequency, self._open.suggest_float("level", WEAKEST, 1.0)


RIVALS: dict[str, Callable[[int], Rival]] = {
    "random": Random, "grid": Grid, "bayesian": Bayesian, "ladder": Ladder,
}  # fmt: skip
