"""Few-level systems, qubits and oscillators: unitary and Lindblad evolution, drives, baths, steady states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.open_system.judging import judge
from labwright.tools.forge.families.open_system.report import report
from labwright.tools.forge.families.open_system.script import recipes, scripts
from labwright.tools.forge.families.open_system.spec import OpenSystemSpec
from labwright.tools.forge.results import Results


class OpenSystemFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "open_system"
    spec = OpenSystemSpec

    def needs(self, spec: OpenSystemSpec) -> Sequence[Need]:
        """Matrices, the solver for closed or open cases, measures of states, figures."""
        return [Need(name, why) for name, why in recipes(spec).items()]

    def scripts(self, spec: OpenSystemSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """One script."""
        return scripts(spec, imports)

    def judge(self, spec: OpenSystemSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Trace, positivity, energy, populations, steady state, deliverables."""
        return judge(spec, results, figures)

    def report(self, spec: OpenSystemSpec, results: Results, figures: Sequence[str]) -> str:
        """Cases, conventions, tables, meaning."""
        return report(spec, results, figures)


FAMILY = OpenSystemFamily()
