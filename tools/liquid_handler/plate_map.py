"""The plate map: one panel a source, every well coloured by the amount that goes into it."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np

from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol import Made
from labwright.tools.liquid_handler.steps import Plate, Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_PANELS = 24


def plate_map(made: Made) -> bytes:
    """The figure as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # here: its first import looks for fonts
    from matplotlib.figure import Figure

    adds = [step for step in made.protocol.steps if step.action == "Add"][:MAX_PANELS]
    columns = min(3, len(adds))
    rows = math.ceil(len(adds) / columns)
    height = 2.7 * rows + 0.5
    figure = Figure(figsize=(4.0 * columns, height))
    # Fixed margins: the automatic layout takes longer than all the drawing.
    figure.subplots_adjust(0.03, 0.25 / height, 0.98, 1 - 0.75 / height, wspace=0.12, hspace=0.3)
    FigureCanvasAgg(figure)
    for index, step in enumerate(adds):
        plate = made.protocol.plate(step.plate)
        if plate is not None:
            _panel(figure.add_subplot(rows, columns, index + 1), step, plate, len(made.protocol.plates) > 1)
    figure.suptitle(_plain(made.protocol.title, 80))
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _plain(text: str, width: int) -> str:
    """Text that matplotlib draws as it is: no mathematics, and only what its font has."""
    drawable = "".join(letter if letter.isprintable() and ord(letter) < 0x2190 else "?" for letter in text)
    return (drawable if len(drawable) <= width else drawable[: width - 1] + "…").replace("$", r"\$")


def _panel(axes: Axes, step: Step, plate: Plate, several: bool) -> None:
    values = np.full((plate.rows, plate.columns), np.nan)
    for (row, column), amount in step.amounts.items():
        values[row, column] = amount
    axes.imshow(np.ma.masked_invalid(values), cmap="viridis", vmin=0, aspect="equal")
    axes.set_xticks(range(plate.columns), [str(column + 1) for column in range(plate.columns)])
    axes.set_yticks(range(plate.rows), [well_name(row, 0)[0] for row in range(plate.rows)])
    axes.tick_params(labelsize=7, length=0)
    if plate.columns <= 8:
        _label(axes, step, plate)
    where = f", {step.plate}" if several else ""
    least, most = min(step.amounts.values()), max(step.amounts.values())
    span = f"{most:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
    axes.set_title(f"{_plain(step.subject, 30)}: {span} {step.unit}{where}", fontsize=9)


def _label(axes: Axes, step: Step, plate: Plate) -> None:
    top = max(step.amounts.values())
    size = 8 if plate.columns <= 6 else 5
    for (row, column), amount in step.amounts.items():
        colour = "black" if amount > 0.6 * top else "white"
        axes.text(column, row, f"{amount:.4g}", ha="center", va="center", color=colour, fontsize=size)
