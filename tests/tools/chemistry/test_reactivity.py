"""The chart, what puts substances into its groups, and what the amounts rule out."""

from __future__ import annotations

import pytest

from labwright.evaluation.protocol_safety import drawn, listed, written
from labwright.tools.chemistry.mixing_hazards import WARMS, Hazard, judge
from labwright.tools.chemistry.mixture_thermodynamics import Mixture, Place, Portion, vapour_pressure
from labwright.tools.chemistry.reactivity import (
    Kind,
    consequences,
    group_names,
    kind_of,
    kind_of_structure,
    reactions,
    rows,
)

OPEN = Place(2000, 1000)


def water(mg: float, source: str = "") -> Portion:
    return Portion("water", mg, 18.015, source, "", 100.0)


def persons(found: list[Hazard]) -> set[str]:
    return {one.rule for one in found if one.person}


def test_every_row_names_groups_that_exist_and_every_pair_of_the_chart_is_there_once() -> None:
    assert len(group_names()) == 41
    pairs = [(int(row["one"]), int(row["other"])) for row in rows("reactive_pairs.csv")]
    assert len(set(pairs)) == len(pairs) == 303
    assert all(one < other for one, other in pairs)
    assert {number for pair in pairs for number in pair} | {107} == set(group_names())


# 40 CFR 264, Appendix V: groups 1 to 6 of "potentially incompatible waste", each A with each B, in the chart's numbers.
CFR = [({10}, {1, 2}), ({21, 22}, {1, 2, 10}), ({4}, {21, 107}), ({4, 5, 17, 27, 28}, {2, 21}),
       ({11, 33}, {1, 2}), ({104}, {3, 4, 5, 16, 21, 22, 101})]  # fmt: skip
NOT_IN_THE_CHART = {(21, 28)}  # the chart has no cell of alkali metals with alkenes


@pytest.mark.parametrize(("one", "other"), CFR)
def test_what_the_regulation_calls_incompatible_is_not_blank(one: set[int], other: set[int]) -> None:
    blank = {(min(a, b), max(a, b)) for a in one for b in other if not consequences(a, b)}
    assert blank <= NOT_IN_THE_CHART


def test_the_stored_groups_are_those_of_the_structures() -> None:
    pytest.importorskip("rdkit")
    for row in rows("reactive_substances.csv"):
        found, kept = kind_of_structure(row["smiles"]), kind_of(row["name"])
        if row["by"] != "named":
            assert (found.groups, found.features) == (kept.groups, kept.features), row["name"]


def test_features_of_reactions_exist() -> None:
    known = {row["feature"] for row in rows("reactive_features.csv")}
    assert {part for row in reactions() for part in (row.first, row.partner) if part} <= known


@pytest.mark.parametrize(("smiles", "groups"), [
    ("NCC(=O)O", set()), ("OCCN1CCN(CCS(=O)(=O)O)CC1", {4}), ("CCN.Cl", set()), ("OB(O)c1ccccc1", set()),
    ("CC(=O)OC(C)=O", {107}), ("[Na+].[OH-]", {10}), ("O", {106}), ("not a structure", set()),
])  # fmt: skip
def test_groups_of_structures(smiles: str, groups: set[int]) -> None:
    pytest.importorskip("rdkit")
    assert kind_of_structure(smiles).groups == groups


def test_what_nobody_knows_is_said_and_stops_nothing() -> None:
    assert kind_of("zorbinol") == Kind()
    found = judge([Portion("zorbinol", 10, 100.0), water(500)], OPEN)
    assert [(one.rule, one.about, one.person) for one in found] == [("not judged", ("zorbinol",), False)]


def test_a_wrong_name_beside_the_right_one_hides_nothing() -> None:
    acid = [Portion("hydrogen chloride", 18, 36.46, "acid"), water(490, "acid")]
    for name, identity in (("salt", "sodium cyanide"), ("sodium cyanide", "sodium chloride")):
        assert persons(judge([*acid, Portion(name, 10, 49.0, identity=identity)], OPEN)) == {"pair"}


def test_known_salts_are_judged_though_they_have_no_group() -> None:
    assert not judge([Portion("sodium chloride", 10, 58.44), water(500)], OPEN)


def acid_and_base(molar: float) -> list[Portion]:
    acid, base = (Portion(name, 0.5 * molar * mass, mass, name) for name, mass in
                  (("hydrogen chloride", 36.46), ("sodium hydroxide", 40.0)))  # fmt: skip
    return [acid, water(490, acid.name), base, water(490, base.name)]


def test_acid_and_base_warm_by_their_enthalpy_and_stop_from_the_limit_on() -> None:
    # Half a millimole in 0.98 g of water, with the heat of neutralisation alone: 57 * 0.05 / 4.1 = 0.70 K.
    assert Mixture(acid_and_base(0.1), OPEN).warming == pytest.approx(0.70, rel=0.05)
    assert persons(judge(acid_and_base(1.0), OPEN)) == set()
    strong = Mixture(acid_and_base(5.0), OPEN)
    assert strong.warming > WARMS
    assert persons(judge(acid_and_base(5.0), OPEN)) == {"heat"}


