"""Figure of a measured decay with its exponential law, and the plotted data beside it.

Source: Matplotlib documentation.
"""

import json
import math
from pathlib import Path

from matplotlib.figure import Figure

from pydantic import BaseModel, Field


class PlotDecayInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    path: str = Field(description="File of the figure, ending with .png.")
    times: list[float] = Field(min_length=2, description="Times, in us.")
    values: list[float] = Field(description="Measured values.")
    rate: float = Field(ge=0, description="Rate of the law, in 1/us.")


class PlotDecayOutput(BaseModel):
    """What comes out."""

    path: str = Field(description="File of the figure.")
    data_path: str = Field(description="File of the plotted data.")


def plot_decay(given: PlotDecayInput) -> PlotDecayOutput:
    """Figure of a measured decay with its exponential law, and the plotted data beside it."""
    if not given.path.endswith(".png"):
        raise ValueError(f"The path must end with .png, but is {given.path}.")
    if len(given.times) != len(given.values):
        raise ValueError("Give one value for each time.")
    law = [given.values[0] * math.exp(-given.rate * (t - given.times[0])) for t in given.times]
    figure = Figure(figsize=(5, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(given.times, given.values, "o", label="measured")
    axes.plot(given.times, law, label="law")
    axes.set_xlabel("time (us)")
    axes.legend()
    place = Path(given.path)
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place, dpi=100)
    data = place.with_suffix(".json")
    series = [
        {"label": "measured", "x": given.times, "y": given.values},
        {"label": "law", "x": given.times, "y": law},
    ]
    data.write_text(json.dumps({"kind": "lines", "panels": [{"series": series}]}))
    return PlotDecayOutput(path=str(place), data_path=str(data))
