"""Units, words for numbers, substances without data, order and places, as chemists say them."""

from __future__ import annotations

import pytest
from designs import asked_of, plan_of, steps_of

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_planner import Made

BUFFER = {"substance": "buffer A", "kind": "remainder"}


def made(**own: object) -> Made:
    group = {"doses": [{"substance": "NaOH", "kind": "molarity", "amount": "10 mM", "via": "base"}, BUFFER]}
    base = {"name": "base", "solute": "NaOH", "solvent": "water", "concentration": "0.5 % w/v"}
    plain = {
        "chemicals": [{"name": name} for name in ("NaOH", "water", "buffer A", "enzyme")],
        "stocks": [base],
        "groups": [{**group, "total_volume": "1 mL"}],
        **own,
    }
    found = plan_of(ExperimentDesign.model_validate(plain))
    assert not found.blocked, found.findings
    return found


def doses(made_: Made) -> dict[str, float]:
    return made_.amounts.vials[0].additions


def test_a_percentage_of_weight_in_volume_needs_no_basis_and_a_buffer_no_data() -> None:
    found = doses(made())
    assert found["base"] == pytest.approx(10e-3 * 39.997 / 5 * 1000, rel=1e-4)  # 0.5 % w/v is 5 mg/mL
    assert found["buffer A"] == pytest.approx(1000 - found["base"], abs=0.01)


@pytest.mark.parametrize(
    ("concentration", "molar"), [("5 mg/mL", 0.125), ("0.5 % w/v", 0.125), ("125 mM", 0.125), ("5000 mg/L", 0.125)]
)
def test_equal_strengths_in_other_units_give_equal_volumes(concentration: str, molar: float) -> None:
    base = {"name": "base", "solute": "NaOH", "solvent": "water", "concentration": concentration}
    assert doses(made(stocks=[base]))["base"] == pytest.approx(10 / molar, rel=1e-3)


def test_mole_percent_counts_as_equivalents() -> None:
    pair = [
        {"substance": "NaOH", "kind": "mass", "amount": "400 mg"},
        {"substance": "enzyme", "kind": "volume", "amount": "20 uL"},
        {"substance": "acetic acid", "kind": "equivalents", "amount": "5 mol%", "reference": "NaOH"},
        BUFFER,
    ]
    chemicals = [{"name": name} for name in ("NaOH", "water", "buffer A", "enzyme", "acetic acid")]
    found = doses(made(chemicals=chemicals, groups=[{"doses": pair, "total_volume": "2 mL"}]))
    assert found["acetic acid"] == pytest.approx(0.05 * 400 / 39.997 * 60.052 / 1.0446, rel=1e-3)


def test_data_are_asked_for_as_soon_as_more_than_a_volume_is_wanted() -> None:
    dose = {"substance": "enzyme", "kind": "moles", "amount": "1 mmol"}
    plain = {"chemicals": [{"name": "enzyme"}], "groups": [{"doses": [dose]}]}
    assert asked_of(ExperimentDesign.model_validate(plain)) == ["chemical:enzyme"]


def test_a_mix_and_a_wait_keep_their_temperatures() -> None:
    warm = {"kind": "mix", "by": "stir", "temperature": "37 degC", "time": "1 h", "speed": "300 rpm"}
    still = {"kind": "wait", "temperature": "50 degC", "time": "20 min"}
    assert steps_of(made(conditions=[warm, still]))[2:] == [
        ("Cap", 1), ("StirRate", 300), ("HeatingTemp", 37), ("Delay", 60), ("StirRate", 0), ("HeatingTemp", 50),
        ("Delay", 20), ("HeatingTemp", 25),
    ]  # fmt: skip


def test_words_for_numbers_are_stated() -> None:
    found = made(conditions=[{"kind": "wait", "temperature": "rt", "time": "overnight"}])
    assert [step.amounts[0, 0] for step in found.protocol.steps if step.subject == "Delay"] == [960]
    assert not any(step.subject == "HeatingTemp" for step in found.protocol.steps)
    said = " ".join(each.text for each in decisions(found.design, found.amounts, found.layout))
    assert "overnight is 16 h" in said
    assert "NaOH is taken as sodium hydroxide" in said
    assert "buffer A is a liquid counted by volume" in said


def test_the_order_of_addition_is_the_person_s() -> None:
    steps = [step.subject for step in made(order=["buffer A"]).protocol.steps if step.action == "Add"]
    assert steps == ["buffer A", "base"]
    assert next(step.subject for step in made(order=["base"]).protocol.steps if step.action == "Add") == "base"


def test_places_by_column_drawn_and_given() -> None:
    group = {"doses": [{"substance": "buffer A", "kind": "volume", "amount": "1 mL"}], "replicates": 8}
    blank = {**group, "name": "blank", "replicates": 1, "wells": ["C3"]}

    def wells(**layout: object) -> list[str]:
        found = made(groups=[group, blank], layout=layout)
        return [well_name(*well) for _, well in found.layout.wells]

    assert wells() == ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "C3"]
    assert wells(by="column") == ["A1", "B1", "C1", "D1", "E1", "F1", "A2", "B2", "C3"]
    drawn = wells(by="random", seed=3)
    assert drawn != wells()
    assert (sorted(drawn), drawn) == (sorted(wells()), wells(by="random", seed=3))
    with pytest.raises(InputError, match="8 vials, but 1 wells"):
        made(groups=[{**group, "wells": ["A1"]}])
    with pytest.raises(InputError, match="H12 of group 'blank' is not on the plate"):
        made(groups=[group, {**blank, "wells": ["H12"]}])
