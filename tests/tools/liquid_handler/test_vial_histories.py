"""Which vial a portion comes from, how long each was hot, and the sequence for the chromatograph."""

from __future__ import annotations

import csv
import io

from designs import plan_of

from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.json_and_csv_export import hplc_csv, protocol_record, vials_csv
from labwright.tools.liquid_handler.plate_map import panels
from labwright.tools.liquid_handler.report import bench_report
from labwright.tools.liquid_handler.vial_histories import histories as all_histories
from labwright.tools.liquid_handler.vial_histories import hot_text, origin_text, samples


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_portion_names_its_vial(designs: dict[str, ExperimentDesign]) -> None:
    made = plan_of(designs["ester"])
    known = all_histories(made)
    origins = [origin_text(known["Plate 2", (0, column)]) for column in range(3)]
    assert origins == ["Plate 1 A1", "Plate 1 A2", "Plate 1 A3"]
    assert known["Plate 2", (0, 2)].recipe is made.amounts.vials[2]
    [portion] = known["Plate 2", (0, 1)].portions
    assert portion.volume == 100
    assert known["Plate 1", (0, 1)].sampled == [portion.minute]
    listed = {(row["plate"], row["well"]): row for row in rows(vials_csv(made))}
    assert listed["Plate 2", "A3"]["from"] == "Plate 1 A3"
    assert listed["Plate 2", "A3"]["acid"] == "benzoic acid"
    assert listed["Plate 1", "A3"]["volume (uL)"] == "1900"
    assert "| Plate 2 | A3 | 100 uL of Plate 1 A3 |" in bench_report(made)
    record = next(vial for vial in protocol_record(made)["vials"] if (vial["plate"], vial["well"]) == ("Plate 2", "A2"))
    assert (record["from"][0]["well"], record["from"][0]["volume_uL"]) == ("A2", 100)
    assert panels(made)[-1].labels == {(0, 0): "A1", (0, 1): "A2", (0, 2): "A3"}


def test_vials_of_a_time_course_have_times_of_their_own(designs: dict[str, ExperimentDesign]) -> None:
    made = plan_of(designs["timed"])
    hot = {well: history.hot for (_, well), history in all_histories(made).items()}
    assert hot == {(0, 0): [(80.0, 15.0)], (0, 1): [(80.0, 60.0)]}
    assert [row["hot (min)"] for row in rows(vials_csv(made))] == ["15", "60"]
    assert panels(made)[-1].labels == {(0, 0): "15", (0, 1): "60"}
    assert "80 degC 1:00" in bench_report(made)
    assert list(samples(made)) == []
    assert hplc_csv(made) == ""


def test_the_sequence_says_what_stands_at_each_position(designs: dict[str, ExperimentDesign]) -> None:
    made = plan_of(designs["ester"])
    found = rows(hplc_csv(made))
    listed = [(row["injection"], row["position"], row["from"]) for row in found]
    assert listed == [(str(number), f"A{number}", f"Plate 1 A{number}") for number in (1, 2, 3)]
    assert len({row["sample"] for row in found}) == 3
    # 4 M in all as 1:3 is 1 M acid and 3 M alcohol, and 0.025 M catalyst; diluted 1:10.
    assert "ethanol 300 mM; acetic acid 100 mM; sulfuric acid 2.5 mM" in found[1]["composition"]


def test_heating_of_a_whole_plate_is_said_of_every_vial(designs: dict[str, ExperimentDesign]) -> None:
    known = all_histories(plan_of(designs["ester"]))
    assert {hot_text(history) for (plate, _), history in known.items() if plate == "Plate 1"} == {"80 degC 0:30"}
    assert {hot_text(history) for (plate, _), history in known.items() if plate == "Plate 2"} == {""}
