"""Checks of figures by the data that they show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.criteria import Seen
from labwright.evaluation.forge.workspace_contents import Workspace

Array = NDArray[np.float64]


def panels(workspace: Workspace, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Figure and panel, of every figure of one kind."""
    for path, figure in workspace.figures.items():
        if figure.get("kind") == kind:
            for panel in figure.get("panels", []):
                if isinstance(panel, dict):
                    yield path, panel


def _numbers(value: Any) -> Array:
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        return np.array([])


def shows_curve(workspace: Workspace, values: Array, tolerance: float = 1e-6) -> list[tuple[str, str]]:
    """(figure, panel) of all line plots in which a series has these values, in either order or thinned out evenly."""
    found = []
    for path, panel in panels(workspace, "lines"):
        for series in panel.get("series", []):
            y = _numbers(series.get("y", []))
            if y.size >= 2 and _contained(y, values, tolerance):
                found.append((path, str(panel.get("title", ""))))
                break
    return found


def _contained(y: Array, values: Array, tolerance: float) -> bool:
    allowed = tolerance + 1e-6 * float(np.max(np.abs(values), initial=0.0))
    for candidate in (values, values[::-1]):
        if len(y) == len(candidate):
            if np.allclose(y, candidate, rtol=0, atol=allowed):
                return True
        elif 10 <= len(y) < len(candidate):
            thinned = candidate[:: max(1, round((len(candidate) - 1) / (len(y) - 1)))][: len(y)]
            if len(thinned) == len(y) and np.allclose(y, thinned, rtol=0, atol=allowed):
                return True
    return False


def curves_shown(workspace: Workspace, wanted: dict[str, Array], tolerance: float = 1e-6) -> Seen:
    """Whether every curve is in a line plot with labelled axes; `wanted` is name -> values of the results."""
    absent = [name for name, values in wanted.items() if not shows_curve(workspace, values, tolerance)]
    if absent:
        return False, f"no line plot shows {', '.join(absent)} as in the results"
    bare = [path for path, panel in panels(workspace, "lines") if not panel.get("x_label") or not panel.get("y_label")]
    return not bare, f"axes without a label in {bare[0]}" if bare else f"{len(wanted)} curves as in the results"


def together(workspace: Workspace, curves: list[Array], tolerance: float = 1e-6) -> bool:
    """Whether one panel shows all of these curves."""
    shared = [set(shows_curve(workspace, values, tolerance)) for values in curves]
    return bool(shared and set.intersection(*shared))


def shows_heatmap(workspace: Workspace, x: Array, y: Array, values: Array, tolerance: float = 1e-6) -> Seen:
    """Whether a heatmap has these axes (x along columns, y along rows) and values; rows may be thinned out.

    Args:
        values: ``(len(y), len(x))``.
    """
    closest = "no heatmap"
    for path, panel in panels(workspace, "heatmap"):
        shown_x, shown_y = _numbers(panel.get("x", [])), _numbers(panel.get("y", []))
        shown = _numbers(panel.get("values", []))
        if shown.shape != (len(shown_y), len(shown_x)) or len(shown_x) != len(x):
            closest = f"{path}: {shown.shape} cells, {len(x)} columns wanted"
            continue
        if len(shown_y) > len(y) or len(shown_y) < min(10, len(y)):
            closest = f"{path}: {len(shown_y)} rows of {len(y)}"
            continue
        rows = np.clip(np.searchsorted(y, shown_y - 1e-9 * max(1.0, abs(float(y[-1])))), 0, len(y) - 1)
        if np.allclose(y[rows], shown_y, atol=1e-6) and np.allclose(shown, values[rows], rtol=0, atol=tolerance):
            return True, f"{path}: {shown.shape[0]} x {shown.shape[1]} cells as in the results"
        closest = f"{path}: values differ from the results"
    return False, closest


def bars(workspace: Workspace) -> list[dict[str, float]]:
    """Label -> height, of every bar panel."""
    found = []
    for _, panel in panels(workspace, "bars"):
        labels, values = panel.get("labels", []), _numbers(panel.get("values", []))
        if len(labels) == values.size:
            found.append({str(label): float(value) for label, value in zip(labels, values, strict=True)})
    return found


def shows_bars(workspace: Workspace, wanted: dict[str, float], tolerance: float = 1e-6) -> bool:
    """Whether the bars of some panel have these heights, in whatever order; absolute numbers or shares of their sum."""
    heights = np.sort(np.array([value for value in wanted.values() if value]))
    scaled = (heights, heights / (float(np.abs(heights).sum()) or 1.0))
    for one in bars(workspace):
        shown = np.sort(np.array([value for value in one.values() if value]))
        if shown.size == heights.size and any(np.allclose(shown, y, rtol=1e-6, atol=tolerance) for y in scaled):
            return True
    return False
