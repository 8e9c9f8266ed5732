"""The wanted quantities of all molecules and levels: bars, curves over temperatures, a spectrum of sticks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from labwright.results import parameter

from .task import Plain, Task, records

MOST = 9  # panels of a figure


def main(given: Plain, tools: Any) -> None:
    """Draw what is there."""
    parameter(**given["parameters"])
    drawn, bars, curves = given["drawn"], defaultdict[str, dict[str, Any]](dict), defaultdict[str, dict[str, Any]](dict)
    waves = {
        str(one["labels"].get("state")) + told(one): one["value"]
        for one in records()
        if one["quantity"] == "wavelength"
    }
    sticks = defaultdict[str, list[tuple[float, float]]](list)
    for one in records():
        labels, value = one["labels"], one["value"]
        mark = str(labels.get("state")) + told(one)
        if one["quantity"] == "oscillator_strength" and "oscillator_strength" in drawn and mark in waves:
            sticks[told(one)].append((waves[mark], value))
        if one["quantity"] not in drawn:
            continue
        parts = [str(labels[key]) for key in given["telling"] if key in labels]
        parts += [str(labels[key]) for key in ("numbered", "atoms", "state") if key in labels][:1]
        name, label = ", ".join(parts) or one["quantity"], f"{one['quantity']} ({one['unit']})"
        if one["axes"]:
            curves[label][name] = (one["axes"][0]["values"], value)
        elif isinstance(value, list):
            bars[label] |= {f"{name} {k}".strip(): each for k, each in enumerate(value, 1)}
        elif isinstance(value, int | float):
            bars[label][name] = value
    task = Task(given, tools)
    if bars:
        panels = [
            {"title": "", "x_label": "", "y_label": label, "labels": [*rows], "values": [*rows.values()]}
            for label, rows in bars.items()
        ]
        tools.plot_bars(path="img/overview.png", title=given["title"], panels=panels[:MOST])
    _lines(task, "temperatures", "temperature (K)", curves)
    points = {name: tuple(zip(*rows, strict=True)) for name, rows in sticks.items()}
    _lines(task, "spectrum", "wavelength (nm)", {"oscillator strength": points} if points else {}, style="points")


def told(one: Plain) -> str:
    """Molecule, functional and basis of a record."""
    return ", ".join(str(one["labels"].get(key, "")) for key in ("molecule", "functional", "basis"))


def _lines(task: Task, file: str, x_label: str, curves: Plain, **how: Any) -> None:
    panels = [
        {
            "title": "", "x_label": x_label, "y_label": label,
            "series": [{"label": name, "x": list(x), "y": list(y), **how} for name, (x, y) in rows.items()],
        }
        for label, rows in curves.items()
    ]  # fmt: skip
    if panels:
        task.tools.plot_lines(path=f"img/{file}.png", title=task.given["title"], panels=panels[:MOST])
