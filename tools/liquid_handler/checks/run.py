"""All checks, in the order a person reads them."""

from __future__ import annotations

from labwright.tools.liquid_handler.checks import chemistry, manners, order, safety, structure, volumes
from labwright.tools.liquid_handler.checks.base import Case, Finding

CHECKS = (
    structure.plates, structure.units, structure.limits, structure.sources, structure.tags, structure.efficiency,
    volumes.fill, volumes.total_volume, volumes.draw, volumes.dispensable,
    chemistry.balance, chemistry.levels, chemistry.concentrations, chemistry.portions,
    chemistry.solubility, chemistry.data, safety.hazards,
    order.additions, order.caps, order.opening, order.mixed, order.rates, order.timers, order.conditions,
    order.samples, order.surroundings, order.volatiles, manners.manners,
)  # fmt: skip


def check(case: Case) -> list[Finding]:
    """Every finding, errors first."""
    # A file whose sources or wells do not exist cannot be simulated, so its structure is judged alone.
    ground = [finding for one in CHECKS[:2] for finding in one(case) if finding.code in {"subject", "plates"}]
    if any(finding.severity == "error" for finding in ground):
        return ground
    findings = [finding for one in CHECKS for finding in one(case)]
    return sorted(findings, key=lambda finding: finding.severity)
