"""The chip drawn as it lies: one square a qubit, in three panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from labwright.tools.experiments.figures import BLACK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 0.78  # of a qubit's square, in units of the lattice
PANELS = (  # attribute, title, digits
    ("frequency", "drive frequency (MHz)", 1),
    ("t1", r"$T_1$ ($\mu$s)", 0),
    ("error", r"error per gate ($10^{-4}$)", 2),
)


@dataclass(frozen=True, slots=True)
class MappedQubit:
    """What the map tells of a qubit; None where it is not known.

    Attributes:
        frequency: MHz.
        t1: us.
        error: benchmarked error per gate.
        failed: whether its calibration did not end well.
    """

    frequency: float | None = None
    t1: float | None = None
    error: float | None = None
    failed: bool = False


def chip_map(
    qubits: Mapping[str, MappedQubit],
    places: Mapping[str, Sequence[int]],
    couplers: Sequence[Sequence[str]] = (),
    title: str = "",
) -> Figure:
    """Frequencies, T1 and errors per gate on the lattice; a crossed square has failed, a grey one has no value.

    Args:
        qubits: name -> what is known.
        places: name -> row and column.
        couplers: pairs that a line joins.
        title: above all panels.
    """
    import matplotlib as mpl  # here: its first import looks for fonts
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    rows, columns = (1 + max(place[k] for place in places.values()) for k in (0, 1))
    made = Figure(figsize=(3 * (0.85 * columns + 0.9), 0.85 * rows + 1.1), dpi=100, layout="constrained")
    FigureCanvasAgg(made)
    made.suptitle(title, fontsize=11)
    for axis, (attribute, label, digits) in zip(made.subplots(1, 3), PANELS, strict=True):
        scale = 1e4 if attribute == "error" else 1.0
        values = {name: getattr(qubits.get(name, MappedQubit()), attribute) for name in places}
        known = {name: scale * value for name, value in values.items() if value is not None}
        _lines(axis, places, couplers)
        span = Normalize(min(known.values(), default=0.0), max(known.values(), default=1.0))
        colours = mpl.colormaps["cividis"]
        for name, place in places.items():
            shade = colours(span(known[name])) if name in known else (0.9, 0.9, 0.9, 1.0)
            failed = qubits.get(name, MappedQubit()).failed
            _square(axis, place, name, f"{known[name]:.{digits}f}" if name in known else "–", shade, failed)
        axis.set(title=label, xlim=(-0.6, columns - 0.4), ylim=(rows - 0.4, -0.6), aspect="equal")
        axis.title.set_fontsize(10)
        axis.axis("off")
        made.colorbar(mpl.cm.ScalarMappable(span, colours), ax=axis, shrink=0.75, pad=0.02)
    return made


def _lines(axis: Axes, places: Mapping[str, Sequence[int]], couplers: Sequence[Sequence[str]]) -> None:
    for first, second in couplers:
        if first in places and second in places:
            (y1, x1), (y2, x2) = places[first], places[second]
            axis.plot([x1, x2], [y1, y2], color="0.6", linewidth=2.5, zorder=1, solid_capstyle="butt")


def _square(axis: Axes, place: Sequence[int], name: str, value: str, shade: tuple[float, ...], failed: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    y, x = place
    ink = BLACK if np.dot(shade[:3], (0.30, 0.59, 0.11)) > 0.5 else "white"
    box = FancyBboxPatch(
        (x - SIDE / 2, y - SIDE / 2), SIDE, SIDE, boxstyle="round,pad=0,rounding_size=0.1",
        facecolor=shade, edgecolor=BLACK if failed else "0.35", linewidth=2.0 if failed else 0.8, zorder=2,
    )  # fmt: skip
    axis.add_patch(box)
    axis.text(x, y - 0.17, name, ha="center", va="center", fontsize=9, weight="bold", color=ink, zorder=4)
    axis.text(x, y + 0.16, value, ha="center", va="center", fontsize=9, color=ink, zorder=4)
    if failed:
        for slope in (-1, 1):
            reach = 0.43 * SIDE * np.array([-1, 1])  # ends within the rounded corners
            axis.plot(x + reach, y + slope * reach, color=ink, linewidth=1.0, alpha=0.7, zorder=3)
