"""Figures of the analyses of searches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from labwright.evaluation.regression import Line, Trajectory
from labwright.tools.experiments.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE)
MARKERS = ("o", "s", "^", "D", "v")


def trajectories_figure(trajectories: Sequence[Trajectory], line: Line, published: Line) -> Figure:
    """Left: the best accuracy so far, by trial. Right: every later trial against the first of its search.

    Args:
        trajectories: the searches.
        line: fitted to the pairs of all of them.
        published: a line from other data, drawn beside it.
    """
    made = Figure(figsize=(10.2, 4.8), dpi=100, layout="constrained")
    FigureCanvasAgg(made)
    left, right = made.subplots(1, 2)
    kinds = list(dict.fromkeys(one.kind for one in trajectories))
    styles = {kind: (COLOURS[n % len(COLOURS)], MARKERS[n % len(MARKERS)]) for n, kind in enumerate(kinds)}
    for one in trajectories:
        _so_far(left, one, styles[one.kind][0])
    left.set(xlabel="trial", ylabel="best validation accuracy so far", title="Trajectories")
    left.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    _against(right, trajectories, styles)
    _lines(right, trajectories, line, published)
    right.set(xlabel="accuracy of the first trial", ylabel="accuracy of a later trial", title="Later against first")
    for axis in (left, right):
        axis.tick_params(direction="in", top=True, right=True)
    made.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return made


def _so_far(axis: Axes, one: Trajectory, colour: str) -> None:
    trials = [trial for trial, _ in one.best]
    best = np.maximum.accumulate([accuracy for _, accuracy in one.best])
    axis.plot(trials, best, color=colour, linewidth=1.3, marker=".", markersize=5, alpha=0.75)


def _against(axis: Axes, trajectories: Sequence[Trajectory], styles: dict[str, tuple[str, str]]) -> None:
    """Later trials in darker colour."""
    last = max(trial for one in trajectories for trial, _ in one.best)
    for kind, (colour, marker) in styles.items():
        axis.plot([], [], marker, color=colour, markersize=5, label=f"{kind} (darker: later)")
        for one in trajectories:
            if one.kind != kind or not one.pairs():
                continue
            for (trial, _), (first, later) in zip(one.best[1:], one.pairs(), strict=True):
                axis.plot(first, later, marker, color=colour, markersize=5, alpha=0.25 + 0.65 * trial / last, mew=0)


def _lines(axis: Axes, trajectories: Sequence[Trajectory], line: Line, published: Line) -> None:
    pairs = [pair for one in trajectories for pair in one.pairs()]
    firsts, laters = zip(*pairs, strict=True)
    ends = np.array([min(firsts), max(firsts)])
    low, high = min(*firsts, *laters), max(*firsts, *laters)
    margin = 0.05 * (high - low)
    axis.plot(ends, line.slope * ends + line.intercept, color=BLACK, linewidth=1.8, label=f"fit, all: {line.words()}")
    axis.plot(ends, published.slope * ends + published.intercept, color="0.55", linestyle="--", linewidth=1.4,
              label=f"other data (Fig. 3 of Sakka et al.): {published.words()}")  # fmt: skip
    axis.plot([low, high], [low, high], color="0.35", linestyle=":", linewidth=1.2, label="as good as the first")
    axis.set_xlim(min(firsts) - margin, max(firsts) + margin)
    axis.set_ylim(low - margin, high + margin)
