"""A picture of a molecule: balls and sticks seen along the axis in which it is thinnest, with the numbers beside it.

Atoms are drawn from back to front; sticks join atoms closer than 1.3 times the sum of their covalent
radii. Colours are those that Corey, Pauling and Koltun began with. The figure's data goes to a JSON file of its name.
Source: matplotlib documentation; covalent radii of Cordero et al., Dalton Trans. 2832 (2008).
"""

import json
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from pydantic import BaseModel, Field
from pyscf.data import elements, radii
from scipy.spatial.transform import Rotation

_COLOURS = {
    "H": "#f2f2f2", "C": "#909090", "N": "#3050f8", "O": "#e02020", "F": "#70c840", "P": "#ff8000", "S": "#e0c020",
    "Cl": "#20c020", "Br": "#a62929", "I": "#940094", "Cr": "#8a99c7", "Fe": "#e06633",
}  # fmt: skip


class PlotMoleculeInput(BaseModel, allow_inf_nan=False):
    """A structure and where its picture goes."""

    path: str = Field(description="Where the PNG goes; it ends in .png.")
    title: str = Field(description="Title of the figure.")
    symbols: list[str] = Field(min_length=1, description="Element symbols.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")


class PlotMoleculeOutput(BaseModel):
    """What was written."""

    path: str = Field(description="The PNG.")
    data_path: str = Field(description="The drawn structure as JSON.")
    bonds: list[list[int]] = Field(description="Pairs of atoms that a stick joins, counted from 0 (1).")
    drawn: list[list[float]] = Field(description="Turned coordinates: right, up, towards the reader (angstrom).")


def plot_molecule(given: PlotMoleculeInput) -> PlotMoleculeOutput:
    """Draw the molecule of `given`.

    Raises:
        ValueError: symbols and positions do not fit, or the path is no .png.
    """
    points = np.array(given.positions, dtype=float)
    if points.shape != (len(given.symbols), 3):
        raise ValueError(f"{len(given.symbols)} symbols need as many rows of 3 coordinates, not {points.shape}.")
    path = Path(given.path)
    if path.suffix != ".png":
        raise ValueError(f"The path must end in .png, but is {given.path!r}.")
    sizes = np.array([radii.COVALENT[elements.charge(symbol)] * 0.529177210903 for symbol in given.symbols])
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1)
    bonds = np.argwhere(np.triu(gaps < 1.3 * (sizes[:, None] + sizes[None]), 1)).tolist()
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = _turned(points)
    _draw(given, drawn, sizes, bonds).savefig(path, dpi=250, bbox_inches="tight")
    data = {
        "kind": "molecule",
        "title": given.title,
        "symbols": given.symbols,
        "positions": given.positions,
        "bonds": bonds,
        "drawn": drawn.tolist(),
    }
    data_path = path.with_suffix(".json")
    data_path.write_text(json.dumps(data), encoding="utf-8")
    return PlotMoleculeOutput(path=str(path), data_path=str(data_path), bonds=bonds, drawn=drawn.tolist())


def _turned(points: np.ndarray) -> np.ndarray:
    """Principal axes: widest along x, thinnest towards the reader; tilted so that atoms in a row are told apart."""
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=True)[2]
    tilt = Rotation.from_euler("yx", [16.0, 16.0], degrees=True).as_matrix()
    return centred @ axes.T @ tilt.T


def _draw(given: PlotMoleculeInput, points: np.ndarray, sizes: np.ndarray, bonds: list[list[int]]) -> Figure:
    figure = Figure(figsize=(5.5, 5.0))
    FigureCanvasAgg(figure)
    panel = figure.add_subplot(111)
    for a, b in bonds:
        middle = points[[a, b]].mean(axis=0)
        for end in (a, b):
            colour = _COLOURS.get(given.symbols[end], "#c060c0")
            half = list(zip(points[end][:2], middle[:2], strict=True))
            panel.plot(*half, color="black", linewidth=6, zorder=points[end, 2], solid_capstyle="butt")
            panel.plot(*half, color=colour, linewidth=4.5, zorder=points[end, 2], solid_capstyle="butt")
    for atom, symbol in enumerate(given.symbols):
        place = (points[atom, 0], points[atom, 1])
        colour = _COLOURS.get(symbol, "#c060c0")
        panel.add_patch(_disc(place, 0.45 * sizes[atom], colour, points[atom, 2]))
        panel.text(
            *place, symbol, ha="center", va="center", fontsize=9, color="black",
            zorder=points[atom, 2],
        )  # fmt: skip
    panel.autoscale_view()
    panel.set_aspect("equal")
    panel.set_title(given.title)
    panel.set_axis_off()
    return figure


def _disc(place: tuple[float, float], radius: float, colour: str, order: float) -> Circle:
    return Circle(place, radius, facecolor=colour, edgecolor="black", linewidth=1.0, zorder=order)
