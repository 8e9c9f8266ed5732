"""Every check finds its fault, and right protocols raise none of these findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from labwright.tools.liquid_handler.amounts import Amounts
from labwright.tools.liquid_handler.checks.base import Case
from labwright.tools.liquid_handler.checks.run import check
from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.protocol import Made, make_protocol
from labwright.tools.liquid_handler.steps import Plate, Protocol, Step, Well

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


def steps(protocol: Protocol, *new: Step) -> Protocol:
    return replace(protocol, steps=tuple(new))


def changed(action: str, subject: str, which: int = 0, /, **fields: object) -> Fault:
    def fault(protocol: Protocol) -> Protocol:
        index = at(protocol, action, subject, which)
        step = replace(protocol.steps[index], **fields)  # type: ignore[arg-type]
        return steps(protocol, *protocol.steps[:index], step, *protocol.steps[index + 1 :])

    return fault


def valued(action: str, subject: str, value: Callable[[float], float], which: int = 0, wells: int = 99) -> Fault:
    def fault(protocol: Protocol) -> Protocol:
        amounts = protocol.steps[at(protocol, action, subject, which)].amounts
        new: dict[Well, float] = {w: value(v) if i < wells else v for i, (w, v) in enumerate(amounts.items())}
        return changed(action, subject, which, amounts=new)(protocol)

    return fault


def without(action: str, subject: str, which: int = 0) -> Fault:
    def fault(protocol: Protocol) -> Protocol:
        index = at(protocol, action, subject, which)
        return steps(protocol, *protocol.steps[:index], *protocol.steps[index + 1 :])

    return fault


def moved(action: str, subject: str, to: int, which: int = 0) -> Fault:
    def fault(protocol: Protocol) -> Protocol:
        new = list(protocol.steps)
        new.insert(to, new.pop(at(protocol, action, subject, which)))
        return steps(protocol, *new)

    return fault


def doubled(action: str, subject: str) -> Fault:
    def fault(protocol: Protocol) -> Protocol:
        index = at(protocol, action, subject)
        return steps(protocol, *protocol.steps[: index + 1], *protocol.steps[index:])

    return fault


def delay_between_timers(protocol: Protocol) -> Protocol:
    index = at(protocol, "Transfer", "Plate 1") + 1
    delay = Step("Set", "Delay", "Plate 1", "min", {(0, 0): 10.0})
    return steps(protocol, *protocol.steps[:index], delay, *protocol.steps[index:])


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
    ("dilution", "ester", valued("Transfer", "Plate 1", lambda v: 50.0)),
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


def codes(made: Made, protocol: Protocol) -> set[str]:
    return {finding.code for finding in check(Case(made.design, made.amounts, made.layout, protocol))}


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


def test_benzoic_acid_in_water_is_a_warning_that_blocks_nothing(right: dict[str, Made]) -> None:
    found = {finding.code: finding.severity for finding in right["ester"].findings}
    assert found["solubility"] == "warning"
    assert not right["ester"].blocked
