"""Vials that give portions, additions into stirred or warm vials and to the second plate, and what holds all the time.

Every number is worked out on paper; the simulators of both robots take each protocol, where they are installed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from designs import DOSES, HEAT, SUGAR, plan_of, sound_plan_of, steps_of, sugar_design

from labwright.graphs.protocol_design.computed_design import Planned
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.checks.run import check
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.liquid_handler.protocol_steps import Step
from labwright.tools.liquid_handler.report import bench_report
from labwright.tools.liquid_handler.robots.bench_sheet import bench_sheet
from labwright.tools.liquid_handler.robots.outputs import disagreements, text_of, written

OPENTRONS = os.environ.get("LABWRIGHT_OPENTRONS", "")
MOTHER = {"name": "mother", "doses": DOSES, "total_volume": "1 mL", "vial_volume": "2 mL"}  # 100 mM glucose
LOW = {
    "name": "low",
    "factors": [{"name": "portion", "levels": ["50 uL", "100 uL"]}],
    "doses": [{"substance": "water", "kind": "remainder"}],
    "total_volume": "800 uL",
    "total_is": "final",
    "replicates": 2,
    "vial_volume": "1 mL",
}
TAKEN = {"kind": "add", "from_vials": "mother", "factor": "portion", "groups": ["low"]}
STIRRED = {"kind": "add", "substance": "brine", "amount": "50 uL", "speed": "600 rpm"}
MIX = {"kind": "mix", "by": "stir"}
SAMPLING = {"volume": "50 uL", "quench": "acetonitrile", "quench_volume": "450 uL", "vial_volume": "2 mL"}


def made(**own: Any) -> Made:
    return sound_plan_of(sugar_design(**own))


def accepted(found: Made) -> None:
    """Both simulators move the plan's volumes; one that is not installed says nothing."""
    assert disagreements(found, "pylabrobot") == []
    assert disagreements(found, "opentrons", OPENTRONS) == []


def codes(found: Made, *changed: Step) -> set[str]:
    case = replace(found.case, protocol=replace(found.protocol, steps=changed or found.protocol.steps))
    return {one.code for one in check(case)}


