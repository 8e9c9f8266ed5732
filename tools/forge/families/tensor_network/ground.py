"""Ground states of spin chains by DMRG: judgements, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.families.base import Family, Judgement
from labwright.tools.forge.families.tensor_network.cards import GroundCard
from labwright.tools.forge.families.tensor_network.ground_script import scripts
from labwright.tools.forge.families.tensor_network.ground_spec import EXACT_SITES, GroundSpec
from labwright.tools.forge.families.tensor_network.numbers import values
from labwright.tools.forge.results import Results

SETTLED = 1e-4  # of the energy: an error bar that no figure shows


TOOLS = {
    "dmrg_ground_states": "finds the ground states",
    "spin_chain_exact_states": "checks small chains exactly",
    "plot_lines": "draws energies and order parameters",
}


def judge(spec: GroundSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Energies of all sizes, agreement with exact ones, variance, convergence, order, figure."""
    made = [one for n in spec.sizes for one in _size(spec, n, results)]
    if any(one.kind == "string" for one in spec.observables):
        made += [_order(n, results) for n in spec.sizes]
    if "critical_point" in spec.wants:
        there = bool(results.find("critical_point"))
        made.append(Judgement("critical point", there, "A critical point is estimated." if there else "There is none.",
                              "script_incomplete", "Estimate it from crossings or the steepest slope."))  # fmt: skip
    shown = "img/ground_states.png" in figures
    made.append(Judgement("figure", shown, f"Figures: {', '.join(sorted(figures)) or 'none'}.", "result_incomplete",
                          "Plot what was asked for."))  # fmt: skip
    return made


def report(spec: GroundSpec, results: Results, figures: Sequence[str]) -> str:
    """Model, method, energies, order, meaning."""
    return "\n".join(_report(spec, results, figures)) + "\n"


def _size(spec: GroundSpec, n: int, results: Results) -> list[Judgement]:
    found = values(results, "energy", method="dmrg", N=n)
    if found is None or len(found) != len(spec.values):
        return [Judgement(f"energies N = {n}", False, f"{0 if found is None else len(found)} energies are there.",
                          "script_incomplete", "Compute every point.")]  # fmt: skip
    spread = values(results, "energy_variance", N=n)
    settled = values(results, "converged", N=n)
    worst = float(spread.max()) if spread is not None else float("nan")
    scale = max(1.0, float(np.abs(found).max()))
    made = [
        Judgement(f"variance N = {n}", worst < 1e-4 * scale**2 / n, f"<H^2> - <H>^2 is at most {worst:.1e}.",
                  "more_simulation", "Raise the bond dimension or the sweeps."),
        _converged(n, found, settled, spread),
    ]  # fmt: skip
    if n <= EXACT_SITES:
        off = [abs(float(one.value)) for one in results.find("energy_difference", N=n) if isinstance(one.value, float)]
        made.append(Judgement(f"exact energies N = {n}", bool(off) and max(off) < 1e-5 * scale,
                              f"DMRG and diagonalisation differ by at most {max(off, default=float('nan')):.1e}."))  # fmt: skip
    return made


def _converged(
    n: int, energies: NDArray[np.float64], settled: NDArray[np.float64] | None, spread: NDArray[np.float64] | None
) -> Judgement:
    """Points whose sweeps ran out count if the root of their variance, within which an exact energy lies, is tiny."""
    if settled is None or settled.all():
        return Judgement(f"convergence N = {n}", settled is not None, "Sweeps ended because energies settled.")
    left = settled == 0
    bars = np.sqrt(np.abs(spread[left])) / np.abs(energies[left]) if spread is not None else np.array([np.inf])
    told = f"{int(left.sum())} points ran out of sweeps; their energies are known to {bars.max():.1e} of themselves."
    return Judgement(
        f"convergence N = {n}", bool((bars < SETTLED).all()), told, "more_simulation", "Allow more sweeps."
    )


def _order(n: int, results: Results) -> Judgement:
    found = values(results, "string_order", N=n)
    inside = found is not None and bool((np.abs(found) < 1 + 1e-6).all())
    told = "none" if found is None else f"from {found[0]:.4f} to {found[-1]:.4f}"
    return Judgement(f"string order N = {n}", inside, f"String order runs {told}.", "script_incomplete")


