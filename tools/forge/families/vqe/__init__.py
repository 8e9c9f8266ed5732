"""Molecular ground states by the variational quantum eigensolver, beside exact energies."""

from __future__ import annotations

from labwright.tools.forge.families.base import Family
from labwright.tools.forge.families.reporting import report_of
from labwright.tools.forge.families.vqe.card import VqeCard
from labwright.tools.forge.families.vqe.judging import energies, judge
from labwright.tools.forge.families.vqe.script import scripts
from labwright.tools.forge.families.vqe.spec import VqeSpec

TOOLS = {
    "molecular_vqe": "minimises the energy of the circuit",
    "casci_states": "gives the exact energy in the same orbitals",
    "plot_lines": "draws the energies",
}
REPORT = report_of("vqe/report.md", energies=energies)
FAMILY = Family("vqe", VqeSpec, lambda spec: TOOLS, scripts, judge, REPORT, VqeCard)