class TestVialsAsSources:
    def test_a_solution_made_in_one_vial_goes_into_others_with_what_it_holds(self) -> None:
        found = made(groups=[MOTHER, LOW], conditions=[MIX, TAKEN])
        assert [(plate.name, plate.vial) for plate in found.layout.plates] == [("Plate 1", 2000), ("Plate 2", 1000)]
        low = [found.case.run.vials["Plate 2", (0, column)] for column in range(4)]
        assert [vial.volume for vial in low] == [800] * 4
        # 50 and 100 uL of 100 mM in 800 uL
        assert [1e6 * vial.contents["glucose"] / 180.156 / vial.volume for vial in low] == pytest.approx(
            [6.25, 6.25, 12.5, 12.5], rel=1e-4
        )
        assert found.case.run.vials["Plate 1", (0, 0)].volume == pytest.approx(700)
        assert Planned(found).treatments() == [
            "stirred at 500 rpm, for 5 min",
            "50 to 100 uL of Plate 1 A1 go into each of 4 vials of Plate 2",
        ]
        accepted(found)

    def test_more_than_a_vial_holds_is_an_error_with_its_cure(self) -> None:
        many = {**LOW, "replicates": 8}
        found = plan_of(sugar_design(groups=[MOTHER, many], conditions=[MIX, TAKEN]))
        fault = next(one for one in found.findings if one.severity == "error")
        assert fault.code == "transfer"
        assert "are asked of a vial that holds" in fault.message
        assert fault.mend == "Make more of it, or take less."

    def test_each_vial_gives_to_as_many_as_any_other(self) -> None:
        """Standards diluted in series go on in duplicate, in their order."""
        standards = {**MOTHER, "serial": {"factor": 2, "steps": 1, "transfer": "0.4 mL", "diluent": "water"}}
        doses = [{"substance": "water", "kind": "volume", "amount": "0.9 mL"}]
        assays = {"name": "assays", "doses": doses, "replicates": 4}
        portion = {"kind": "add", "from_vials": "mother", "amount": "100 uL", "groups": ["assays"]}
        found = made(groups=[standards, assays], conditions=[portion])
        held = [found.case.run.vials["Plate 2", (0, column)].contents["glucose"] for column in range(4)]
        # 100 and 50 mM of glucose, 0.1 mL of each
        assert held == pytest.approx([1.80156, 1.80156, 0.90078, 0.90078], rel=1e-3)
        with pytest.raises(InputError, match="3 vials get portions of the 2 of group 'mother'"):
            make_protocol(sugar_design(groups=[standards, {**assays, "replicates": 3}], conditions=[portion]))

    def test_what_is_asked_of_a_vial_counts_what_a_portion_brings(self) -> None:
        sugared = {**LOW, "doses": DOSES}
        with pytest.raises(InputError, match="'sugar' brings some of it, too"):
            make_protocol(sugar_design(groups=[MOTHER, sugared], conditions=[TAKEN]))
        salt = {"kind": "add", "substance": "sodium chloride", "via": "brine", "amount": "2 equiv"}
        salt |= {"reference": "glucose", "groups": ["low"]}
        with pytest.raises(InputError, match="comes with a portion of other vials"):
            make_protocol(sugar_design(groups=[MOTHER, {**LOW, "total_is": "filled"}], conditions=[TAKEN, salt]))

    def test_a_portion_of_what_was_not_mixed_is_a_warning(self) -> None:
        assert "unmixed" in codes(made(groups=[MOTHER, LOW], conditions=[TAKEN]))
        assert "unmixed" not in codes(made(groups=[MOTHER, LOW], conditions=[MIX, TAKEN]))

    @pytest.mark.parametrize(
        ("own", "says"),
        [
            ({"groups": []}, "name in `groups` the other groups"),
            ({"groups": ["mother"]}, "name in `groups` the other groups"),
            ({"substance": "water"}, "it takes an amount or a factor, and groups, nothing else"),
            ({"factor": None, "amount": "5 mg"}, "a portion of vials is a volume"),
            ({"from_vials": "father"}, "names 'father', which is not among: low, mother"),
        ],
    )
    def test_what_a_portion_cannot_mean_is_said(self, own: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match=says):
            sugar_design(groups=[MOTHER, LOW], conditions=[{**TAKEN, **own}])


class TestIntoStirredVials:
    def test_the_stirrer_runs_and_the_plate_is_warm_while_it_goes_in(self) -> None:
        warm = {**STIRRED, "temperature": "50 degC"}
        found = made(cap=False, conditions=[warm, {**MIX, "speed": "600 rpm", "time": "1 h"}])
        assert steps_of(found)[2:] == [
            ("StirRate", 600), ("HeatingTemp", 50), ("Delay", 30), ("brine", 50), ("StirRate", 0), ("HeatingTemp", 25),
            ("Delay", 30), ("StirRate", 600), ("Delay", 60), ("StirRate", 0),
        ]  # fmt: skip
        assert Planned(found).treatments()[1].endswith("of Plate 1, stirred at 600 rpm at 50 degC")
        (said,) = [one for one in found.findings if one.code == "stirred_addition"]
        assert "Flex stops its shaker" in said.message
        accepted(found)

    def test_a_file_that_does_not_stir_or_heat_meanwhile_is_an_error(self) -> None:
        found = made(cap=False, conditions=[{**STIRRED, "temperature": "50 degC"}])
        for parameter in ("StirRate", "HeatingTemp"):
            first = next(step for step in found.protocol.steps if step.subject == parameter)
            assert "conditions" in codes(found, *(step for step in found.protocol.steps if step is not first))

    def test_the_plate_is_warm_before_it_goes_in_and_what_follows_counts_when_it_has_cooled(self) -> None:
        """It went in as soon as the setpoint was raised: 25 degC fall to 2 in 10 ln(25/2) = 25.3 min, so 30."""
        late = {**STIRRED, "temperature": "50 degC"}
        found = made(cap=False, conditions=[late, {"kind": "wait", "time": "1 h", "temperature": "40 degC"}])
        delays = [step for step in found.protocol.steps if step.subject == "Delay"]
        # 10 ln(10/2) = 16.1 min from 50 to 42 degC, so 20; then the hour.
        assert [next(iter(step.amounts.values())) for step in delays] == [30, 20, 60]
        for missing in delays:
            assert "conditions" in codes(found, *(step for step in found.protocol.steps if step is not missing))

    def test_nothing_is_pipetted_into_a_vortexed_plate(self) -> None:
        with pytest.raises(ValueError, match="can be pipetted into a plate that is vortexed"):
            sugar_design(conditions=[{"kind": "add", "substance": "brine", "amount": "50 uL", "by": "vortex"}])


