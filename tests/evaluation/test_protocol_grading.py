"""What an author expects of additions in between, samples, series and vials that are treated otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from designs import plan_of

from labwright.evaluation.protocol_grading import faults
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.protocol_planner import Made

CHEMICALS = [{"name": name} for name in ("glucose", "water", "acetonitrile", "ethanol")]
SUGAR = {"name": "sugar", "solute": "glucose", "solvent": "water", "concentration": "1 M"}
DOSES = [{"substance": "glucose", "kind": "molarity", "amount": "0.1 M", "via": "sugar"}]
GROUP = {"name": "runs", "doses": [*DOSES, {"substance": "water", "kind": "remainder"}], "total_volume": "1 mL"}
ONE = {"holds": {"glucose": "100 umol", "water": "900 uL"}}
HEAT = {"kind": "heat", "temperature": "60 degC", "time": "1 h", "by": "none"}
HEATED = {"temperature": "60 degC", "time": "1 h"}


def made(**own: Any) -> Made:
    plain = {"chemicals": CHEMICALS, "stocks": [SUGAR], "groups": [GROUP], **own}
    return plan_of(ExperimentDesign.model_validate(plain))


def test_an_addition_may_stand_among_treatments_or_contents() -> None:
    quenched = made(conditions=[HEAT, {"kind": "add", "substance": "ethanol", "amount": "50 uL"}])
    in_all = {"holds": {**ONE["holds"], "ethanol": "50 uL"}}
    assert faults({"vials": [ONE], "treatments": [HEATED]}, quenched) == []
    assert faults({"vials": [in_all], "treatments": [HEATED]}, quenched) == []
    assert faults({"vials": [ONE], "treatments": [HEATED, {"add": {"ethanol": "50 uL"}}]}, quenched) == []
    assert faults({"vials": [ONE], "treatments": [HEATED, {"add": {"ethanol": "70 uL"}}]}, quenched)
    assert faults({"vials": [in_all], "treatments": [HEATED]}, made(conditions=[HEAT]))


def test_samples_are_compared() -> None:
    how = {"volume": "20 uL", "quench": "acetonitrile", "quench_volume": "180 uL"}
    sampled = made(conditions=[{**HEAT, "sample_at": ["5 min", "1 h"]}], sampling=how)
    portion = {"volume": "20 uL", "into": {"acetonitrile": "180 uL"}}
    wanted = {"vials": [ONE], "treatments": [HEATED], "samples": [{"at": "5 min", **portion}, {"at": "1 h", **portion}]}
    assert faults(wanted, sampled) == []
    for wrong in ({"at": "6 min"}, {"volume": "30 uL"}, {"into": {"water": "180 uL"}}):
        other = {**wanted, "samples": [{**wanted["samples"][0], **wrong}, wanted["samples"][1]]}  # type: ignore[index]
        assert faults(other, sampled)
    until_the_last = made(conditions=[{**HEAT, "time": None, "sample_at": ["5 min", "1 h"]}], sampling=how)
    assert faults(wanted, until_the_last) == []
    assert faults({**wanted, "samples": []}, sampled) == ["2 samples of every vial instead of 0"]


@pytest.mark.parametrize("left", [0.5, 1.0])
def test_a_series_is_compared_as_made_or_as_left(left: float) -> None:
    serial = {"factor": 2, "steps": 1, "transfer": "500 uL", "diluent": "water"}
    first = {"holds": {"glucose": f"{100 * left} umol", "water": f"{900 * left} uL"}, "volume": f"{left} mL"}
    last = {"holds": {"glucose": "50 umol", "water": "950 uL"}, "volume": "1 mL"}
    found = made(groups=[{**GROUP, "serial": serial}])
    assert faults({"vials": [first, last]}, found) == []
    assert faults({"vials": [first, {**last, "holds": {"glucose": "40 umol", "water": "950 uL"}}]}, found)


def test_vials_with_temperatures_of_their_own() -> None:
    group = {**GROUP, "factors": [{"name": "T", "levels": ["40 degC", "60 degC"]}]}
    found = made(groups=[group], conditions=[{"kind": "heat", "temperature_factor": "T", "time": "1 h", "by": "none"}])
    warm = {**ONE, "treatments": [{"temperature": "40 degC", "time": "1 h"}]}
    assert faults({"vials": [warm, {**ONE, "treatments": [HEATED]}]}, found) == []
    wrong = faults({"vials": [warm, {**ONE, "treatments": [{"temperature": "80 degC", "time": "1 h"}]}]}, found)
    assert any("80 degC" in fault for fault in wrong)
