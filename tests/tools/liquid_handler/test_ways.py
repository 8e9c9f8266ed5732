"""The ways of dispensing and what they do well, by the platform's published numbers worked out on paper."""

from __future__ import annotations

import math

import pytest
from designs import read_design

from labwright.tools.liquid_handler.dispensing import dispense_tags
from labwright.tools.liquid_handler.materials import stock_cupboard
from labwright.tools.liquid_handler.steps import Plate, Step
from labwright.tools.liquid_handler.ways import Way, way_of, ways_for

CHEMICALS = """
chemicals: [{name: caffeine}, {name: water}, {name: acetone}, {name: glycerol}, {name: toluene}]
groups: [{doses: [{substance: water, kind: remainder}]}]
"""
MATERIALS = stock_cupboard(read_design(CHEMICALS)).materials
PLATE = Plate("Plate 1", 4, 6, 8000.0, True)


def offered(name: str, *amounts: float) -> tuple[Way, ...]:
    material, wells = MATERIALS[name], {(0, column): amount for column, amount in enumerate(amounts)}
    step = Step("Add", name, PLATE.name, material.unit, wells, dispense_tags(material, wells, PLATE))
    return ways_for(step, material)


@pytest.mark.parametrize(
    ("way", "least", "most"),
    [
        ("Powder Plate", 1, math.inf),
        ("SyringePump Backsolvent", 10, math.inf),
        ("PDT Tip10uL", 2.5, 9),
        ("PDT Tip1000uL", 250, 900),
        ("PDT Tip1000uL NewTip", 250, 900),
    ],
)
def test_amounts_that_a_way_does_well(way: str, least: float, most: float) -> None:
    found = way_of(tuple(way.split()))
    assert (found.least, found.most) == (least, most)
    assert found.suits(least, most if most < math.inf else 1e6)
    assert not found.suits(least * 0.99, least)


@pytest.mark.parametrize(
    ("name", "amounts", "ways"),
    [
        ("caffeine", (5, 20, 30), ["Powder Plate"]),
        ("caffeine", (5,), ["Powder"]),
        ("acetone", (500, 100), ["SyringePump ExtSingleTip", "PDT Tip1000uL", "PDT Tip10000uL"]),
        ("glycerol", (100, 180), ["PDT Tip250uL", "PDT Tip1000uL", "PDT Tip10000uL"]),
        ("toluene", (300,), ["PDT Tip1000uL", "PDT Tip10000uL"]),
        ("water", (9500,), ["SyringePump Backsolvent", "SyringePump ExtSingleTip"]),
    ],
)
def test_only_what_suits_the_substance_and_holds_the_amounts_is_offered(
    name: str, amounts: tuple[float, ...], ways: list[str]
) -> None:
    assert [" ".join(way.tags) for way in offered(name, *amounts)] == ways


def test_a_small_volume_is_offered_tips_only_and_the_first_does_it_well() -> None:
    found = offered("acetone", 6, 8)
    assert {way.tags[0] for way in found} == {"PDT"}
    assert found[0].suits(6, 8)
    assert [way.tags[1] for way in found if way.suits(6, 8)] == ["Tip10uL"]


@pytest.mark.parametrize("name", ["water", "acetone", "glycerol", "toluene"])
@pytest.mark.parametrize("amounts", [(3,), (9, 80), (10, 2000), (40, 90), (250, 900), (8000,)])
def test_the_platforms_own_choice_suits_wherever_any_does(name: str, amounts: tuple[float, ...]) -> None:
    found = offered(name, *amounts)
    suiting = [way.suits(min(amounts), max(amounts)) for way in found]
    assert suiting[0] == any(suiting)
