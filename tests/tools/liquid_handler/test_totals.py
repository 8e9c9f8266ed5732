"""Totals after additions, final concentrations, parts by mass, strengths in x, and data that no amount needs.

Every number is worked out on paper.
"""

from __future__ import annotations

from typing import Any

import pytest
from designs import asked_of, plan_of, sound_plan_of, steps_of

from labwright.graphs.protocol_design.computed_design import Planned
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.report import bench_report
from labwright.tools.liquid_handler.robots.bench_sheet import bench_sheet

NAMES = ("compound 7", "DMSO", "water", "PBS", "sodium chloride", "inhibitor", "medium X")
STOCK = {"name": "C7 stock", "solute": "compound 7", "solvent": "medium X", "concentration": "10 mM"}
BRINE = {"name": "brine", "solute": "sodium chloride", "solvent": "water", "concentration": "1 M"}
BUFFER = {"name": "buffer", "solute": "PBS", "solvent": "water", "concentration": "10x"}
WATER = {"substance": "water", "kind": "remainder"}


def design_of(doses: list[dict[str, Any]], group: dict[str, Any], **own: Any) -> ExperimentDesign:
    groups = [{"doses": doses, **group}]
    plain = {"chemicals": [{"name": name} for name in NAMES], "stocks": [STOCK, BRINE, BUFFER], "groups": groups}
    return ExperimentDesign.model_validate({**plain, **own})


def made(doses: list[dict[str, Any]], group: dict[str, Any], **own: Any) -> Made:
    return sound_plan_of(design_of(doses, group, **own))


def test_a_final_total_counts_what_is_added_later() -> None:
    doses = [{"substance": "compound 7", "kind": "molarity", "amount": "1 mM", "via": "C7 stock"}, WATER]
    later = [
        {"kind": "mix"},
        {"kind": "add", "substance": "sodium chloride", "amount": "100 mM", "via": "brine"},
        {"kind": "add", "substance": "DMSO", "amount": "50 uL"},
    ]
    found = made(doses, {"total_volume": "1 mL", "total_is": "final"}, conditions=later)
    vial = found.amounts.vials[0]
    assert vial.additions == {"C7 stock": 100, "water": 750}
    assert vial.later == {1: {"brine": 100}, 2: {"DMSO": 50}}
    assert found.case.run.vials["Plate 1", (0, 0)].volume == pytest.approx(1000)


def test_a_concentration_is_that_of_the_vial_with_the_addition_and_up_to_fills_up() -> None:
    later = [
        {"kind": "add", "substance": "sodium chloride", "amount": "200 mM", "via": "brine"},
        {"kind": "sample"},
        {"kind": "add", "substance": "water", "up_to": "2 mL"},
    ]
    doses = [{"substance": "water", "kind": "volume", "amount": "800 uL"}]
    sampling = {"volume": "100 uL", "quench": "water", "quench_volume": "400 uL"}
    found = made(doses, {}, conditions=later, sampling=sampling)
    # v / (800 uL + v) = 200 mM / 1 M, so v = 200 uL; 1000 - 100 uL are there when it is filled up
    assert found.amounts.vials[0].later == {0: {"brine": pytest.approx(200, abs=0.01)}, 2: {"water": 1100}}
    assert found.case.run.vials["Plate 1", (0, 0)].volume == pytest.approx(2000, abs=0.1)
    assert found.case.run.vials["Plate 2", (0, 0)].volume == pytest.approx(500)


@pytest.mark.parametrize(
    ("later", "group", "says"),
    [
        ({"substance": "sodium chloride", "amount": "1 M", "via": "brine"}, {}, "no stronger itself"),
        ({"substance": "water", "up_to": "0.5 mL"}, {}, "holds 800 uL by then"),
        ({"substance": "water", "up_to": "2 mL"}, {"total_volume": "2 mL", "total_is": "final"}, "not `final`"),
        ({"substance": "water", "up_to": "2 mL", "amount": "1 mL"}, {}, "one of the three"),
    ],
)
def test_what_cannot_be_reached_is_said(later: dict[str, Any], group: dict[str, Any], says: str) -> None:
    doses = [{"substance": "water", "kind": "volume", "amount": "800 uL"}]
    with pytest.raises((InputError, ValueError), match=says):
        make_protocol(design_of(doses, group, conditions=[{"kind": "add", **later}]))


