"""Exciton dynamics with structured baths by hierarchical equations of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.heom.card import ExcitonCard
from labwright.tools.forge.families.heom.judging import judge
from labwright.tools.forge.families.heom.report import report
from labwright.tools.forge.families.heom.script import scripts
from labwright.tools.forge.families.heom.spec import HeomSpec
from labwright.tools.forge.results import Results


class HeomFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "excitons"
    spec, card = HeomSpec, ExcitonCard

    def needs(self, spec: HeomSpec) -> Sequence[Need]:
        """The hierarchy and figures."""
        return [
            Need("heom_excitons", "propagates the excitons with their hierarchy"),
            Need("plot_lines", "draws populations and coherences"),
        ]

    def scripts(self, spec: HeomSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """A shallow hierarchy, then the task."""
        return scripts(spec, imports)

    def judge(self, spec: HeomSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Trace, positivity, start, figure."""
        return judge(spec, results, figures)

    def report(self, spec: HeomSpec, results: Results, figures: Sequence[str]) -> str:
        """Units, populations, convergence, meaning."""
        return report(spec, results, figures)


FAMILY = HeomFamily()
