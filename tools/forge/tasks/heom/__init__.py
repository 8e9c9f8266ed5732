"""Exciton dynamics with structured baths by hierarchical equations of motion."""

from __future__ import annotations

from labwright.tools.forge.tasks.base import Family
from labwright.tools.forge.tasks.heom.card import ExcitonCard
from labwright.tools.forge.tasks.heom.judging import course, judge, told
from labwright.tools.forge.tasks.heom.script import scripts
from labwright.tools.forge.tasks.heom.spec import HeomSpec
from labwright.tools.forge.tasks.reporting import report_of

TOOLS = {
    "heom_excitons": "propagates the excitons with their hierarchy",
    "plot_lines": "draws populations and coherences",
}
REPORT = report_of("heom/report.md", course=course, told=told)
FAMILY = Family("excitons", HeomSpec, lambda spec: TOOLS, scripts, judge, REPORT, ExcitonCard)
