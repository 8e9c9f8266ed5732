"""Draw a circuit in the usual notation, wrapped into rows like text.

PennyLane's and Qiskit's drawers put a deep circuit on one line or name every angle; this one stays readable with some
hundred gates. A gate that one feature turns says by how much; of several features it names them, and the weights are in
the exported code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch

from labwright.tools.experiments.figures import BLACK, BLUE, ORANGE
from labwright.tools.feature_maps.circuit import Circuit, Gate
from labwright.tools.feature_maps.gates import GATES

COLUMN, WIRE = 0.56, 0.42  # inch
NARROW = 9.0  # inch
ROW_GAP = 0.9  # wires between two rows
COLUMNS_A_ROW = 28
MOST_COLUMNS = 336  # twelve rows
MOST_LISTED = 3  # features that fit a box
BOX = (0.92, 0.76)  # of a column and of a wire's height
DATA, FIXED, PLAIN = ("#CFE3F2", BLUE), ("#FBE6BF", ORANGE), ("#F2F2F2", "#777777")
LEGEND = (
    (DATA, "angle set by features (2$x_3$: 2 rad per unit of feature 3)"),
    (FIXED, "fixed angle"),
    (PLAIN, "no angle"),
)
SHORT = {
    "Hadamard": "H", "PauliX": "X", "PauliY": "Y", "PauliZ": "Z", "SX": r"$\sqrt{X}$", "PhaseShift": "P",
    "ControlledPhaseShift": "P", "CY": "Y", "CH": "H", "CRX": "RX", "CRY": "RY", "CRZ": "RZ", "CRot": "Rot",
    "ISWAP": "iSW", "SISWAP": r"$\sqrt{\mathrm{iSW}}$", "IsingXX": "XX", "IsingYY": "YY", "IsingZZ": "ZZ",
    "IsingXY": "XY", "MultiRZ": "Z..Z",
}  # fmt: skip
TARGET = {"CNOT": "plus", "Toffoli": "plus", "CZ": "dot", "CCZ": "dot", "SWAP": "cross", "CSWAP": "cross"}


@dataclass(frozen=True, slots=True)
class _Pen:
    """Where a row's drawing goes: wire q of it lies at height ``-(top + q)``."""

    axis: Axes
    top: float

    def y(self, wire: int) -> float:
        return -(self.top + wire)


