"""Molecular ground states by the variational quantum eigensolver, beside exact energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.vqe.card import VqeCard
from labwright.tools.forge.families.vqe.judging import judge
from labwright.tools.forge.families.vqe.report import report
from labwright.tools.forge.families.vqe.script import scripts
from labwright.tools.forge.families.vqe.spec import VqeSpec
from labwright.tools.forge.results import Results


class VqeFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "vqe"
    spec, card = VqeSpec, VqeCard

    def needs(self, spec: VqeSpec) -> Sequence[Need]:
        """VQE, the exact reference, figures."""
        return [
            Need("molecular_vqe", "minimises the energy of the circuit"),
            Need("casci_states", "gives the exact energy in the same orbitals"),
            Need("plot_lines", "draws the energies"),
        ]

    def scripts(self, spec: VqeSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """One geometry, then all."""
        return scripts(spec, imports)

    def judge(self, spec: VqeSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Variational bound, accuracy, figure."""
        return judge(spec, results, figures)

    def report(self, spec: VqeSpec, results: Results, figures: Sequence[str]) -> str:
        """Method, energies, meaning."""
        return report(spec, results, figures)


FAMILY = VqeFamily()
