"""A qubit fails for the second time: its causes are looked for, put right or named, and remembered for the next run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from labwright.graphs.lab_calibration import past_diagnoses
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, resume, start
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.upkeep import diagnosing, diagnostic_looks


def device_with(folder: Path, off: dict[str, float], options: dict[str, float | str]) -> None:
    """A device whose settings are `off`, as if somebody had written them."""
    device = open_simulated(folder, 0, options)
    now = device.settings.current("Q1")
    device.settings.update("Q1", {name: getattr(now, name) + by for name, by in off.items()}, key="by hand", reason="")
    device.close()


def calibrated(folder: Path, options: dict[str, float | str], **choices: Any) -> Any:
    given = {"answers": "defaults", "figures": False} | choices
    chosen = Choices(device_options=options, device_folder=str(folder), **given)
    return start(CalibrationRequest("Calibrate single qubit Q1", chosen), folder.parent / "runs")


def test_a_detuned_readout_and_a_far_drive_are_put_right_and_the_stage_goes_on(root: Path) -> None:
    options: dict[str, float | str] = {"frequency_offset": 1.0}
    device_with(root / "device", {"readout_frequency": 2.4, "readout_angle": 1.5, "frequency": 30.0}, options)
    outcome = calibrated(root / "device", options)
    assert outcome.status == "complete", outcome.reason
    made = outcome.document["result"]["diagnoses"]["Q1"]
    assert made["causes"] == ["frequency", "readout_settings"]
    assert set(made["updates"]) == {"frequency", "readout_frequency", "readout_angle", "readout_threshold"}
    assert outcome.document["result"]["qubits"]["Q1"]["after"]["frequency"] == pytest.approx(4888.0, abs=0.2)
    report = (Path(outcome.run_dir) / "report.md").read_text(encoding="utf-8")
    assert "## Diagnosis of Q1" in report
    assert "| line | detuning 3" in report


@pytest.mark.slow
def test_the_second_encounter_with_a_blind_readout_cites_the_first_and_takes_fewer_acquisitions(root: Path) -> None:
    options: dict[str, float | str] = {"snr": 0.3, "t1": 4.0, "t2_echo": 4.5}
    first, second = (calibrated(root / "device", options) for _ in range(2))
    assert [run.status for run in (first, second)] == ["failed", "failed"]
    assert "The readout cannot tell the states apart, whatever its settings." in first.reason
    before, after = (run.document["result"]["diagnoses"]["Q1"] for run in (first, second))
    assert before["causes"] == after["causes"] == ["readout_noise", "short_lifetime"]
    assert after["acquisitions"] < before["acquisitions"]
    assert before["cases"] == []
    [case] = after["cases"]
    report = (Path(second.run_dir) / "report.md").read_text(encoding="utf-8")
    assert f"As in run {first.document['run_id']} of {case['date']}: readout_noise, short_lifetime." in report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "seconds", "said"),
    [
        (
            {"snr": 0.3, "t1": 4.0, "t2_echo": 4.5},
            460,
            r"Looks at Q1 so far: line, pulse\. Causes still open: readout_noise \(\d+ %\), ",
        ),
        ({"telegraph": 0.8}, 800, r"Q1: Diagnosis \(9\d %\): .* Causes still open: frequency_noise \(\d+ %\), "),
    ],
    ids=["in the looks", "after them"],
)
def test_device_time_that_ends_stops_the_run_with_the_causes_still_open(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], seconds: int, said: str
) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text(f"limits: 1\nrun: {{device_time: {seconds} s}}\n")
    monkeypatch.setenv("LABWRIGHT_LIMITS", str(limits))
    outcome = calibrated(root / "device", options)
    assert outcome.status == "stopped"
    assert re.search(rf"of {seconds} s of device time.* start a new run for the rest\. {said}", outcome.reason)


@pytest.mark.slow
@pytest.mark.parametrize("kept_from", [{"approval": "always"}, {"diagnose": False}], ids=str)
def test_no_look_is_taken_where_a_person_approves_or_it_is_switched_off(root: Path, kept_from: dict[str, Any]) -> None:
    outcome = calibrated(root / "device", {"snr": 0.3}, **kept_from)
    assert outcome.status != "complete"
    assert not outcome.document["result"].get("diagnoses")


@pytest.mark.slow
def test_a_run_that_died_in_its_looks_takes_the_same_ones_again_whatever_was_remembered_since(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, float | str] = {"snr": 0.3, "t1": 4.0, "t2_echo": 4.5}
    take = diagnostic_looks.taken

    def stops(look: str, scene: diagnostic_looks.Scene) -> diagnostic_looks.Measured:
        if scene.fringes:
            raise KeyboardInterrupt
        return take(look, scene)

    monkeypatch.setattr(diagnosing, "taken", stops)
    stopped = calibrated(root / "device", options)
    assert stopped.status == "stopped"
    monkeypatch.setattr(diagnosing, "taken", take)
    [claim] = (
        json.loads(each.read_text()) for each in root.glob("runs/*/actions/*/claim.json") if "alike" in each.read_text()
    )
    assert claim["cases"] == []
    past_diagnoses.keep("since", "since", {**claim["alike"], "qubit": "Q1", "causes": ["frequency", "frequency_jump"]})
    assert past_diagnoses.alike(claim["alike"])
    undisturbed = calibrated(root / "undisturbed", options).document["result"]["diagnoses"]["Q1"]
    again = resume(stopped.document["run_id"], root / "runs").document["result"]["diagnoses"]["Q1"]
    assert again["cases"] == []
    assert again["looks"] == undisturbed["looks"]
