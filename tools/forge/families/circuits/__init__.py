"""Circuits: states prepared by gates, noise, measurements in Pauli bases with shots, correlators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.circuits.judging import judge
from labwright.tools.forge.families.circuits.report import report
from labwright.tools.forge.families.circuits.script import exact, sampler, scripts
from labwright.tools.forge.families.circuits.spec import CircuitSpec
from labwright.tools.forge.results import Results


class CircuitFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "circuits"
    spec = CircuitSpec
    quantities = frozenset({"chsh", "probability", "exact_expectation", "standard_error", "entanglement_entropy"})

    def needs(self, spec: CircuitSpec) -> Sequence[Need]:
        """The sampler of the named backend, the estimator, the exact state where it is small, and figures."""
        if not spec.sampled:
            drawn = (
                Need("plot_lines", "draws expectation values against the sweep")
                if spec.axis
                else Need("plot_bars", "draws expectation values")
            )
            return [Need("circuit_density_matrix", "gives the exact expectation values"), drawn]
        made = [
            Need(sampler(spec), "samples the circuits in the bases of the task"),
            Need("pauli_correlators", "takes correlators and their errors from the counts"),
            Need("plot_bars", "draws the counts"),
        ]
        if exact(spec):
            made.append(
                Need("circuit_density_matrix", "gives the exact values to compare with, and the state's measures")
            )
        if spec.axis or len(spec.cases) > 1:
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
