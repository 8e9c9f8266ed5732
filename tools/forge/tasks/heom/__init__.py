"""Exciton dynamics with structured baths by hierarchical equations of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.tasks.heom.card import ExcitonCard
from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Computed, Family, Judgement, Script, drawn

KERNEL = Path(__file__).parent / "solver"
TOOLS = {
    "heom_excitons": "propagates the excitons with their hierarchy",
    "plot_lines": "draws populations and coherences",
}
Case = Mapping[str, dict[str, float]]


def scripts(task: Computed, imports: Mapping[str, str]) -> Sequence[Script]:
    """First a shallow hierarchy with and without terminator, then the task."""
    # a step touches each operator; seven sites with 12650 of them take about 60 s at 77 K, 130 at 300
    size = task.operators * len(task.hamiltonian) ** 2
    wall, memory = 2.5e-3 * size * len(task.cases) * task.duration / 1000, 1500 + size * 16 * 60 // 1_000_000
    return [
        script("Try a shallow hierarchy.", KERNEL, imports, task.given, "shallow", subset=True, wall_seconds=300.0),
        script("Propagate the task's hierarchy.", KERNEL, imports, task.given, wall_seconds=max(600.0, wall),
               memory_mb=memory),
    ]  # fmt: skip


def judge(task: Computed, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Populations of all cases, their sum, positivity, the start, the figure."""
    made = [one for case in task.cases for one in _case(task, case, results)]
    return [*made, drawn(figures, "img/populations.png")]


def course(results: Results, case: Case) -> NDArray[np.float64] | None:
    """Populations of a case, times x sites; None if they are not there."""
    values = [one.value for one in results.find("population", **case["labels"])]
    tables = [value for value in values if isinstance(value, list) and value and isinstance(value[0], list)]
    return np.array(tables[0], dtype=float) if len(tables) == 1 else None  # the others are of one site each


def told(case: Case) -> str:
    """The case in a few words."""
    return ", ".join(f"{name} {value:g}" for name, value in case["labels"].items())


def _case(task: Computed, case: Case, results: Results) -> list[Judgement]:
    name, values = told(case), course(results, case)
    if values is None or values.shape != (task.records, len(task.hamiltonian)):
        shape = "none" if values is None else str(values.shape)
        return [Judgement(f"populations {name}", False, f"Populations have the shape {shape}.", "script_incomplete",
                          "Record all sites at all times.")]  # fmt: skip
    off, low, high = float(np.abs(values.sum(axis=1) - 1).max()), float(values.min()), float(values.max())
    begin = np.real(np.diag(np.array(task.initial) @ [1, 1j]))
    return [
        Judgement(f"trace {name}", off < 1e-4, f"Populations sum to one within {off:.1e}."),
        Judgement(f"positivity {name}", low > -0.02 and high < 1.02,
                  f"Populations lie between {low:.4f} and {high:.4f}.",
                  "more_simulation", "Deepen the hierarchy, or add terms: a cut one can leave the physical range."),
        Judgement(f"start {name}", bool(np.abs(values[0] - begin).max() < 1e-9), "The start is the asked state."),
    ]  # fmt: skip


REPORT = report_of("heom/report.md", course=course, told=told)
FAMILY = Family("excitons", ExcitonCard, lambda task: TOOLS, scripts, judge, REPORT)
