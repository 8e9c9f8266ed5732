"""Gibbs states of chains by purification: what must hold of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labwright.tools.forge.tasks.base import Family, Judgement
from labwright.tools.forge.tasks.reporting import number, report_of, values
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.tensor_network.cards import ThermalCard
from labwright.tools.forge.tasks.tensor_network.thermal_script import scripts
from labwright.tools.forge.tasks.tensor_network.thermal_spec import ThermalSpec

TOOLS = {
    "gibbs_purification": "cools the chain in imaginary time",
    "spin_chain_exact_states": "checks a short chain against its whole spectrum",
    "plot_lines": "draws energies and local expectation values",
}


def judge(spec: ThermalSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Monotonic energy, infinite temperature, occupations, step and truncation, figure."""
    return [
        *_cooling(spec, results),
        *(_fermions(spec, results) if spec.model == "hubbard" else []),
        *_accuracy(results),
        Judgement("figure", "img/thermal.png" in figures, f"Figures: {', '.join(sorted(figures)) or 'none'}.",
                  "result_incomplete", "Plot energy and local expectation values."),
    ]  # fmt: skip


def _cooling(spec: ThermalSpec, results: Results) -> list[Judgement]:
    energy = values(results, "energy_per_site")
    grand = values(results, "grand_energy_per_site") if spec.model == "hubbard" else energy
    if energy is None or grand is None or len(energy) != len(spec.betas):
        return [Judgement("energies", False, "Energies of all temperatures are not there.", "script_incomplete",
                          "Record the energy at every beta.")]  # fmt: skip
    rise = float(np.diff(grand).max())
    hot = _hot(spec)
    return [
        Judgement("monotonic", rise < 1e-6, f"<H - mu N> per site changes from {grand[0]:.5f} to {grand[-1]:.5f},"
                  f" largest rise {rise:.1e}; it can only fall with beta."),
        Judgement("infinite temperature", abs(grand[0] - hot) < 1e-8, f"At beta = 0 it is {grand[0]:.6f}; the trace of"
                  f" H - mu N gives {hot:.6f}."),
    ]  # fmt: skip


def _hot(spec: ThermalSpec) -> float:
    """Tr(H - mu N) / (d L)."""
    return spec.interaction / 4 - spec.chemical_potential if spec.model == "hubbard" else 0.0


def _fermions(spec: ThermalSpec, results: Results) -> list[Judgement]:
    total, up, down = (values(results, "occupation", spin=one) for one in ("total", "up", "down"))
    double = values(results, "double_occupancy")
    if total is None or up is None or down is None or double is None:
        return [Judgement("occupations", False, "Occupations are not there.", "script_incomplete", "Record them.")]
    polarised = float(np.abs(up - down).max())
    made = [
        Judgement("spin symmetry", polarised < 1e-6, f"Up and down differ by at most {polarised:.1e} on any site."),
        Judgement("hot double occupancy", abs(double[0] - 0.25) < 1e-8, f"At beta = 0 it is {double[0]:.6f}; 1/4 is exact."),
        Judgement("bounds", bool((double > -1e-9).all() and (total > -1e-9).all() and (total < 2 + 1e-9).all()),
                  f"Occupations lie between {total.min():.4f} and {total.max():.4f}."),
    ]  # fmt: skip
    if spec.chemical_potential == spec.interaction / 2:
        off = float(np.abs(total - 1).max())
        made.append(Judgement("half filling", off < 1e-4, f"Occupations differ from one by at most {off:.1e}; particle-hole"
                              " symmetry fixes them at mu = U/2."))  # fmt: skip
    return made


def _accuracy(results: Results) -> list[Judgement]:
    step, lost = number(results, "step_effect"), values(results, "truncation_error")
    return [
        Judgement("step", step < 2e-3, f"Twice the step changes the last energy per site by {step:.1e}.",
                  "more_simulation", "Shorten the step."),
        Judgement("truncation", lost is not None and float(lost[-1]) < 1e-3,
                  f"Discarded weight in all: {float('nan') if lost is None else lost[-1]:.1e}.", "more_simulation",
                  "Raise the bond dimension or lower svd_min."),
    ]  # fmt: skip


FAMILY = Family(
    "thermal_chain",
    ThermalSpec,
    lambda spec: TOOLS,
    scripts,
    judge,
    report_of("tensor_network/thermal.md"),
    ThermalCard,
)
