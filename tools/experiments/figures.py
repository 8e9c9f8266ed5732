"""The shared look of the figures: made without pyplot, so that nothing global is kept."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from labwright.tools.experiments.fits import Array, Fit

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure

# Okabe and Ito's palette, told apart by colour-blind readers
BLUE, ORANGE, GREEN, VERMILION, PURPLE, BLACK = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#222222"
SIZE = (6.4, 4.4)  # inch


def shades(number: int) -> list[Any]:
    """`number` colours from dark to light, for curves in order."""
    from matplotlib import colormaps

    return [colormaps["viridis"](x) for x in np.linspace(0.0, 0.85, number)]


def canvas(title: str) -> Figure:
    """An empty figure without axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # here: its first import looks for fonts
    from matplotlib.figure import Figure

    made = Figure(figsize=SIZE, dpi=100, layout="constrained")
    FigureCanvasAgg(made)
    made.suptitle(title, fontsize=11)
    return made


def figure(title: str, rows: int = 1, columns: int = 1, **grid: Any) -> tuple[Figure, list[Axes]]:
    """An empty figure with `rows` x `columns` axes, top left first."""
    made = canvas(title)
    axes = made.subplots(rows, columns, squeeze=False, **grid)
    for axis in axes.flat:
        axis.tick_params(direction="in", top=True, right=True)
    return made, list(axes.flat)


def with_residuals(title: str, x_label: str, y_label: str) -> tuple[Figure, Axes, Axes]:
    """A figure with a main panel and, below it on the same abscissa, one for residuals in units of sigma."""
    made, (main, below) = figure(title, 2, sharex=True, height_ratios=(3.2, 1))
    main.set_ylabel(y_label)
    below.set_xlabel(x_label)
    below.set_ylabel(r"residual / $\sigma$")
    below.axhline(0, color=BLACK, linewidth=0.8)
    return made, main, below


def data(
    axis: Axes, x: Array, y: Array, sigma: Array, label: str = "data", color: str = BLUE, marker: str = "o"
) -> None:
    """Points with one-sigma error bars."""
    axis.errorbar(
        x, y, sigma, fmt=marker, color=color, markersize=3.2, elinewidth=0.8, linewidth=0, label=label, zorder=2
    )


def fitted(axis: Axes, fit: Fit, label: str = "fit", color: str = VERMILION, style: str = "-") -> None:
    """The fitted curve, drawn finely enough for every oscillation."""
    fine = np.linspace(fit.x.min(), fit.x.max(), 801)
    axis.plot(fine, fit.curve(fine), style, color=color, linewidth=1.4, label=label, zorder=3)


def residuals(axis: Axes, fit: Fit, color: str = BLUE, marker: str = "o") -> None:
    """Pulls of a fit, with a band of two sigma."""
    axis.axhspan(-2, 2, color="0.92", zorder=0)
    axis.plot(fit.x, fit.pulls, marker, color=color, markersize=2.8)
    reach = max(4.0, float(np.abs(fit.pulls).max()) * 1.15)
    axis.set_ylim(-reach, reach)


def note(axis: Axes, text: str, corner: str = "upper right") -> None:
    """A small box with the numbers that matter."""
    vertical, horizontal = corner.split()
    axis.text(
        0.985 if horizontal == "right" else 0.015,
        0.965 if vertical == "upper" else 0.04,
        text,
        transform=axis.transAxes,
        ha=horizontal,
        va="top" if vertical == "upper" else "bottom",
        fontsize=8.5,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "0.7", "alpha": 0.92},
        zorder=5,
    )


def headroom(axis: Axes, above: float = 0.28) -> None:
    """Leave room over the data for legend and note, so that neither covers a point."""
    low, high = axis.get_ylim()
    axis.set_ylim(low, high + above * (high - low))


def curve(
    title: str, x_label: str, y_label: str, points: tuple[Array, Array, Array], fit: Fit | None, text: str, above: float
) -> Figure:
    """`points`, (x, y, sigma); if there is a fit, its curve, its residuals, and `text` in room `above` the points."""
    made, main, below = with_residuals(title, x_label, y_label)
    data(main, *points)
    if fit is not None:
        fitted(main, fit)
        residuals(below, fit)
        headroom(main, above)
        note(main, text)
    main.legend(loc="upper left", ncols=2, frameon=False)
    return made


def save(made: Figure, path: Path, colours: int = 64) -> None:
    """Write a figure as a small PNG: a picture of a few flat colours needs no more than a palette."""
    buffer = BytesIO()
    made.savefig(buffer, format="png", dpi=100)
    buffer.seek(0)
    with Image.open(buffer) as picture:
        picture.convert("RGB").quantize(colours).save(path, optimize=True)
