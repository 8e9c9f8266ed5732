"""Chains of qubits: quenches by product formulas or exactly, kicked chains, magnetisation, entropy, echo."""

from __future__ import annotations

from labwright.tools.forge.tasks.base import Family
from labwright.tools.forge.tasks.reporting import report_of
from labwright.tools.forge.tasks.spin_chain.card import ChainCard
from labwright.tools.forge.tasks.spin_chain.judging import judge
from labwright.tools.forge.tasks.spin_chain.script import recipes, scripts
from labwright.tools.forge.tasks.spin_chain.spec import SpinChainSpec

FAMILY = Family("chain", SpinChainSpec, recipes, scripts, judge, report_of("spin_chain/report.md"), ChainCard)
