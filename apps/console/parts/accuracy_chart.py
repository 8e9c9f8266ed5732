"""The trajectory of a search as a chart, and in a sentence for those who do not see it."""

from __future__ import annotations

from typing import Any

from labwright.apps.watching.trials import MapRow
from labwright.tools.feature_maps.compared_methods import OUTSIDE, PREPARED, QUANTUM, TITLES

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"  # Okabe and Ito
INK = "#333333"  # the chart lies on white in both colour schemes


def best_so_far(rows: list[MapRow]) -> list[float | None]:
    """After each map: the validation accuracy of the best map up to it, which is chosen by `selection`."""
    series: list[float | None] = []
    best: float | None = None
    for row in rows:
        best = row.validation if row.leads else best
        series.append(best)
    return series


def rivals(baselines: dict[str, dict[str, Any]]) -> list[tuple[str, float]]:
    """The best classical and the best known quantum kernel by validation accuracy."""
    accuracies = {name: one.get("validation_accuracy") for name, one in baselines.items()}
    known = {name: float(value) for name, value in accuracies.items() if value is not None}  # one may not have worked
    groups = ([name for name in known if name in (*PREPARED, *OUTSIDE)], [name for name in known if name in QUANTUM])
    found = [max(group, key=known.__getitem__) for group in groups if group]
    return [(TITLES.get(name, name), known[name]) for name in found]


def told(rows: list[MapRow], baselines: dict[str, dict[str, Any]]) -> str:
    """What the chart shows, in words."""
    if not rows:
        return "No map was tried yet."
    best = best_so_far(rows)[-1]
    leader = next((row.name for row in reversed(rows) if row.leads), None)
    said = f"{len(rows)} maps were tried in {max(row.trial for row in rows)} trials."
    if leader and best is not None:
        said += f" The best so far is {leader} with {100 * best:.2f} % on the validation part."
        above = [row.name for row in rows if row.validation is not None and row.validation > best]
        if above:  # else the picture would seem to contradict the words
            said += f" {', '.join(above)} did better there, but not by selection, which counts cross-validation, too."
    against = ", ".join(f"{name} {100 * value:.2f} %" for name, value in rivals(baselines))
    return f"{said} For comparison: {against}." if against else said


def chart(rows: list[MapRow], baselines: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Options of an ECharts chart: validation accuracy in percent over the maps in their order."""
    points = [None if row.validation is None else round(100 * row.validation, 3) for row in rows]
    best = [None if value is None else round(100 * value, 3) for value in best_so_far(rows)]
    labels = [f"{number} (trial {row.trial})" for number, row in enumerate(rows, start=1)]
    tried: dict[str, Any] = {
        "name": "map that was tried",
        "type": "scatter",
        "data": points,
        "symbol": "circle",
        "symbolSize": 10,
    }
    line: dict[str, Any] = {"name": "best so far", "type": "line", "step": "end", "data": best, "symbol": "none"}
    series: list[dict[str, Any]] = [
        {**tried, "itemStyle": {"color": BLUE, "borderColor": INK}},
        {**line, "lineStyle": {"color": INK, "width": 2.5}, "itemStyle": {"color": INK}},
        *(
            _level(name, value, len(rows), colour, dash)
            for (name, value), colour, dash in zip(
                rivals(baselines), (ORANGE, PURPLE), ("dashed", "dotted"), strict=False
            )
        ),
    ]
    return {
        "animation": False,
        "aria": {"enabled": True, "label": {"description": told(rows, baselines)}},
        "textStyle": {"color": INK, "fontSize": 13},
        "grid": {"left": 64, "right": 24, "top": 48, "bottom": 52},
        "legend": {"top": 0, "left": 0, "textStyle": {"color": INK}, "data": [one["name"] for one in series]},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {
            "type": "category", "data": labels, "name": "maps in the order in which they were tried", "nameGap": 28,
            "nameLocation": "middle", "axisLabel": {"color": INK}, "nameTextStyle": {"color": INK},
        },
        "yAxis": {
            "type": "value", "scale": True, "name": "validation accuracy (%)", "nameLocation": "middle", "nameGap": 44,
            "axisLabel": {"color": INK}, "nameTextStyle": {"color": INK},
        },
        "series": series,
    }  # fmt: skip


def _level(name: str, value: float, count: int, colour: str, dash: str) -> dict[str, Any]:
    style = {"color": colour, "width": 2.5, "type": dash}
    data = [round(100 * value, 3)] * count
    return {
        "name": name,
        "type": "line",
        "data": data,
        "symbol": "none",
        "lineStyle": style,
        "itemStyle": {"color": colour},
    }
