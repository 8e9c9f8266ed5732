"""Levels, spins and oscillators: any Hamiltonian and drive, damping, steady states, spectra; said by a card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.forge.families.base import Family, Judgement, Script
from labwright.tools.forge.families.dynamics.spec import DynamicsSpec
from labwright.tools.forge.results import Results

KERNEL = Path(__file__).parent / "kernel"  # imports QuTiP, which takes seconds, and so only when it is needed


def tools(spec: DynamicsSpec) -> dict[str, str]:
    """The plotting tools of the figures; everything else is in the kernel."""
    from labwright.tools.forge.families.dynamics.kernel.figures import plotting_tools

    return dict.fromkeys(plotting_tools(spec.card()), "draws the results")


def scripts(spec: DynamicsSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """One script, with the kernel beside it."""
    modules = {f"dynamics/{one.name}": one.read_text() for one in sorted(KERNEL.glob("*.py"))}
    modules["card.json"] = json.dumps(spec.card(), indent=1)
    inputs = {name: "".join(word.capitalize() for word in name.split("_")) + "Input" for name in imports}
    lines = [f"from {module} import {inputs[name]}, {name}" for name, module in imports.items()]
    plots = ", ".join(f'"{name}": ({name}, {inputs[name]})' for name in imports)
    head = ['"""Compute the card in card.json."""\n', "from dynamics.main import main"]
    source = "\n".join([*head, *lines, f"\nmain({{{plots}}})\n"])
    return [Script("Compute the card in every case.", source, modules=modules, wall_seconds=1800.0)]


def judge(spec: DynamicsSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Norm and trace, positivity, bounds, numerical errors, deliverables."""
    from labwright.tools.forge.families.dynamics.judging import judge

    return judge(spec, results, figures)


def report(spec: DynamicsSpec, results: Results, figures: Sequence[str]) -> str:
    """System, cases, tables, figures."""
    from labwright.tools.forge.families.dynamics.report import report

    return report(spec, results, figures)


FAMILY = Family("dynamics", DynamicsSpec, tools, scripts, judge, report)