class TestTheSecondPlate:
    def test_a_standard_and_a_diluent_come_after_the_samples(self) -> None:
        after = [
            {"kind": "add", "substance": "brine", "amount": "20 uL", "speed": "300 rpm"},
            {"kind": "mix", "time": "2 min"},
            {"kind": "add", "substance": "water", "up_to": "1 mL"},
        ]
        found = made(cap=False, conditions=[MIX, {"kind": "sample"}], sampling={**SAMPLING, "conditions": after})
        there = [vial.volume for (plate, _), vial in found.case.run.vials.items() if plate == "Plate 2"]
        assert there == [1000, 1000]
        assert steps_of(found)[-10:] == [
            ("StirRate", 300), ("brine", 20), ("StirRate", 0), ("Cap", 1), ("VortexRate", 800), ("Delay", 2),
            ("VortexRate", 0), ("Cap", 0), ("water", 480), ("Cap", 1),
        ]  # fmt: skip
        last = [step for step in found.protocol.steps if step.subject == "water"][-1]
        assert "portion" in codes(found, *(step for step in found.protocol.steps if step is not last))
        accepted(found)

    def test_what_it_cannot_be_is_said(self) -> None:
        for own, says in (
            ({"amount": "5 mg"}, "a volume of a substance or stock is added"),
            ({"amount": "5 uL", "groups": ["runs"]}, "treated as a whole"),
        ):
            after = {"kind": "add", "substance": "water", **own}
            with pytest.raises(ValueError, match=says):
                sugar_design(conditions=[{"kind": "sample"}], sampling={**SAMPLING, "conditions": [after]})
        full = {"kind": "add", "substance": "water", "up_to": "0.4 mL"}
        with pytest.raises(InputError, match="but the vial holds 500 uL by then"):
            make_protocol(sugar_design(conditions=[{"kind": "sample"}], sampling={**SAMPLING, "conditions": [full]}))

    def test_where_a_portion_is_drawn_reaches_file_and_scripts(self) -> None:
        manner = {"draw_at": "top", "at": "bottom"}
        found = made(cap=False, conditions=[MIX, {"kind": "sample"}], sampling={**SAMPLING, "manner": manner})
        (taken,) = [step for step in found.protocol.steps if step.action == "Transfer"]
        assert str(taken.manner) == "at bottom, draw at top"
        assert "manner_lost" in codes(found, *(replace(s, manner=type(s.manner)()) for s in found.protocol.steps))
        for kind in ("pylabrobot", "opentrons"):
            assert "{'at': 'bottom', 'draw_at': 'top'}" in text_of(found, kind)
        assert "draw at top" in bench_sheet(found)
        accepted(found)


