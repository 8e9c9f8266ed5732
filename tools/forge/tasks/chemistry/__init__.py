"""Quantum chemistry with PySCF: structures, properties, thermochemistry, acids, excited states, scans."""

from __future__ import annotations

from labwright.tools.forge.tasks.chemistry.card import ChemistryCard
from labwright.tools.forge.tasks.chemistry.cost_estimate import said
from labwright.tools.forge.tasks.chemistry.judging import judge, pictures
from labwright.tools.forge.tasks.chemistry.scripts import needs, scripts
from labwright.tools.forge.tasks.chemistry.spec import PER_HARTREE
from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.task_type import Family

REPORT = report_of("chemistry/report.md", per_hartree=PER_HARTREE, pictures=pictures)
FAMILY = Family("chemistry", ChemistryCard, needs, scripts, judge, REPORT, said)