def _report(spec: GroundSpec, results: Results, figures: Sequence[str]) -> list[str]:
    swept = f", {spec.parameter} at {len(spec.values)} values" if spec.parameter else ""
    lines = [
        "## Model and method\n",
        f"H = {spec.formula or 'as specified'}; {spec.boundary} boundary, N = {', '.join(map(str, spec.sizes))}{swept}.",
        f"Two-site DMRG with TenPy, bond dimension at most {spec.chi_max}, Schmidt values below 1e-6 dropped, each point"
        f" started from the one before. Conserved charge: {_charge(spec)}. Layout of the sites: {spec.layout}"
        + (" (0, N-1, 1, N-2, ..., so that the bond that closes the ring is short)" if spec.layout == "folded" else "")
        + ". Sites count from 0, entropies are in nats.\n",
        "## Energies and convergence\n",
        "An exact energy lies within the root of the variance <H^2> - <H>^2; the discarded weight is of one truncation.\n",
        "| N | lowest energy per site | at | largest bond dimension | root of the variance per site | discarded weight"
        " | points that did not settle | against exact |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for n in spec.sizes:
        energy = values(results, "energy", method="dmrg", N=n)
        chi, spread = values(results, "bond_dimension", N=n), values(results, "energy_variance", N=n)
        if energy is None or chi is None or spread is None:
            continue
        low = int(np.argmin(energy))
        off = [abs(float(one.value)) for one in results.find("energy_difference", N=n) if isinstance(one.value, float)]
        at = f"{spec.values[low]:.4g}" if spec.parameter else ""
        exact = f"{max(off):.1e}" if off else "too large"
        cut, settled = values(results, "truncation_error", N=n), values(results, "converged", N=n)
        weight = f"{cut.max():.1e}" if cut is not None else ""
        left = f"{int((settled == 0).sum())} of {settled.size}" if settled is not None else ""
        bar = float(np.sqrt(np.abs(spread).max())) / n
        lines.append(
            f"| {n} | {energy[low] / n:.8f} | {at} | {chi.max():.0f} | {bar:.1e} | {weight} | {left} | {exact} |"
        )
    lines += ["", *_orders(spec, results), *_critical(spec, results), *_charges(results), "## What it means\n"]
    lines += [_meaning(spec, results), "", *[f"![{path}]({path})" for path in figures]]
    return lines


def _charge(spec: GroundSpec) -> str:
    return {
        "none": "none",
        "sz": "the sum of Z, in the sector of zero (or one half)",
        "parity_z": "the product of all Z; both sectors are computed and the lower is taken",
        "parity_x": "the product of all X; both sectors are computed and the lower is taken",
    }[spec.conserve]


def _orders(spec: GroundSpec, results: Results) -> list[str]:
    if not results.find("string_order"):
        return []
    rows = [f"| {spec.parameter} | " + " | ".join(f"S, N = {n}" for n in spec.sizes) + " |",
            "|---:|" + "---:|" * len(spec.sizes)]  # fmt: skip
    columns = [values(results, "string_order", N=n) for n in spec.sizes]
    for k, value in enumerate(spec.values):
        cells = [f"{column[k]:.4f}" if column is not None else "" for column in columns]
        rows.append(f"| {value:.4f} | " + " | ".join(cells) + " |")
    return ["## String order\n", *rows, ""]


def _critical(spec: GroundSpec, results: Results) -> list[str]:
    found = results.find("critical_point")
    if not found:
        return []
    rows = [f"- {one.labels['estimator']}: {spec.abscissa or spec.parameter} = {float(one.value):.4f}" for one in found]  # type: ignore[arg-type]
    crossed = any("crossing" in str(one.labels["estimator"]) for one in found)
    said = (
        ""
        if crossed
        else "The curves of different sizes do not cross; the place of the steepest slope is the estimate."
    )
    return ["## Critical point\n", *rows, "", said, ""]


def _charges(results: Results) -> list[str]:
    return [f"Central charge from the entropy profile, N = {one.labels['N']}: {float(one.value):.3f}.\n"  # type: ignore[arg-type]
            for one in results.find("central_charge")]  # fmt: skip


def _meaning(spec: GroundSpec, results: Results) -> str:
    said = [
        "The variance bounds how far each state is from an eigenstate; where a chain is small enough the energies are exact."
    ]
    if results.find("string_order"):
        said.append(
            "In the cluster phase no local order parameter distinguishes the ground state: its order is seen by a string over"
            " the whole system and protected by symmetry (SPT order). The string expectation is one for the cluster state"
            " and zero in the paramagnet; in a finite system the change is smooth and sharpens with N. On a ring of odd"
            " length the two phases lie in different sectors of the parity of all X, so that the finite system changes sector"
            " where their energies cross."
        )
    sectors = [values(results, "sector", N=n) for n in spec.sizes]
    if spec.conserve.startswith("parity") and any(one is not None and len(set(one.tolist())) > 1 for one in sectors):
        said.append("The ground state changes its parity sector within the sweep.")
    if results.find("entropy"):
        said.append(
            "Entanglement obeys an area law in gapped chains (entropy independent of the length) and grows with the"
            " logarithm of the length at a critical point, with the central charge in front."
        )
    said += [_tied(spec, n, results) for n in spec.sizes]
    if spec.conserve.startswith("parity"):
        said.append(
            "With the parity conserved, an ordered phase shows the even or odd superposition of its two ordered states: order"
            " parameters that change the parity vanish, and the entropy holds an extra ln 2."
        )
    gaps = [float(one.value) for one in results.find("gap") if isinstance(one.value, float)]
    if gaps and min(gaps) < 1e-6:
        said.append("Some ground states are degenerate; their expectations are those of the state that was found.")
    return " ".join(one for one in said if one)


def _tied(spec: GroundSpec, n: int, results: Results) -> str:
    """Where the lowest states of two sectors have one energy, either could be called the ground state."""
    gaps = values(results, "sector_gap", N=n)
    if gaps is None or not spec.parameter:
        return ""
    places = [f"{value:.4g}" for value, gap in zip(spec.values, gaps, strict=True) if gap < 1e-4]
    if not places:
        return ""
    return (
        f"For N = {n} the sectors' energies agree within 1e-4 at {spec.parameter} = {', '.join(places)}: expectation values"
        " there are those of the sector that came out lower."
    )


FAMILY = Family("ground_state_chain", GroundSpec, lambda spec: TOOLS, scripts, judge, report, GroundCard)