@pytest.mark.parametrize(("boils", "temperature", "bar", "hydroxyl"), [
    (100.0, 150.0, 4.76, True), (78.3, 100.0, 2.26, True), (81.6, 120.0, 3.0, False), (34.5, 80.0, 4.0, False),
])  # fmt: skip
def test_vapour_pressures_are_within_a_tenth_of_tables(
    boils: float, temperature: float, bar: float, hydroxyl: bool
) -> None:
    assert vapour_pressure(boils, temperature, associated=hydroxyl) == pytest.approx(bar, rel=0.1)


def test_gas_under_a_cap_is_that_of_the_ideal_gas() -> None:
    acid = [Portion("hydrogen chloride", 36.46, 36.46, "acid"), water(960, "acid")]
    soda = Portion("sodium bicarbonate", 200, 84.007)
    capped = Place(2000, 1000, capped_at=25.0)
    assert "pressure" in persons(judge([*acid, soda], capped))
    assert capped.gas_pressure(1.0) == pytest.approx(24.8, rel=0.01)  # 1 mmol of carbon dioxide in 1 mL
    little = [Portion("hydrogen chloride", 0.73, 36.46, "acid"), water(999, "acid"), soda]
    assert "pressure" not in persons(judge(little, capped))


@pytest.mark.parametrize(
    ("boils", "capped_at", "said"),
    [(100.0, 60.0, []), (100.0, 96.0, [False]), (118.0, 120.0, [False]), (82.0, 120.0, [True]), (None, 60.0, [False])],
)
def test_capped_vials_near_boiling_or_of_an_unknown_boiling_point_are_said(
    boils: float | None, capped_at: float, said: list[bool]
) -> None:
    """Just below boiling, and where nothing was known, no word was said. True: a person has to accept it."""
    solvent = Portion("solvent", 900, 75.0, boiling_point=boils, liquid=True)
    found = judge([solvent], Place(2000, 1000, capped_at=capped_at))
    assert [one.person for one in found if one.rule == "pressure"] == said


def test_traces_do_not_make_a_mixture_toxic() -> None:
    acid = [Portion("hydrogen chloride", 18, 36.46, "acid"), water(490, "acid")]
    assert persons(judge([*acid, Portion("sodium cyanide", 10, 49.0)], OPEN)) == {"pair"}
    assert persons(judge([*acid, Portion("sodium cyanide", 0.4, 49.0)], OPEN)) == set()


@pytest.mark.parametrize(("oxidiser", "mass", "mg", "water_mg", "stopped"), [
    ("sodium nitrate", 85.0, 100, 1000, False), ("sodium nitrate", 85.0, 100, 0, True),
    ("sodium nitrate", 85.0, 900, 1000, True), ("hydrogen peroxide", 34.0, 50, 950, False),
    ("hydrogen peroxide", 34.0, 100, 900, True),
])  # fmt: skip
def test_an_oxidiser_counts_as_the_transport_rules_say(
    oxidiser: str, mass: float, mg: float, water_mg: float, *, stopped: bool
) -> None:
    parts = [Portion(oxidiser, mg, mass), Portion("sucrose", 200, 342.3), water(water_mg)]
    assert ("pair" in persons(judge(parts, OPEN))) == stopped


def test_a_reagent_in_the_solvent_it_is_sold_in_is_one_bottle() -> None:
    together = [Portion("n-butyllithium", 64, 64.06, "bottle"), Portion("n-hexane", 600, 86.18, "bottle", "", 68.7)]
    assert persons(judge(together, OPEN)) == set()
    apart = [Portion(one.name, one.mg, one.molar_mass, str(n)) for n, one in enumerate(together)]
    assert persons(judge(apart, OPEN)) == {"pair"}


@pytest.mark.slow
def test_pairs_over_all_groups_are_stopped_where_the_chart_says_so_and_hardly_elsewhere() -> None:
    dangerous, harmless, uncovered = drawn(of_each=2)
    assert not uncovered
    assert [one.contents for one in dangerous if not one.stopped] == []
    assert sum(one.stopped for one in harmless) <= 0.03 * len(harmless)
    assert len(dangerous) > 1000
    assert len(harmless) > 1000


def test_pairs_that_the_research_council_lists_are_stopped() -> None:
    outcomes = listed()
    assert sum(one.stopped for one in outcomes) >= 105
    assert len(outcomes) == 106


def test_mixtures_that_were_written_down_beforehand() -> None:
    outcomes = written()
    assert [one.contents for one in outcomes if one.expected == "stop" and not one.stopped] == []
    assert sum(one.right for one in outcomes) >= 85
