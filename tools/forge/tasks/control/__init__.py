"""Optimal control: pulses by GRAPE for state transfer and gates, verified by evolution."""

from __future__ import annotations

from labwright.tools.forge.tasks.base import Family
from labwright.tools.forge.tasks.control.card import ControlCard
from labwright.tools.forge.tasks.control.judging import judge
from labwright.tools.forge.tasks.control.script import recipes, scripts
from labwright.tools.forge.tasks.control.spec import ControlSpec
from labwright.tools.forge.tasks.reporting import report_of

FAMILY = Family("control", ControlSpec, recipes, scripts, judge, report_of("control/report.md"), ControlCard)
