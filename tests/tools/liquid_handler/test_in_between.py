"""Additions between treatments, samples at times, serial dilutions, and treatments of some vials only.

Every number is worked out on paper.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from designs import GROUP, HEAT, asked_of, plan_of, sound_plan_of, steps_of, sugar_design

from labwright.graphs.protocol_design.computed_design import Planned
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.json_and_csv_export import hplc_csv
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.treatment_sentences import treatments
from labwright.tools.liquid_handler.vial_histories import concentrations, histories, note_text, origin_text


def made(**own: Any) -> Made:
    return sound_plan_of(sugar_design(**own))


class TestAdditions:
    def test_a_quench_after_heating_waits_for_the_plate_to_cool(self) -> None:
        found = made(conditions=[HEAT, {"kind": "add", "substance": "brine", "amount": "50 uL"}, {"kind": "mix"}])
        # 60 degC falls to within 2 of 25 in 10 ln(35/2) = 28.6 min, rounded up to 30.
        assert steps_of(found) == [
            ("water", 900), ("sugar", 100), ("Cap", 1), ("HeatingTemp", 60), ("Delay", 120), ("HeatingTemp", 25),
            ("Delay", 30), ("Cap", 0), ("brine", 50), ("Cap", 1), ("VortexRate", 800), ("Delay", 5), ("VortexRate", 0),
        ]  # fmt: skip
        assert {vial.volume for vial in found.case.run.vials.values()} == {1050}
        assert treatments(found)[4] == "50 uL of brine go into each of 2 vials of Plate 1"

    def test_an_addition_before_all_else_is_read_back(self) -> None:
        """It was in the files and in no sentence that a person approves."""
        found = made(conditions=[{"kind": "add", "substance": "brine", "amount": "50 uL"}, {"kind": "mix"}])
        said = Planned(found).sentences()
        assert "1. 50 uL of brine go into each of 2 vials of Plate 1" in said

    def test_open_vials_stay_hot_between_two_heats(self) -> None:
        later = {"kind": "add", "substance": "sodium chloride", "amount": "0.1 mmol", "via": "brine"}
        found = made(cap=False, conditions=[HEAT, later, HEAT])
        assert steps_of(found)[2:] == [
            ("HeatingTemp", 60), ("Delay", 120), ("brine", 50), ("HeatingTemp", 60), ("Delay", 120),
            ("HeatingTemp", 25),
        ]  # fmt: skip

    def test_an_amount_goes_in_by_portions_that_begin_at_their_times(self) -> None:
        portions = {"kind": "add", "substance": "brine", "amount": "50 uL", "portions": 3, "every": "1 min"}
        found = made(cap=False, conditions=[{**HEAT}, portions, {"kind": "mix"}])
        # two vials take 0.3 min, so 0.7 min are left until the next portion
        assert steps_of(found)[4:10] == [
            ("HeatingTemp", 25), ("brine", 16.667), ("Delay", 0.7), ("brine", 16.667), ("Delay", 0.7),
            ("brine", 16.666),
        ]  # fmt: skip
        said = "16.667 uL of brine go into each of 2 vials of Plate 1, 3 times, one every 1 min"
        assert said in Planned(found).sentences()[-2]
        with pytest.raises(InputError, match="too fast"):
            made(cap=False, conditions=[{**portions, "every": "10 s"}])

    def test_vials_are_open_for_one_treatment_only(self) -> None:
        """Capped overnight, then open and hot while something is added; it was one setting for the whole protocol."""
        later = {"kind": "add", "substance": "brine", "amount": "50 uL"}
        found = made(conditions=[HEAT, {**HEAT, "time": "5 min", "cap": False}, later, HEAT])
        assert steps_of(found)[2:] == [
            ("Cap", 1), ("HeatingTemp", 60), ("Delay", 120), ("HeatingTemp", 25), ("Delay", 30), ("Cap", 0),
            ("HeatingTemp", 60), ("Delay", 5), ("brine", 50), ("Cap", 1), ("HeatingTemp", 60), ("Delay", 120),
            ("HeatingTemp", 25),
        ]  # fmt: skip

    def test_open_vials_are_capped_for_one_treatment(self) -> None:
        found = made(cap=False, conditions=[{"kind": "mix", "cap": True}, {"kind": "wait", "time": "1 h"}])
        kinds = [("Cap", 1), ("VortexRate", 800), ("Delay", 5), ("VortexRate", 0), ("Cap", 0), ("Delay", 60)]
        assert steps_of(found)[2:] == kinds

    def test_vials_that_take_no_caps_stay_open_unless_caps_are_asked_for(self) -> None:
        """1 mL vials that are heated ended in `cannot cap`, although no caps were asked for."""
        small = {"groups": [{**GROUP, "total_volume": "0.5 mL"}], "vial_volume": "1 mL", "conditions": [HEAT]}
        assert not made(**small).layout.capped
        shut = plan_of(sugar_design(**small, cap=True))
        assert "cap" in {one.code for one in shut.findings if one.severity == "error"}

    def test_a_ramp_may_end_the_heating(self) -> None:
        found = made(cap=False, conditions=[{"kind": "heat", "temperature": "60 degC", "ramp": "1 degC/min"}])
        assert steps_of(found)[2:] == [
            ("StirRate", 500), ("HeatingRamp", 1), ("HeatingTemp", 60), ("Delay", 35), ("StirRate", 0),
            ("HeatingTemp", 25),
        ]  # fmt: skip

    def test_amounts_go_by_a_factor_in_groups_and_in_equivalents(self) -> None:
        dosed = {**GROUP, "replicates": 1, "factors": [{"name": "acid", "levels": ["0 uL", "20 uL"]}]}
        blank = {"name": "blank", "doses": [{"substance": "water", "kind": "volume", "amount": "1 mL"}]}
        equivalents = {"kind": "add", "substance": "sodium chloride", "amount": "2 equiv", "reference": "glucose"}
        found = made(
            groups=[dosed, blank],
            conditions=[
                {"kind": "add", "substance": "brine", "factor": "acid", "groups": ["runs"]},
                {**equivalents, "via": "brine", "groups": ["runs"]},
            ],
        )
        # 0.1 mmol of glucose; 0.2 mmol of a 2 M brine is 100 uL
        assert [vial.later for vial in found.amounts.vials] == [
            {1: {"brine": 100}},
            {0: {"brine": 20}, 1: {"brine": 100}},
            {},
        ]

    def test_a_solid_and_water_may_follow_acid_if_they_are_asked_for_so(self) -> None:
        doses = [{"substance": "sulfuric acid", "kind": "volume", "amount": "500 uL"}]
        later = [{"kind": "mix"}, {"kind": "add", "substance": "water", "amount": "1 mL"}]
        later += [{"kind": "add", "substance": "sodium chloride", "amount": "20 mg"}]
        names = [{"name": name} for name in ("water", "glucose", "sodium chloride", "sulfuric acid")]
        found = made(chemicals=names, groups=[{"doses": doses}], conditions=later)
        assert found.case.run.vials["Plate 1", (0, 0)].volume == 1500

    @pytest.mark.parametrize(("amount", "asked"), [("2 mmol", "chemical:buffer"), ("5 mg", "state:buffer")])
    def test_data_are_asked_for_what_is_not_added_by_volume(self, amount: str, asked: str) -> None:
        later = {"kind": "add", "substance": "buffer", "amount": amount}
        assert asked_of(sugar_design(conditions=[later])) == [asked]

    @pytest.mark.parametrize(
        ("condition", "says"),
        [
            ({"kind": "add", "substance": "brine"}, "an amount, a factor or an up_to"),
            ({"kind": "add", "substance": "brine", "amount": "5 min"}, "equivalents or a concentration"),
            ({"kind": "add", "substance": "brine", "amount": 5}, "name its unit"),
            ({"kind": "add", "substance": "brine", "amount": "5 uL", "time": "1 h"}, "has no time"),
            ({"kind": "add", "substance": "vinegar", "amount": "5 uL"}, "names 'vinegar'"),
            ({"kind": "add", "substance": "brine", "factor": "acid"}, "which group 'runs' lacks"),
            ({"kind": "mix", "substance": "brine"}, "write `kind: add`"),
            ({"kind": "wait", "by": "stir", "time": "1 h"}, "For movement write `kind: mix`"),
            ({"kind": "wait", "time_factor": "minutes"}, "belongs to `kind: heat`"),
        ],
    )
    def test_what_it_cannot_mean_is_said(self, condition: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match=says):
            sugar_design(conditions=[condition])


SAMPLING = {"volume": "20 uL", "quench": "acetonitrile", "quench_volume": "180 uL"}


class TestSamples:
    def test_times_and_origins_of_samples(self) -> None:
        heat = {**HEAT, "time": "1 h", "sample_at": ["0 min", "5 min", "15 min", "60 min"]}
        found = made(conditions=[heat], sampling=SAMPLING)
        assert not found.layout.capped  # vials that are sampled hot stand open
        # two vials take 0.4 min: 5; 15 - 5 - 0.4 = 9.6; 60 - 15 - 0.4 = 44.6
        assert steps_of(found)[2:] == [
            ("acetonitrile", 180), ("Plate 1", 20), ("HeatingTemp", 60), ("Delay", 5), ("Plate 1", 20), ("Delay", 9.6),
            ("Plate 1", 20), ("Delay", 44.6), ("Plate 1", 20), ("HeatingTemp", 25), ("Cap", 1),
        ]  # fmt: skip
        known = histories(found)
        where = {
            well_name(*well): (origin_text(one), note_text(one))
            for (plate, well), one in known.items()
            if plate == "Plate 2"
        }
        assert where == {
            "A1": ("Plate 1 A1", "0 min"), "A2": ("Plate 1 A2", "0 min"), "A3": ("Plate 1 A1", "5 min"),
            "A4": ("Plate 1 A2", "5 min"), "A5": ("Plate 1 A1", "15 min"), "A6": ("Plate 1 A2", "15 min"),
            "A7": ("Plate 1 A1", "60 min"), "A8": ("Plate 1 A2", "60 min"),
        }  # fmt: skip
        assert found.case.run.vials["Plate 1", (0, 0)].volume == pytest.approx(920)
        assert found.case.run.vials["Plate 2", (0, 7)].volume == pytest.approx(200)
        rows = list(csv.DictReader(io.StringIO(hplc_csv(found))))
        assert [(row["position"], row["from"], row["taken at"]) for row in rows][3] == ("A4", "Plate 1 A2", "5 min")
        assert "glucose 10 mM" in rows[3]["composition"]
        assert rows[3]["sample"] == "runs r2 from Plate 1 A2 at 5 min"

    def test_caps_are_opened_and_closed_for_each_sample_below_40_degrees(self) -> None:
        warm = {"kind": "mix", "by": "stir", "temperature": "37 degC", "sample_at": ["10 min", "30 min"]}
        found = made(cap=True, conditions=[warm], sampling={"volume": "50 uL"})
        # opening two vials takes 0.2 min before a sample, two portions and closing 0.6 min after it begins
        assert steps_of(found)[2:] == [
            ("Cap", 1), ("StirRate", 500), ("HeatingTemp", 37), ("Delay", 9.8), ("Cap", 0), ("Plate 1", 50), ("Cap", 1),
            ("Delay", 19.2), ("Cap", 0), ("Plate 1", 50), ("Cap", 1), ("StirRate", 0), ("HeatingTemp", 25), ("Cap", 1),
        ]  # fmt: skip

    def test_samples_of_some_groups_and_of_two_conditions_and_a_treated_second_plate(self) -> None:
        blank = {"name": "blank", "doses": [{"substance": "water", "kind": "volume", "amount": "1 mL"}]}
        one = {"kind": "wait", "time": "1 h", "sample_at": ["1 h"]}
        found = made(
            groups=[GROUP, blank],
            conditions=[one, {"kind": "add", "substance": "brine", "amount": "100 uL"}, one],
            sampling={**SAMPLING, "groups": ["runs"], "conditions": [{"kind": "mix", "time": "2 min"}]},
        )
        notes = [note_text(one) for (plate, _), one in histories(found).items() if plate == "Plate 2"]
        assert notes == ["1 h of condition 1"] * 2 + ["1 h of condition 3"] * 2
        # 980 uL with 98 umol are diluted by 100 uL: 98/1080 M, and 20 uL of it into 200 uL
        assert concentrations(found, ("Plate 2", (0, 3)))["glucose"] == pytest.approx(1000 * 0.098 / 1.08 / 10)
        assert steps_of(found)[-3:] == [("VortexRate", 800), ("Delay", 2), ("VortexRate", 0)]

    @pytest.mark.parametrize(
        ("own", "says"),
        [
            ({"conditions": [{**HEAT, "sample_at": ["5 min"]}]}, "does not say how much"),
            ({"conditions": [HEAT], "sampling": SAMPLING}, "takes no sample"),
            ({"conditions": [{**HEAT, "sample_at": ["3 h"]}], "sampling": SAMPLING}, "comes after the 2 h"),
            ({"conditions": [{**HEAT, "sample_at": ["9 min", "5 min"]}], "sampling": SAMPLING}, "must rise"),
            ({"conditions": [{**HEAT, "sample_at": ["5 min", "5.1 min"]}], "sampling": SAMPLING}, "too early"),
            ({"conditions": [{**HEAT, "sample_at": ["5 min"]}], "sampling": SAMPLING, "cap": True}, "cap: false"),
        ],
    )
    def test_what_cannot_be_sampled_is_said(self, own: dict[str, Any], says: str) -> None:
        with pytest.raises((ValueError, InputError), match=says):
            made(**own)


class TestSerialDilutions:
    SERIAL = {"factor": 2, "steps": 3, "transfer": "500 uL", "diluent": "buffer"}  # noqa: RUF012

    def test_contents_of_a_series(self) -> None:
        found = made(groups=[{**GROUP, "serial": self.SERIAL}])
        assert [vial.levels["dilution"] for vial in found.amounts.vials] == ["1", "2", "4", "8"] * 2
        volumes = [found.case.run.vials[place].volume for place in found.layout.wells]
        assert volumes == pytest.approx([500, 500, 500, 1000] * 2)
        held = [concentrations(found, place).get("glucose") for place in found.layout.wells]
        assert held == pytest.approx([100, 50, 25, 12.5] * 2)
        rows = list(csv.DictReader(io.StringIO(hplc_csv(found))))
        assert [(row["position"], row["from"], row["dilution"]) for row in rows][:3] == [
            ("A1", "", "1"),
            ("A2", "Plate 1 A1", "2"),
            ("A3", "Plate 1 A2", "4"),
        ]
        assert treatments(found)[:2] == [
            "stirred at 500 rpm, for 1 min",
            "500 uL go on into each of 2 vials of Plate 1",
        ]

    def test_the_total_of_each_dilution_and_two_plates(self) -> None:
        serial = {"factor": 10, "steps": 1, "total_volume": "1 mL", "diluent": "buffer"}
        found = made(groups=[{**GROUP, "replicates": 27, "serial": serial}])  # 54 vials, 48 a plate
        assert found.amounts.vials[1].additions == {"buffer": 900}
        assert len(found.protocol.plates) == 2

    def test_more_than_the_first_vial_holds_is_refused(self) -> None:
        with pytest.raises(InputError, match="holds 1000 uL, but 1500 uL"):
            made(groups=[{**GROUP, "serial": {**self.SERIAL, "transfer": "1.5 mL"}}])
        with pytest.raises(ValueError, match="a transfer or a total_volume"):
            sugar_design(groups=[{**GROUP, "serial": {"factor": 2, "steps": 3, "diluent": "buffer"}}])


class TestSomeVialsOnly:
    GROUPS = [{**GROUP, "name": "warm"}, {**GROUP, "name": "cold"}]  # noqa: RUF012

    def test_groups_that_are_treated_otherwise_have_a_plate_of_their_own(self) -> None:
        found = made(groups=self.GROUPS, conditions=[{**HEAT, "groups": ["warm"]}])
        assert [plate for plate, _ in found.layout.wells] == ["Plate 1"] * 2 + ["Plate 2"] * 2
        hot = {plate: one.hot for (plate, _), one in histories(found).items()}
        assert hot == {"Plate 1": [(60, 120)], "Plate 2": []}

    def test_heats_of_two_plates_run_side_by_side(self) -> None:
        heats = [{**HEAT, "groups": ["warm"]}, {**HEAT, "temperature": "40 degC", "time": "30 min", "groups": ["cold"]}]
        found = made(groups=self.GROUPS, conditions=heats)
        assert [step for step in steps_of(found) if step[0] in ("HeatingTemp", "Delay")] == [
            ("HeatingTemp", 60), ("HeatingTemp", 40), ("Delay", 30), ("HeatingTemp", 25), ("Delay", 90),
            ("HeatingTemp", 25),
        ]  # fmt: skip

    def test_a_factor_of_temperatures(self) -> None:
        group = {**GROUP, "factors": [{"name": "T", "levels": ["40 degC", "60 degC"]}], "replicates": 3}
        heat = {"kind": "heat", "temperature_factor": "T", "time": "1 h"}
        found = made(groups=[group], conditions=[heat, {"kind": "cool"}])
        hot = {(plate, one.recipe.levels["T"], *one.hot) for (plate, _), one in histories(found).items() if one.recipe}
        assert hot == {("Plate 1", "40 degC", (40, 60)), ("Plate 2", "60 degC", (60, 60))}
        group["factors"] = [{"name": "T", "levels": ["40 degC", "50 degC", "60 degC"]}]
        with pytest.raises(InputError, match="3 different ways, and a plate is heated, mixed and cooled as a whole"):
            made(groups=[group], conditions=[heat])

    def test_a_second_plate_leaves_no_room_for_parts(self) -> None:
        with pytest.raises(InputError, match="1 plate"):
            made(groups=self.GROUPS, conditions=[{**HEAT, "groups": ["warm"], "sample_at": ["1 h"]}], sampling=SAMPLING)
