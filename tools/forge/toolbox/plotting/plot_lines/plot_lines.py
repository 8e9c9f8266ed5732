"""Curves in one or several panels, as a PNG for print and as the plotted numbers in JSON.

Panels stand side by side, three in a row at the most, four two by two. Points that stand for measurements have the style ``points``,
exact or fitted curves ``line``, references ``dashed``; a reference right after points
has their colour. Colours can be told apart by colour-blind readers. Nothing is smoothed, clipped or left
out. Source: M. Okabe and K. Ito, "Color Universal Design" (2008); Matplotlib documentation.
"""

import json
import math
from pathlib import Path
from typing import Any, Literal

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pydantic import BaseModel, Field, model_validator

_COLOURS = [
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#8C6D31",
    "#7B4FA3",
    "#6B6B6B",
]
_MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*"]


class PlotLinesInput(BaseModel):
    """What to draw and where."""

    class Series(BaseModel):
        """One curve."""

        label: str = Field(description="Text in the legend; empty for none.")
        x: list[float] = Field(min_length=1, description="Abscissae, in the unit of the panel's x label.")
        y: list[float] = Field(min_length=1, description="Ordinates, in the unit of the panel's y label.")
        style: Literal["line", "points", "dashed"] = Field(default="line", description="How it is drawn.")

        @model_validator(mode="after")
        def _lengths(self) -> "PlotLinesInput.Series":
            if len(self.x) != len(self.y):
                raise ValueError(
                    f"Series {self.label!r} has {len(self.x)} x and {len(self.y)} y; give as many of both."
                )
            if not all(math.isfinite(value) for value in [*self.x, *self.y]):
                raise ValueError(
                    f"Series {self.label!r} holds values that are not finite; find out why before plotting."
                )
            return self

    class Panel(BaseModel):
        """One pair of axes."""

        title: str = Field(description="Title above the axes; empty for none.")
        x_label: str = Field(description="Label with the unit in brackets.")
        y_label: str = Field(description="Label with the unit in brackets.")
        y_log: bool = Field(default=False, description="Logarithmic ordinate; then every y must be positive.")
        series: list["PlotLinesInput.Series"] = Field(min_length=1, description="The curves, in drawing order.")

        @model_validator(mode="after")
        def _positive(self) -> "PlotLinesInput.Panel":
            if self.y_log and any(value <= 0 for one in self.series for value in one.y):
                raise ValueError(f"Panel {self.title!r} is logarithmic, but some y are not positive; plot it linearly.")
            return self

    path: str = Field(pattern=r"\.png$", description="Where the PNG goes, such as img/populations.png.")
    title: str = Field(description="Title of the figure.")
    panels: list["PlotLinesInput.Panel"] = Field(min_length=1, description="The panels, left to right.")
    dots_per_inch: int = Field(default=200, ge=20, le=600, description="Resolution of the PNG.")


class PlotLinesOutput(BaseModel):
    """Where the figure is."""

    path: str = Field(description="The PNG.")
    data_path: str = Field(description="The plotted numbers: kind, title and panels as in the input.")


def plot_lines(given: PlotLinesInput) -> PlotLinesOutput:
    """Draw the panels and write what was drawn beside the figure."""
    columns = 2 if len(given.panels) == 4 else min(3, len(given.panels))
    rows = math.ceil(len(given.panels) / columns)
    figure = Figure(figsize=(max(7.5, 5.2 * columns), 4.2 * rows + 0.4), dpi=given.dots_per_inch, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(given.title, fontsize=13)
    for index, panel in enumerate(given.panels):
        _draw(figure.add_subplot(rows, columns, index + 1), panel)
    target = Path(given.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target)
    data = {"kind": "lines", "title": given.title, "panels": [panel.model_dump() for panel in given.panels]}
    data_path = target.with_suffix(".json")
    data_path.write_text(json.dumps(data))
    return PlotLinesOutput(path=given.path, data_path=str(data_path))


def _draw(axes: Any, panel: PlotLinesInput.Panel) -> None:
    colour, before = -1, ""
    for one in panel.series:
        # a reference that follows measured points is theirs and has their colour
        colour += 0 if one.style == "dashed" and before == "points" else 1
        before = one.style
        look = {"color": _COLOURS[colour % len(_COLOURS)], "label": one.label or None, "linewidth": 1.8}
        marker = _MARKERS[colour % len(_MARKERS)]
        if one.style == "points":
            look |= {"linestyle": "none", "marker": marker, "markersize": 5.5, "alpha": 0.9}
        elif one.style == "dashed":
            look |= {"linestyle": "--"}
        elif len(one.x) <= 25:
            look |= {"marker": marker, "markersize": 4.5}
        axes.plot(one.x, one.y, **look)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.y_log:
        axes.set_yscale("log")
    axes.grid(visible=True, color="0.88", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    named = [one for one in panel.series if one.label]
    if named:
        # below the axes, where it hides no curve
        columns = min(len(named), 2 if max(len(one.label) for one in named) > 16 else 4)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize=9, ncols=columns)
