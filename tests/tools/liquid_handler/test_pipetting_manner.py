"""How an addition is pipetted reaches the file and the scripts, or is said; amounts given twice are compared."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from designs import asked_of, plan_of, read_design
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.checks.manners import manners
from labwright.tools.liquid_handler.chemical_manager_file import manager_of
from labwright.tools.liquid_handler.dispensing import tip
from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Manner, Pipetting, read_pipetting
from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.platform import TIP_MAX, TIP_MIN, TIPS
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.protocol_steps import BY_HAND
from labwright.tools.liquid_handler.robots.bench_sheet import bench_sheet
from labwright.tools.liquid_handler.robots.deck import deck_of
from labwright.tools.liquid_handler.robots.outputs import disagreements

TEXT = """
title: manners
manner: {speed: slow}
chemicals: [{name: water}, {name: sodium chloride}, {name: ethanol}, {name: urea}]
stocks: [{name: brine, solute: sodium chloride, solvent: water, concentration: 1 M}]
groups:
- doses:
  - {substance: urea, kind: mass, amount: 20 mg, weighed: true}
  - {substance: brine, kind: volume, amount: 100 uL, comes_to: 0.1 mmol,
     manner: {rate: 20 uL/s, at: wall, pre_wet: 2, hold: 2 s, blow_out: false}}
  - {substance: brine, kind: volume, amount: 30 uL}
  - {substance: water, kind: remainder, manner: {speed: fast}}
  total_volume: 1 mL
- {name: blank, doses: [{substance: water, kind: volume, amount: 1 mL}]}
conditions:
- {kind: heat, temperature: 60 degC, time: 10 min}
- {kind: add, substance: ethanol, amount: 100 uL, cap: false,
   manner: {over: 2 min, mix: 3, mix_volume: 5 mL, at: liquid}}
"""
NUMBERS = st.sampled_from([0.0, 0.5, 20.0, 133.3])
STROKES = st.integers(0, 9)
PIPETTED = st.builds(
    Pipetting, NUMBERS, NUMBERS, NUMBERS, st.sampled_from(["", "liquid", "wall", "above", "bottom"]),
    st.sampled_from(["", "top", "bottom"]), STROKES, st.just(0.0),
    STROKES, NUMBERS, st.sampled_from([None, True, False]), st.booleans(),
)  # fmt: skip


@given(PIPETTED)
def test_what_the_file_says_of_a_manner_reads_back(manner: Pipetting) -> None:
    assert read_pipetting(str(manner)) == manner


def made(text: str = TEXT) -> Made:
    return plan_of(read_design(text))


def test_a_manner_reaches_the_file_and_the_scripts_and_changes_no_amount() -> None:
    found, plain = made(), made(TEXT.replace("manner: {speed: slow}\n", ""))
    ways = {
        (step.subject, len(step.amounts)): str(step.manner) for step in found.protocol.steps if step.action == "Add"
    }
    assert ways["brine", 1] == "draw 20 uL/s, deliver 20 uL/s, at wall, pre-wet 2 x, hold 2 s, blow out no"
    assert [str(s.manner) for s in found.protocol.steps if s.subject == "water"] == [
        "deliver 400 uL/s",
        "draw 50 uL/s, deliver 50 uL/s",
    ]
    assert ways["ethanol", 2] == "deliver over 2 min, at liquid, mix 3 x 5000 uL"
    assert {k: v.contents for k, v in found.case.run.vials.items()} == {
        k: v.contents for k, v in plain.case.run.vials.items()
    }
    pours = {action.text.partition(" ")[0]: action for action in deck_of(found.protocol).actions if action.pours}
    assert pours["ethanol"].manner == {"over": 120.0, "at": "liquid", "mix": (3, 1100.0)}  # what the vial holds
    assert pours["ethanol"].fresh
    assert pours["brine"].fresh
    assert not pours["water"].fresh
    assert not [step for step in found.protocol.steps if step.subject == "Cap"]
    assert "(draw 20 uL/s, deliver 20 uL/s, at wall, pre-wet 2 x" in bench_sheet(found)
    assert found.case.run.minutes > plain.case.run.minutes + 0.5  # 20 uL/s, twice 2 min are in both


def test_what_a_robot_cannot_do_is_a_warning_with_what_is_done_instead() -> None:
    said = [f"{one.message} {one.mend}" for one in made().findings if one.code == "manner"]
    assert not [one for one in made().findings if one.severity == "error"]
    assert (
        len([one for one in said if "no fields" in one and "'brine' (draw 20 uL/s" in one and "'water' (" in one]) == 1
    )
    assert "'ethanol': strokes of 5000 uL are more than a vial holds. 1100 uL are taken." in said
    assert any("0.833 uL/s is beyond the Opentrons Flex" in one and "That script uses 1 uL/s." in one for one in said)


def test_a_manner_that_the_file_does_not_keep_is_an_error() -> None:

    case = made().case
    steps = tuple(replace(step, manner=PLAIN) if step.subject == "brine" else step for step in case.protocol.steps)
    broken = replace(case, protocol=replace(case.protocol, steps=steps))
    assert [one.wells for one in manners(broken) if one.severity == "error"] == [("A1",)]


def test_the_simulator_of_pylabrobot_takes_every_manner() -> None:
    pytest.importorskip("pylabrobot")
    assert disagreements(made(), "pylabrobot") == []


def test_what_a_person_weighs_in_is_no_step_of_the_robot() -> None:
    step = next(step for step in made().protocol.steps if step.subject == "urea")
    assert BY_HAND in step.tags
    assert [one.name for one in manager_of(made().protocol).chemicals] == ["water", "brine", "ethanol"]
    with pytest.raises(InputError, match="cannot be `weighed`"):
        make_protocol(read_design(TEXT.replace("comes_to: 0.1 mmol", "weighed: true")))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"rate": "20 uL"}, "such as 20 uL/s"),
        ({"speed": "fast", "over": "2 min"}, "one of the three"),
        ({"mix_volume": "20 uL"}, "how many strokes"),
    ],
)
def test_a_manner_that_says_nothing_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Manner.model_validate(wrong)


# 4 mmol of methyl acrylate is 344.36 mg, at 0.9487 g/mL 363 uL; the words give 360 uL, which leaves 40 of 2000 uL.
TWICE = """
title: an amount that is given twice
chemicals: [{name: methyl acrylate}, {name: DDMAT}, {name: dioxane, identity: "1,4-dioxane"}]
stocks: [{name: agent, solute: DDMAT, solvent: dioxane, concentration: 0.1 M}]
groups:
- doses:
  - {substance: methyl acrylate, AMOUNT}
  - {substance: DDMAT, kind: equivalents, amount: 4 mol%, reference: methyl acrylate, via: agent}
  - {substance: dioxane, kind: remainder}
  total_volume: 2 mL
