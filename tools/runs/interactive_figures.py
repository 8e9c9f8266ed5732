"""A drawn figure as data that a browser can zoom into: the form of plotly.js, with the numbers that were drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Trace = dict[str, Any]
NEUTRAL = "#808080"  # for what is drawn almost black or white: it is seen on light and on dark pages
FAINT = "rgba(128,128,128,0.18)"
MARKERS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "v": "triangle-down",
    "D": "diamond",
    "x": "x",
    "+": "cross",
}
DASHES = {"--": "dash", ":": "dot", "-.": "dashdot"}
NO_LINE = ("None", " ", "")
_TEX = re.compile(r"\\([A-Za-z]+)")
_SPACE = re.compile(r"\\[,;:! ]")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


class _Unknown(Exception):
    """The figure holds something that has no counterpart; its picture is all there is."""


def interactive(figure: Figure) -> Trace | None:
    """`figure` as ``{"data": [...], "layout": {...}}`` for plotly.js; None where it holds more than curves and grids.

    The figure was drawn before: only then is it known where its axes lie.
    """
    axes = [axis for axis in figure.axes if axis.get_visible() and axis.get_label() != "<colorbar>"]
    layout: Trace = {
        "shapes": [],
        "annotations": [],
        "showlegend": bool(figure.legends) or any(axis.get_legend() for axis in axes),
    }
    layout["title"] = {"text": plain(figure.get_suptitle() or (axes[0].get_title() if axes else ""))}
    data: list[Trace] = []
    try:
        for number, axis in enumerate(axes, 1):
            suffix = "" if number == 1 else str(number)
            _frame(axis, suffix, layout, many=len(axes) > 1 or bool(figure.get_suptitle()))
            place = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
            data += [{**trace, **place} for trace in _traces(axis, layout, suffix)]
            if number > 1 and axis.get_shared_x_axes().joined(axes[0], axis):
                layout[f"xaxis{suffix}"]["matches"] = "x"
        _fill(layout)
    except _Unknown:
        return None
    return {"data": data, "layout": layout} if data else None


def plain(text: str) -> str:
    """`text` without TeX: ``$\\mu$s`` becomes µs."""
    from matplotlib import _mathtext_data

    def drawn(part: str) -> str:
        known = _TEX.sub(lambda found: chr(_mathtext_data.tex2uni.get(found[1], 32)), _SPACE.sub("", part))
        raised = re.sub(r"\^\{?([0-9+-]+)\}?", lambda found: found[1].translate(_RAISED), known)
        return re.sub(r"[{}]|_(?=\{|\w)", "", raised)

    parts = text.split("$")
    return "".join(drawn(part) if place % 2 else part for place, part in enumerate(parts)).replace("\n", "<br>")


def _frame(axis: Axes, suffix: str, layout: Trace, *, many: bool) -> None:
    """Where the axes lie, their titles, bounds and ticks."""
    box = axis.get_position()
    sides = (("x", axis.xaxis, (box.x0, box.x1), axis.get_xlim()), ("y", axis.yaxis, (box.y0, box.y1), axis.get_ylim()))
    for name, side, domain, bounds in sides:
        made: Trace = {"domain": [float(end) for end in domain], "anchor": f"{'y' if name == 'x' else 'x'}{suffix}"}
        made["title"] = {"text": plain(side.get_label_text()), "standoff": 6}
        scale = side.get_scale()
        if scale not in ("linear", "log"):
            raise _Unknown
        made["type"] = scale
        made["range"] = _rounded(np.log10(bounds) if scale == "log" else bounds)
        if not any(label.get_visible() for label in side.get_majorticklabels()):
            made["showticklabels"] = False
        elif type(side.get_major_locator()).__name__ == "FixedLocator":
            made["tickvals"] = _rounded(side.get_majorticklocs())
            made["ticktext"] = [plain(label.get_text()) for label in side.get_majorticklabels()]
        layout[f"{name}axis{suffix}"] = made
    if many and axis.get_title():
        layout["annotations"].append(_words(axis.get_title(), suffix, 0.5, 1.0, "center", "bottom", domain=True))
    for text in axis.texts:
        x, y = text.get_position()
        inside = text.get_transform() == axis.transAxes
        if text.get_text() and (inside or text.get_transform() == axis.transData):
            sides_of = str(text.get_horizontalalignment()), str(text.get_verticalalignment())
            layout["annotations"].append(_words(text.get_text(), suffix, x, y, *sides_of, domain=inside))


def _fill(layout: Trace) -> None:
    """Let the axes together fill the whole drawing: its margins are the browser's matter."""
    for name in "xy":
        sides = [side for key, side in layout.items() if key.startswith(f"{name}axis")]
        low, high = min(side["domain"][0] for side in sides), max(side["domain"][1] for side in sides)
        for side in sides:
            side["domain"] = [round((end - low) / (high - low), 4) for end in side["domain"]]


_ALONG = {"center": "middle", "center_baseline": "middle", "baseline": "bottom"}


