"""The hierarchy of every case, with what its depth, its terms and its terminator change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from labwright.results import parameter, record

Given = Mapping[str, Any]
KELVIN = 0.6950348  # 1/cm
MOST_CURVES = 12  # in one plot
USED = {"depth": "depth", "matsubara_terms": "terms", "expansion": "expansion", "terminator": "terminator",
        "initial": "initial_name", "duration_fs": "duration", "cases": "cases",
        "hamiltonian": "hamiltonian"}  # fmt: skip


def times(given: Given) -> list[float]:
    """fs."""
    return [float(one) for one in np.linspace(0, given["duration"], given["records"])]


def axes(given: Given, *, sites: bool = False) -> dict[str, Any]:
    """The axis of the times in their unit, and that of the sites."""
    scale = 1e-3 if given["time_unit"] == "ps" else 1.0
    made: dict[str, Any] = {"time": ([one * scale for one in times(given)], given["time_unit"])}
    return made | ({"site": numbers(given)} if sites else {})


def numbers(given: Given) -> list[int]:
    """Of the sites."""
    return [given["first_site"] + k for k in range(len(given["hamiltonian"]))]


def propagated(given: Given, tools: Any, case: Given, **changed: Any) -> Any:
    """One run with QuTiP's HEOM solver."""
    taken = {name: given[name] for name in ("depth", "terms", "terminator")} | changed
    return tools.heom_excitons(
        hamiltonian=given["hamiltonian"], reorganization=case["reorganization"], cutoff_times=case["cutoff_time"],
        temperature=case["temperature"], expansion=given["expansion"], initial=given["initial"], times=times(given),
        coherences=given["coherences"], relative_tolerance=1e-5, absolute_tolerance=1e-7, **taken,
    )  # fmt: skip


def apart(one: Any, other: Any) -> float:
    """Largest difference of populations."""
    return float(np.abs(np.array(one) - np.array(other)).max())


def thermal(given: Given, temperature: float) -> list[float]:
    """Populations of the sites in equilibrium (K) of the excitons alone, without the baths."""
    energies, states = np.linalg.eigh(np.array(given["hamiltonian"]))
    weights = np.exp(-(energies - energies[0]) / (KELVIN * temperature))
    return [float(one) for one in (states**2) @ weights / weights.sum()]


def title_of(labels: Mapping[str, float]) -> str:
    """The case in a few words."""
    return ", ".join(f"{name} {value:g}" + (" K" if name == "temperature" else "") for name, value in labels.items())


def shown(given: Given, tools: Any, file: str, title: str, series: Mapping[str, list[dict[str, Any]]], y: str) -> None:
    """A figure with a panel for every title."""
    time = f"time ({given['time_unit']})"
    panels = [{"title": name, "x_label": time, "y_label": y, "series": each} for name, each in series.items()]
    tools.plot_lines(path=f"img/{file}.png", title=title, panels=panels)


def main(given: Given, tools: Any) -> None:
    """Record the populations and what derives from them; draw them."""
    before = [one for path in Path("results").glob("*_subset.json") for one in json.loads(path.read_text())["records"]]
    shallow = [one["value"] for one in before if one["quantity"] == "population"]
    for one in before:
        if one["quantity"] != "population":
            record(one["quantity"], one["value"], labels=one["labels"])
    axis, names = axes(given)["time"][0], given["sites"] or numbers(given)
    panels, beating = {}, []
    for number, case in enumerate(given["cases"]):
        labels, time = case["labels"], axes(given)
        made = propagated(given, tools, case)
        populations = np.array(made.populations)
        print(f"{labels}: {made.n_operators} operators, trace error {made.trace_error:.1e}")
        record("population", populations, axes=axes(given, sites=True), labels=labels)
        record("final_population", populations[-1], axes={"site": numbers(given)}, labels=labels)
        for k, name in enumerate(given["sites"]):
            record("population", populations[:, k], axes=time, labels={"site": name, **labels})
            record("final_population", populations[-1, k], labels={"site": name, **labels})
        for quantity in ("trace_error", "lowest_eigenvalue", "n_operators"):
            record(quantity, getattr(made, quantity), labels=labels)
        record("depth_effect", apart(populations, shallow[number]), labels=labels)
        start = int(np.argmax(populations[0]))
        # what the population of the first site regains on the way down: zero for a monotonic decay
        record("beat_amplitude", np.clip(np.diff(populations[:, start]), 0, None).sum(), labels=labels)
        cold = thermal(given, case["temperature"])
        record("boltzmann_population", cold, axes={"site": numbers(given)}, labels=labels)
        for name, one in zip(given["sites"], cold, strict=False):
            record("boltzmann_population", one, labels={"site": name, **labels})
        if "purity" in given["wanted"]:
            record("purity", made.purities, axes=time, labels=labels)
        for pair, course in zip(given["coherences"], np.array(made.coherences), strict=True):
            told = {"pair": "-".join(given["called"][one] for one in pair), **labels}
            size = np.hypot(course[:, 0], course[:, 1])
            for quantity, values in (("", size), ("_real", course[:, 0]), ("_imaginary", course[:, 1])):
                record(f"coherence{quantity}", values, axes=time, labels=told)
            beating.append({"label": f"{pair} {title_of(labels)}", "x": axis, "y": size.tolist()})
        rows = [(f"site {site}", populations[:, k].tolist()) for k, site in enumerate(names)]
        panels[title_of(labels)] = [{"label": label, "x": axis, "y": y} for label, y in rows]
    parameter(energy_unit="1/cm", **{name: given[field] for name, field in USED.items()})
    shown(given, tools, "populations", "Site populations", panels, "population")
    compared = [{**one, "label": f"{one['label']}, {title}"} for title, each in panels.items() for one in each]
    if len(panels) > 1 and len(compared) <= MOST_CURVES:
        shown(given, tools, "populations_compared", "Site populations", {"": compared}, "population")
    if beating:
        shown(given, tools, "coherences", "Coherences", {"": beating}, "|rho_ij|")
