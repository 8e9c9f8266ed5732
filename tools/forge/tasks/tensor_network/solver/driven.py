"""All realisations of a driven chain at all values of the sweep."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from labwright.results import parameter, record

Given = Mapping[str, Any]
USED = ("bulk", "dt", "order", "realisations", "seed", "disorder_width", "formula")


def disorder(given: Given) -> Any:
    """Numbers of each realisation and site."""
    width, shape = given["disorder_width"], (given["realisations"], given["sites"])
    return np.random.default_rng(given["seed"]).uniform(-width, width, shape)


def driven(given: Given, value: int, drawn: Any) -> list[dict[str, Any]]:
    """Segments of one period for a value of the sweep and drawn numbers."""
    made = []
    for segment in given["segments"]:
        terms = [
            {"letters": term["letters"], "site": site, "weight": weight}
            for term in segment["terms"]
            for site in range(given["sites"] + 1 - len(term["letters"]))
            if (weight := float(term["weights"][value] * (drawn[site] if term["disorder"] else 1.0))) != 0
        ]
        made.append({"duration": segment["duration"], "terms": terms})
    return made


def begun(given: Given) -> list[list[float]]:
    """Bloch vectors at the start."""
    return [[-one if given["neel"] and k % 2 else one for one in given["start"]] for k in range(given["sites"])]


def evolved(given: Given, tools: Any, value: int, drawn: Any, periods: int) -> Any:
    """TEBD of one realisation."""
    return tools.floquet_tebd(
        n_sites=given["sites"], segments=driven(given, value, drawn), periods=periods, start=begun(given),
        dt=given["dt"], order=given["order"], chi_max=given["bond_dimension"], observables=[given["axis"].upper()],
        cuts=[given["sites"] // 2 - 1],
    )  # fmt: skip


def main(given: Given, tools: Any) -> None:
    """Record and draw the averages over disorder."""
    for path in Path("results").glob("*_subset.json"):
        for one in json.loads(path.read_text())["records"]:
            record(one["quantity"], one["value"], labels=one["labels"])
    counted, scale, drawn = list(range(given["periods"] + 1)), given["spin_scale"], disorder(given)
    places = {"realisation": list(range(len(drawn))), "site": list(range(given["sites"]))}
    record("disorder", drawn, axes=places)
    curves: dict[str, list[Any]] = {"magnetisation": [], "entropy": []}
    lost, largest = 0.0, 1
    for index, value in enumerate(given["values"]):
        labels = {given["parameter"]: value} if given["parameter"] else {}
        courses, entropies = [], []
        for number, one in enumerate(drawn):
            made = evolved(given, tools, index, one, given["periods"])
            courses.append((scale * np.array(made.expectations[0]))[:, given["bulk"]].mean(axis=1))
            entropies.append([row[0] for row in made.entropies])
            lost, largest = max(lost, made.truncation_errors[-1]), max(largest, *made.bond_dimensions)
            print(f"{labels} realisation {number}: bond dimension {max(made.bond_dimensions)}, discarded weight "
                  f"{made.truncation_errors[-1]:.1e}, entropy {entropies[-1][-1]:.3f}", flush=True)  # fmt: skip
        entropy = np.mean(entropies, axis=0)
        record("entropy", entropy, unit="nat", axes={"period": counted}, labels={"cut": given["sites"] // 2, **labels})
        kept = averaged(given, np.array(courses), counted, labels)
        name = f"{given['parameter']} = {value:g}" if labels else ""
        for quantity, y in (("magnetisation", kept), ("entropy", entropy)):
            curves[quantity].append({"label": name, "x": counted, "y": y.tolist()})
    record("truncation_error", lost)
    record("bond_dimension", largest)
    parameter(
        magnetisation_operator=f"S{given['axis']}" if scale == 0.5 else f"2S{given['axis']}", truncation_error=lost,
        convention="literal: " + ", ".join(f"{one / math.pi:.3f} pi" for one in given["pulse_angles"]) + " a segment",
        chi_max=given["bond_dimension"], **{name: given[name] for name in USED},
    )  # fmt: skip
    draw(given, tools, curves)


def averaged(given: Given, courses: Any, counted: list[int], labels: Given) -> Any:
    """Mean magnetisation, which is recorded with what it says of period doubling."""
    mean, told = courses.mean(axis=0), {"axis": given["axis"], **labels}
    record("magnetisation", mean, axes={"period": counted}, labels=told)
    record("magnetisation_spread", courses.std(axis=0), axes={"period": counted}, labels=told)
    # weight of the alternating part, over the whole run and its second half: period doubling has all of it
    turned = mean * (-1.0) ** np.arange(len(mean))
    for part, values in (("all", turned), ("second half", turned[len(turned) // 2 :])):
        record("subharmonic_weight", abs(values.mean()), labels={"part": part, **labels})
    below = np.flatnonzero(np.abs(mean) / (abs(mean[0]) or 1.0) < 1 / math.e)
    record("lifetime", int(below[0]) if len(below) else -1, unit="periods", labels=labels)
    record("sign_changes", int(np.sum(np.sign(mean[1:]) != np.sign(mean[:-1]))), labels=labels)
    return mean


def draw(given: Given, tools: Any, curves: Mapping[str, list[Any]]) -> None:
    """Magnetisation of all values together and one by one; entropies."""

    def panel(title: str, y_label: str, series: list[Any]) -> dict[str, Any]:
        return {"title": title, "x_label": "period", "y_label": y_label, "series": series}

    unit = "<S>" if given["spin_scale"] == 0.5 else "<sigma>"
    all_curves = curves["magnetisation"]
    panels = [panel("", unit, all_curves)] if len(all_curves) > 1 else []
    panels += [panel(one["label"], unit, [one]) for one in all_curves]
    tools.plot_lines(path="img/magnetisation.png", title=f"Magnetisation along {given['axis']}", panels=panels)
    panels = [panel("", "entropy (nat)", curves["entropy"])]
    tools.plot_lines(path="img/entropy.png", title="Entanglement of the two halves", panels=panels)
