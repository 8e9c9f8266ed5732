"""Circuits: states prepared by gates, noise, measurements in Pauli bases with shots, correlators."""

from __future__ import annotations

from labwright.tools.forge.families.base import Family
from labwright.tools.forge.families.circuits.card import CircuitCard
from labwright.tools.forge.families.circuits.exact import exact_recipes
from labwright.tools.forge.families.circuits.judging import judge
from labwright.tools.forge.families.circuits.script import exact, parameters, sampler, scripts
from labwright.tools.forge.families.circuits.spec import CircuitSpec
from labwright.tools.forge.families.circuits.sweeps import sweep_of
from labwright.tools.forge.families.reporting import report_of


def tools(spec: CircuitSpec) -> dict[str, str]:
    """The sampler of the named backend, the estimator, the exact state where it is small, and figures."""
    if not spec.sampled:
        why = {"circuit_density_matrix": "gives the exact state and its expectation values"}
        return {name: why.get(name, "draws the values") for name in exact_recipes(spec)}
    made = {
        sampler(spec): "samples the circuits in the bases of the task",
        "pauli_correlators": "takes correlators and their errors from the counts",
        "plot_bars": "draws the counts",
    }
    if exact(spec):
        made["circuit_density_matrix"] = "gives the exact values to compare with, and the state's measures"
    if sweep_of(spec):
        made["plot_lines"] = "draws expectation values against the sweep"
    return made


REPORT = report_of("circuits/report.md", parameters=parameters)
FAMILY = Family("circuit", CircuitSpec, tools, scripts, judge, REPORT, CircuitCard)