def test_parts_by_mass_of_a_mass_and_of_a_volume() -> None:
    salt = {"substance": "sodium chloride", "kind": "fraction", "amount": "5 % w/w"}
    by_mass = made([salt, WATER], {"total_mass": "4 g"}).amounts.vials[0].additions
    assert by_mass["sodium chloride"] == pytest.approx(200)
    assert by_mass["water"] == pytest.approx(3800 / 0.9982, rel=1e-4)
    # of 2 mL of water, in which the salt takes no volume: m = 0.05 (m + 2 mL x 0.9982 g/mL)
    by_volume = made([salt, WATER], {"total_volume": "2 mL"}).amounts.vials[0].additions
    assert by_volume["sodium chloride"] == pytest.approx(0.05 / 0.95 * 2000 * 0.9982, rel=1e-4)
    trace = {"substance": "sodium chloride", "kind": "fraction", "amount": "500 ppm", "basis": "w/w", "via": "brine"}
    stock = made([trace, WATER], {"total_volume": "2 mL"}).amounts.vials[0].additions["brine"]
    assert stock * 58.44e-3 == pytest.approx(500e-6 * 2000 * 0.9982, rel=2e-3)


def test_a_buffer_in_x_and_a_compound_in_moles_need_no_data() -> None:
    doses = [
        {"substance": "PBS", "kind": "fraction", "amount": "1x", "via": "buffer"},
        {"substance": "compound 7", "kind": "molarity", "amount": "50 uM", "via": "C7 stock"},
        WATER,
    ]
    found = made(doses, {"total_volume": "1.6 mL"})
    assert found.amounts.vials[0].additions == {"buffer": 160, "C7 stock": 8, "water": 1432}
    text = bench_report(found)
    assert "C7 stock (10 mM): as it is prepared" in text
    assert " of the solution as prepared." in bench_sheet(found)
    sources = {source.name: source for source in found.protocol.sources}
    assert (sources["C7 stock"].molar_mass, sources["C7 stock"].made_of) == (0, "")


@pytest.mark.parametrize(
    "dose",
    [
        {"substance": "compound 7", "kind": "mass", "amount": "2 mg", "via": "C7 stock"},
        {"substance": "compound 7", "kind": "moles", "amount": "2 umol"},
        {"substance": "C7 stock", "kind": "mass", "amount": "20 mg"},
    ],
)
def test_data_are_asked_as_soon_as_an_amount_needs_them(dose: dict[str, Any]) -> None:
    assert asked_of(design_of([dose, WATER], {"total_volume": "1 mL"})) == ["chemical:compound 7"]


def test_equivalents_of_a_compound_in_moles() -> None:
    doses = [
        {"substance": "C7 stock", "kind": "volume", "amount": "500 uL"},
        {"substance": "sodium chloride", "kind": "equivalents", "amount": 2, "reference": "compound 7", "via": "brine"},
    ]
    assert made(doses, {}).amounts.vials[0].additions == {"C7 stock": 500, "brine": 10}


def test_a_stock_of_two_solutes_brings_both() -> None:
    both = {**BRINE, "also": [{"solute": "inhibitor", "concentration": "2 mg/mL"}]}
    doses = [{"substance": "inhibitor", "kind": "fraction", "amount": "0.5 mg/mL", "via": "brine"}, WATER]
    found = made(doses, {"total_volume": "1 mL"}, stocks=[both])
    assert found.amounts.vials[0].additions == {"brine": 250, "water": 750}
    held = found.case.run.vials["Plate 1", (0, 0)].contents
    assert (held["inhibitor"], held["sodium chloride"]) == (pytest.approx(0.5), pytest.approx(250 * 58.44e-3, rel=1e-3))


def test_parts_by_volume_of_a_stock_are_of_the_stock_itself() -> None:
    doses = [{"substance": "C7 stock", "kind": "fraction", "amount": "2 % v/v"}, WATER]
    assert made(doses, {"total_volume": "1 mL"}).amounts.vials[0].additions == {"C7 stock": 20, "water": 980}


