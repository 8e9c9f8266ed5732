"""What must hold of a circuit task's results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from labwright.tools.forge.tasks.base import Judgement
from labwright.tools.forge.tasks.circuits.card import CircuitSpec
from labwright.tools.forge.tasks.reporting import told
from labwright.tools.forge.tasks.results import Results

SIGMAS = 5.0  # by which an estimate may be off; 1 in two million


def judge(spec: CircuitSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Deliverables and bounds; of counts also shots, agreement with the exact state, and histograms."""
    made = [_complete(spec, results), _bounds(spec, results)]
    if spec.card.sampled:
        made += [_shots(spec, results), _figures(figures)]
        made += [_agreement(spec, results)] if spec.exact else []
    return made


def _complete(spec: CircuitSpec, results: Results) -> Judgement:
    card = spec.card
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("counts", {"basis": card.names.get(one, one)}) for one in card.bases if card.sampled),
        *(("expectation", {"observable": card.names.get(one, one)}) for one in card.observables),
        *(("probability", {"outcome": one}) for one in card.outcomes),
        *((one, {}) for one in card.wanted),
    ]
    wanted = [(quantity, labels | case.labels) for case in spec.cases for quantity, labels in asked]
    missing = [
        f"{quantity} {told(labels)}".strip() for quantity, labels in wanted if not results.find(quantity, **labels)
    ]
    return Judgement(
        "deliverables",
        not missing,
        f"{len(wanted) - len(missing)} of {len(wanted)} results are there; missing: {'; '.join(missing[:9]) or 'none'}.",
        "script_incomplete",
        "Measure every case in every basis, with a basis for each observable, and Z on all qubits for outcomes.",
    )


def _shots(spec: CircuitSpec, results: Results) -> Judgement:
    sums = {sum(one.value.values()) for one in results.find("counts") if isinstance(one.value, dict)}
    return Judgement(
        "shots",
        sums == {spec.card.shots},
        f"Counts sum to {sorted(sums)}; {spec.card.shots} shots were asked for.",
        "bug",
        "Sample again with the number of shots that the task asks for.",
    )


def _agreement(spec: CircuitSpec, results: Results) -> Judgement:
    worst, where, shots = 0.0, "nothing was compared", spec.card.shots
    for labels, exact in _numbers(results, "exact_expectation"):
        for _, value in _numbers(results, "expectation", **labels):
            off = abs(value - exact) / math.sqrt(max(1 - exact**2, 1 / shots) / shots)
            if off >= worst:
                worst, where = off, f"{told(labels)}: sampled {value:.4f}, exact {exact:.4f}"
    return Judgement(
        "agreement with the exact state",
        worst < SIGMAS,
        f"The largest deviation is {worst:.1f} standard errors ({where}).",
        "bug",
        "Look for a wrong bit order, basis or place of the noise.",
    )


def _bounds(spec: CircuitSpec, results: Results) -> Judgement:
    bounds = {
        "expectation": (-1.0, 1.0),
        "purity": (2.0**-spec.card.qubits, 1.0),
        "fidelity": (0.0, 1.0),
        "chsh": (-2 * math.sqrt(2) - (more := 4 * SIGMAS / math.sqrt(spec.card.shots)), 2 * math.sqrt(2) + more),
    }
    said, fine = [], True
    for quantity, (low, high) in bounds.items():
        found = [value for _, value in _numbers(results, quantity)]
        if found:
            fine = fine and low - 1e-9 <= min(found) and max(found) <= high + 1e-9
            said.append(f"{quantity} {min(found):.4f} to {max(found):.4f} within [{low:g}, {high:g}]")
    return Judgement(
        "bounds", fine, f"{'; '.join(said) or 'Nothing to compare'}.", "bug", "Look for a channel that is none."
    )


def _figures(figures: Mapping[str, object]) -> Judgement:
    bars = [path for path, data in figures.items() if isinstance(data, dict) and data.get("kind") == "bars"]
    return Judgement(
        "histograms", bool(bars), f"{len(bars)} figures show counts.", "result_incomplete", "Plot the counts."
    )


def _numbers(results: Results, quantity: str, **labels: Any) -> list[tuple[dict[str, Any], float]]:
    """Labels and value of single numbers; curves hold the same ones again."""
    found = results.find(quantity, **labels)
    return [(one.labels, float(one.value)) for one in found if isinstance(one.value, float | int)]
