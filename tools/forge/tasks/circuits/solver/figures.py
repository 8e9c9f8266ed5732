"""Curves along the sweep of a circuit, and its figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Given = Mapping[str, Any]
Kept = list[tuple[str, Mapping[str, Any], Any, str]]  # quantity, labels, value, unit
Curves = dict[tuple[Any, ...], tuple[list[float], list[float], str]]  # (quantity, *labels) -> x, y, unit of y
BARS = 16  # in one histogram; of more outcomes the most frequent are drawn


def curves(given: Given, kept: Kept) -> Curves:
    """Every group of numbers that differ in the swept label only."""
    axis = given["axis"]
    made: Curves = {}
    for quantity, labels, value, unit in kept:
        if isinstance(value, float):
            rest = ((name, one) for name, one in labels.items() if name != axis)
            x, y, _ = made.setdefault((quantity, *rest), ([], [], unit))
            x.append(float(labels[axis]))
            y.append(value)
    return {name: one for name, one in made.items() if len(one[0]) > 1}


def draw_curves(given: Given, tools: Any, found: Curves) -> None:
    """A figure for each kind of quantity."""
    panels = _panel(given, found, {"expectation"}, "expectation value")
    for panel in panels if given["sampled"] else []:
        panel["series"] = [{**one, "label": f"{one['label']}, sampled", "style": "points"} for one in panel["series"]]
        for sure in _panel(given, found, {"exact_expectation"}, ""):
            panel["series"] += [{**one, "label": f"{one['label']}, exact", "style": "dashed"} for one in sure["series"]]
    panels += _panel(given, found, {"probability"}, "probability")
    both = [name for name in ("fidelity", "purity") if name in given["wanted"]]
    panels += _panel(given, found, both, " and ".join(both))
    for name in ("entropy", "entanglement_entropy"):
        if name in given["wanted"]:
            panels += _panel(given, found, {name}, f"{name.replace('_', ' ')} ({given['entropy_unit']})")
    panels += _panel(given, found, {"chsh"}, "chsh")
    for number, panel in enumerate(panels, 1):
        tools.plot_lines(path=_path("sweep", number), title=given["title"], panels=[panel])


def _path(name: str, number: int) -> str:
    return f"img/{name}{'' if number == 1 else f'_{number}'}.png"


def _panel(given: Given, found: Curves, quantities: Collection[str], y_label: str) -> list[dict[str, Any]]:
    """One panel, or none."""
    own = [(one[0], dict(one[1:]), x, y) for one, (x, y, _) in found.items() if one[0] in quantities]
    series = [{"label": _curve_name(quantity, labels), "x": x, "y": y} for quantity, labels, x, y in own]
    axis, unit = given["axis"], given["sweep_unit"]
    x_label = f"{axis} ({unit})" if unit else axis
    return [{"title": "", "x_label": x_label, "y_label": y_label, "series": series}] if series else []


def _curve_name(quantity: str, labels: dict[str, Any]) -> str:
    name = quantity.replace("_", " ")
    if "observable" in labels:
        name = f"<{labels.pop('observable')}>"
    elif "outcome" in labels:
        name = f"P({labels.pop('outcome')})"
    return ", ".join([name, *(f"{key} = {value}" for key, value in labels.items())])


def _told(labels: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in labels.items())


def draw_counts(given: Given, tools: Any, kept: Kept) -> None:
    """Histograms of all measurements, a figure for every four rows."""
    n, panels, bases = given["qubits"], [], given["bases"]
    for number, (_, labels, counts, _) in enumerate(kept):
        bars = sorted(counts, key=lambda bits: -counts[bits])[:BARS]
        if 2**n <= BARS:
            bars = [f"{k:0{n}b}" for k in range(2**n)]
        rest = _told({name: value for name, value in labels.items() if name != "basis"})
        title = f"{bases[number % len(bases)]} basis" + (f", {rest}" if rest else "")
        values = [float(counts.get(bits, 0)) for bits in bars]
        panels.append({"title": title, "x_label": "outcome", "y_label": "shots", "labels": bars, "values": values})
    most = 4 * (len(bases) if 1 < len(bases) <= 3 else 3)
    for number, start in enumerate(range(0, len(panels), most), 1):
        tools.plot_bars(path=_path("counts", number), title=given["title"], panels=panels[start : start + most])


def draw_bars(given: Given, tools: Any, kept: Kept) -> None:
    """Exact values of the first six cases."""
    for quantity, what, asked in (("expectation", "observable", "observables"), ("probability", "outcome", "outcomes")):
        panels = []
        for case in given["cases"][:6] if given[asked] else []:
            own = [one for one in kept if one[0] == quantity and case["labels"].items() <= one[1].items()]
            found = {labels[what]: value for _, labels, value, _ in own}
            panels.append({
                "title": _told(case["labels"]), "x_label": what,
                "y_label": quantity.replace("expectation", "expectation value"),
                "labels": list(found), "values": list(found.values()),
            })  # fmt: skip
        if panels:
            tools.plot_bars(path=f"img/{quantity}.png", title=given["title"], panels=panels)