def test_vials_are_stirred_while_they_cool_and_what_is_done_by_hand_is_shown() -> None:
    doses = [{"substance": "water", "kind": "volume", "amount": "1 mL"}]
    cool = {"kind": "cool", "by": "stir", "speed": "300 rpm"}
    heat = {"kind": "heat", "temperature": "60 degC", "time": "1 h"}
    found = made(doses, {}, conditions=[heat, cool], by_hand=["keep dark", "filter <0.2 um>"])
    assert steps_of(found)[2:] == [
        ("HeatingTemp", 60), ("Delay", 60), ("StirRate", 300), ("HeatingTemp", 25), ("Delay", 30), ("StirRate", 0),
    ]  # fmt: skip
    assert Planned(found).sentences()[-2:] == [
        "- By hand, not by the robot: keep dark",
        "- By hand, not by the robot: filter <0.2 um>",
    ]
    assert "<li>filter &lt;0.2 um&gt;</li>" in bench_sheet(found)
    assert "## All the time, and by hand" in bench_report(found)


@pytest.mark.parametrize(
    ("places", "volume", "array", "wells"),
    [
        ("in turn", None, (6, 8), ["A1", "A2", "A3", "A4", "A5", "A6"]),
        ("columns", "1 mL", (8, 12), ["A1", "B1", "C1", "A2", "B2", "C2"]),
        ("rows", "2 mL", (6, 8), ["A1", "A2", "A3", "B1", "B2", "B3"]),
    ],
)
def test_samples_stand_where_they_are_asked(
    places: str, volume: str | None, array: tuple[int, int], wells: list[str]
) -> None:
    doses = [{"substance": "water", "kind": "volume", "amount": "1 mL"}]
    sampling = {"volume": "100 uL", "quench": "DMSO", "quench_volume": "400 uL", "places": places}
    wait = {"kind": "wait", "sample_at": ["0 min", "10 min"]}
    found = made(doses, {"replicates": 3}, conditions=[wait], sampling={**sampling, "vial_volume": volume})
    assert found.layout.twin is not None
    assert (found.layout.twin.rows, found.layout.twin.columns) == array
    assert [well_name(*well) for well in found.layout.twin_wells] == wells


def test_a_dilution_stands_in_the_wells_of_its_vials() -> None:
    doses = [{"substance": "water", "kind": "volume", "amount": "3 mL"}]
    workup = {"factor": 40, "total_volume": "800 uL", "diluent": "DMSO", "vial_volume": "1 mL", "places": "same"}
    found = made(doses, {"replicates": 2, "wells": ["B2", "D6"]}, workup=workup)
    assert [well_name(*well) for well in found.layout.twin_wells] == ["B2", "D6"]
    assert found.layout.twin is not None
    assert found.layout.twin.vial == 1000
    times = [{"kind": "sample"}, {"kind": "wait", "time": "1 h"}, {"kind": "sample"}]
    with pytest.raises(InputError, match="Take rows or columns"):
        made(doses, {}, conditions=times, sampling={"volume": "100 uL", "places": "same"})


def test_a_compound_from_a_solution_needs_its_molar_mass_and_nothing_else() -> None:
    base = {"name": "base stock", "solute": "compound 7", "solvent": "DMSO", "concentration": "100 mg/mL"}
    doses = [
        {"substance": "compound 7", "kind": "mass", "amount": "60 mg", "via": "base stock"},
        {"substance": "sodium chloride", "kind": "equivalents", "amount": 2, "reference": "compound 7", "via": "brine"},
    ]
    assert asked_of(design_of(doses, {}, stocks=[base, BRINE]))
    names = [{"name": name} for name in NAMES[1:]] + [{"name": "compound 7", "molar_mass": "300 g/mol"}]
    found = made(doses, {}, stocks=[base, BRINE], chemicals=names)
    assert found.amounts.vials[0].additions == {"base stock": 600, "brine": 400}
    assert "60 g/L" not in bench_report(found)
    assert "100 g/L compound 7" in bench_report(found)


