"""What must hold of a circuit task's results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from labwright.tools.forge.families.base import Judgement
from labwright.tools.forge.families.circuits.script import exact
from labwright.tools.forge.families.circuits.spec import CircuitSpec
from labwright.tools.forge.results import Record, Results

SIGMAS = 5.0  # by which an estimate may be off; 1 in two million


def judge(spec: CircuitSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Shots, agreement with the exact state, bounds, figures."""
    if not spec.sampled:
        return [_exactly_complete(spec, results), _bounds(spec, results)]
    return [
        _complete(spec, results),
        _shots(spec, results),
        *([_agreement(spec, results), _bounds(spec, results)] if exact(spec) else []),
        _figures(figures),
    ]


def _complete(spec: CircuitSpec, results: Results) -> Judgement:
    wanted = len(spec.cases) * len(spec.bases)
    have = len(
        [one for one in results.find("counts") if one.labels.get("basis") in {*spec.bases, *spec.label_names.values()}]
    )
    have_values = {str(one.labels.get("observable")) for one in results.find("expectation")}
    named = {spec.label_names.get(one, one) for one in spec.observables}
    missing = sorted(named - have_values)
    return Judgement(
        "deliverables",
        have >= wanted and not missing,
        f"{have} of {wanted} sets of counts are there; observables missing: {', '.join(missing) or 'none'}.",
        "script_incomplete",
        "Measure every case in every basis, and take every observable from a basis that fits.",
    )


def _exactly_complete(spec: CircuitSpec, results: Results) -> Judgement:
    """Whether every observable of every case has a value that an expectation value can have."""
    found = [one for one in results.find("expectation") if isinstance(one.value, float | int)]
    wanted = len(spec.cases) * len(spec.observables)
    fine = all(abs(_number(one)) <= 1 + 1e-9 for one in found)
    return Judgement(
        "deliverables",
        len(found) == wanted and fine,
        f"{len(found)} of {wanted} exact expectation values are there, {'all' if fine else 'not all'} within [-1, 1].",
        "script_incomplete",
        "Take every observable in every case.",
    )


def _shots(spec: CircuitSpec, results: Results) -> Judgement:
    sums = {sum(one.value.values()) for one in results.find("counts") if isinstance(one.value, dict)}
    return Judgement(
        "shots",
        sums == {spec.shots},
        f"Counts sum to {sorted(sums)}; {spec.shots} shots were asked for.",
        "bug",
        "Sample again with the number of shots that the task asks for.",
    )


def _agreement(spec: CircuitSpec, results: Results) -> Judgement:
    worst, where = 0.0, "nothing was compared"
    for sure in results.find("exact_expectation"):
        if "convention" in sure.labels or not isinstance(sure.value, float | int):
            continue
        for one in results.find("expectation", **sure.labels):
            spread = math.sqrt(max(1 - float(sure.value) ** 2, 1 / spec.shots) / spec.shots)
            off = abs(float(_number(one)) - float(sure.value)) / spread
            if off >= worst:
                worst, where = off, f"{_told(one.labels)}: sampled {_number(one):.4f}, exact {float(sure.value):.4f}"
    return Judgement(
        "agreement with the exact state",
        worst < SIGMAS,
        f"The largest deviation is {worst:.1f} standard errors ({where}).",
        "bug",
        "Look for a wrong bit order, basis or place of the noise.",
    )


def _bounds(spec: CircuitSpec, results: Results) -> Judgement:
    low = 2.0**-spec.n_qubits
    purities, fidelities = _numbers(results, "purity"), _numbers(results, "fidelity")
    chsh = [abs(one) for one in _numbers(results, "chsh")]
    fine = (
        all(low - 1e-9 <= value <= 1 + 1e-9 for value in purities)
        and all(-1e-9 <= value <= 1 + 1e-9 for value in fidelities)
        and all(value <= 2 * math.sqrt(2) + 4 * SIGMAS / math.sqrt(spec.shots) for value in chsh)
    )
    return Judgement(
        "bounds",
        fine,
        f"Purity {_range(purities)} within [{low:g}, 1]; fidelity {_range(fidelities)} within [0, 1];"
        f" |CHSH| {_range(chsh)} within 2 sqrt(2) and statistics.",
        "bug",
        "Look for a channel that is none.",
    )


def _figures(figures: Mapping[str, object]) -> Judgement:
    bars = [path for path, data in figures.items() if isinstance(data, dict) and data.get("kind") == "bars"]
    return Judgement(
        "histograms", bool(bars), f"{len(bars)} figures show counts.", "result_incomplete", "Plot the counts."
    )


def _numbers(results: Results, quantity: str) -> list[float]:
    """Single values; curves hold the same ones again."""
    return [_number(one) for one in results.find(quantity) if isinstance(one.value, float | int)]


def _number(record: Record) -> float:
    return float(record.value) if isinstance(record.value, float | int) else math.nan


def _range(values: list[float]) -> str:
    return f"{min(values):.4f} to {max(values):.4f}" if values else "not asked for"


def _told(labels: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in labels.items())
