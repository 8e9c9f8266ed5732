"""Optimal control: pulses by GRAPE for state transfer and gates, verified by evolution."""

from __future__ import annotations

from labwright.tools.forge.families.base import Family
from labwright.tools.forge.families.control.card import ControlCard
from labwright.tools.forge.families.control.judging import judge
from labwright.tools.forge.families.control.report import report
from labwright.tools.forge.families.control.script import recipes, scripts
from labwright.tools.forge.families.control.spec import ControlSpec

FAMILY = Family("control", ControlSpec, recipes, scripts, judge, report, ControlCard)
