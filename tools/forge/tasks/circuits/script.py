"""The tools and the script of a circuit task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.tasks.base import Script
from labwright.tools.forge.tasks.beside import script
from labwright.tools.forge.tasks.circuits.card import CircuitSpec

KERNEL = Path(__file__).parent / "kernel"
GIVEN = {"title", "qubits", "bases", "observables", "outcomes", "sampled", "shots", "seed", "chsh", "target", "wanted",
         "entropy_unit", "backend", "names"}  # fmt: skip


def tools(spec: CircuitSpec) -> dict[str, str]:
    """Tool -> why."""
    made = {}
    if spec.card.sampled:
        made = {
            f"sample_circuit_{spec.card.backend}": "samples the circuits in the bases of the task",
            "pauli_correlators": "takes correlators and their errors from the counts",
            "plot_bars": "draws the counts",
        }
    if spec.exact:
        made["circuit_density_matrix"] = "gives the exact state and its expectation values"
    if spec.card.sweep:
        made["plot_lines"] = "draws the values against the sweep"
    return made if made.keys() & {"plot_bars", "plot_lines"} else made | {"plot_bars": "draws the values"}


def scripts(spec: CircuitSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """One script: circuits are quick."""
    given = {
        **spec.card.model_dump(mode="json", include=GIVEN), "exact": spec.exact, "axis": next(iter(spec.card.sweep), ""),
        "axis_unit": spec.card.sweep_unit, "cases": [case.model_dump(mode="json") for case in spec.cases],
    }  # fmt: skip
    return [script("Take counts and exact values of the circuits.", KERNEL, imports, given)]
