"""Colour maps of a quantity over two axes, as a PNG for print and as the plotted numbers in JSON.

Each value is one cell whose middle lies at its x and y; nothing is interpolated. A quantity with two signs has a
diverging map (red positive, blue negative) with zero in the middle. Panels share one colour scale unless they are
told not to, so that they can be compared. Source: Matplotlib documentation, "Choosing Colormaps".
"""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pydantic import BaseModel, Field, model_validator


class PlotHeatmapInput(BaseModel):
    """What to draw and where."""

    class Panel(BaseModel, allow_inf_nan=False):
        """One map."""

        title: str = Field(description="Title above the map; empty for none.")
        x_label: str = Field(description="Label with the unit in brackets.")
        y_label: str = Field(description="Label with the unit in brackets.")
        colour_label: str = Field(description="Label of the colour bar.")
        x: list[float] = Field(min_length=1, description="Positions of the columns, rising, in the x label's unit.")
        y: list[float] = Field(min_length=1, description="Positions of the rows, rising, in the y label's unit.")
        values: list[list[float]] = Field(description="One row for each y, one number for each x.")

        @model_validator(mode="after")
        def _shape(self) -> "PlotHeatmapInput.Panel":
            if len(self.values) != len(self.y) or any(len(row) != len(self.x) for row in self.values):
                raise ValueError(f"Panel {self.title!r} must have {len(self.y)} rows of {len(self.x)} values.")
            for axis in (self.x, self.y):
                if any(b <= a for a, b in pairwise(axis)):
                    raise ValueError(f"Panel {self.title!r} has an axis that does not rise; sort it with its values.")
            return self

    path: str = Field(pattern=r"\.png$", description="Where the PNG goes, such as img/magnetisation.png.")
    title: str = Field(description="Title of the figure.")
    panels: list["PlotHeatmapInput.Panel"] = Field(min_length=1, description="The panels, left to right.")
    symmetric: bool = Field(description="Diverging colours with zero in the middle, for quantities with two signs.")
    shared_scale: bool = Field(default=True, description="One colour scale for all panels.")
    dots_per_inch: int = Field(default=200, ge=20, le=600, description="Resolution of the PNG.")


class PlotHeatmapOutput(BaseModel):
    """Where the figure is."""

    path: str = Field(description="The PNG.")
    data_path: str = Field(description="The plotted numbers: kind, title and panels as in the input.")


def plot_heatmap(given: PlotHeatmapInput) -> PlotHeatmapOutput:
    """Draw the panels and write what was drawn beside the figure."""
    columns = 2 if len(given.panels) == 4 else min(3, len(given.panels))
    rows = math.ceil(len(given.panels) / columns)
    figure = Figure(figsize=(max(7.5, 5.4 * columns), 4.6 * rows + 0.4), dpi=given.dots_per_inch, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(given.title, fontsize=13)
    common = _limits([value for panel in given.panels for row in panel.values for value in row], given.symmetric)
    for index, panel in enumerate(given.panels):
        own = _limits([value for row in panel.values for value in row], given.symmetric)
        _draw(
            figure,
            figure.add_subplot(rows, columns, index + 1),
            panel,
            common if given.shared_scale else own,
            given.symmetric,
        )
    target = Path(given.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target)
    data = {"kind": "heatmap", "title": given.title, "panels": [panel.model_dump() for panel in given.panels]}
    data_path = target.with_suffix(".json")
    data_path.write_text(json.dumps(data))
    return PlotHeatmapOutput(path=given.path, data_path=str(data_path))


def _limits(values: list[float], symmetric: bool) -> tuple[float, float]:
    """Ends of the colour scale, never equal."""
    low, high = min(values), max(values)
    if symmetric:
        largest = max(abs(low), abs(high), 1e-12)
        return -largest, largest
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _edges(middles: list[float]) -> list[float]:
    """Borders of the cells: half-way between the middles, the outer ones as far out as the next ones are in."""
    if len(middles) == 1:
        return [middles[0] - 0.5, middles[0] + 0.5]
    inner = [(a + b) / 2 for a, b in pairwise(middles)]
    return [2 * middles[0] - inner[0], *inner, 2 * middles[-1] - inner[-1]]


def _draw(
    figure: Figure, axes: Any, panel: PlotHeatmapInput.Panel, limits: tuple[float, float], symmetric: bool
) -> None:
    colours = "RdBu_r" if symmetric else "viridis"
    mesh = axes.pcolormesh(
        _edges(panel.x), _edges(panel.y), panel.values, cmap=colours, vmin=limits[0], vmax=limits[1], rasterized=True
    )
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    for axis, middles in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        if len(middles) <= 16 and all(value == int(value) for value in middles):
            axis.set_ticks(middles)
    figure.colorbar(mesh, ax=axes, label=panel.colour_label, pad=0.02)
