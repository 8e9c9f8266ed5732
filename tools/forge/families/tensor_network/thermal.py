"""Gibbs states of chains by purification: judgements, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labwright.tools.forge.families.base import Family, Judgement
from labwright.tools.forge.families.tensor_network.cards import ThermalCard
from labwright.tools.forge.families.tensor_network.numbers import number, values
from labwright.tools.forge.families.tensor_network.thermal_script import scripts
from labwright.tools.forge.families.tensor_network.thermal_spec import ThermalSpec
from labwright.tools.forge.results import Results

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


def report(spec: ThermalSpec, results: Results, figures: Sequence[str]) -> str:
    """Model, conventions, checks, meaning."""
    return "\n".join(_report(spec, results, figures)) + "\n"


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


def _report(spec: ThermalSpec, results: Results, figures: Sequence[str]) -> list[str]:
    energy = values(results, "energy_per_site")
    lines = [
        "## Model and method\n",
        f"H = {spec.formula}; {spec.n_sites} sites, open ends.",
        "Each site is doubled by an ancilla; at infinite temperature both are maximally entangled, and imaginary time on the"
        f" sites alone cools them. TenPy, PurificationTEBD, second-order steps of at most {spec.step:g} in beta, bond"
        f" dimension at most {spec.chi_max}, Schmidt values below {spec.svd_min:g} dropped.\n",
        *_conventions(spec),
        "## Results\n",
        *_table(spec, results),
        "## Is it thermal?\n",
        *_thermal(spec, results),
        "## What it means\n",
        _meaning(spec, results, energy),
        "",
        *[f"![{path}]({path})" for path in figures],
    ]
    return lines


def _conventions(spec: ThermalSpec) -> list[str]:
    if spec.model != "hubbard":
        return [f"Spin operators are {'Pauli matrices' if spec.spin_scale == 2 else 'S = sigma/2'}; k_B = 1.\n"]
    grand = spec.energy_convention == "grand"
    return [
        f"The state is grand canonical, exp(-beta (H - mu N)) with mu = {spec.chemical_potential:g}"
        + (" = U/2, half filling" if spec.chemical_potential == spec.interaction / 2 else "")
        + f". Reported energies are {'<H - mu N>' if grand else '<H>: hopping and U n_up n_down, without -mu N'}; the other"
        f" convention differs by mu N / L per site, {spec.chemical_potential:g} times the density. k_B = 1.\n"
    ]


def _table(spec: ThermalSpec, results: Results) -> list[str]:
    energy = values(results, "energy_per_site")
    picked = sorted({0, *(round(k * (len(spec.betas) - 1) / 4) for k in range(5))})
    if energy is None:
        return []
    if spec.model == "hubbard":
        total, double = values(results, "occupation", spin="total"), values(results, "double_occupancy")
        if total is None or double is None:
            return []
        rows = [
            "| beta | energy per site | occupation, mean | lowest | highest | double occupancy |",
            "|---:|" + "---:|" * 5,
        ]
        rows += [f"| {spec.betas[k]:g} | {energy[k]:.5f} | {total[k].mean():.5f} | {total[k].min():.5f} |"
                 f" {total[k].max():.5f} | {double[k]:.5f} |" for k in picked]  # fmt: skip
        return [*rows, ""]
    pairs = values(results, "correlator")
    along = [values(results, "mean_magnetisation", axis=axis) for axis in ("x", "z")]
    if pairs is None or along[0] is None or along[1] is None:
        return []
    rows = ["| beta | energy per site | mean zz correlation of neighbours | mean x | mean z |", "|---:|" + "---:|" * 4]
    rows += [f"| {spec.betas[k]:g} | {energy[k]:.5f} | {pairs[k].mean():.5f} | {along[0][k]:.5f} | {along[1][k]:.5f} |"
             for k in picked]  # fmt: skip
    return [*rows, ""]


def _thermal(spec: ThermalSpec, results: Results) -> list[str]:
    lost = values(results, "truncation_error")
    said = [
        "- A shorter chain of the same model, by the same tool, agrees with its exact spectrum (the trial script).",
        "- At beta = 0 energy and occupations are those of the trace; the energy falls monotonically with beta, as"
        " -d<H - mu N>/d beta is its variance.",
        f"- Twice the step changes the last energy per site by {number(results, 'step_effect'):.1e}; discarded weight"
        f" {float('nan') if lost is None else lost[-1]:.1e}.",
    ]
    if spec.model == "hubbard" and spec.chemical_potential == spec.interaction / 2:
        said.append(
            "- Particle-hole symmetry keeps each site at one electron, half up and half down, at all temperatures."
        )
    return [*said, ""]


def _meaning(spec: ThermalSpec, results: Results, energy: object) -> str:
    if spec.model == "hubbard":
        double = values(results, "double_occupancy")
        ends = "" if double is None else f" from {double[0]:.3f} to {double[-1]:.4f}"
        ratio = spec.interaction / spec.hopping if spec.hopping else float("inf")
        return (
            f"With U/t = {ratio:g} cooling freezes out charge fluctuations: double occupancy falls{ends}, local moments form,"
            " and the spins of neighbours align oppositely by superexchange (4 t^2 / U). Near half filling this is the Mott"
            " regime: charges are gapped while spins stay soft. Open ends shift occupations only away from half filling."
        )
    return (
        "At high temperature spins are independent; correlations of neighbours set in as beta times the exchange reaches one,"
        " and the energy approaches that of the ground state from above."
    )


FAMILY = Family("thermal_chain", ThermalSpec, lambda spec: TOOLS, scripts, judge, report, ThermalCard)
