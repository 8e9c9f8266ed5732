"""Molecular ground states by the variational quantum eigensolver, beside exact energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from labwright.tools.forge.tasks.base import Family, Script
from labwright.tools.forge.tasks.beside import script
from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.vqe.card import VqeCard
from labwright.tools.forge.tasks.vqe.judging import judge

TOOLS = {
    "molecular_vqe": "minimises the energy of the circuit",
    "casci_states": "gives the exact energy in the same orbitals",
    "plot_lines": "draws the energies",
}
KERNEL = Path(__file__).parent / "kernel"


def scripts(card: VqeCard, imports: Mapping[str, str]) -> Sequence[Script]:
    """One point first where there are many, then all."""
    common = {
        "charge",
        "basis",
        "active_orbitals",
        "mapping",
        "layers",
        "seed",
        "optimiser",
        "max_iterations",
        "tolerance",
    }
    given = card.model_dump(include=common) | {
        "circuits": card.circuits,
        "scans": [asdict(one) for one in card.scans()],
    }
    points = sum(len(one.geometries) for one in card.scans())
    wall = 300.0 + 120.0 * points
    whole = script("VQE and exact energies at all geometries.", KERNEL, imports, given, wall_seconds=wall)
    trial = script("Try one geometry.", KERNEL, imports, given, "trial", subset=True, wall_seconds=300.0)
    return [trial, whole] if points >= 4 else [whole]


FAMILY = Family("vqe", VqeCard, lambda card: TOOLS, scripts, judge, report_of("vqe/report.md"))
