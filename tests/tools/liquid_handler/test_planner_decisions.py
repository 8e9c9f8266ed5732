"""Every default of the planner is listed; what the design says is not."""

from __future__ import annotations

from designs import plan_of, read_design

from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.report import bench_report


def made(text: str) -> Made:
    return plan_of(read_design(text))


def listed(text: str) -> dict[str, str]:
    one = made(text)
    return {item.about: item.text for item in decisions(one.design, one.amounts, one.layout)}


def stirred(protocol: Made) -> list[float]:
    return [max(step.amounts.values()) for step in protocol.protocol.steps if step.subject == "StirRate"]


def test_a_percentage_a_speed_and_the_caps_are_listed(texts: dict[str, str]) -> None:
    found = listed(texts["ammonia"])
    assert found["strong ammonia"] == "28 % is read as w/w, so the stock is 14.8 M."
    assert found["speed"] == "The speed of stir is 500 rpm; it is not stated."
    assert "capped" in found["caps"]
    assert "stirring" not in found
    report = bench_report(made(texts["ammonia"]))
    assert "so the stock is 14.8 M" in report


def test_the_work_up_the_cooling_and_the_solid_are_listed(texts: dict[str, str]) -> None:
    found = listed(texts["ester"])
    assert found["dilution"] == "A dilution factor of 10 is 100 uL of sample and 900 uL of water."
    assert "25 degC" in found["cooling"]
    assert "benzoic acid is not subtracted" in found["total volume"]
    assert found["speed"] == "The speed of vortex is 800 rpm; it is not stated."


def test_a_heated_mixture_is_stirred_unless_the_design_says_not_to(texts: dict[str, str]) -> None:
    assert "stirred at 500 rpm" in listed(texts["timed"])["stirring"]
    assert stirred(made(texts["timed"])) == [500, 0]
    still = texts["timed"].replace("kind: heat,", "kind: heat, by: none,")
    assert stirred(made(still)) == []
    assert "stirring" not in listed(still)


def test_one_liquid_alone_is_not_stirred() -> None:
    text = """
chemicals: [{name: water}]
groups: [{doses: [{substance: water, kind: volume, amount: 1 mL}]}]
conditions: [{kind: heat, temperature: 60 degC, time: 10 min}]
"""
    assert stirred(made(text)) == []
    assert "stirring" not in listed(text)


def test_what_is_stated_is_not_listed(texts: dict[str, str]) -> None:
    text = texts["ammonia"].replace("by: stir,", "by: stir, speed: 300 rpm,").replace("title:", "cap: true\ntitle:")
    assert set(listed(text)) == {"strong ammonia", "benzaldehyde"}  # its density is of 20 degC