def test_a_finding_with_the_same_words_is_shown_once() -> None:
    names = [{"name": name} for name in ("methanol", "ethanol", "sodium chloride", "glucose")]
    solids = {"name": "solid", "chemicals": ["sodium chloride", "glucose"]}
    doses = [
        {"substance": "methanol", "kind": "volume", "amount": "2 mL"},
        {"substance": "solid", "kind": "mass", "amount": "5 mg"},
    ]
    heat = {"kind": "heat", "temperature": "110 degC", "time": "1 h"}
    found = plan_of(design_of(doses, {"factors": [solids]}, chemicals=names, stocks=[], conditions=[heat]))
    pressure = [one for one in found.findings if one.code == "pressure"]
    assert len(pressure) == 1
    assert pressure[0].wells == ("A1", "A2")


HELD = {"substance": "sodium chloride", "kind": "molarity", "amount": "50 mM", "via": "brine"}
MORE = {"kind": "add", "substance": "sodium chloride", "amount": "100 mM", "via": "brine"}
FILLED = {"total_volume": "1 mL"}
FINAL = {**FILLED, "total_is": "final"}


@pytest.mark.parametrize(
    ("doses", "group", "conditions"),
    [
        ([HELD, WATER], FILLED, [MORE]),
        ([HELD, WATER], FINAL, [MORE]),
        ([HELD, WATER], FINAL, [{**MORE, "amount": "0.1 mmol"}]),
        ([{"substance": "brine", "kind": "volume", "amount": "10 uL"}, WATER], FILLED, [MORE]),
        ([{**WATER, "substance": "brine"}], FILLED, [MORE]),
        ([WATER], FILLED, [MORE, MORE]),
        ([WATER], FINAL, [MORE, {**MORE, "amount": "0.1 mmol"}]),
        (
            [HELD, WATER],
            {**FILLED, "serial": {"factor": 2, "steps": 2, "transfer": "0.5 mL", "diluent": "water"}},
            [MORE],
        ),
    ],
)
def test_a_concentration_of_what_the_vial_holds_from_elsewhere_is_refused(
    doses: list[dict[str, Any]], group: dict[str, Any], conditions: list[dict[str, Any]]
) -> None:
    """It was taken for what is added: 50 mM and 100 mM came to 145 mM in all."""
    with pytest.raises(InputError, match=r"counts all of it.*brings some of it.*volume, a mass or moles"):
        make_protocol(design_of(doses, group, conditions=conditions))


def test_amounts_are_added_to_what_the_vial_holds() -> None:
    later = {**MORE, "amount": "0.1 mmol"}
    assert made([HELD, WATER], FILLED, conditions=[later]).amounts.vials[0].later == {0: {"brine": 100}}


def test_final_concentrations_after_portions_were_taken_out_are_refused() -> None:
    with pytest.raises(InputError, match=r"after portions were taken out.*total_is: filled"):
        make_protocol(design_of([WATER], FINAL, conditions=[{"kind": "sample"}, MORE], sampling={"volume": "100 uL"}))


def test_parts_by_mass_of_a_final_volume_count_what_is_added_later() -> None:
    """5 % w/w of what stood there before 5 mL of water came in was 2.6 % in the end."""
    salt = {"substance": "sodium chloride", "kind": "fraction", "amount": "5 % w/w"}
    group = {"total_volume": "10 mL", "total_is": "final"}
    later = [{"kind": "add", "substance": "water", "amount": "5 mL"}]
    additions = made([salt, WATER], group, conditions=later).amounts.vials[0].additions
    assert additions["sodium chloride"] == pytest.approx(0.05 / 0.95 * 10_000 * 0.9982, rel=1e-3)
    assert additions["water"] == pytest.approx(5000)


BARE = {"name": "brine", "solute": "sodium chloride", "concentration": "1 M"}
SALT = {"substance": "sodium chloride", "kind": "fraction", "amount": "5 % w/w"}
SOME = {"kind": "volume", "amount": "0.5 mL"}


