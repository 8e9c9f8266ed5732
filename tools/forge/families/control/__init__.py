"""Optimal control: pulses by GRAPE for state transfer and gates, verified by evolution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.control.card import ControlCard
from labwright.tools.forge.families.control.judging import judge
from labwright.tools.forge.families.control.report import report
from labwright.tools.forge.families.control.script import recipes, scripts
from labwright.tools.forge.families.control.spec import ControlSpec
from labwright.tools.forge.results import Results


class ControlFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "control"
    spec, card = ControlSpec, ControlCard

    def needs(self, spec: ControlSpec) -> Sequence[Need]:
        """GRAPE, the evolution that verifies, figures, and shaped pulses where they are the start."""
        return [Need(name, why) for name, why in recipes(spec).items()]

    def scripts(self, spec: ControlSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """A trial with few slots, then the task."""
        return scripts(spec, imports)

    def judge(self, spec: ControlSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Fidelity, agreement with the evolution, bounds, occupations, figures."""
        return judge(spec, results, figures)

    def report(self, spec: ControlSpec, results: Results, figures: Sequence[str]) -> str:
        """Method, fidelities, occupations, mechanism."""
        return report(spec, results, figures)


FAMILY = ControlFamily()
