"""Figures of a search: a kernel, how accuracy went with the trials, the Pareto front, and a kernel on the chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.experiments.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION

BASELINE_LINES = ("--", ":", "-.")
MOST_LABELS = 12  # class names that fit an axis
LONGEST_NAME = 24  # characters of a class name
Panel = tuple[float, float]


def kernel_figure(
    K: NDArray[np.floating[Any]],  # noqa: N803 - the kernel's letter everywhere
    y: NDArray[np.integer[Any]],
    title: str = "Kernel",
    classes: Sequence[str] = (),
) -> Figure:
    """The kernel matrix with its samples in the order of their classes.

    Args:
        K: kernel, shape (n, n).
        y: class of each sample, shape (n,).
        title: above it.
        classes: names of the classes; their numbers if empty.

    Raises:
        InputError: the shapes do not fit together.
    """
    if K.ndim != 2 or K.shape != (len(y), len(y)) or len(y) < 2:
        raise InputError(f"The kernel must have shape ({len(y)}, {len(y)}) of two samples or more, but has {K.shape}.")
    order = np.argsort(y, kind="stable")
    found, counts = np.unique(y, return_counts=True)
    edges = np.concatenate([[0], np.cumsum(counts)])
    made = _figure((6.0, 5.2), title)
    axis = made.add_subplot()
    shown = axis.imshow(K[np.ix_(order, order)], cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    for edge in edges[1:-1] - 0.5:
        axis.axhline(edge, color="white", linewidth=0.7)
        axis.axvline(edge, color="white", linewidth=0.7)
    names = [_shown(classes[number]) if len(classes) > number else str(number) for number in found]
    centres = (edges[:-1] + edges[1:] - 1) / 2
    step = -(-len(names) // MOST_LABELS)
    long = max(map(len, names)) > 3
    turned: dict[str, Any] = {"rotation": 45, "ha": "right"} if long else {}
    axis.set_xticks(centres[::step], names[::step], parse_math=False, **turned)
    axis.set_yticks(centres[::step], names[::step], parse_math=False)
    axis.tick_params(length=0, labelsize=9)
    axis.set(xlabel=f"samples by class ({len(y)} in all)", ylabel="samples by class")
    within, between = _means(K, y)
    axis.set_title(f"mean within a class {within:.3f}, between classes {between:.3f}", fontsize=9, color="0.3")
    made.colorbar(shown, label=r"$|\langle\psi(x)|\psi(y)\rangle|^2$", fraction=0.046, pad=0.03)
    return made


def trajectory_figure(
    candidates: Sequence[tuple[int, float]], baselines: Mapping[str, float], selected: Sequence[tuple[int, float]]
) -> Figure:
    """Every candidate as a dot, the one selected so far as a line, baselines as level lines.

    Args:
        candidates: (trial, validation accuracy) of each map that was evaluated.
        baselines: label -> validation accuracy, such as that of the RBF kernel.
        selected: (trial, validation accuracy) of the map that led after each trial.

    Raises:
        InputError: there is no candidate to show.
    """
    points = sorted((trial, value) for trial, value in candidates if np.isfinite(value))
    if not points:
        raise InputError("There is no evaluated candidate to draw. Let the search evaluate one first.")
    made = _figure((6.8, 4.2), "Validation accuracy by trial")
    axis = made.add_subplot()
    line = sorted(each for each in selected if np.isfinite(each[1]))
    last = max([trial for trial, _ in [*points, *line]])
    trials = [trial for trial, _ in line]
    axis.step([*trials, last + 0.4], [v for _, v in line] + [line[-1][1]], where="post", color=BLUE, lw=1.8, zorder=3,
              label="selected so far")  # fmt: skip
    axis.plot(*zip(*_spread(points), strict=True), "o", color=BLUE, ms=5, alpha=0.55, mec="white", mew=0.6, zorder=4,
              label="candidate")  # fmt: skip
    for number, (name, value) in enumerate(baselines.items()):
        colour = (VERMILION, ORANGE, GREEN, PURPLE, BLACK)[number % 5]
        style = BASELINE_LINES[number % len(BASELINE_LINES)]
        axis.axhline(value, color=colour, linestyle=style, linewidth=1.3, label=f"{name} {value:.4f}", zorder=2)
    _limits(axis, points, line, list(baselines.values()))
    axis.set(xlabel="trial", ylabel="validation accuracy", xlim=(points[0][0] - 0.5, last + 0.5))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    _finish(made, grid="y")
    return made


def front_figure(points: Sequence[Mapping[str, Any]]) -> Figure:
    """Every map by accuracy and geometric difference, coloured by two-qubit depth; the Pareto front is ringed.

    Args:
        points: with `selection`, `geometric_difference`, `two_qubit_depth`, `shift_invariant` and `on_front`.

    Raises:
        InputError: there is no map to show.
    """
    if not points:
        raise InputError("There is no evaluated map to draw. Let the search evaluate one first.")
    made = _figure((6.8, 4.6), "Accuracy, geometry and depth")
    axis = made.add_subplot()
    depths = [one["two_qubit_depth"] for one in points]
    shared: dict[str, Any] = {"cmap": "viridis_r", "vmin": min(depths), "vmax": max(*depths, min(depths) + 1)}
    kinds = {False: ("o", "depends on the features"), True: ("s", "depends on differences only")}
    for classical, (marker, name) in kinds.items():
        chosen = [one for one in points if one["shift_invariant"] == classical]
        x, y, c = ([one[key] for one in chosen] for key in ("geometric_difference", "selection", "two_qubit_depth"))
        shown = axis.scatter(x, y, c=c, marker=marker, s=48, edgecolor="white", lw=0.6, zorder=3, label=name, **shared)
    front = sorted((one["geometric_difference"], one["selection"]) for one in points if one["on_front"])
    axis.scatter([g for g, _ in front], [score for _, score in front], s=120, facecolor="none", edgecolor=VERMILION,
                 lw=1.4, zorder=4, label="Pareto front")  # fmt: skip
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(ScalarFormatter())
    axis.tick_params(axis="x", which="both", labelsize=8)
    axis.set(xlabel="geometric difference g to the nearest classical kernel", ylabel="selection score")
    made.colorbar(shown, label="two-qubit depth", ax=axis, pad=0.02)
    _finish(made)
    return made


def processor_figure(found: Mapping[str, Any]) -> Figure:
    """Every entry that was measured, against the exact one, with what the gate errors predict.

    Args:
        found: with `exact`, `predicted`, `measured` and `error`, entry by entry, and the accuracies.
    """
    made = _figure((6.0, 4.8), "The kernel on the chip")
    axis = made.add_subplot()
    exact = np.array(found["exact"])
    axis.plot([0, 1], [0, 1], color="0.6", lw=1, label="without errors", zorder=1)
    axis.errorbar(exact, found["measured"], yerr=found["error"], fmt="o", ms=4, lw=1, color=BLUE, alpha=0.75, zorder=2,
                  label=f"the chip, accuracy {found['measured_accuracy']:.3f}")  # fmt: skip
    axis.plot(exact, found["predicted"], "x", color=VERMILION, ms=6, zorder=3,
              label=f"predicted from gate errors, {found['predicted_accuracy']:.3f}")  # fmt: skip
    axis.set(xlabel="exact kernel entry (probability)", ylabel="kernel entry (probability)")
    _finish(made)
    return made


def _finish(made: Figure, grid: Literal["both", "y"] = "both") -> None:
    """A pale grid behind all, and the legend below the axes, in as many rows as its width needs."""
    made.axes[0].grid(axis=grid, color="0.92", linewidth=0.8)
    made.axes[0].set_axisbelow(True)
    renderer = FigureCanvasAgg(made).get_renderer()  # type: ignore[no-untyped-call]
    for columns in range(len(made.axes[0].get_legend_handles_labels()[1]), 0, -1):
        legend = made.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
        if legend.get_window_extent(renderer).width <= made.bbox.width:
            return
        if columns > 1:
            legend.remove()


def _figure(size: Panel, title: str) -> Figure:
    made = Figure(figsize=size, dpi=120, layout="constrained")
    FigureCanvasAgg(made)
    made.suptitle(title, fontsize=11)
    return made


def _shown(name: str) -> str:
    """A class name from somebody's file: without what cannot be printed, and no longer than fits an axis."""
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(name))
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 3]}..."


