"""Chains of qubits: quenches by product formulas or exactly, kicked chains, magnetisation, entropy, echo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.spin_chain.card import ChainCard
from labwright.tools.forge.tasks.task_type import Computed, Family, Judgement, Script

KERNEL = Path(__file__).parent / "solver"
LONG, TRIAL_STEPS = 400, 10  # steps in all from which a short trial comes first, and those of the trial
NORM = 1e-8
INFIDELITY = 0.02  # of a product formula against exact evolution; beyond, its steps are too coarse


def tools(task: Computed) -> dict[str, str]:
    """Tool -> why."""
    wanted = {
        "spin_chain_state": ("prepares the initial state from its seed or bits", True),
        "pauli_chain_terms": ("writes the Hamiltonian or the layers as Pauli strings", True),
        task.evolver: ("evolves the state and takes expectation values", True),
        "product_formula_step": ("turns Pauli strings into the rotations of one step", "exact" not in task.evolver),
        "chain_exact_evolution": ("gives exact values for comparison", task.reference or "exact" in task.evolver),
        "plot_heatmap": ("draws the magnetisation over site and time", "magnetisation" in task.wanted),
        "plot_lines": ("draws averages, entropy, energy and the echo", True),
    }  # fmt: skip
    return {name: why for name, (why, needed) in wanted.items() if needed}


def scripts(task: Computed, imports: Mapping[str, str]) -> Sequence[Script]:
    """A trial of a few steps where the whole is long, then the whole."""
    whole = script("Evolve the chain in every case and record what is wanted.", KERNEL, imports,
                   task.given | {"trial": False}, wall_seconds=1800.0)  # fmt: skip
    if task.steps * len(task.cases) < LONG:
        return [whole]
    done = min(TRIAL_STEPS, task.steps)
    few = {"total_time": task.total_time * done / task.steps, "steps": done, "record_every": 1, "trial": True}
    trial = script(f"Trial: the first {TRIAL_STEPS} steps of each case.", KERNEL, imports, task.given | few,
                   subset=True, wall_seconds=300.0)  # fmt: skip
    return [trial, whole]


def _array(record: Record) -> NDArray[np.float64]:
    return np.asarray(record.value, dtype=float)


def judge(task: Computed, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Norm, bounds, shape, energy, error of the product formula, deliverables, figures."""
    norm = max((float(_array(one)) for one in results.find("norm_error")), default=1.0)
    tables = [_array(one) for one in results.find("magnetisation")]
    size = (task.steps // task.record_every + 1, task.qubits)
    largest = max((float(np.abs(one).max()) for one in tables), default=0.0)
    found = [float(_array(one)) for one in results.find("product_formula_infidelity")]
    courses = [_array(one) for one in results.find("energy")]
    # exact evolution conserves the energy; a product formula up to its own error
    drifts = [float(np.abs(one - one[0]).max()) / max(1.0, float(np.abs(one).max())) for one in courses]
    drift = max(drifts, default=0.0)
    missing = [want for want in task.wanted if not results.find(want)]
    have, maps = len(results.find("norm_error")), [one for one in figures.values() if isinstance(one, dict)]
    panels = sum(len(one["panels"]) for one in maps if one.get("kind") == "heatmap")
    wanted = len(task.cases) * len(task.axes) if "magnetisation" in task.wanted else 0
    return [
        Judgement("norm", norm < NORM, f"The norm deviates from one by at most {norm:.1e}.", "bug",
                  "Look for a rotation that is not unitary."),
        Judgement("magnetisation", {one.shape for one in tables} <= {size} and largest < 1 + 1e-9,
                  f"Tables have {size[0]} records of {size[1]} sites; the largest is {largest:.4f}, at most 1.",
                  "bug", "Record every site at every step."),
        Judgement("error of the product formula", max(found, default=0.0) < INFIDELITY,
                  f"Final states differ from exact evolution by an infidelity of at most {max(found):.1e}." if found
                  else "Not a product formula.", "more_simulation", "Take shorter time steps."),
        Judgement("energy", drift < (1e-7 if task.method == "exact" else 0.1),
                  f"The energy varies by at most {drift:.1e} of its size.", "more_simulation",
                  "Take shorter time steps."),
        _entropy(task, results),
        Judgement("deliverables", not missing and have == len(task.cases), f"{have} of {len(task.cases)} evolutions are"
                  f" there; missing quantities: {', '.join(missing) or 'none'}.", "script_incomplete",
                  "Run every case and record every quantity."),
        Judgement("figures", panels >= wanted and bool(figures), f"{panels} heatmaps of {wanted}; {len(figures)}"
                  " figures in all.", "result_incomplete", "Plot every case."),
    ]  # fmt: skip


def _entropy(task: Computed, results: Results) -> Judgement:
    fine, told = True, "No entropy was asked for."
    for one in results.find("entropy"):
        cut, values = int(one.labels["cut"]), _array(one)
        most = min(cut, task.qubits - cut) * {"nat": float(np.log(2)), "bit": 1.0}[task.entropy_unit]
        fine = fine and bool(values.min() > -1e-9 and values.max() < most + 1e-9)
        told = f"Entropies lie between 0 and their largest value, {most:.4f} {task.entropy_unit} at the last cut."
    return Judgement("entropy", fine, told, "bug", "Look for a wrong cut.")


FAMILY = Family("chain", ChainCard, tools, scripts, judge, report_of("spin_chain/report.md"))
