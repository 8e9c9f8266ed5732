"""Quantum chemistry with PySCF: structures, properties, thermochemistry, acids, excited states, scans."""

from __future__ import annotations

from labwright.tools.forge.tasks.base import Family
from labwright.tools.forge.tasks.chemistry.card import ChemistryCard
from labwright.tools.forge.tasks.chemistry.judging import judge
from labwright.tools.forge.tasks.chemistry.reporting import report
from labwright.tools.forge.tasks.chemistry.scripts import NAME, needs, scripts
from labwright.tools.forge.tasks.chemistry.spec import ChemistrySpec

FAMILY = Family(NAME, ChemistrySpec, needs, scripts, judge, report, ChemistryCard)