def _means(kernel: NDArray[np.floating[Any]], y: NDArray[np.integer[Any]]) -> tuple[float, float]:
    """Mean kernel of two different samples of one class, and of two classes; nan where there are none."""
    same = y[:, None] == y[None, :]
    within, between = kernel[same & ~np.eye(len(y), dtype=bool)], kernel[~same]
    return (float(within.mean()) if within.size else np.nan, float(between.mean()) if between.size else np.nan)


def _spread(points: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    """The points of one trial beside one another, so that equal accuracies do not hide each other."""
    members = {trial: [value for each, value in points if each == trial] for trial, _ in points}
    return [
        (trial + 0.16 * (i - (len(values) - 1) / 2) / max(1.0, len(values) / 4), value)
        for trial, values in members.items()
        for i, value in enumerate(values)
    ]


def _limits(axis: Any, points: Sequence[Panel], line: Sequence[Panel], levels: Sequence[float]) -> None:
    """Show every dot, unless a few failures far below would press all the others into one line."""
    values = np.array([value for _, value in points])
    kept = [*values, *(value for _, value in line), *levels]
    low, high = min(kept), max(kept)
    usual = min(float(np.quantile(values, 0.25)), *(value for _, value in line), *levels, high)
    floor = usual - max(high - usual, 0.01)
    hidden = int((values < floor).sum())
    if hidden:
        low = min(each for each in kept if each >= floor)
        note = f"{hidden} candidates lie below" if hidden > 1 else "1 candidate lies below"
        axis.text(0.99, 0.02, note, transform=axis.transAxes, ha="right", fontsize=8.5, color="0.35")
    margin = 0.08 * max(high - low, 0.005)
    axis.set_ylim(low - margin, min(1.0 + margin, high + margin))
