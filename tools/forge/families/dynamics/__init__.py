"""Levels, spins and oscillators: any Hamiltonian and drive, damping, steady states, spectra; said by a card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.dynamics.spec import DynamicsSpec
from labwright.tools.forge.results import Results

HERE = Path(__file__).parent
_SCRIPT = '"""Compute the card in card.json."""\n\nfrom dynamics.main import main\n\nmain()\n'


class DynamicsFamily:
    """See `labwright.tools.forge.families.base.Family`. QuTiP, which takes seconds to import, is imported when needed."""

    name = "dynamics"
    spec = DynamicsSpec

    def needs(self, spec: DynamicsSpec) -> Sequence[Need]:
        """The plotting tools of the figures; everything else is in the kernel."""
        from labwright.tools.forge.families.dynamics.kernel.figures import plotting_tools

        return [Need(name, "draws the results") for name in plotting_tools(spec.card())]

    def scripts(self, spec: DynamicsSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """One script, with the kernel beside it."""
        modules = {f"dynamics/{one.name}": one.read_text() for one in sorted((HERE / "kernel").glob("*.py"))}
        task = {"card": spec.card(), "tools": dict(imports)}
        modules["card.json"] = json.dumps(task, indent=1)
        return [
            Script(
                "Compute the card in every case.",
                _SCRIPT,
                modules=modules,
                wall_seconds=1800.0,
            )
        ]

    def judge(self, spec: DynamicsSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Norm and trace, positivity, bounds, numerical errors, deliverables."""
        from labwright.tools.forge.families.dynamics.judging import judge

        return judge(spec, results, figures)

    def report(self, spec: DynamicsSpec, results: Results, figures: Sequence[str]) -> str:
        """System, cases, tables, figures."""
        from labwright.tools.forge.families.dynamics.report import report

        return report(spec, results, figures)


FAMILY = DynamicsFamily()