def draw_circuit(circuit: Circuit, title: str) -> Figure:
    """The circuit from left to right, wrapped into rows; colours tell what the angle of a gate depends on.

    Args:
        circuit: what to draw; of a very deep one the first columns, and it is said so.
        title: above it.
    """
    placed = list(_placed(circuit))
    total = 1 + max((column for column, _ in placed), default=0)
    shown = min(total, MOST_COLUMNS)
    rows = -(-shown // COLUMNS_A_ROW)
    width = -(-shown // rows)
    height = rows * circuit.n_qubits + (rows - 1) * ROW_GAP
    wide = max(5.6, (width + 1.6) * COLUMN)
    foot = 0.45 if wide > NARROW else 0.65
    size = (wide, (height + 0.2) * WIRE + foot + 0.4)
    made = Figure(figsize=size, dpi=120)
    FigureCanvasAgg(made)
    axis = made.add_axes((0.0, foot / size[1], 1.0, 1 - (foot + 0.4) / size[1]))
    left = -1.3 - (size[0] / COLUMN - width - 1.6) / 2  # a narrow circuit stands in the middle
    axis.set(xlim=(left, left + size[0] / COLUMN), ylim=(-height + 0.4, 0.6))
    axis.axis("off")
    for row in range(rows):
        _draw_row(_Pen(axis, row * (circuit.n_qubits + ROW_GAP)), circuit, placed, row, width, shown)
    cut = f" (first {shown} of {total} columns)" if shown < total else ""
    two = sum(len(gate.wires) > 1 for gate in circuit.gates)
    made.text(0.5, 1 - 0.14 / size[1], title + cut, ha="center", va="top", fontsize=12)
    counted = f"{circuit.n_qubits} qubits, {len(circuit.gates)} gates, {two} of them on several wires"
    made.text(0.14 / size[0], 0.22 / size[1], counted, ha="left", va="center", fontsize=8.5, color="0.3")
    _legend(made, size)
    return made


def _legend(made: Figure, size: tuple[float, float]) -> None:
    handles = [Patch(facecolor=face, edgecolor=edge, label=label) for (face, edge), label in LEGEND]
    # Beside the count of gates where there is room, else above it.
    height = 0.22 if size[0] > NARROW else 0.45
    place = (1 - 0.1 / size[0], height / size[1])
    style = {"frameon": False, "fontsize": 8.5, "borderaxespad": 0, "columnspacing": 1.0, "handlelength": 1.4}
    made.legend(handles=handles, loc="center right", ncols=3, bbox_to_anchor=place, **style)


def _placed(circuit: Circuit) -> Iterator[tuple[int, Gate]]:
    """Each gate with the first column in which all wires that it spans are free."""
    free = [0] * circuit.n_qubits
    for gate in circuit.gates:
        span = range(min(gate.wires), max(gate.wires) + 1)
        column = max(free[wire] for wire in span)
        for wire in span:
            free[wire] = column + 1
        yield column, gate


def _draw_row(pen: _Pen, circuit: Circuit, placed: list[tuple[int, Gate]], row: int, width: int, shown: int) -> None:
    first = row * width
    columns = min(width, shown - first)
    for wire in range(circuit.n_qubits):
        pen.axis.plot([-0.55, columns - 0.4], [pen.y(wire)] * 2, color="0.6", linewidth=0.8, zorder=1)
        label = rf"$q_{{{wire}}}\,|0\rangle$" if row == 0 else rf"$q_{{{wire}}}$"
        pen.axis.text(-0.62, pen.y(wire), label, ha="right", va="center", fontsize=8.5)
    for column, gate in placed:
        if first <= column < first + columns:
            _draw_gate(pen, column - first, gate)


def _draw_gate(pen: _Pen, x: float, gate: Gate) -> None:
    colours = _colours(gate)
    spec = GATES.get(gate.name)
    controls = gate.wires[: spec.controls] if spec else ()
    targets = gate.wires[len(controls) :]
    if len(gate.wires) > 1:
        heights = [pen.y(max(gate.wires)), pen.y(min(gate.wires))]
        pen.axis.plot([x, x], heights, color=BLACK, linewidth=1.1, zorder=2)
    for wire in controls:
        _mark(pen, x, wire, "dot")
    for wire in targets:
        kind = TARGET.get(gate.name)
        if kind is None:
            _box(pen, x, wire, SHORT.get(gate.name, gate.name), _turned_by(gate), colours)
        else:
            _mark(pen, x, wire, kind)


def _mark(pen: _Pen, x: float, wire: int, kind: str) -> None:
    """A control's or a target's sign; markers stay round whatever the scales of the axes."""
    y = pen.y(wire)
    if kind == "dot":
        pen.axis.plot(x, y, "o", color=BLACK, markersize=7, zorder=4)
    elif kind == "cross":
        pen.axis.plot(x, y, "x", color=BLACK, markersize=9, markeredgewidth=1.4, zorder=4)
    else:
        pen.axis.plot(x, y, "o", color=BLACK, markersize=15, markerfacecolor="white", markeredgewidth=1.1, zorder=4)
        pen.axis.plot(x, y, "+", color=BLACK, markersize=15, markeredgewidth=1.1, zorder=5)


def _box(pen: _Pen, x: float, wire: int, name: str, below: str, colours: tuple[str, str]) -> None:
    face, edge = colours
    y, (wide, high) = pen.y(wire), BOX
    corner, style = (x - wide / 2, y - high / 2), "round,pad=0,rounding_size=0.1"
    patch = FancyBboxPatch(corner, wide, high, boxstyle=style, facecolor=face, edgecolor=edge, linewidth=0.9, zorder=3)
    pen.axis.add_patch(patch)
    pen.axis.text(x, y + (0.17 if below else 0), name, ha="center", va="center", fontsize=7.5, zorder=6)
    if below:
        size = 6.8 if len(below) < 12 else 6.1  # three features of two digits
        pen.axis.text(x, y - 0.19, below, ha="center", va="center", fontsize=size, zorder=6)


def _colours(gate: Gate) -> tuple[str, str]:
    if any(angle.weights for angle in gate.angles):
        return DATA
    return FIXED if gate.angles else PLAIN


def _turned_by(gate: Gate) -> str:
    """Weight and offset of the one feature that turns a gate, or the features, or its angle in units of pi."""
    features = sorted({feature for angle in gate.angles for feature, weight in angle.weights if weight})
    if len(features) == 1 == len(gate.angles):
        weight = sum(weight for _, weight in gate.angles[0].weights)
        return rf"{_short(weight)}$x_{{{features[0]}}}${_short(gate.angles[0].offset, '+')}"
    if features:
        return _listed(features)
    if len(gate.angles) == 1:
        return rf"{gate.angles[0].offset / 3.141592653589793:.2g}$\pi$"
    return ""


def _short(number: float, sign: str = "") -> str:
    """Two digits, without what says nothing: no 1 before a feature, no 0 behind it."""
    said = f"{number:{sign}.2g}".replace("0.", ".") if abs(number) < 1e4 else f"{number:{sign}.0e}"
    return "" if float(said) == (0.0 if sign else 1.0) else said.replace("-", "\N{MINUS SIGN}")


def _listed(features: list[int]) -> str:
    if features == list(range(features[0], features[-1] + 1)) and len(features) > 2:
        return f"$x$ {features[0]}–{features[-1]}"
    if len(features) > MOST_LISTED or (max(features) > 99 and len(features) > 2):
        return f"{len(features)} of $x$"
    return "$x$ " + ",".join(map(str, features))
