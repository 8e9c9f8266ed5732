"""What must hold of ground states, Gibbs states and driven chains."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.tasks.reporting import number, values
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.task_type import Computed, Judgement, drawn

Figures = Mapping[str, object]
SETTLED = 1e-4  # of the energy: an error bar that no figure shows


def judge_ground(task: Computed, results: Results, figures: Figures) -> Sequence[Judgement]:
    """Energies of all sizes, agreement with exact ones, variance, convergence, order, figure."""
    made = [one for n in task.sizes for one in _size(task, n, results)]
    if any(one.kind == "string" for one in task.observables):
        made += [_order(n, results) for n in task.sizes]
    if "critical_point" in task.wanted:
        there = bool(results.find("critical_point"))
        made.append(Judgement("critical point", there, "A critical point is estimated." if there else "There is none.",
                              "script_incomplete", "Estimate it from crossings or the steepest slope."))  # fmt: skip
    return [*made, drawn(figures, "img/ground_states.png")]


def _size(task: Computed, n: int, results: Results) -> list[Judgement]:
    found = values(results, "energy", method="dmrg", N=n)
    if found is None or len(found) != len(task.values):
        return [Judgement(f"energies N = {n}", False, f"{0 if found is None else len(found)} energies are there.",
                          "script_incomplete", "Compute every point.")]  # fmt: skip
    spread, settled = values(results, "energy_variance", N=n), values(results, "converged", N=n)
    worst, scale = float(spread.max()) if spread is not None else math.nan, max(1.0, float(np.abs(found).max()))
    made = [
        Judgement(f"variance N = {n}", worst < 1e-4 * scale**2 / n, f"<H^2> - <H>^2 is at most {worst:.1e}.",
                  "more_simulation", "Raise the bond dimension or the sweeps."),
        _converged(n, found, settled, spread),
    ]  # fmt: skip
    if n <= task.exact_sites:
        off = [abs(float(one.value)) for one in results.find("energy_difference", N=n) if isinstance(one.value, float)]
        made.append(Judgement(f"exact energies N = {n}", bool(off) and max(off) < 1e-5 * scale,
                              f"DMRG misses them by at most {max(off, default=math.nan):.1e}."))  # fmt: skip
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
    known = bool((bars < SETTLED).all())
    return Judgement(f"convergence N = {n}", known, told, "more_simulation", "Allow more sweeps.")


def _order(n: int, results: Results) -> Judgement:
    found = values(results, "string_order", N=n)
    inside = found is not None and bool((np.abs(found) < 1 + 1e-6).all())
    told = "none" if found is None else f"from {found[0]:.4f} to {found[-1]:.4f}"
    return Judgement(f"string order N = {n}", inside, f"String order runs {told}.", "script_incomplete")


def judge_thermal(task: Computed, results: Results, figures: Figures) -> Sequence[Judgement]:
    """Monotonic energy, infinite temperature, occupations, step and truncation, figure."""
    step, lost = number(results, "step_effect"), values(results, "truncation_error")
    weight = math.nan if lost is None else float(lost[-1])
    return [
        *_cooling(task, results),
        *(_fermions(task, results) if task.model == "hubbard" else []),
        Judgement("step", step < 2e-3, f"Twice the step changes the last energy per site by {step:.1e}.",
                  "more_simulation", "Shorten the step."),
        Judgement("truncation", weight < 1e-3, f"Discarded weight in all: {weight:.1e}.", "more_simulation",
                  "Raise the bond dimension or lower svd_min."),
        drawn(figures, "img/thermal.png"),
    ]  # fmt: skip


def _cooling(task: Computed, results: Results) -> list[Judgement]:
    energy = values(results, "energy_per_site")
    grand = values(results, "grand_energy_per_site") if task.model == "hubbard" else energy
    if energy is None or grand is None or len(energy) != len(task.betas):
        return [Judgement("energies", False, "Energies of all temperatures are not there.", "script_incomplete",
                          "Record the energy at every beta.")]  # fmt: skip
    rise = float(np.diff(grand).max())
    hot = task.interaction / 4 - task.chemical_potential if task.model == "hubbard" else 0.0  # Tr(H - mu N) / (d L)
    return [
        Judgement("monotonic", rise < 1e-6, f"<H - mu N> per site changes from {grand[0]:.5f} to {grand[-1]:.5f},"
                  f" largest rise {rise:.1e}; it can only fall with beta."),
        Judgement("infinite temperature", abs(grand[0] - hot) < 1e-8, f"At beta = 0 it is {grand[0]:.6f}; the trace of"
                  f" H - mu N gives {hot:.6f}."),
    ]  # fmt: skip


def _fermions(task: Computed, results: Results) -> list[Judgement]:
    total, up, down = (values(results, "occupation", spin=one) for one in ("total", "up", "down"))
    double = values(results, "double_occupancy")
    if total is None or up is None or down is None or double is None:
        return [Judgement("occupations", False, "Occupations are not there.", "script_incomplete", "Record them.")]
    polarised = float(np.abs(up - down).max())
    within = bool((double > -1e-9).all() and (total > -1e-9).all() and (total < 2 + 1e-9).all())
    made = [
        Judgement("spin symmetry", polarised < 1e-6, f"Up and down differ by at most {polarised:.1e} on any site."),
        Judgement("hot double occupancy", abs(double[0] - 0.25) < 1e-8,
                  f"At beta = 0 it is {double[0]:.6f}; 1/4 is exact."),
        Judgement("bounds", within, f"Occupations lie between {total.min():.4f} and {total.max():.4f}."),
    ]  # fmt: skip
    if task.chemical_potential == task.interaction / 2:
        off = float(np.abs(total - 1).max())
        made.append(Judgement("half filling", off < 1e-4, f"Occupations differ from one by at most {off:.1e};"
                              " particle-hole symmetry fixes them at mu = U/2."))  # fmt: skip
    return made


def judge_driven(task: Computed, results: Results, figures: Figures) -> Sequence[Judgement]:
    """Curves of all values, bounds, truncation, Trotter error, figures."""
    made = [one for value in task.values for one in _curve(task, value, results)]
    lost, off = number(results, "truncation_error"), number(results, "trotter_error")
    made.append(Judgement("truncation", lost < 1e-2, f"Discarded weight of the worst realisation: {lost:.1e}.",
                          "more_simulation", "Raise the bond dimension, or shorten the evolution."))  # fmt: skip
    if task.sites <= task.exact_sites:
        made.append(Judgement("exact state vector", off < 0.02, f"TEBD and the state vector differ by {off:.1e} at most"
                              " over some periods.", "more_simulation", "Shorten the step."))  # fmt: skip
    return [*made, drawn(figures, "img/magnetisation.png", "img/entropy.png")]


def _curve(task: Computed, value: float, results: Results) -> list[Judgement]:
    labels = {task.parameter: value} if task.parameter else {}
    name = f"{task.parameter} = {value:g}" if task.parameter else "the chain"
    curve, entropy = values(results, "magnetisation", axis=task.axis, **labels), values(results, "entropy", **labels)
    if curve is None or entropy is None or {len(curve), len(entropy)} != {task.periods + 1}:
        return [Judgement(f"curves {name}", False, "Magnetisation and entropy of all periods are not there.",
                          "script_incomplete", "Record both after every period.")]  # fmt: skip
    most, full = task.spin_scale * (1 + 1e-6), min(task.sites // 2, task.sites - task.sites // 2) * math.log(2)
    return [
        Judgement(f"bounds {name}", float(abs(curve).max()) <= most and float(entropy.max()) <= full + 1e-6,
                  f"|m| is at most {float(abs(curve).max()):.4f}, entropy {entropy.max():.3f} of {full:.3f} nat."),
        Judgement(f"start {name}", float(entropy[0]) < 1e-9, "The start is a product state."),
    ]  # fmt: skip
