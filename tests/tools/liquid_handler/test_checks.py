"""Every check finds its fault, and right protocols raise none of these findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from designs import read_design

from labwright.evaluation import protocol_faults
from labwright.evaluation.protocol_faults import codes, with_steps
from labwright.tools.liquid_handler.amounts import Amounts
from labwright.tools.liquid_handler.checks.base import Case
from labwright.tools.liquid_handler.checks.run import check
from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.protocol import Made, make_protocol
from labwright.tools.liquid_handler.steps import Plate, Protocol, Step

Fault = Callable[[Protocol], Protocol]


@pytest.fixture(scope="module")
def right(designs: dict[str, ExperimentDesign]) -> dict[str, Made]:
    found = {}
    for name, design in designs.items():
        made = make_protocol(design)
        assert isinstance(made, Made)
        found[name] = made
    return found


def at(protocol: Protocol, action: str, subject: str, which: int = 0) -> int:
    """Index of a step."""
    return [i for i, s in enumerate(protocol.steps) if s.action == action and s.subject == subject][which]


def changed(action: str, subject: str, which: int = 0, /, **fields: object) -> Fault:
    return lambda protocol: protocol_faults.changed(protocol, at(protocol, action, subject, which), **fields)


def valued(
    action: str, subject: str, value: Callable[[float], float], which: int = 0, wells: int | None = None
) -> Fault:
    return lambda protocol: protocol_faults.valued(protocol, at(protocol, action, subject, which), value, wells)


def without(action: str, subject: str, which: int = 0) -> Fault:
    return lambda protocol: protocol_faults.without(protocol, at(protocol, action, subject, which))


def moved(action: str, subject: str, to: int, which: int = 0) -> Fault:
    return lambda protocol: protocol_faults.moved(protocol, at(protocol, action, subject, which), to)


def doubled(action: str, subject: str) -> Fault:
    return lambda protocol: protocol_faults.doubled(protocol, at(protocol, action, subject))


def delay_between_timers(protocol: Protocol) -> Protocol:
    index = at(protocol, "Transfer", "Plate 1") + 1
    delay = Step("Set", "Delay", "Plate 1", "min", {(0, 0): 10.0})
    return with_steps(protocol, *protocol.steps[:index], delay, *protocol.steps[index:])


def plates(*new: Plate) -> Fault:
    return lambda protocol: replace(protocol, plates=new)


def source(**fields: object) -> Fault:
    def fault(protocol: Protocol) -> Protocol:
        first, *others = protocol.sources
        return replace(protocol, sources=(replace(first, **fields), *others))  # type: ignore[arg-type]

    return fault


def twice_loaded(protocol: Protocol) -> Protocol:
    return replace(protocol, sources=(*protocol.sources, protocol.sources[0]))


FAULTS: list[tuple[str, str, Fault]] = [
    ("wells", "cross", changed("Add", "brine", amounts={(9, 9): 100.0})),
    ("plates", "cross", changed("Add", "brine", plate="Plate 7")),
    ("plates", "cross", plates(Plate("Plate 1", 5, 5, 3000.0, True))),
    ("subject", "cross", changed("Add", "brine", subject="mystery")),
    ("units", "cross", changed("Add", "brine", unit="mg")),
    ("units", "cross", valued("Add", "brine", lambda v: -v)),
    ("temperature", "ammonia", valued("Set", "HeatingTemp", lambda v: 200.0)),
    ("speed", "ammonia", valued("Set", "StirRate", lambda v: 900.0)),
    ("speed", "calibration", valued("Set", "VortexRate", lambda v: 1500.0)),
    ("sources", "cross", lambda protocol: replace(protocol, sources=protocol.sources[1:])),
    ("sources", "cross", twice_loaded),
    ("tags", "ester", changed("Add", "benzoic acid", tags=("SyringePump",))),
    ("efficiency", "cross", doubled("Add", "brine")),
    ("fill", "cross", valued("Add", "water", lambda v: v + 1100)),
    ("overflow", "cross", valued("Add", "water", lambda v: v + 3000)),
    ("total_volume", "cross", valued("Add", "water", lambda v: v - 50, wells=1)),
    ("overdraw", "cross", source(load=10.0)),
    ("dispense", "cross", valued("Add", "brine", lambda v: 1.0)),
    ("weighable", "ester", valued("Add", "benzoic acid", lambda v: 0.2)),
    ("balance", "cross", valued("Add", "sugar", lambda v: 1.1 * v, wells=1)),
    ("balance", "cross", without("Add", "sugar")),
    ("molar_mass", "cross", source(molar_mass=20.0)),
    ("density", "cross", source(density=0.9)),
    ("concentration", "cross", valued("Add", "brine", lambda v: 1.05 * v, wells=1)),
    ("concentration", "calibration", valued("Add", "caffeine stock", lambda v: 10 * v, wells=1)),
    ("portion", "ester", valued("Transfer", "Plate 1", lambda v: 50.0)),
    ("transfer", "ester", valued("Transfer", "Plate 1", lambda v: 5000.0)),
    ("order", "ester", moved("Add", "benzoic acid", 4)),
    ("acid", "ester", moved("Add", "water", 4)),
    ("cap_before_heat", "ammonia", without("Set", "Cap")),
    ("cap", "ammonia", moved("Set", "Cap", 0)),
    ("cap", "ester", without("Set", "Cap", 1)),
    ("cool_before_open", "ester", without("Set", "Delay", 1)),
    ("delay", "calibration", without("Set", "Delay")),
    ("left_on", "calibration", without("Set", "VortexRate", 1)),
    ("left_on", "ammonia", without("Set", "HeatingTemp", 1)),
    ("timers", "timed", delay_between_timers),
    ("timers", "timed", without("Transfer", "Plate 2")),
    ("timers", "timed", without("Set", "VialTimers")),
    ("timers", "timed", valued("Set", "VialTimers", lambda v: v + 5, wells=1)),
    ("conditions", "ammonia", valued("Set", "Delay", lambda v: 5.0)),
    ("conditions", "ammonia", valued("Set", "HeatingTemp", lambda v: 50.0)),
    ("volatile", "calibration", without("Set", "Cap")),
]


@pytest.mark.parametrize(("code", "name", "fault"), FAULTS, ids=[f"{c}-{n}-{i}" for i, (c, n, _) in enumerate(FAULTS)])
def test_a_fault_is_found(right: dict[str, Made], code: str, name: str, fault: Fault) -> None:
    made = right[name]
    assert code not in codes(made, made.protocol)
    assert code in codes(made, fault(made.protocol))


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
    made = make_protocol(read_design(HEATED))
    assert isinstance(made, Made)
    assert [max(s.amounts.values()) for s in made.protocol.steps if s.subject == "Delay"] == [30, 30]
    assert "conditions" not in codes(made, made.protocol)
    assert "conditions" in codes(made, fault(made.protocol))


def test_cooling_before_a_work_up_is_set_once(texts: dict[str, str]) -> None:
    made = make_protocol(read_design(texts["ester"].replace(", {kind: cool}", "")))
    assert isinstance(made, Made)
    assert not made.blocked
    assert [max(s.amounts.values()) for s in made.protocol.steps if s.subject == "HeatingTemp"] == [80, 25]


def test_benzoic_acid_in_water_is_a_warning_that_blocks_nothing(right: dict[str, Made]) -> None:
    found = {finding.code: finding.severity for finding in right["ester"].findings}
    assert found["solubility"] == "warning"
    assert not right["ester"].blocked