def _words(text: str, suffix: str, x: Any, y: Any, across: str, along: str, *, domain: bool) -> Trace:
    of = " domain" if domain else ""
    boxed = {"bgcolor": FAINT} if "\n" in text else {}
    return {
        "text": plain(text), "x": _number(x), "y": _number(y), "xref": f"x{suffix}{of}", "yref": f"y{suffix}{of}",
        "xanchor": across, "yanchor": _ALONG.get(along, along),
        "showarrow": False, "align": "left", "font": {"size": 11}, **boxed,
    }  # fmt: skip


def _traces(axis: Axes, layout: Trace, suffix: str) -> Iterator[Trace]:
    from matplotlib.collections import LineCollection, PathCollection, QuadMesh
    from matplotlib.container import BarContainer, ErrorbarContainer

    drawn: set[Any] = set()
    for container in axis.containers:
        drawn |= set(container.get_children())
        if isinstance(container, ErrorbarContainer):
            yield from _with_errors(container)
        elif isinstance(container, BarContainer):
            yield _bars(container)
    for line in axis.lines:
        if line not in drawn:
            yield from _line_or_rule(line, axis, layout, suffix)
    for image in axis.images:
        left, right, bottom, top = image.get_extent()
        values = np.asarray(image.get_array())
        ends = (bottom, top) if image.origin == "lower" else (top, bottom)
        edges = [
            np.linspace(*span, count + 1)
            for span, count in zip(((left, right), ends), values.shape[1::-1], strict=True)
        ]
        yield _grid(image, values, *edges)
    for collection in axis.collections:
        if collection in drawn:
            continue
        if isinstance(collection, PathCollection):
            yield _points(collection)
        elif isinstance(collection, QuadMesh):
            corners = np.asarray(collection.get_coordinates())
            yield _grid(collection, np.asarray(collection.get_array()), corners[0, :, 0], corners[:, 0, 1])
        elif isinstance(collection, LineCollection):
            yield _segments(collection)
        else:
            yield from _filled(collection)
    for patch in axis.patches:
        if patch not in drawn:
            layout["shapes"].append(_band(patch, axis, suffix))


def _name(label: Any) -> Trace:
    """Name and place in the legend; matplotlib's own labels begin with an underscore."""
    text = str(label or "")
    return {"name": plain(text), "showlegend": True} if text and text[0] != "_" else {"name": "", "showlegend": False}


def _line(line: Any) -> Trace:
    stroke = line.get_linestyle() not in NO_LINE and line.get_linewidth() > 0
    points = str(line.get_marker()) not in NO_LINE
    trace: Trace = {"type": "scatter", "mode": "+".join(["lines"] * stroke + ["markers"] * points) or "none"}
    trace |= {"x": _rounded(line.get_xdata()), "y": _rounded(line.get_ydata()), **_name(line.get_label())}
    if stroke:
        dash = DASHES.get(line.get_linestyle(), "solid")
        trace["line"] = {"color": _colour(line.get_color()), "width": float(line.get_linewidth()), "dash": dash}
        trace["line"]["shape"] = "hv" if str(line.get_drawstyle()).startswith("steps") else "linear"
    if points:
        symbol = MARKERS.get(str(line.get_marker()), "circle")
        trace["marker"] = {"symbol": symbol, "size": 1.6 * line.get_markersize(), "color": _colour(line.get_color())}
    return trace


def _line_or_rule(line: Any, axis: Axes, layout: Trace, suffix: str) -> Iterator[Trace]:
    along = tuple(line.get_transform().contains_branch_seperately(axis.transData))
    if along == (True, True):
        yield _line(line)
        return
    if not any(along):
        raise _Unknown
    across = (
        {"x0": 0, "x1": 1, "xref": f"x{suffix} domain"} if along[1] else {"y0": 0, "y1": 1, "yref": f"y{suffix} domain"}
    )
    at = _number(line.get_ydata()[0] if along[1] else line.get_xdata()[0])
    fixed = {"y0": at, "y1": at, "yref": f"y{suffix}"} if along[1] else {"x0": at, "x1": at, "xref": f"x{suffix}"}
    style = {"color": _colour(line.get_color()), "width": 1, "dash": DASHES.get(line.get_linestyle(), "solid")}
    layout["shapes"].append({"type": "line", "layer": "below", "line": style, **across, **fixed})


def _with_errors(container: Any) -> Iterator[Trace]:
    line, _, bars = container.lines
    if line is None:
        raise _Unknown
    trace = _line(line) | _name(container.get_label())
    kinds = [name for name, there in (("error_x", container.has_xerr), ("error_y", container.has_yerr)) if there]
    for kind, bar in zip(kinds, bars, strict=False):
        segments = [np.asarray(one) for one in bar.get_segments()]
        column = 0 if kind == "error_x" else 1
        centre = np.asarray(line.get_xdata() if column == 0 else line.get_ydata(), dtype=float)
        if len(segments) == len(centre):
            low, high = (np.array([one[end, column] for one in segments]) for end in (0, -1))
            sides = {"array": _rounded(high - centre), "arrayminus": _rounded(centre - low)}
            trace[kind] = {"type": "data", "symmetric": False, "thickness": 1, "width": 0, **sides}
    yield trace


