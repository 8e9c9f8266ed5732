"""Circuits: states prepared by gates, noise, measurements in Pauli bases with shots, correlators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.tasks.circuits.card import CircuitCard
from labwright.tools.forge.tasks.circuits.judging import judge
from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Computed, Family, Script

KERNEL = Path(__file__).parent / "solver"


def tools(task: Computed) -> dict[str, str]:
    """Tool -> why."""
    made = {}
    if task.sampled:
        made = {
            f"sample_circuit_{task.backend}": "samples the circuits in the bases of the task",
            "pauli_correlators": "takes correlators and their errors from the counts",
            "plot_bars": "draws the counts",
        }
    if task.exact:
        made["circuit_density_matrix"] = "gives the exact state and its expectation values"
    if task.sweep:
        made["plot_lines"] = "draws the values against the sweep"
    return made if made.keys() & {"plot_bars", "plot_lines"} else made | {"plot_bars": "draws the values"}


def scripts(task: Computed, imports: Mapping[str, str]) -> Sequence[Script]:
    """One script: circuits are quick."""
    return [script("Take counts and exact values of the circuits.", KERNEL, imports, task.given)]


FAMILY = Family("circuit", CircuitCard, tools, scripts, judge, report_of("circuits/report.md"))
