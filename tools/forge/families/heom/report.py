"""The report of a task of exciton dynamics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labwright.tools.forge.families.heom.judging import course, told
from labwright.tools.forge.families.heom.spec import BathCase, HeomSpec
from labwright.tools.forge.results import Results

SMALL = 0.01  # difference of populations below which a hierarchy is called converged here


def report(spec: HeomSpec, results: Results, figures: Sequence[str]) -> str:
    """Model and units, populations, convergence, meaning."""
    series = f"{spec.terms} {'Matsubara' if spec.expansion == 'matsubara' else 'Pade'} terms"
    lines = [
        "## Model and conventions\n",
        f"{len(spec.hamiltonian)} sites, Hamiltonian in 1/cm (an energy E is the angular frequency 2 pi c E), the sites"
        f" {', '.join(spec.called())}. Each site couples with |j><j| to its own Drude-Lorentz bath,"
        " J(w) = 2 lambda gamma w / (w^2 + gamma^2). QuTiP's HEOMSolver with depth"
        f" {spec.depth} and {series} {'with' if spec.terminator else 'without'} terminator:"
        f" {spec.operators(spec.depth)} density operators. Start: {spec.initial_name}."
        " Reorganization energies are not added to the site energies.\n",
        "## Populations\n",
        *_populations(spec, results),
        "## Convergence\n",
        *_convergence(spec, results),
        "## What it means\n",
        *[_meaning(spec, case, results) for case in spec.cases],
        _general(spec, results),
        "",
        *[f"![{path}]({path})" for path in figures],
    ]
    return "\n".join(lines) + "\n"


def _populations(spec: HeomSpec, results: Results) -> list[str]:
    sites = [f"site {name}" for name in spec.called()]
    rows = ["| case | time (fs) | " + " | ".join(sites) + " |", "|---|---:|" + "---:|" * len(sites)]
    for case in spec.cases:
        values = course(results, case)
        if values is None:
            continue
        for part in (0.1, 0.3, 1.0):
            index = round(part * (spec.n_times - 1))
            cells = " | ".join(f"{one:.3f}" for one in values[index])
            rows.append(f"| {told(case)} | {spec.duration * index / (spec.n_times - 1):.0f} | {cells} |")
    return [*rows, ""]


def _number(results: Results, quantity: str, case: BathCase) -> float:
    found = results.find(quantity, **case.labels)
    return float(found[0].value) if found and isinstance(found[0].value, int | float) else float("nan")


def _convergence(spec: HeomSpec, results: Results) -> list[str]:
    rows = ["| case | depth 2 against reported | terms against two more with terminator (depth 2) | terminator alone |",
            "|---|---:|---:|---:|"]  # fmt: skip
    doubtful = []
    for case in spec.cases:
        depth, series, end = (
            _number(results, name, case) for name in ("depth_effect", "series_error", "terminator_effect")
        )
        rows.append(f"| {told(case)} | {depth:.4f} | {series:.4f} | {end:.4f} |")
        if series > SMALL:
            first = 2 * np.pi * 0.6950348 * case.temperature
            doubtful.append(
                f"At {told(case)} {spec.terms} terms are **not converged**: more of the series changes populations by up to"
                f" {series:.3f}. The first Matsubara frequency is only {first:.0f} 1/cm there, not large against the"
                " energies of the excitons. The reported curves are those of the asked expansion; with the terminator,"
                " or with a Pade expansion, they would move by about that much."
            )
    said = "Largest differences of any population at any time. A shallow hierarchy serves as the first trial.\n"
    return [said, *rows, "", *doubtful, ""]


def _meaning(spec: HeomSpec, case: BathCase, results: Results) -> str:
    values = course(results, case)
    if values is None:
        return ""
    start = int(np.argmax(values[0]))
    beat = _number(results, "beat_amplitude", case)
    spread = int((values[-1] > 0.05).sum())
    top = int(np.argmax(values[-1]))
    return (
        f"- {told(case)}: the population of site {spec.called()[start]} regains {beat:.3f} in all on its way down"
        f" (its quantum beats); at the end {spread} sites hold more than 5 %, most on site {spec.called()[top]}"
        f" ({values[-1, top]:.3f})."
    )


def _general(spec: HeomSpec, results: Results) -> str:
    said = (
        "\nSuperpositions of excitons beat with their energy differences until the bath has dephased them; then the"
        " populations relax towards thermal equilibrium, downhill in energy. A hotter bath dephases faster because its"
        " fluctuations grow with temperature, and spreads the populations more evenly."
    )
    ordered = sorted(spec.cases, key=lambda case: case.temperature)
    if len(ordered) > 1 and ordered[0].temperature < ordered[-1].temperature:
        cold, hot = (_number(results, "beat_amplitude", one) for one in (ordered[0], ordered[-1]))
        more = "more" if cold > hot else "not more"
        said += (
            f" Here the beats are {more} pronounced at {ordered[0].temperature:g} K ({cold:.3f}) than at"
            f" {ordered[-1].temperature:g} K ({hot:.3f})."
        )
    if len(spec.hamiltonian) > 2:
        said += (
            " In light-harvesting complexes this interplay is what moves energy to the sites of lowest energy, next to the"
            " reaction centre: coherent sharing between strongly coupled sites, and a bath that makes the way down irreversible."
        )
    return said
