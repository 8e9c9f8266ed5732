"""Driven, disordered spin chains by TEBD: what must hold of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Family, Judgement
from labwright.tools.forge.tasks.reporting import number, report_of, values
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.tensor_network.cards import DrivenCard
from labwright.tools.forge.tasks.tensor_network.driven_script import EXACT_SITES, scripts
from labwright.tools.forge.tasks.tensor_network.driven_spec import DrivenSpec

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


FAMILY = Family(
    "driven_chain", DrivenSpec, lambda spec: TOOLS, scripts, judge, report_of("tensor_network/driven.md"), DrivenCard
)
