"""Circuits: states prepared by gates, noise, measurements in Pauli bases with shots, correlators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.circuits.card import CircuitCard
from labwright.tools.forge.families.circuits.exact import exact_recipes
from labwright.tools.forge.families.circuits.judging import judge
from labwright.tools.forge.families.circuits.report import report
from labwright.tools.forge.families.circuits.script import exact, sampler, scripts
from labwright.tools.forge.families.circuits.spec import CircuitSpec
from labwright.tools.forge.families.circuits.sweeps import sweep_of
from labwright.tools.forge.results import Results


class CircuitFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "circuit"
    spec, card = CircuitSpec, CircuitCard

    def needs(self, spec: CircuitSpec) -> Sequence[Need]:
        """The sampler of the named backend, the estimator, the exact state where it is small, and figures."""
        if not spec.sampled:
            why = {"circuit_density_matrix": "gives the exact state and its expectation values"}
            return [Need(name, why.get(name, "draws the values")) for name in exact_recipes(spec)]
        made = [
            Need(sampler(spec), "samples the circuits in the bases of the task"),
            Need("pauli_correlators", "takes correlators and their errors from the counts"),
            Need("plot_bars", "draws the counts"),
        ]
        if exact(spec):
            made.append(
                Need("circuit_density_matrix", "gives the exact values to compare with, and the state's measures")
            )
        if sweep_of(spec):
            made.append(Need("plot_lines", "draws expectation values against the sweep"))
        return made

    def scripts(self, spec: CircuitSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """One script."""
        return scripts(spec, imports)

    def judge(self, spec: CircuitSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Shots, agreement with the exact state, bounds, figures."""
        return judge(spec, results, figures)

    def report(self, spec: CircuitSpec, results: Results, figures: Sequence[str]) -> str:
        """Tables of counts and correlators, conventions, meaning."""
        return report(spec, results, figures)


FAMILY = CircuitFamily()
