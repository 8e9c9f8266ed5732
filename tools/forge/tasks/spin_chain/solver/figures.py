"""Figures of a chain: magnetisation over sites and time, everything else against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

OF = {"entropy": "the first {} sites and the rest", "expectation": "{}", "energy": ""}
ROWS, MAPS = 500, 6  # of a heatmap, and heatmaps of a figure


def told(labels: Mapping[str, Any]) -> str:
    """Labels in a few words."""
    return ", ".join(f"{name} = {v:g}" if isinstance(v, float) else f"{v}" for name, v in labels.items())


def draw(
    given: Mapping[str, Any], tools: Any, maps: Sequence[Any], curves: Mapping[tuple[Any, ...], Sequence[Any]]
) -> None:
    """All of them."""
    unit = f"time ({given['time_unit']})" if given["time_unit"] else "time"
    x_label = "Floquet period" if given["method"] == "floquet" else unit
    panels = []
    for axis, labels, clock, table in maps:
        every = max(1, len(clock) // ROWS)
        panels.append({
            "title": told(labels), "x_label": "qubit", "y_label": x_label, "colour_label": f"<{axis.upper()}_i>",
            "x": [float(k) for k in range(given["qubits"])], "y": clock[::every], "values": table[::every].tolist(),
        })  # fmt: skip
    for begin in range(0, len(panels), MAPS):
        path = f"img/magnetisation{'' if begin == 0 else f'_{begin // MAPS + 1}'}.png"
        tools.plot_heatmap(path=path, title=given["title"], panels=panels[begin : begin + MAPS], symmetric=True)
    figures: dict[str, list[Any]] = {}
    for (quantity, *rest), runs in curves.items():
        if quantity == "energy" and "energy" not in given["wanted"]:
            continue
        series = [  # rounding is not drawn
            {"label": told(labels), "x": clock, "y": np.where(np.abs(values) < 1e-12, 0.0, values).tolist()}
            for labels, clock, values in runs
        ]
        y_label = f"entanglement entropy ({given['entropy_unit']})"
        y_label = y_label if quantity == "entropy" else quantity.replace("_", " ")
        title = OF.get(quantity, "along {}").format(*rest) if rest else ""
        panel = {"title": title, "x_label": x_label, "y_label": y_label, "series": series}
        figures.setdefault(quantity, []).append(panel)
    for quantity, drawn in figures.items():
        tools.plot_lines(path=f"img/{quantity}.png", title=given["title"], panels=drawn)
