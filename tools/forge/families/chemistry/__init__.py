"""Quantum chemistry with PySCF: structures, properties, thermochemistry, acids, excited states, scans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.chemistry import judging, reporting
from labwright.tools.forge.families.chemistry.card import ChemistryCard
from labwright.tools.forge.families.chemistry.scripts import NAME, needs, scripts
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec
from labwright.tools.forge.results import Results


class Chemistry:
    """Tasks of molecules: what `ChemistrySpec` can say."""

    name = NAME
    spec, card = ChemistrySpec, ChemistryCard

    def needs(self, spec: ChemistrySpec) -> Sequence[Need]:
        """The recipes that `spec` needs."""
        return needs(spec)

    def scripts(self, spec: ChemistrySpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """A trial, one script a molecule, and one that puts them together."""
        return scripts(spec, imports)

    def judge(self, spec: ChemistrySpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """What must hold."""
        return judging.judge(spec, results, figures)

    def report(self, spec: ChemistrySpec, results: Results, figures: Sequence[str]) -> str:
        """Conventions and tables."""
        return reporting.report(spec, results, figures)


FAMILY = Chemistry()
