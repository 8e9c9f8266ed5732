"""The admission gate: deterministic, without any model, and the only way into a toolset."""

from labwright.tools.forge.gate.bench import GateBench
from labwright.tools.forge.gate.confined import GateLimits
from labwright.tools.forge.gate.rulebook import GATE_CHECKS, RULES, TEXT_CHECKS
from labwright.tools.forge.toolset.findings import GateFinding, GateReport, MutantCount

__all__ = ["GATE_CHECKS", "RULES", "TEXT_CHECKS", "GateBench", "GateFinding", "GateLimits", "GateReport", "MutantCount"]
