"""Bar charts in one or several panels, as a PNG for print and as the plotted numbers in JSON.

Bars begin at zero, one for each label and in the order given; up to twelve of them carry their value. Bars of a panel
have one colour, because their labels already tell them apart. Source: Matplotlib documentation, "Bar label demo".
"""

import json
import math
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pydantic import BaseModel, Field, model_validator

_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]


class PlotBarsInput(BaseModel):
    """What to draw and where."""

    class Panel(BaseModel):
        """One chart."""

        title: str = Field(description="Title above the chart; empty for none.")
        x_label: str = Field(description="What the labels are.")
        y_label: str = Field(description="Label with the unit in brackets.")
        labels: list[str] = Field(min_length=1, description="One for each bar, no two alike.")
        values: list[float] = Field(description="Heights, in the unit of the y label.")

        @model_validator(mode="after")
        def _lengths(self) -> "PlotBarsInput.Panel":
            if len(self.labels) != len(self.values):
                raise ValueError(f"Panel {self.title!r} has {len(self.labels)} labels and {len(self.values)} values.")
            if len(set(self.labels)) != len(self.labels):
                raise ValueError(f"Panel {self.title!r} has a label twice; bars would hide each other.")
            if not all(math.isfinite(value) for value in self.values):
                raise ValueError(
                    f"Panel {self.title!r} holds values that are not finite; find out why before plotting."
                )
            return self

    path: str = Field(pattern=r"\.png$", description="Where the PNG goes, such as img/counts.png.")
    title: str = Field(description="Title of the figure.")
    panels: list["PlotBarsInput.Panel"] = Field(min_length=1, description="The panels, left to right.")
    dots_per_inch: int = Field(default=200, ge=20, le=600, description="Resolution of the PNG.")


class PlotBarsOutput(BaseModel):
    """Where the figure is."""

    path: str = Field(description="The PNG.")
    data_path: str = Field(description="The plotted numbers: kind, title and panels as in the input.")


def plot_bars(given: PlotBarsInput) -> PlotBarsOutput:
    """Draw the panels and write what was drawn beside the figure."""
    columns = 2 if len(given.panels) == 4 else min(3, len(given.panels))
    rows = math.ceil(len(given.panels) / columns)
    figure = Figure(figsize=(max(7.5, 4.8 * columns), 4.0 * rows + 0.4), dpi=given.dots_per_inch, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(given.title, fontsize=13)
    for index, panel in enumerate(given.panels):
        _draw(figure.add_subplot(rows, columns, index + 1), panel, _COLOURS[index % len(_COLOURS)])
    target = Path(given.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target)
    data = {"kind": "bars", "title": given.title, "panels": [panel.model_dump() for panel in given.panels]}
    data_path = target.with_suffix(".json")
    data_path.write_text(json.dumps(data))
    return PlotBarsOutput(path=given.path, data_path=str(data_path))


def _draw(axes: Any, panel: PlotBarsInput.Panel, colour: str) -> None:
    places = list(range(len(panel.labels)))
    bars = axes.bar(places, panel.values, width=0.7, color=colour)
    crowded = sum(len(label) + 1 for label in panel.labels) > 45
    axes.set_xticks(places, panel.labels, rotation=60 if crowded else 0, fontsize=8 if crowded else 10)
    if len(places) <= 12:
        axes.bar_label(bars, [f"{value:.4g}" for value in panel.values], padding=2, fontsize=8)
        axes.margins(y=0.12)
    axes.axhline(0.0, color="0.3", linewidth=0.8)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axes.grid(visible=True, axis="y", color="0.88", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
