"""Figure of suite `chip`: how good every qubit of every chip became, and what working side by side saves."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from labwright.evaluation.runner import Row
from labwright.tools.experiments.figures import BLACK, BLUE, ORANGE, VERMILION


def chip_figure(rows: Sequence[Row], largest: float = 1.2) -> Figure:
    """Left: true error over coherence limit, a point a qubit. Right: device time one by one and in rounds.

    Args:
        rows: of the suite; a chip that crashed has no qubits and is left out.
        largest: ratio up to which a qubit passes.
    """
    rows = [row for row in rows if row.get("qubits")]
    made = Figure(figsize=(9.6, 4.2), dpi=100, layout="constrained")
    FigureCanvasAgg(made)
    left, right = made.subplots(1, 2, width_ratios=(1.35, 1))
    for place, row in enumerate(rows):
        for number, qubit in enumerate(row["qubits"]):
            x = place + (number - 7.5) * 0.045
            left.plot([x, x], [qubit["ratio"], qubit["ratio_end"]], "-", color="0.7", linewidth=1, zorder=1)
            left.plot(x, qubit["ratio"], "o", color=BLUE, markersize=4, zorder=3)
            left.plot(x, qubit["ratio_end"], "x", color=VERMILION, markersize=4, zorder=2)
    left.plot([], [], "o", color=BLUE, markersize=4, label="when the qubit was finished")
    left.plot([], [], "x", color=VERMILION, markersize=4, label="when the chip was (drift)")
    left.axhline(largest, color=BLACK, linestyle="--", linewidth=1, label=f"passes up to {largest:g}")
    left.axhline(1.0, color="0.5", linestyle=":", linewidth=1, label="coherence limit")
    top = max(max(qubit["ratio"], qubit["ratio_end"]) for row in rows for qubit in row["qubits"])
    left.set(ylabel="true error per gate / coherence limit", ylim=(0.98, top + 0.22 * (top - 0.98)))
    left.legend(frameon=False, fontsize=8.5, loc="upper left", ncols=2)
    for place, row in enumerate(rows):
        right.bar(place - 0.19, row["one_by_one_seconds"] / 3600, 0.36, color=ORANGE)
        right.bar(place + 0.19, row["device_seconds"] / 3600, 0.36, color=BLUE)
        middle = row["device_seconds"] / 7200
        said = f"÷ {row['faster']:.1f}"
        right.text(place + 0.19, middle, said, ha="center", va="center", fontsize=8, color="white", rotation=90)
    right.bar(0, 0, color=ORANGE, label="one by one")
    right.bar(0, 0, color=BLUE, label="in rounds")
    right.set(ylabel="device time (h)")
    right.set_ylim(top=1.2 * max(row["one_by_one_seconds"] for row in rows) / 3600)
    right.legend(frameon=False, fontsize=9, loc="upper right", ncols=2)
    for axis in (left, right):
        axis.set_xticks(range(len(rows)), [str(row["seed"]) for row in rows])
        axis.set_xlabel("seed of the chip")
        axis.tick_params(direction="in", right=True)
    return made
