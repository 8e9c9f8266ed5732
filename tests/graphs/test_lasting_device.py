"""Runs on a device that has a past of its own."""

from pathlib import Path

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start


def run(root: Path, text: str) -> Outcome:
    options: dict[str, float | str] = {"memory": str(root / "device"), "frequency_offset": 0.4, "amplitude_error": 0.0}
    choices = Choices(seed=3, device="lasting_device:open_lasting", device_options=options, figures=False)
    return start(CalibrationRequest(text, choices), root / "runs")


def test_a_run_tells_what_it_found_and_changed_itself(tmp_path: Path) -> None:
    first = run(tmp_path, "ramsey Q1, offset = 1 MHz, stop = 10 us")
    assert first.status == "complete"
    changed = first.result["qubits"]["Q1"]
    assert changed["before"]["frequency"] != changed["after"]["frequency"]
    second = run(tmp_path, "Measure T1 of Q2")
    assert list(second.result["qubits"]) == ["Q2"]
    third = run(tmp_path, "Measure T1 of Q1")
    assert third.result["qubits"]["Q1"]["before"] == changed["after"]
