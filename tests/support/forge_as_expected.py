"""Workspaces that hold what an ``expected.yaml`` expects, under its own words or under others."""

from __future__ import annotations

from typing import Any

import numpy as np
from forge_workspaces import bars, heatmap, lines, made, record

from labwright.evaluation.forge.expected import Expectation, Expected

Made = dict[str, Any]


def wanted(one: Expected) -> Any:
    """The values of a result; of bounds, a value that keeps them; of counts, the exact shares."""
    if one.shots:
        counts = {bits: round(p * one.shots) for bits, p in one.probabilities.items()}
        first = next(iter(counts))
        counts[first] += one.shots - sum(counts.values())
        return counts
    if one.at_least is not None or one.at_most is not None:
        bounds = [bound for bound in (one.at_least, one.at_most) if bound is not None]
        return sum(bounds) / len(bounds)
    return next(iter(one.either.values())) if one.either else one.values


def whole(one: Expected) -> tuple[list[float], list[float]]:
    """Positions and values with as many points as are asked for; between those that are known, straight."""
    at, values = np.array(one.at), np.array(wanted(one), dtype=float)
    fine = np.unique(np.concatenate([np.linspace(at[0], at[-1], max(one.points, len(at))), at]))
    return fine.tolist(), np.interp(fine, at, values).tolist()


def right(expectation: Expectation, spelling: int = 0) -> Made:
    """A workspace that is right; `spelling` chooses among names and labels that are accepted."""
    records, figures, panels = [], [], {"lines": {}, "heatmap": [], "bars": {}}
    for one in expectation.results:
        if one.pulses is not None:
            continue
        quantity = one.quantity[spelling % len(one.quantity)]
        keys = {key.split("|")[spelling % len(key.split("|"))]: said for key, said in one.labels.items()}
        labels = {key: said[spelling % len(said)] for key, said in keys.items()}
        if one.axis and one.axis != "sorted":
            x, values = whole(one)
            axis = one.axis.split("|")[spelling % len(one.axis.split("|"))]
            records.append(record(quantity, values, {axis: x}, one.unit, **labels))
            records[-1]["axes"][0]["unit"] = one.axis_unit
            panels["lines"][one.name] = (x, values)
        else:
            records.append(record(quantity, wanted(one), {}, one.unit, **labels))
            panels["bars"][one.name] = wanted(one)
    for shown in expectation.figures:
        if shown.kind == "lines":
            figures.append(_together([panels["lines"][name] for name in shown.show if name in panels["lines"]]))
        elif shown.kind == "bars":
            for name in shown.show:
                height = panels["bars"][name]
                figures.append(bars(height if isinstance(height, dict) else {name: height}))
        else:
            x, _ = panels["lines"][shown.show[0]]
            columns = np.array([panels["lines"][name][1] for name in shown.show]).T
            figures.append(heatmap(range(columns.shape[1]), x, columns))
    packages = [line[0] for line in expectation.packages]
    script = "".join(f"import {name}\n{name}.run()\n" for name in packages)
    return made(records, figures, packages=packages, script=script)


def _together(curves: list[tuple[list[float], list[float]]]) -> Made:
    figure = lines({str(k): values for k, (_, values) in enumerate(curves)}, x=[0.0])
    for series, (x, _) in zip(figure["panels"][0]["series"], curves, strict=True):
        series["x"] = x
    return figure
