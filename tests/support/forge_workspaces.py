"""Workspaces made by hand for the graders of forging: right ones from exact references, and ways to spoil them."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

Made = dict[str, Any]  # parameters, records, figures, calls, packages, script


def record(quantity: str, value: Any, axes: dict[str, Any] | None = None, unit: str = "", /, **labels: Any) -> Made:
    """A record of results.json; axes as name -> values."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    listed = [{"name": name, "values": np.asarray(values, float).tolist()} for name, values in (axes or {}).items()]
    return {"quantity": quantity, "labels": labels, "axes": listed, "value": plain, "unit": unit}


def lines(*panels: dict[str, Any], x: Any) -> Made:
    """A line plot; each panel is name -> y values over the same x."""

    def series(label: str, y: Any) -> Made:
        return {"label": label, "x": np.asarray(x, float).tolist(), "y": np.asarray(y, float).tolist(), "style": "line"}

    drawn = [
        {"title": str(k), "x_label": "x", "y_label": "y", "series": [series(*one) for one in panel.items()]}
        for k, panel in enumerate(panels)
    ]
    return {"kind": "lines", "title": "t", "panels": drawn}


def heatmap(x: Any, y: Any, values: Any) -> Made:
    """A heatmap of one panel, rows along y."""
    panel = {"title": "", "x_label": "site", "y_label": "time", "colour_label": "z"}
    axes = {"x": np.asarray(x, float).tolist(), "y": np.asarray(y, float).tolist()}
    return {"kind": "heatmap", "title": "t", "panels": [{**panel, **axes, "values": np.asarray(values).tolist()}]}


def bars(values: dict[str, float]) -> Made:
    """A bar chart of one panel."""
    panel = {"title": "", "x_label": "", "y_label": "n", "labels": list(values), "values": list(values.values())}
    return {"kind": "bars", "title": "t", "panels": [panel]}


def made(records: list[Made], figures: list[Made], parameters: Made | None = None, **more: Any) -> Made:
    """A whole workspace."""
    return {
        "records": records,
        "figures": {f"figure_{k}": figure for k, figure in enumerate(figures)},
        "parameters": parameters or {},
        "calls": [],
        "packages": {},
        "script": "",
        **more,
    }


def write(workspace: Made, folder: Path) -> Path:
    """Put it on disk as a run would have left it."""
    (folder / "img").mkdir(parents=True)
    (folder / "logs").mkdir()
    results = {"parameters": workspace["parameters"], "records": workspace["records"]}
    (folder / "results.json").write_text(json.dumps(results))
    for name, figure in workspace["figures"].items():
        (folder / "img" / f"{name}.json").write_text(json.dumps(figure))
        (folder / "img" / f"{name}.png").write_bytes(b"png")
    (folder / "logs" / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in workspace["calls"]))
    imports = {"script": "script_1.py", "packages": dict.fromkeys(workspace["packages"], "1")}
    (folder / "logs" / "imports.jsonl").write_text(json.dumps(imports) + "\n")
    (folder / "script_1.py").write_text(workspace["script"])
    return folder


def _changed(value: Any, change: Any) -> Any:
    if isinstance(value, dict):
        return {name: _changed(one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [_changed(one, change) for one in value]
    return change(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def spoilt_values(workspace: Made, factor: float, shift: float) -> Made:
    """All values wrong in the same way, in the results and in the figures."""
    wrong = deepcopy(workspace)
    for one in wrong["records"]:
        one["value"] = _changed(one["value"], lambda v: v * factor + shift)
    for figure in wrong["figures"].values():
        for panel in figure.get("panels", []):
            for series in panel.get("series", []):
                series["y"] = _changed(series["y"], lambda v: v * factor + shift)
            if "values" in panel:
                panel["values"] = _changed(panel["values"], lambda v: v * factor + shift)
    return wrong


def spoilt_figures(workspace: Made) -> Made:
    """Figures that show something else than the results."""
    wrong = spoilt_values(workspace, 1.7, 0.3)
    return {**wrong, "records": deepcopy(workspace["records"])}


def cut_short(workspace: Made) -> Made:
    """Only the first half of every axis."""
    wrong = deepcopy(workspace)
    for one in wrong["records"]:
        if one["axes"]:
            values = np.array(one["value"])
            kept = tuple(slice(0, max(1, n // 2)) for n in values.shape)
            one["value"] = values[kept].tolist()
            for axis in one["axes"]:
                axis["values"] = axis["values"][: max(1, len(axis["values"]) // 2)]
    return wrong


SPOILERS = {
    "values off": lambda w: spoilt_values(w, 1.37, 0.21),
    "values reversed": lambda w: spoilt_values(w, -1.0, 0.0),
    "values huge": lambda w: spoilt_values(w, 1.0, 40.0),
    "figures off": spoilt_figures,
    "cut short": cut_short,
    "flat": lambda w: spoilt_values(w, 0.0, 0.2),
    "no parameters": lambda w: {**deepcopy(w), "parameters": {}},
}
