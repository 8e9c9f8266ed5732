"""Gibbs states of the chain at every inverse temperature, and what follows from their energies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from labwright.results import parameter, record

Given = Mapping[str, Any]
USED = ("energy_convention", "exchange", "fields", "step", "svd_min")


def cooled(given: Given, tools: Any, n: int, betas: Any, step: float) -> Any:
    """Gibbs states by purification."""
    names = ("model", "hopping", "interaction", "chemical_potential", "exchange", "fields", "svd_min")
    how = {name: given[name] for name in names} | {"chi_max": given["bond_dimension"]}
    return tools.gibbs_purification(n_sites=n, betas=betas, step=step, **how)


def main(given: Given, tools: Any) -> None:
    """Record and draw."""
    n, step = given["sites"], given["step"]
    made = cooled(given, tools, n, given["betas"], step)
    betas, energies = np.array(made.betas), np.array(made.energies)
    axis = {"beta": made.betas}
    fermions = given["model"] == "hubbard"
    grand, panels = (electrons if fermions else spins)(given, made, energies)
    reported = grand if given["energy_convention"] == "grand" else energies
    record("energy_per_site", reported / n, axes=axis)
    record("energy", reported, axes=axis, labels={"method": "purification"})
    # -d<H - mu N>/d beta is its variance: never negative in a thermal state
    curve = CubicSpline(betas, grand)
    heat = betas**2 * -curve.derivative()(betas) / n
    record("heat_capacity_per_site", heat, axes=axis)
    # at beta = 0 the slope is the variance of an infinitely hot chain, which is a trace
    record("initial_slope", (grand[1] - grand[0]) / (betas[1] - betas[0]))
    record("bond_dimension", made.bond_dimensions, axes=axis)
    record("truncation_error", made.truncation_errors, axes=axis)
    # S(beta) = S(0) + beta <H - mu N> - integral of <H - mu N>
    area, start = np.array([float(curve.integrate(0.0, beta)) for beta in betas]), n * math.log(4 if fermions else 2)
    entropy = (start + betas * grand - area) / n
    record("entropy", entropy, unit="nat per site", axes=axis)
    if not fermions:  # F = <H> - T S, and S holds beta <H>
        record("free_energy_per_site", (area[1:] - start) / betas[1:] / n, axes={"beta": made.betas[1:]})
    coarse = cooled(given, tools, n, [0.0, made.betas[-1]], 2 * step)
    effect = abs(coarse.energies[-1] - energies[-1]) / n
    record("step_effect", effect)
    print(f"beta {betas[-1]}: energy per site {reported[-1] / n:.6f}, bond dimension {made.bond_dimensions[-1]}, "
          f"a step twice as long changes it by {effect:.1e}")  # fmt: skip
    panels = [
        against(made, "Energy", "energy per site", {"": reported / n}), *panels,
        against(made, "heat capacity per site", "heat capacity per site", {"": heat}),
        against(made, "entropy", "entropy", {"": entropy}),
    ]  # fmt: skip
    tools.plot_lines(path="img/thermal.png", title="Gibbs state", panels=panels)
    parameter(
        t=given["hopping"], U=given["interaction"], mu=given["chemical_potential"], L=n, beta=made.betas[-1],
        spin_operators="Pauli" if given["spin_scale"] == 2 else "S = sigma/2",
        method="purification TEBD, second order", chi_max=given["bond_dimension"],
        **{name: given[name] for name in USED},
    )  # fmt: skip


def electrons(given: Given, made: Any, energies: Any) -> tuple[Any, list[Any]]:
    """Record occupations; <H - mu N> and panels."""
    axis, sites = {"beta": made.betas}, {"site": list(range(given["sites"]))}
    up, down, double = (np.array(made.site_values[name]) for name in ("n_up", "n_down", "double"))
    grand = energies - given["chemical_potential"] * (up + down).sum(axis=1)
    kinds = {"up": up, "down": down, "total": up + down}
    for name, values in kinds.items():
        record("occupation", values, axes={**axis, **sites}, labels={"spin": name})
        record("density", values.mean(axis=1), axes=axis, labels={"spin": name})
    record("double_occupancy", double.mean(axis=1), axes=axis)
    record("double_occupancy_sites", double, axes={**axis, **sites})
    record("local_moment", (up + down - 2 * double).mean(axis=1), axes=axis)
    record("grand_energy_per_site", grand / given["sites"], axes=axis)
    last = {name: values[-1] for name, values in kinds.items()}
    return grand, [
        places(f"Occupation at beta = {made.betas[-1]:g}", "site", "occupation", last),
        against(
            made, "Mean occupation", "occupation per site", {name: one.mean(axis=1) for name, one in kinds.items()}
        ),
        against(made, "Double occupancy", "<n_up n_down>", {"": double.mean(axis=1)}),
    ]


def spins(given: Given, made: Any, energies: Any) -> tuple[Any, list[Any]]:
    """Record magnetisations and correlations of neighbours; the energies and panels."""
    n, scale, axis, means = given["sites"], given["spin_scale"], {"beta": made.betas}, {}
    for name in ("Sx", "Sz"):
        values = scale * np.array(made.site_values[name])
        means[name] = values.mean(axis=1)
        record("magnetisation", values, axes={**axis, "site": list(range(n))}, labels={"axis": name[-1]})
        record("mean_magnetisation", means[name], axes=axis, labels={"axis": name[-1]})
    pairs, told = scale**2 * np.array(made.bond_correlations), {"observable": "ZZ" if scale == 2 else "SzSz"}
    record("correlator", pairs, axes={**axis, "bond": list(range(n - 1))}, labels=told)
    record("mean_bond_correlation", pairs.mean(axis=1), axes=axis, labels=told)
    last = {f"beta = {made.betas[-1]:g}": np.array(made.bond_correlations[-1])}
    near = places("Nearest-neighbour correlation", "bond", "<Sz Sz>", last)
    return energies, [near, against(made, "Magnetisation", "mean magnetisation", means)]


def places(title: str, x_label: str, y_label: str, curves: Mapping[str, Any]) -> dict[str, Any]:
    """A panel of points along the chain."""
    rows = {name: y.tolist() for name, y in curves.items()}
    series = [{"label": name, "x": list(range(len(y))), "y": y, "style": "points"} for name, y in rows.items()]
    return {"title": title, "x_label": x_label, "y_label": y_label, "series": series}


def against(made: Any, title: str, y_label: str, curves: Mapping[str, Any]) -> dict[str, Any]:
    """A panel of curves against beta, with its last point marked."""
    series = []
    for name, y in curves.items():
        series.append({"label": name, "style": "line", "x": made.betas, "y": y.tolist()})
        series.append({"label": "", "style": "points", "x": made.betas[-1:], "y": y.tolist()[-1:]})
    return {"title": title, "x_label": "beta", "y_label": y_label, "series": series}
