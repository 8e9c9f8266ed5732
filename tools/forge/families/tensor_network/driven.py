"""Driven, disordered spin chains by TEBD: judgements, report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Family, Judgement
from labwright.tools.forge.families.tensor_network.cards import DrivenCard
from labwright.tools.forge.families.tensor_network.driven_script import EXACT_SITES, scripts
from labwright.tools.forge.families.tensor_network.driven_spec import DrivenSpec
from labwright.tools.forge.families.tensor_network.numbers import number, values
from labwright.tools.forge.results import Results

Labels = dict[str, float]


TOOLS = {
    "floquet_tebd": "evolves the driven chain",
    "chain_exact_evolution": "checks some periods with the exact state vector",
    "plot_lines": "draws magnetisation and entanglement",
}


def judge(spec: DrivenSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Curves of all values, bounds, truncation, Trotter error, figures."""
    made = [one for value in spec.values for one in _curve(spec, value, results)]
    lost, off = number(results, "truncation_error"), number(results, "trotter_error")
    made.append(Judgement("truncation", lost < 1e-2, f"Discarded weight of the worst realisation: {lost:.1e}.",
                          "more_simulation", "Raise the bond dimension, or shorten the evolution."))  # fmt: skip
    if spec.n_sites <= EXACT_SITES:
        made.append(Judgement("exact state vector", off < 0.02, f"TEBD and the state vector differ by {off:.1e} at most"
                              " over some periods.", "more_simulation", "Shorten the step."))  # fmt: skip
    shown = {"img/magnetisation.png", "img/entropy.png"} <= set(figures)
    made.append(Judgement("figures", shown, f"Figures: {', '.join(sorted(figures)) or 'none'}.", "result_incomplete",
                          "Plot magnetisation and entropy against periods."))  # fmt: skip
    return made


def report(spec: DrivenSpec, results: Results, figures: Sequence[str]) -> str:
    """Model, conventions, regimes, entanglement."""
    return "\n".join(_report(spec, results, figures)) + "\n"


def _labels(spec: DrivenSpec, value: float) -> Labels:
    return {spec.parameter: value} if spec.parameter else {}


def _curve(spec: DrivenSpec, value: float, results: Results) -> list[Judgement]:
    labels = _labels(spec, value)
    name = f"{spec.parameter} = {value:g}" if spec.parameter else "the chain"
    curve, entropy = values(results, "magnetisation", axis=spec.axis, **labels), values(results, "entropy", **labels)
    if curve is None or entropy is None or len(curve) != spec.periods + 1 or len(entropy) != spec.periods + 1:
        return [Judgement(f"curves {name}", False, "Magnetisation and entropy of all periods are not there.",
                          "script_incomplete", "Record both after every period.")]  # fmt: skip
    most = spec.spin_scale * (1 + 1e-6)
    full = min(spec.n_sites // 2, spec.n_sites - spec.n_sites // 2) * math.log(2)
    return [
        Judgement(f"bounds {name}", float(abs(curve).max()) <= most and float(entropy.max()) <= full + 1e-6,
                  f"|m| is at most {float(abs(curve).max()):.4f}, entropy at most {entropy.max():.3f} of {full:.3f} nat."),
        Judgement(f"start {name}", float(entropy[0]) < 1e-9, "The start is a product state."),
    ]  # fmt: skip


def _report(spec: DrivenSpec, results: Results, figures: Sequence[str]) -> list[str]:
    angles = ", ".join(f"{one / math.pi:.3f} pi" for one in spec.pulse_angles)
    lines = [
        "## Model and method\n",
        spec.formula,
        f"{spec.n_sites} spins, open ends, {spec.periods} periods of {sum(one.duration for one in spec.segments):.4f};"
        f" {spec.realisations} realisations of the disorder, uniform in (-{spec.disorder_width:g}, {spec.disorder_width:g}),"
        f" seed {spec.seed}. TEBD (TenPy) of order {spec.order}, steps at most {spec.dt:g}, bond dimension at most"
        f" {spec.chi_max}. Bulk: sites {spec.bulk[0]} to {spec.bulk[-1]}, counted from 0.\n",
    ]
    if angles:
        lines.append(
            f"With the numbers as given, a free spin turns by {angles} in the segments of a period. Where that is not pi, the"
            " pulses are not the flips that a discrete time crystal is usually driven with; the literal numbers are used.\n"
        )
    lines += [
        "## Results\n",
        f"| {spec.parameter or 'case'} | alternating part, all | second half | sign changes | falls below 1/e at | entropy at the end |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for value in spec.values:
        labels = _labels(spec, value)
        entropy = values(results, "entropy", **labels)
        life = number(results, "lifetime", **labels)
        lines.append(
            f"| {value:g} | {number(results, 'subharmonic_weight', part='all', **labels):.4f} |"
            f" {number(results, 'subharmonic_weight', part='second half', **labels):.4f} |"
            f" {number(results, 'sign_changes', **labels):.0f} of {spec.periods} |"
            f" {'never' if life < 0 else f'period {life:.0f}'} | {float('nan') if entropy is None else entropy[-1]:.3f} |"
        )
    lines += ["", "## What it means\n", _meaning(spec, results), "", _entanglement(spec, results), ""]
    return lines + [f"![{path}]({path})" for path in figures]


def _meaning(spec: DrivenSpec, results: Results) -> str:
    said = [
        "Period doubling shows as a magnetisation that changes sign every period, (-1)^n times an envelope. A discrete time"
        " crystal keeps that envelope for long although the pulses are imperfect, because disorder localises the spins and"
        " keeps the drive from heating them; without localisation a driven system heats to infinite temperature, and the"
        " magnetisation goes to zero."
    ]
    for value in spec.values:
        labels = _labels(spec, value)
        late = number(results, "subharmonic_weight", part="second half", **labels) / spec.spin_scale
        changes = number(results, "sign_changes", **labels)
        kind = "long-lived period doubling" if late > 0.25 else "no long-lived period doubling: the oscillation decays"
        name = f"{spec.parameter} = {value:g}: " if spec.parameter else ""
        said.append(f"{name}{changes:.0f} changes of sign in {spec.periods} periods, {kind}.")
    return " ".join(said)


def _entanglement(spec: DrivenSpec, results: Results) -> str:
    full = spec.n_sites // 2 * math.log(2)
    chi = number(results, "bond_dimension")
    exact = 2 ** (spec.n_sites // 2)
    said = (
        f"The entropy of half the chain grows towards at most {full:.2f} nat. A matrix product state of bond dimension chi"
        f" holds ln(chi) at most ({math.log(spec.chi_max):.2f} nat here), so that the time that can be reached grows only with"
        " the logarithm of chi where entropy grows linearly, and much further where it grows with the logarithm of time."
    )
    if exact <= spec.chi_max:
        said += f" At this size the exact bond dimension is {exact}, below the limit: nothing had to be cut ({chi:.0f} was used)."
    return said


FAMILY = Family("driven_chain", DrivenSpec, lambda spec: TOOLS, scripts, judge, report, DrivenCard)
