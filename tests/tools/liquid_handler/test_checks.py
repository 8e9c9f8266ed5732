"""Right protocols raise no finding that blocks; treatments are checked on every plate. Faults: test_protocol_faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from designs import plan_of, read_design

from labwright.evaluation import protocol_faults
from labwright.evaluation.protocol_faults import codes
from labwright.tools.liquid_handler.checks.base import Case
from labwright.tools.liquid_handler.checks.run import check
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import Protocol
from labwright.tools.liquid_handler.vial_amounts import Amounts

Fault = Callable[[Protocol], Protocol]


@pytest.fixture(scope="module")
def right(designs: dict[str, ExperimentDesign]) -> dict[str, Made]:
    return {name: plan_of(design) for name, design in designs.items()}


def at(protocol: Protocol, action: str, subject: str, which: int = 0) -> int:
    """Index of a step."""
    return [i for i, s in enumerate(protocol.steps) if s.action == action and s.subject == subject][which]


def valued(
    action: str, subject: str, value: Callable[[float], float], which: int = 0, wells: int | None = None
) -> Fault:
    return lambda protocol: protocol_faults.valued(protocol, at(protocol, action, subject, which), value, wells)


def test_a_missing_level_is_found(right: dict[str, Made]) -> None:
    made = right["cross"]
    fewer = Amounts(made.amounts.vials[1:], made.amounts.cupboard)
    layout = replace(made.layout, wells=made.layout.wells[1:])
    found = check(Case(made.design, fewer, layout, made.protocol))
    assert {"levels", "balance"} <= {finding.code for finding in found}


def test_right_protocols_have_no_errors(right: dict[str, Made]) -> None:
    for name, made in right.items():
        assert not made.blocked, (name, made.findings)
    assert {f.code for f in right["cross"].findings} == {"data"}  # densities of stocks assumed additive


HEATED = """
chemicals: [{name: NaCl}, {name: water}]
groups:
- doses: [{substance: NaCl, kind: mass, amount: 20 mg}, {substance: water, kind: remainder}]
  total_volume: 6 mL
  replicates: 30
conditions: [{kind: heat, temperature: 60 degC, time: 30 min}, {kind: cool}]
"""


@pytest.mark.parametrize(
    "fault",
    [
        valued("Set", "HeatingTemp", lambda v: 57.0, 1),  # of the second plate alone
        valued("Set", "HeatingTemp", lambda v: 57.0, 0, 1),  # of one well
        valued("Set", "Delay", lambda v: 28.0),  # the wait for cooling takes 30 min, but is not hot
    ],
)
def test_another_treatment_than_asked_is_found_on_every_plate(fault: Fault) -> None:
    made = plan_of(read_design(HEATED))
    assert [max(s.amounts.values()) for s in made.protocol.steps if s.subject == "Delay"] == [30, 30]
    assert "conditions" not in codes(made, made.protocol)
    assert "conditions" in codes(made, fault(made.protocol))


def test_cooling_before_a_work_up_is_set_once(texts: dict[str, str]) -> None:
    made = plan_of(read_design(texts["ester"].replace(", {kind: cool}", "")))
    assert not made.blocked
    assert [max(s.amounts.values()) for s in made.protocol.steps if s.subject == "HeatingTemp"] == [80, 25]


def test_benzoic_acid_in_water_is_a_warning_that_blocks_nothing(right: dict[str, Made]) -> None:
    found = {finding.code: finding.severity for finding in right["ester"].findings}
    assert found["solubility"] == "warning"
    assert not right["ester"].blocked
