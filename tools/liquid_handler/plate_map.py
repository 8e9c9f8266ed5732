"""The plate map: one panel an addition; then where portions come from, and each vial's own time where these differ."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import Plate, Well
from labwright.tools.liquid_handler.vial_histories import histories, note_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_PANELS = 24


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture of one plate: a value and a label for every well that is shown."""

    plate: Plate
    title: str
    values: dict[Well, float]
    labels: dict[Well, str]


def plate_map(made: Made) -> bytes:
    """The figure as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # here: its first import looks for fonts
    from matplotlib.figure import Figure

    drawn = panels(made)
    columns = min(3, len(drawn))
    rows = math.ceil(len(drawn) / columns)
    height = 2.7 * rows + 0.5
    figure = Figure(figsize=(4.0 * columns, height))
    # Fixed margins: the automatic layout takes longer than all the drawing.
    figure.subplots_adjust(0.03, 0.25 / height, 0.98, 1 - 0.75 / height, wspace=0.12, hspace=0.3)
    FigureCanvasAgg(figure)
    for index, panel in enumerate(drawn):
        _draw(figure.add_subplot(rows, columns, index + 1), panel)
    figure.suptitle(_plain(made.protocol.title, 80))
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def panels(made: Made) -> list[Panel]:
    """What the figure shows, in order."""
    extra = [*_origins(made), *_times(made)]
    return [*list(_additions(made))[: MAX_PANELS - len(extra)], *extra]


def _additions(made: Made) -> Iterator[Panel]:
    several = len(made.protocol.plates) > 1
    for step in made.protocol.steps:
        plate = made.protocol.plate(step.plate)
        if step.action == "Add" and plate is not None:
            least, most = min(step.amounts.values()), max(step.amounts.values())
            span = f"{most:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
            title = f"{step.subject[:30]}: {span} {step.unit}" + (f", {step.plate}" if several else "")
            yield Panel(plate, title, step.amounts, {well: f"{value:.4g}" for well, value in step.amounts.items()})


def _origins(made: Made) -> Iterator[Panel]:
    """Plates with portions of other vials: the well that each comes from, coloured by its order."""
    known = {place: one.portions[0].origin for place, one in histories(made).items() if one.portions}
    notes = {place: note_text(one) for place, one in histories(made).items() if made.layout.twin_for == "samples"}
    order = {origin: number for number, origin in enumerate(sorted(set(known.values())), start=1)}
    for plate in made.protocol.plates:
        here = {well: origin for (name, well), origin in known.items() if name == plate.name}
        if here:
            names = ", ".join(sorted({name for name, _ in here.values()}))
            values = {well: float(order[origin]) for well, origin in here.items()}
            labels = {w: f"{well_name(*o)}\n{notes.get((plate.name, w), '')}".strip() for w, (_, o) in here.items()}
            yield Panel(plate, f"{plate.name}: from {names}", values, labels)


def _times(made: Made) -> Iterator[Panel]:
    """Minutes above room temperature, where vials of a plate differ in them."""
    known = {place: one.hot_minutes for place, one in histories(made).items() if one.hot}
    for plate in made.protocol.plates:
        here = {well: minutes for (name, well), minutes in known.items() if name == plate.name}
        if len(set(here.values())) > 1:
            yield Panel(plate, f"{plate.name}: minutes hot", here, {well: f"{value:g}" for well, value in here.items()})


def _plain(text: str, width: int) -> str:
    """Text that matplotlib draws as it is: no mathematics, and only what its font has."""
    drawable = "".join(letter if letter.isprintable() and ord(letter) < 0x2190 else "?" for letter in text)
    return (drawable if len(drawable) <= width else drawable[: width - 1] + "…").replace("$", r"\$")


def _draw(axes: Axes, panel: Panel) -> None:
    plate = panel.plate
    values = np.full((plate.rows, plate.columns), np.nan)
    for (row, column), value in panel.values.items():
        values[row, column] = value
    axes.imshow(np.ma.masked_invalid(values), cmap="viridis", vmin=0, aspect="equal")
    axes.set_xticks(range(plate.columns), [str(column + 1) for column in range(plate.columns)])
    axes.set_yticks(range(plate.rows), [well_name(row, 0)[0] for row in range(plate.rows)])
    axes.tick_params(labelsize=7, length=0)
    size = {4: 8, 6: 8, 8: 5}.get(plate.columns, 4 if plate.columns > 8 else 8)
    for (row, column), label in panel.labels.items():
        colour = "black" if panel.values[row, column] > 0.6 * max(panel.values.values()) else "white"
        axes.text(column, row, label, ha="center", va="center", color=colour, fontsize=size)
    axes.set_title(_plain(panel.title, 60), fontsize=9)
