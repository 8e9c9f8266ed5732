"""The suite `offsets`: what is drawn, one device end to end, and what is committed."""

import json

from labwright.evaluation import frequency_offsets, suites
from labwright.evaluation.committed_results import FOLDER


def test_every_offset_on_every_device_meets_every_life():
    drawn = frequency_offsets.cases({"seeds": 6, "first": 0})
    met = {(case.seed, case.options["detuning_sigma"]) for case in drawn}
    at = {(case.options["frequency_offset"], case.options["detuning_sigma"]) for case in drawn}
    assert len(drawn) == 6 * 9 * 3
    assert len(met) == 6 * 3
    assert len(at) == 9 * 3
    assert {case.options["frequency_offset"] for case in drawn} == {-12, -9, -6, -3, 0, 3, 6, 9, 12}


def test_a_drive_12_mhz_off_and_noise_of_5_us_are_calibrated(tmp_path, monkeypatch):
    monkeypatch.setattr(frequency_offsets, "OFFSETS", (-12,))
    monkeypatch.setattr(frequency_offsets, "LIVES", (5.0,))
    result = suites.run("offsets", seeds=1, first=100, workers=0, out=tmp_path)
    [row] = result["rows"]
    assert row["ended"] == "right", row
    assert row["ratio"] < 1.1
    assert abs(row["frequency_error"]) < 15  # kHz


def test_the_committed_result_holds_no_silently_wrong_run():
    kept = json.loads((FOLDER / "offsets.json").read_text(encoding="utf-8"))
    assert kept["n"] == 162
    assert kept["score"] == 1.0
    assert set(kept["ended"]) <= {"right", "failed for the cause"}