class TestWhatHoldsAllTheTime:
    def test_room_temperature_is_a_fact_and_needs_no_step(self) -> None:
        found = made(temperature="rt", cap=False, conditions=[MIX])
        assert "HeatingTemp" not in dict(steps_of(found))
        assert "- All at 25 degC where nothing else is said." in Planned(found).sentences()
        assert "All at 25 degC" in bench_report(found)
        assert "All at 25 degC" in bench_sheet(found)

    def test_another_temperature_holds_from_the_first_dose_to_the_end(self) -> None:
        later = {"kind": "add", "substance": "brine", "amount": "50 uL"}
        found = made(temperature="37 degC", cap=False, conditions=[MIX, later, {"kind": "wait", "time": "1 h"}])
        hot = [round(now.temperatures["Plate 1"]) for now in found.case.run.moments[1:]]
        assert set(hot[:-1]) == {37}
        assert [v for name, v in steps_of(found) if name == "HeatingTemp"][-1] == 25
        accepted(found)
        cold = plan_of(sugar_design(temperature="4 degC", cap=False, conditions=[MIX]))
        assert {one.code for one in cold.findings if one.severity == "error"} == {"temperature"}

    def test_slit_septa_let_tips_through_while_the_vials_are_hot_and_closed(self) -> None:
        late = {"kind": "add", "substance": "brine", "amount": "50 uL", "temperature": "60 degC"}
        hot = {**HEAT, "sample_at": ["15 min", "2 h"]}
        open_ = {"conditions": [HEAT, late, hot], "sampling": SAMPLING}
        found = made(**open_, septa="slit")
        assert [value for name, value in steps_of(found) if name == "Cap"] == [1, 1]  # and the second plate at the end
        assert "septa" in {one.code for one in found.findings}
        accepted(found)
        with pytest.raises(InputError, match="caps with slit septa"):
            make_protocol(sugar_design(**open_, cap=True))

    def test_whole_septa_take_the_needle_of_the_pump_only(self) -> None:
        late = {"kind": "add", "substance": "brine", "amount": "50 uL", "temperature": "60 degC"}
        found = made(septa="whole", conditions=[HEAT, late, HEAT])
        assert [value for name, value in steps_of(found) if name == "Cap"] == [1]
        assert all("do not pierce whole septa" in one.note for one in written(found, ["pylabrobot", "opentrons"]))
        tips = [replace(s, tags=("PDT", "Tip100uL")) if s.subject == "brine" else s for s in found.protocol.steps]
        assert "cap" in codes(found, *tips)

    def test_open_to_air_is_a_wait_with_open_vials_that_a_person_sees_to(self) -> None:
        found = made(atmosphere="nitrogen", conditions=[HEAT, {"kind": "cool"}, {"kind": "wait", "atmosphere": "air"}])
        assert Planned(found).treatments()[-2] == "left to stand, under air, for 5 min"
        assert [value for name, value in steps_of(found) if name == "Cap"] == [1, 0, 1]
        assert "Bring Plate 1 under air." in text_of(found, "opentrons")
        assert sum(one.code == "atmosphere" for one in found.findings) == 2
        assert "conditions" in codes(found, *(replace(step, note="") for step in found.protocol.steps))
        with pytest.raises(ValueError, match="Capped vials keep their gas"):
            sugar_design(conditions=[{"kind": "wait", "atmosphere": "air", "cap": True}])


def test_a_density_at_another_temperature_is_an_assumption_with_its_source() -> None:
    doses = [{"substance": "toluene", "kind": "moles", "amount": "5 mmol"}]
    design = {"chemicals": [{"name": "toluene"}], "groups": [{"doses": doses}]}

    def said(**own: Any) -> str:
        found = plan_of(ExperimentDesign.model_validate({**design, **own}))
        return " ".join(one.text for one in decisions(found.design, found.amounts, found.layout))

    # CRC: 0.8669 g/mL at 20 degC, 0.8622 at 25: 0.5 %
    assert "g/mL at 20 degC (CRC Handbook), the protocol is at 25 degC, where it takes 0.5% more" in said()
    assert "20 degC" not in said(chemicals=[{"name": "toluene", "density": "0.8622 g/mL"}])


def test_a_solute_given_twice_is_asked_about() -> None:
    also = [{"solute": "glucose", "concentration": "0.5 M"}]
    with pytest.raises(ValueError, match="gives 'glucose' twice"):
        sugar_design(stocks=[{**SUGAR, "also": also}])