def _bars(container: Any) -> Trace:
    boxes = [patch.get_bbox() for patch in container.patches]
    lying = container.orientation == "horizontal"
    middle = [(box.y0 + box.y1) / 2 if lying else (box.x0 + box.x1) / 2 for box in boxes]
    length = [(box.width, box.x0) if lying else (box.height, box.y0) for box in boxes]
    across, along = ("y", "x") if lying else ("x", "y")
    colours = [_colour(patch.get_facecolor()) for patch in container.patches]
    trace: Trace = {"type": "bar", "orientation": "h" if lying else "v", "marker": {"color": colours}}
    trace |= {across: _rounded(middle), along: _rounded([each[0] for each in length])}
    trace |= {"base": _rounded([each[1] for each in length]), **_name(container.get_label())}
    return {**trace, "width": _rounded([box.height if lying else box.width for box in boxes])}


def _grid(drawn: Any, values: Any, across: Any, along: Any) -> Trace:
    """A heat map; `across` and `along` are the edges of its cells."""
    if values.ndim != 2:
        raise _Unknown
    shades = [[k / 10, _colour(drawn.cmap(k / 10), keep=True)] for k in range(11)]
    low, high = drawn.get_clim()
    return {
        "type": "heatmap", "z": [_rounded(row) for row in np.ma.filled(values.astype(float), np.nan)],
        "x": _rounded(across), "y": _rounded(along), "colorscale": shades,
        "zmin": _number(low), "zmax": _number(high),
        "showscale": getattr(drawn, "colorbar", None) is not None,
    }  # fmt: skip


def _points(collection: Any) -> Trace:
    places = np.asarray(collection.get_offsets(), dtype=float).reshape(-1, 2)
    colours = [_colour(each) for each in collection.get_facecolors()] or [NEUTRAL]
    marker: Trace = {
        "size": max(5.0, 1.4 * float(np.sqrt(np.mean(collection.get_sizes())))),
        "color": colours if len(colours) > 1 else colours[0],
    }
    marker["line"] = {"color": NEUTRAL, "width": 0.5}
    trace = {"type": "scatter", "mode": "markers", "marker": marker, **_name(collection.get_label())}
    return {**trace, "x": _rounded(places[:, 0]), "y": _rounded(places[:, 1])}


def _segments(collection: Any) -> Trace:
    x: list[Any] = []
    y: list[Any] = []
    for one in collection.get_segments():
        x += [*_rounded(one[:, 0]), None]
        y += [*_rounded(one[:, 1]), None]
    line = {"color": _colour(collection.get_colors()[0]), "width": 1}
    return {"type": "scatter", "mode": "lines", "line": line, "x": x, "y": y, **_name(collection.get_label())}


def _filled(collection: Any) -> Iterator[Trace]:
    if type(collection).__name__ not in ("PolyCollection", "FillBetweenPolyCollection"):
        raise _Unknown
    for path in collection.get_paths():
        shade = {"fill": "toself", "fillcolor": _colour(collection.get_facecolor()[0], alpha=True), "hoverinfo": "skip"}
        corners = {"x": _rounded(path.vertices[:, 0]), "y": _rounded(path.vertices[:, 1])}
        yield {"type": "scatter", "mode": "none", **shade, **corners, **_name(collection.get_label())}


def _band(patch: Any, axis: Axes, suffix: str) -> Trace:
    """A rectangle over the whole width or height, such as a band of two sigma."""
    from matplotlib.patches import Rectangle

    along = tuple(patch.get_transform().contains_branch_seperately(axis.transData))
    if not isinstance(patch, Rectangle) or not any(along):
        raise _Unknown
    box = patch.get_bbox()
    ends = {"x0": _number(box.x0), "x1": _number(box.x1), "y0": _number(box.y0), "y1": _number(box.y1)}
    refs = {
        name: f"{name[0]}{suffix}" + ("" if own else " domain")
        for name, own in zip(("xref", "yref"), along, strict=True)
    }
    return {
        "type": "rect",
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": _colour(patch.get_facecolor(), alpha=True),
        **ends,
        **refs,
    }


def _colour(colour: Any, *, keep: bool = False, alpha: bool = False) -> str:
    """As plotly writes it. Almost black and almost white become a grey unless they mean something (`keep`)."""
    from matplotlib.colors import to_hex, to_rgba

    red, green, blue, opacity = to_rgba(colour)
    bright = 0.3 * red + 0.59 * green + 0.11 * blue
    if not keep and max(red, green, blue) - min(red, green, blue) < 0.1 and (bright < 0.25 or bright > 0.85):
        return FAINT if alpha else NEUTRAL
    if alpha and opacity < 1:
        return f"rgba({red * 255:.0f},{green * 255:.0f},{blue * 255:.0f},{opacity:.2f})"
    return str(to_hex(colour))


def _number(value: Any) -> float | None:
    return float(f"{float(value):.9g}") if np.isfinite(float(value)) else None


def _rounded(values: Any) -> list[float | None]:
    """Nine digits of every number, so that a zoom into 5 GHz still shows hertz; a gap where there is none."""
    plain_values: Any = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
    return [_number(plain_values[place]) for place in range(plain_values.size)]
