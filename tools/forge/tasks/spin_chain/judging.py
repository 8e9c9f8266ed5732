"""What must hold of the results of a spin-chain task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.tasks.base import Judgement
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.tasks.spin_chain.spec import SpinChainSpec

NORM = 1e-8
INFIDELITY = 0.02  # of a product formula against exact evolution; beyond, its steps are too coarse


def judge(spec: SpinChainSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Norm, bounds, shape, energy, error of the product formula, figures."""
    return [
        _norm(results),
        _magnetisation(spec, results),
        _formula(spec, results),
        _energy(spec, results),
        _entropy(spec, results),
        _complete(spec, results),
        _figures(spec, figures),
    ]


def _array(record: Record) -> NDArray[np.float64]:
    return np.asarray(record.value, dtype=float)


def _norm(results: Results) -> Judgement:
    worst = max((float(_array(one)) for one in results.find("norm_error")), default=1.0)
    return Judgement(
        "norm",
        worst < NORM,
        f"The norm deviates from one by at most {worst:.1e}.",
        "bug",
        "Look for a rotation that is not unitary.",
    )


def _magnetisation(spec: SpinChainSpec, results: Results) -> Judgement:
    found = [_array(one) for one in results.find("magnetisation")]
    records = spec.steps // spec.record_every + 1
    shapes = {one.shape for one in found} <= {(records, spec.n_qubits)}
    largest = max((float(np.abs(one).max()) for one in found), default=0.0)
    return Judgement(
        "magnetisation",
        shapes and largest < 1 + 1e-9,
        (f"Tables have {records} records of {spec.n_qubits} sites; the largest magnitude is {largest:.4f}, at most 1."),
        "bug",
        "Record every site at every step.",
    )


def _formula(spec: SpinChainSpec, results: Results) -> Judgement:
    found = [float(_array(one)) for one in results.find("product_formula_infidelity")]
    worst = max(found, default=0.0)
    return Judgement(
        "error of the product formula",
        worst < INFIDELITY,
        f"Final states differ from exact evolution by an infidelity of at most {worst:.1e}."
        if found
        else "Not a product formula.",
        "more_simulation",
        "Take shorter time steps.",
    )


def _energy(spec: SpinChainSpec, results: Results) -> Judgement:
    """Exact evolution conserves the energy; a product formula up to its own error."""
    worst = 0.0
    for one in results.find("energy"):
        values = _array(one)
        worst = max(worst, float(np.abs(values - values[0]).max()) / max(1.0, float(np.abs(values).max())))
    allowed = 1e-7 if spec.method == "exact" else 0.1
    return Judgement(
        "energy",
        worst < allowed,
        f"The energy varies by at most {worst:.1e} of its size.",
        "more_simulation",
        "Take shorter time steps.",
    )


def _entropy(spec: SpinChainSpec, results: Results) -> Judgement:
    fine, told = True, "No entropy was asked for."
    for one in results.find("entropy"):
        cut = int(one.labels["cut"])
        most = min(cut, spec.n_qubits - cut) * {"nat": float(np.log(2)), "bit": 1.0}[spec.entropy_unit]
        values = _array(one)
        fine = fine and bool(values.min() > -1e-9 and values.max() < most + 1e-9)
        told = (
            f"Entropies lie between 0 and their largest possible value, {most:.4f} {spec.entropy_unit} at the last cut."
        )
    return Judgement("entropy", fine, told, "bug", "Look for a wrong cut.")


def _complete(spec: SpinChainSpec, results: Results) -> Judgement:
    missing = [want for want in spec.wants if not results.find(want)]
    runs = len(spec.cases) * len(spec.initial)
    have = len(results.find("norm_error"))
    return Judgement(
        "deliverables",
        not missing and have == runs,
        f"{have} of {runs} evolutions are there; missing quantities: {', '.join(missing) or 'none'}.",
        "script_incomplete",
        "Run every case and record every quantity.",
    )


def _figures(spec: SpinChainSpec, figures: Mapping[str, Any]) -> Judgement:
    maps = [one for one in figures.values() if isinstance(one, dict) and one.get("kind") == "heatmap"]
    panels = sum(len(one["panels"]) for one in maps)
    wanted = len(spec.cases) * len(spec.initial) * len(spec.axes_of_spin) if "magnetisation" in spec.wants else 0
    return Judgement(
        "figures",
        panels >= wanted and bool(figures),
        (f"{panels} heatmaps of {wanted}; {len(figures)} figures in all."),
        "result_incomplete",
        "Plot every case.",
    )
