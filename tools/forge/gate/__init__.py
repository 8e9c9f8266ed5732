"""The admission gate: deterministic, without any model, and the only way into a toolset."""

from labwright.tools.forge.gate.admission_gate import GateBench
from labwright.tools.forge.gate.candidate_process import GateLimits
from labwright.tools.forge.gate.rulebook import GATE_CHECKS, RULES, TEXT_CHECKS
from labwright.tools.forge.toolset.gate_findings import GateFinding, GateReport, MutantCount

__all__ = ["GATE_CHECKS", "RULES", "TEXT_CHECKS", "GateBench", "GateFinding", "GateLimits", "GateReport", "MutantCount"]
