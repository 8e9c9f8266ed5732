"""Exciton dynamics with structured baths by hierarchical equations of motion."""

from __future__ import annotations

from labwright.tools.forge.families.base import Family
from labwright.tools.forge.families.heom.card import ExcitonCard
from labwright.tools.forge.families.heom.judging import judge
from labwright.tools.forge.families.heom.report import report
from labwright.tools.forge.families.heom.script import scripts
from labwright.tools.forge.families.heom.spec import HeomSpec

TOOLS = {
    "heom_excitons": "propagates the excitons with their hierarchy",
    "plot_lines": "draws populations and coherences",
}
FAMILY = Family("excitons", HeomSpec, lambda spec: TOOLS, scripts, judge, report, ExcitonCard)
