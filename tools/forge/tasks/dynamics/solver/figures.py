"""What the figures of a card show, as inputs of the plotting tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .cases import cases_of
from .demands import demands_of

Curve = Mapping[str, Any]
MOST_CURVES, MOST_PANELS = 10, 6
_SAYS = {"expectation": "expectation value", "steady_state": "steady state", "entropy": "entropy"}


def figures(card: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """(``plot_lines``, ``plot_bars`` or ``plot_heatmap``, its input) of every figure that a card asks for."""
    made: list[tuple[str, dict[str, Any]]] = []
    units = {name: unit for case in cases_of(card) for name, unit in case.units.items()}
    for demand in demands_of(card):
        sort = demand.figure["kind"]
        own = [{**one, "units": units} for one in records if one["quantity"] == demand.name and _finite(one["value"])]
        if sort == "none" or not own:
            continue
        build = {"lines": _lines, "bars": _bars, "heatmap": _heatmap}[sort]
        panels = build(own, demand.figure, _SAYS.get(demand.name, demand.name.replace("_", " ")))
        for start in range(0, len(panels), MOST_PANELS):
            name = f"img/{demand.name}{f'_{start // MOST_PANELS + 1}' if start else ''}.png"
            shown = {"path": name, "title": card.get("title", ""), "panels": panels[start : start + MOST_PANELS]}
            if sort == "heatmap":
                shown["symmetric"] = any(value < 0 for panel in panels for row in panel["values"] for value in row)
            made.append((f"plot_{sort}", shown))
    return made


def plotting_tools(card: Mapping[str, Any]) -> list[str]:
    """The tools that the figures of a card need."""
    sorts = {f"plot_{demand.figure['kind']}" for demand in demands_of(card)} - {"plot_none"}
    return sorted(sorts)


def _finite(value: Any) -> bool:
    return value is not None and not (isinstance(value, list) and None in value)


def told(labels: Mapping[str, Any], units: Mapping[str, str] | None = None) -> str:
    """Labels as a legend has them; numbers with their names and units."""
    units = units or {}
    shown = [(name, value, isinstance(value, int | float)) for name, value in labels.items()]
    return ", ".join(f"{n} = {v:g} {units.get(n, '')}".rstrip() if number else str(v) for n, v, number in shown)


def _headed(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _curves(own: Sequence[Mapping[str, Any]], figure: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The records with the axis that a figure runs along."""
    curves = [one for one in own if one["axes"]]
    wanted = figure.get("x") or (curves[0]["axes"][0]["name"] if curves else "")
    return [one for one in curves if one["axes"][0]["name"] == wanted]


def _split(curves: Sequence[Curve], figure: Curve) -> dict[tuple[str, ...], list[Curve]]:
    """Curves by panel: by the label that is asked for, else by evolution and by observable where there are cases."""
    names = list(dict.fromkeys(name for one in curves for name in one["labels"]))
    several = {name for name in names if len({str(one["labels"].get(name)) for one in curves}) > 1}
    if figure.get("panel"):
        by = [figure["panel"]]
    else:
        cases = several - {"observable", "level", "part"}
        several_cases = cases - {"evolution"}
        by = [one for one in ("evolution", "observable") if one in several and (one == "evolution" or several_cases)]
        by += [name for name in cases if "level" in several and name != "evolution"]
    panels: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for one in curves:
        title = tuple(told({name: one["labels"][name]}, one["units"]) for name in by if name in one["labels"])
        rest = {name: value for name, value in one["labels"].items() if name not in by and name in several}
        panels.setdefault(title, []).append({**one, "labels": rest})
    return panels


def _lines(own: Sequence[Mapping[str, Any]], figure: Mapping[str, Any], said: str) -> list[dict[str, Any]]:
    panels = []
    for title, curves in _split(_curves(own, figure), figure).items():
        for start in range(0, len(curves), MOST_CURVES):
            part = curves[start : start + MOST_CURVES]
            lines = [(told(one["labels"], one["units"]), one["axes"][0]["values"], one["value"]) for one in part]
            series = [{"label": label, "x": x, "y": y} for label, x, y in lines]
            axis, log = part[0]["axes"][0], "y" in (figure.get("log") or "")
            panels.append({
                "title": ", ".join(title), "x_label": _headed(axis["name"], axis["unit"]),
                "y_label": _headed(said, part[0]["unit"]),
                "y_log": log and all(y > 0 for one in series for y in one["y"]), "series": series,
            })  # fmt: skip
    return panels


def _bars(own: Sequence[Mapping[str, Any]], figure: Mapping[str, Any], said: str) -> list[dict[str, Any]]:
    single = [one for one in own if not one["axes"]] or [
        {**one, "labels": {**one["labels"], "": f"{x:g}"}, "value": y}
        for one in _curves(own, figure)
        for x, y in zip(one["axes"][0]["values"], one["value"], strict=True)
    ]
    panels = []
    for title, part in _split(single, figure if figure.get("panel") else {"panel": ""}).items():
        names = [told(one["labels"], one["units"]) or said for one in part]
        panels.append({
            "title": ", ".join(title),
            "x_label": ", ".join(dict.fromkeys(name for one in part for name in one["labels"])),
            "y_label": _headed(said, part[0]["unit"]), "labels": names, "values": [one["value"] for one in part],
        })  # fmt: skip
    return [panel for panel in panels if len(set(panel["labels"])) == len(panel["labels"])]


def _heatmap(own: Sequence[Mapping[str, Any]], figure: Mapping[str, Any], said: str) -> list[dict[str, Any]]:
    curves = _curves(own, figure)
    every = dict.fromkeys(name for one in curves for name in one["labels"])
    names = [name for name in every if all(isinstance(one["labels"].get(name), int | float) for one in curves)]
    rows = next((name for name in names if len({one["labels"][name] for one in curves}) > 1), None)
    if rows is None:
        return []
    panels = []
    for title, part in _split(curves, {"panel": figure["panel"]} if figure.get("panel") else {"panel": ""}).items():
        groups: dict[str, list[Mapping[str, Any]]] = {}
        for one in part:
            groups.setdefault(told({n: v for n, v in one["labels"].items() if n != rows}), []).append(one)
        for rest, group in groups.items():
            ordered = sorted(group, key=lambda one: one["labels"][rows])
            axis = ordered[0]["axes"][0]
            panels.append({
                "title": ", ".join(filter(None, [*title, rest])), "x_label": _headed(axis["name"], axis["unit"]),
                "y_label": _headed(rows, ordered[0]["units"].get(rows, "")),
                "colour_label": _headed(said, ordered[0]["unit"]), "x": axis["values"],
                "y": [one["labels"][rows] for one in ordered], "values": [one["value"] for one in ordered],
            })  # fmt: skip
    return panels