"""


@pytest.mark.parametrize(
    "amount", ["kind: moles, amount: 4 mmol, comes_to: 360 uL", "kind: volume, amount: 360 uL, comes_to: 4 mmol"]
)
def test_of_an_amount_given_twice_the_volume_goes_in_and_the_moles_count(amount: str) -> None:
    pytest.importorskip("chemicals")
    (held,) = made(TWICE.replace("AMOUNT", amount)).case.run.received.values()
    assert held == {"methyl acrylate": 360.0, "agent": 1600.0, "dioxane": 40.0}


def test_two_numbers_that_contradict_each_other_are_not_dispensed() -> None:
    pytest.importorskip("chemicals")
    with pytest.raises(InputError, match="comes to 363 uL, but the words give 300 uL, too"):
        make_protocol(read_design(TWICE.replace("AMOUNT", "kind: moles, amount: 4 mmol, comes_to: 300 uL")))
    found = made(TWICE.replace("AMOUNT", "kind: moles, amount: 4 mmol"))
    said = " ".join(one.text for one in decisions(found.design, found.amounts, found.layout))
    assert "only 37.02 uL are left to fill up beside 363 uL of methyl acrylate" in said


def test_a_mass_needs_a_state_and_no_molar_mass() -> None:
    text = "chemicals: [{name: X7, state: solid}, {name: water}]\ngroups: [{doses: [DOSE, {substance: water, "
    text += "kind: volume, amount: 1 mL}]}]"
    dose = "{substance: X7, kind: mass, amount: 20 mg}"
    assert made(text.replace("DOSE", dose)).case.run.received["Plate 1", (0, 0)]["X7"] == 20
    moles = text.replace("DOSE", dose.replace("mass, amount: 20 mg", "moles, amount: 1 mmol"))
    assert asked_of(read_design(moles)) == ["molar_mass:X7"]  # the state is there
    neat = "{name: X7, density: 0.97 g/mL, molar_mass: 97 g/mol}"  # a density is that of a liquid
    liquid = made(moles.replace("{name: X7, state: solid}", neat))
    assert liquid.case.run.received["Plate 1", (0, 0)]["X7"] == pytest.approx(100)
    unsaid = read_design(text.replace("DOSE", dose).replace(", state: solid", ""))
    assert asked_of(unsaid) == ["state:X7"]
    weighed = text.replace("DOSE", dose.replace("20 mg", "20 mg, weighed: true")).replace(", state: solid", "")
    assert made(weighed).case.run.received["Plate 1", (0, 0)]["X7"] == 20


@pytest.mark.parametrize("seed", range(3))
def test_two_doses_of_one_substance_add_up(seed: int) -> None:
    rng = random.Random(seed)
    first, second = rng.randint(20, 200), rng.randint(20, 200)
    text = TEXT.replace("amount: 100 uL, comes_to: 0.1 mmol", f"amount: {first} uL").replace("30 uL", f"{second} uL")
    assert made(text).case.run.received["Plate 1", (0, 0)]["brine"] == first + second


@pytest.mark.parametrize("least", [3, 9, 40, 250, 8000])
@pytest.mark.parametrize("times", [1, 2, 3, 200])
def test_the_tip_that_is_taken_does_all_amounts_well_if_any_does(least: float, times: float) -> None:
    most = min(least * times, TIP_MAX * TIPS[-1])
    suits = [size for size in TIPS if TIP_MIN * size <= least and most <= TIP_MAX * size]
    assert tip(least, most) in (suits or TIPS)
    assert most <= TIP_MAX * tip(least, most)
