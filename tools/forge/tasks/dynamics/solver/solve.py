"""A card's results: every demand in every case, with the error of each number, as records, tables and figures."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Case, axes_of, chosen, fixed_parameters, shown
from .demands import Demand, Found, checked, results_of, weights_of
from .evolution import LARGER, MAIN, SECOND, Accuracy, Evolution
from .expression_functions import plain_functions
from .expression_values import CardError
from .expressions import Walker
from .model import Model

Say = Callable[[str], None]


def solved(card: Mapping[str, Any], say: Say = lambda text: None) -> dict[str, Any]:
    """Everything that a card wants.

    Args:
        say: told a line for each case.

    Returns:
        ``parameters`` and ``records``, JSON-plain, as ``results.json`` has them.

    Raises:
        CardError: the card cannot be computed.
    """
    cases, demands = checked(card)
    axes = axes_of(cases)
    oscillators = any("oscillator" in part for part in card["parts"].values())
    records: list[dict[str, Any]] = []
    worst = {"norm_error": 0.0, "lowest_eigenvalue": 0.0, "truncation": 0.0}
    every: list[tuple[Found, float | None]] = []
    for case in cases:
        asked = [one for one in demands if chosen(one.where, case, axes)]
        model = Model(card, case)
        found, looked = _computed(model, asked, MAIN)
        second, _ = _computed(model, asked, SECOND)
        errors = [_difference(one.value, other.value) for one, other in zip(found, second, strict=True)]
        if oscillators:
            larger = _larger(card, case, asked)
            if larger is not None and len(larger) == len(found):
                cut = [_difference(one.value, other.value) for one, other in zip(found, larger, strict=True)]
                shares = [c / s for c, s in zip(cut, map(_size, found), strict=True) if c is not None and s > 1e-9]
                worst["truncation"] = max(worst["truncation"], *shares, 0.0)
                errors = [None if e is None else e + (c or 0.0) for e, c in zip(errors, cut, strict=True)]
        every += list(zip(found, errors, strict=True))
        worst["norm_error"] = max(worst["norm_error"], looked.norm_error)
        worst["lowest_eigenvalue"] = min(worst["lowest_eigenvalue"], looked.lowest_eigenvalue)
        largest = max([e for e in errors if e is not None], default=0.0)
        say(f"{_told(case.labels) or 'the only case'}: {len(found)} results, error at most {largest:.1e}")
    records += [_record(one, error) for one, error in every]
    records += _swept(every, axes)
    for name in card.get("average") or {}:
        records += _averaged(every, name, weights_of(card, cases, name), cases)
    for demand in demands:
        own = [(one, error or 0.0) for one, error in every if one.demand is demand]
        size = max((_size(replace(one, scale=0.0)) for one, _ in own), default=0.0)
        scale = max((one.scale for one, _ in own), default=0.0)
        if scale > size and max(error for _, error in own) > 1e-3 * size:
            more = {"labels": {"result": demand.name}, "value": scale, "unit": own[0][0].unit}
            records.append({"quantity": "scale", "axes": [], **more})
    for name in ("norm_error", "lowest_eigenvalue", *(["truncation"] if oscillators else [])):
        records.append({"quantity": name, "labels": {}, "axes": [], "value": worst[name], "unit": ""})
    return {"parameters": _parameters(card, Model(card, cases[0]).times), "records": records}


def _computed(model: Model, demands: Sequence[Demand], accuracy: Accuracy) -> tuple[list[Found], Evolution]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sparse formats and integrators; what matters is checked in numbers
        evolution = Evolution(model, accuracy)
        return [one for demand in demands for one in results_of(demand, model, evolution)], evolution


def _larger(card: Mapping[str, Any], case: Case, demands: Sequence[Demand]) -> list[Found] | None:
    """The same with more levels for the oscillators; None where the card fixes their number, as by a matrix."""
    try:
        return _computed(Model(card, case, LARGER.more_levels), demands, LARGER)[0]
    except CardError:
        return None


def _difference(one: Any, other: Any) -> float | None:
    if one is None or other is None:
        return None if one is other else float("inf")
    a, b = np.atleast_1d(np.asarray(one, dtype=float)), np.atleast_1d(np.asarray(other, dtype=float))
    common = min(len(a), len(b))
    return float(np.abs(a[:common] - b[:common]).max(initial=0.0))


def _size(one: Found) -> float:
    """The largest absolute value of a result, or of the curve that it is taken from."""
    return max(one.scale, float(np.abs(np.asarray(0.0 if one.value is None else one.value)).max(initial=0.0)))


def _told(labels: Mapping[str, Any]) -> str:
    shown = (f"{name} = {one:g}" if isinstance(one, float) else f"{name} = {one}" for name, one in labels.items())
    return ", ".join(shown)


def _tidy(label: Any) -> Any:
    return int(label) if isinstance(label, float) and label.is_integer() and abs(label) < 1e15 else label


def _record(one: Found, error: float | None) -> dict[str, Any]:
    labels = {name: _tidy(label) for name, label in {**one.labels, **one.case.labels}.items()}
    axes = [{"name": one.axis.name, "values": list(one.axis.values), "unit": one.axis.unit}] if one.axis else []
    made = {"quantity": one.demand.name, "labels": labels, "axes": axes, "value": one.value, "unit": one.unit}
    return made | ({"uncertainty": error} if error is not None and np.isfinite(error) else {})


def _swept(every: Sequence[tuple[Found, float | None]], axes: Mapping[str, set[Any]]) -> list[dict[str, Any]]:
    """Single numbers once more as curves along every axis of numbers."""
    made: list[dict[str, Any]] = []
    for name, values in axes.items():
        if len(values) < 2 or not all(isinstance(value, int | float) for value in values):
            continue
        groups: dict[str, list[tuple[Found, float | None]]] = {}
        for one, error in every:
            if one.axis is None and one.value is not None and name in one.case.labels:
                rest = {key: value for key, value in {**one.labels, **one.case.labels}.items() if key != name}
                groups.setdefault(json.dumps([one.demand.name, rest]), []).append((one, error))
        for key, group in groups.items():
            if len(group) < 2:
                continue
            quantity, labels = json.loads(key)
            ordered = sorted(group, key=lambda pair: pair[0].case.labels[name])
            axis = {"name": name, "values": [float(one.case.labels[name]) for one, _ in ordered]}
            axis["unit"] = ordered[0][0].case.units.get(name, "")
            made.append({
                "quantity": quantity, "labels": {k: _tidy(v) for k, v in labels.items()}, "axes": [axis],
                "value": [one.value for one, _ in ordered], "unit": ordered[0][0].unit,
                "uncertainty": max((error for _, error in ordered if error is not None), default=0.0),
            })  # fmt: skip
    return made


def _averaged(
    every: Sequence[tuple[Found, float | None]], name: str, weights: Sequence[float], cases: Sequence[Case]
) -> list[dict[str, Any]]:
    """Results averaged over the cases that differ in one parameter, with the label ``average``."""
    weight = {id(case): one for case, one in zip(cases, weights, strict=True)}
    groups: dict[str, list[tuple[Found, float]]] = {}
    for one, error in every:
        rest = {key: value for key, value in {**one.labels, **one.case.labels}.items() if key != name}
        if one.value is not None and weight[id(one.case)]:
            groups.setdefault(json.dumps([one.demand.name, rest]), []).append((one, error or 0.0))
    made = []
    for key, group in groups.items():
        shares = np.array([weight[id(one.case)] for one, _ in group])
        shares = shares / shares.sum()
        value = shares @ np.array([one.value for one, _ in group])
        mean = replace(group[0][0], value=value.tolist(), labels={}, case=Case(json.loads(key)[1]))
        record = _record(mean, float(shares @ [error for _, error in group]))
        made.append({**record, "labels": {**record["labels"], "average": f"over {name}"}})
    return made


def _parameters(card: Mapping[str, Any], times: Any) -> dict[str, Any]:
    """What the card sets, as numbers where they are some."""
    walker = Walker({}, plain_functions())
    made: dict[str, Any] = {"title": card.get("title", ""), "parts": card["parts"]}
    for name, value in fixed_parameters(card, walker).items():
        number, unit = shown(value, None)
        text = f"{number:g} {unit}" if unit and isinstance(number, float) else str(number)
        made[name] = text if unit or isinstance(number, complex) else number
    for name in ("hamiltonian", "drives", "collapse", "relaxation", "initial", "times"):
        if card.get(name):
            made[name] = card[name]
    if times is not None:
        made |= {"t_start": _clean(times[0]), "t_stop": _clean(times[-1]), "n_times": len(times)}
    return made


def _clean(number: float) -> float:
    return float(f"{number:.12g}")


def write(results: Mapping[str, Any], card: Mapping[str, Any], folder: Path) -> list[str]:
    """``results/dynamics.json`` and a table ``tables/NAME.csv`` of every wanted result; the paths."""
    (folder / "results").mkdir(exist_ok=True)
    (folder / "tables").mkdir(exist_ok=True)
    (folder / "results" / "dynamics.json").write_text(json.dumps(results))
    paths = ["results/dynamics.json"]
    for name in card["wanted"]:
        rows = _table([one for one in results["records"] if one["quantity"] == name])
        with (folder / "tables" / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        paths.append(f"tables/{name}.csv")
    return paths


def _table(records: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Curves along one axis as columns; single numbers as rows."""
    curves = [one for one in records if one["axes"]]
    if not curves:
        names = list(dict.fromkeys(name for one in records for name in one["labels"]))
        head = [*names, "value", "unit", "uncertainty"]
        labels = [[one["labels"].get(name, "") for name in names] for one in records]
        tails = [[one["value"], one["unit"], one.get("uncertainty", "")] for one in records]
        return [head, *([*a, *b] for a, b in zip(labels, tails, strict=True))]
    first = curves[0]["axes"][0]
    alike = [one for one in curves if one["axes"][0] == first]
    unit = f" ({first['unit']})" if first["unit"] else ""
    heads = [(_told(one["labels"]) or one["quantity"]) + (f" ({one['unit']})" if one["unit"] else "") for one in alike]
    rows = [[x, *(one["value"][k] for one in alike)] for k, x in enumerate(first["values"])]
    others = [one for one in curves if one["axes"][0] != first]
    tail = [[], *_table(others)] if others else []
    return [[first["name"] + unit, *heads], *rows, *tail]
