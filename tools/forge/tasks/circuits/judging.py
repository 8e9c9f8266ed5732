"""What must hold of a circuit task's results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from labwright.tools.forge.tasks.reporting import told
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.task_type import Computed, Judgement

SIGMAS = 5.0  # by which an estimate may be off; 1 in two million


def judge(task: Computed, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Deliverables and bounds; of counts also shots, agreement with the exact state, and histograms."""
    made = [_complete(task, results), _bounds(task, results)]
    if task.sampled:
        made += [_shots(task, results), _figures(figures)]
        made += [_agreement(task, results)] if task.exact else []
    return made


def _complete(task: Computed, results: Results) -> Judgement:
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("counts", {"basis": task.names.get(one, one)}) for one in task.bases if task.sampled),
        *(("expectation", {"observable": task.names.get(one, one)}) for one in task.observables),
        *(("probability", {"outcome": one}) for one in task.outcomes),
        *((one, {}) for one in task.wanted),
    ]
    wanted = [(quantity, labels | case["labels"]) for case in task.cases for quantity, labels in asked]
    missing = [f"{what} {told(labels)}".strip() for what, labels in wanted if not results.find(what, **labels)]
    return Judgement(
        "deliverables",
        not missing,
        f"{len(wanted) - len(missing)} of {len(wanted)} results are there; missing: "
        f"{'; '.join(missing[:9]) or 'none'}.",
        "script_incomplete",
        "Measure every case in every basis, with a basis for each observable, and Z on all qubits for outcomes.",
    )


def _shots(task: Computed, results: Results) -> Judgement:
    sums = {sum(one.value.values()) for one in results.find("counts") if isinstance(one.value, dict)}
    return Judgement("shots", sums == {task.shots},
                     f"Counts sum to {sorted(sums)}; {task.shots} shots were asked for.", "bug",
                     "Sample again with the number of shots that the task asks for.")  # fmt: skip


def _agreement(task: Computed, results: Results) -> Judgement:
    worst, where, shots = 0.0, "nothing was compared", task.shots
    for labels, exact in _numbers(results, "exact_expectation"):
        for _, value in _numbers(results, "expectation", **labels):
            off = abs(value - exact) / math.sqrt(max(1 - exact**2, 1 / shots) / shots)
            if off >= worst:
                worst, where = off, f"{told(labels)}: sampled {value:.4f}, exact {exact:.4f}"
    return Judgement("agreement with the exact state", worst < SIGMAS,
                     f"The largest deviation is {worst:.1f} standard errors ({where}).", "bug",
                     "Look for a wrong bit order, basis or place of the noise.")  # fmt: skip


def _bounds(task: Computed, results: Results) -> Judgement:
    bounds = {
        "expectation": (-1.0, 1.0),
        "purity": (2.0**-task.qubits, 1.0),
        "fidelity": (0.0, 1.0),
        "chsh": (-2 * math.sqrt(2) - (more := 4 * SIGMAS / math.sqrt(task.shots)), 2 * math.sqrt(2) + more),
    }
    said, fine = [], True
    for quantity, (low, high) in bounds.items():
        found = [value for _, value in _numbers(results, quantity)]
        if found:
            fine = fine and low - 1e-9 <= min(found) and max(found) <= high + 1e-9
            said.append(f"{quantity} {min(found):.4f} to {max(found):.4f} within [{low:g}, {high:g}]")
    shown = f"{'; '.join(said) or 'Nothing to compare'}."
    return Judgement("bounds", fine, shown, "bug", "Look for a channel that is none.")


def _figures(figures: Mapping[str, object]) -> Judgement:
    bars = [path for path, data in figures.items() if isinstance(data, dict) and data.get("kind") == "bars"]
    told = f"{len(bars)} figures show counts."
    return Judgement("histograms", bool(bars), told, "result_incomplete", "Plot the counts.")


def _numbers(results: Results, quantity: str, **labels: Any) -> list[tuple[dict[str, Any], float]]:
    """Labels and value of single numbers; curves hold the same ones again."""
    found = results.find(quantity, **labels)
    return [(one.labels, float(one.value)) for one in found if isinstance(one.value, float | int)]
