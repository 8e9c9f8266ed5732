"""Optimal control: pulses by GRAPE for state transfer and gates, verified by evolution."""

from __future__ import annotations

from labwright.tools.forge.families.base import Family
from labwright.tools.forge.families.control.card import ControlCard
from labwright.tools.forge.families.control.judging import judge
from labwright.tools.forge.families.control.script import recipes, scripts
from labwright.tools.forge.families.control.spec import ControlSpec
from labwright.tools.forge.families.reporting import report_of

FAMILY = Family("control", ControlSpec, recipes, scripts, judge, report_of("control/report.md"), ControlCard)
