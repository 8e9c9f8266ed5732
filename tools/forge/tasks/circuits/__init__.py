"""Circuits: states prepared by gates, noise, measurements in Pauli bases with shots, correlators."""

from __future__ import annotations

from labwright.tools.forge.tasks.base import Family
from labwright.tools.forge.tasks.circuits.card import CircuitCard, CircuitSpec
from labwright.tools.forge.tasks.circuits.judging import judge
from labwright.tools.forge.tasks.circuits.script import scripts, tools
from labwright.tools.forge.tasks.reporting import report_of

FAMILY = Family("circuit", CircuitSpec, tools, scripts, judge, report_of("circuits/report.md"), CircuitCard)
