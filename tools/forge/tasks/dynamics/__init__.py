"""Levels, spins and oscillators: any Hamiltonian and drive, damping, steady states, spectra; said by a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.tasks.dynamics.spec import DynamicsSpec
from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Family, Judgement, Script

KERNEL = Path(__file__).parent / "solver"  # imports QuTiP, which takes seconds, and so only when it is needed


def tools(spec: DynamicsSpec) -> dict[str, str]:
    """The plotting tools of the figures; everything else is in the kernel."""
    from labwright.tools.forge.tasks.dynamics.solver.figures import plotting_tools

    return dict.fromkeys(plotting_tools(spec.card()), "draws the results")


def scripts(spec: DynamicsSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """One script, with the kernel beside it."""
    return [script("Compute the card in every case.", KERNEL, imports, spec.card(), wall_seconds=1800.0)]


def judge(spec: DynamicsSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Norm and trace, positivity, bounds, numerical errors, deliverables."""
    from labwright.tools.forge.tasks.dynamics.judging import judge

    return judge(spec, results, figures)


def report(spec: DynamicsSpec, results: Results, figures: Sequence[str]) -> str:
    """System, cases, every result with its error, figures."""
    from labwright.tools.forge.tasks.dynamics.solver.demands import demands_of
    from labwright.tools.forge.tasks.dynamics.solver.figures import told

    card = spec.card()
    return report_of("dynamics/report.md", card=card, demands=demands_of(card), told=told)(spec, results, figures)


FAMILY = Family("dynamics", DynamicsSpec, tools, scripts, judge, report)
