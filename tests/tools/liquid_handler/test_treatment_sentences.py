"""What is done to the vials, as sentences; the conftest's designs, and a time course written out."""

from __future__ import annotations

from designs import plan_of

from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.treatment_sentences import treatments


def told(design: ExperimentDesign) -> list[str]:
    return treatments(plan_of(design))


def test_mixing_and_nothing_at_all(designs: dict[str, ExperimentDesign]) -> None:
    assert told(designs["calibration"]) == ["Plate 1: 6 vials capped", "vortexed at 800 rpm, for 10 min"]
    assert told(designs["cross"]) == []


def test_heating_is_told_with_its_stirring_and_long_times_in_hours(designs: dict[str, ExperimentDesign]) -> None:
    assert told(designs["ammonia"])[-1] == "heated to 60 degC, stirred at 500 rpm, for 960 min (16 h)"


def test_a_work_up_is_told_with_diluent_and_portions(designs: dict[str, ExperimentDesign]) -> None:
    # 1 in 10 of 1 mL: 100 uL of the sample and 900 uL of water. 80 degC falls to within 2 of 25 in 10 ln(55/2) =
    # 33 min, which is rounded up to 35.
    assert told(designs["ester"]) == [
        "Plate 1: 3 vials capped",
        "heated to 80 degC, stirred at 500 rpm, for 30 min",
        "cooled to 25 degC, for 35 min",
        "Plate 1: 3 vials opened",
        "900 uL of water go into each of 3 vials of Plate 2",
        "100 uL of each of 3 vials of Plate 1 go to Plate 2",
        "Plate 1: 3 vials capped",
        "Plate 2: 3 vials capped",
        "Plate 2 vortexed at 800 rpm, for 20 min",
    ]


def test_timers_and_vials_that_are_moved(designs: dict[str, ExperimentDesign]) -> None:
    assert told(designs["timed"]) == [
        "Plate 1: 2 vials capped",
        "Plate 2 heated to 80 degC, Plate 2 stirred at 500 rpm, each vial for 15 to 60 min by a timer of its own",
        "2 vials moved whole from Plate 1 to Plate 2",
        "2 vials moved whole from Plate 2 to Plate 1, each when its timer has run out",
    ]


def test_each_of_two_plates_that_are_heated_at_once_has_its_own_temperature() -> None:
    dose = {"substance": "water", "kind": "volume", "amount": "1 mL"}
    factor = {"name": "temperature", "levels": ["60 degC", "80 degC"]}
    heat = {"kind": "heat", "temperature_factor": "temperature", "time": "2 h"}
    design = {"title": "t", "chemicals": [{"name": "water"}], "groups": [{"factors": [factor], "doses": [dose]}]}
    lines = told(ExperimentDesign.model_validate({**design, "conditions": [heat]}))
    [heated] = [line for line in lines if "heated" in line]
    assert heated.startswith("Plate 1 heated to 60 degC, Plate 2 heated to 80 degC")


def test_the_first_filling_is_no_treatment_and_a_plate_that_cools_is_named() -> None:
    """Water that was added later, too, was told when the vials were filled; what cooled was said of all plates."""
    dose = {"substance": "water", "kind": "volume", "amount": "1 mL"}
    later = {"kind": "add", "substance": "water", "amount": "50 uL", "groups": ["cold"]}
    heat = {"kind": "heat", "temperature": "60 degC", "time": "2 h", "groups": ["hot"]}
    groups = [{"name": name, "doses": [dose]} for name in ("cold", "hot")]
    conditions = [later, heat, {"kind": "mix", "groups": ["cold"]}]
    plain = {"title": "t", "chemicals": [{"name": "water"}], "groups": groups, "conditions": conditions}
    assert told(ExperimentDesign.model_validate(plain)) == [
        "50 uL of water go into each of 1 vial of Plate 1",
        "Plate 1: 1 vial capped",
        "Plate 2: 1 vial capped",
        "Plate 2 heated to 60 degC, for 120 min (2 h)",
        "Plate 2 cooled to 25 degC, Plate 1 vortexed at 800 rpm, for 5 min",
    ]
