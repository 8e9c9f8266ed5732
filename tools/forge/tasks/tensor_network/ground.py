"""Ground states of spin chains by DMRG: what must hold of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.tasks.base import Family, Judgement
from labwright.tools.forge.tasks.reporting import report_of, values
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.tensor_network.cards import GroundCard
from labwright.tools.forge.tasks.tensor_network.ground_script import scripts
from labwright.tools.forge.tasks.tensor_network.ground_spec import EXACT_SITES, GroundSpec

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


FAMILY = Family(
    "ground_state_chain",
    GroundSpec,
    lambda spec: TOOLS,
    scripts,
    judge,
    report_of("tensor_network/ground.md"),
    GroundCard,
)