@pytest.mark.parametrize(
    ("doses", "group", "asked"),
    [
        ([{**SOME, "substance": "medium X"}, WATER], {"total_mass": "4 g"}, "state:medium X"),
        ([SALT, {**WATER, "substance": "medium X"}], {"total_volume": "2 mL"}, "state:medium X"),
        ([{**SOME, "substance": "brine"}, WATER], {"total_mass": "4 g"}, "stock density:brine"),
        ([{**SOME, "substance": "C7 stock"}, WATER], {"total_mass": "4 g"}, "stock density:C7 stock"),
        ([{"substance": "brine", "kind": "mass", "amount": "500 mg"}], {}, "stock density:brine"),
    ],
)
def test_a_density_that_a_mass_depends_on_is_asked(
    doses: list[dict[str, Any]], group: dict[str, Any], asked: str
) -> None:
    assert asked_of(design_of(doses, group, stocks=[STOCK, BARE, BUFFER])) == [asked]


def test_the_density_of_a_stock_settles_it() -> None:
    heavy = {**BARE, "solvent": "water", "density": "1.04 g/mL"}
    found = made([{**SOME, "substance": "brine"}, WATER], {"total_mass": "4 g"}, stocks=[heavy])
    assert found.amounts.vials[0].additions["water"] == pytest.approx((4000 - 520) / 0.9982, rel=1e-4)


DBU = {"name": "DBU", "state": "liquid", "molar_mass": "152.24 g/mol"}
BASE = {"name": "base", "solute": "DBU", "solvent": "NMP", "concentration": "1 M"}


def bases(doses: list[dict[str, Any]], **stated: Any) -> ExperimentDesign:
    chemicals = [DBU | stated, {"name": "NMP", "state": "liquid", "molar_mass": "99.13 g/mol", "density": "1.03 g/mL"}]
    group = {"doses": [*doses, {"substance": "NMP", "kind": "remainder"}], "total_volume": "1 mL"}
    return ExperimentDesign.model_validate({"chemicals": chemicals, "stocks": [BASE], "groups": [group]})


def test_a_solute_without_a_density_leaves_the_solvent_of_its_stock_open() -> None:
    """It once counted as no volume: 152.2 g of it and 1030 g of solvent were told for a litre, and make 1.15."""
    dose = {"substance": "DBU", "kind": "molarity", "amount": "0.1 M", "via": "base"}
    found = plan_of(bases([dose]))
    assert found.amounts.vials[0].additions == {"base": 100, "NMP": 900}
    report, sheet, file = bench_report(found), bench_sheet(found), found.file.decode("utf-16")
    assert "base (1 M): 152.2 g/L DBU, filled up to volume with NMP; 1 M." in report
    assert "base: 152.2 g/L DBU, filled up to volume with NMP" in file
    assert "of DBU into NMP; fill up to" in sheet
    for text in (report, sheet, file):
        assert "g/L NMP" not in text
    assert [one.message for one in found.findings if one.code == "data"] == [
        "'base': how much NMP fills it up is not known, as the density of DBU is not."
    ]
    known = plan_of(bases([dose], density="1.018 g/mL"))  # 0.15224/1.018 mL of each mL are DBU
    assert "152.2 g/L DBU, 876 g/L NMP" in bench_report(known)


@pytest.mark.parametrize(
    "dose",
    [
        {"substance": "base", "kind": "mass", "amount": "100 mg"},
        {"substance": "NMP", "kind": "moles", "amount": "1 mmol", "via": "base"},
    ],
)
def test_an_amount_that_counts_such_a_solvent_asks_how_heavy_the_stock_is(dose: dict[str, Any]) -> None:
    assert asked_of(bases([dose])) == ["stock density:base"]


def test_state_molar_mass_and_hazards_that_nobody_knows_are_not_made_up() -> None:
    """A base by moles from its stock was listed as a solid, and hazards that are not known as none."""
    doses = [{"substance": "compound 7", "kind": "molarity", "amount": "1 mM", "via": "C7 stock"}, WATER]
    report = bench_report(made(doses, {"total_volume": "1 mL"}))
    assert "| compound 7 | not known | not known | not known |" in report
    assert "not known of compound 7, medium X |" in report
    assert "| none listed |" in report  # water
    assert "dead volume" in report
