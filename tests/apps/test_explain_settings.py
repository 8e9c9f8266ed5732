"""`labwright explain`: the graph of a qubit's settings in the terminal, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT
from labwright.tools.upkeep.upkeep_journal import UpkeepBook


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments])


def calibrated(folder: Path) -> Path:
    """A device whose Q1 was calibrated two hours ago, but for DRAG, which a check found off half an hour ago."""
    device, book = open_simulated(folder, 0), UpkeepBook(folder)
    for node in ONE_QUBIT:
        book.add(node, "Q1", node, "calibrated", device.clock)
    book.add("fine", "Q1", "ramsey", "measured", device.clock, {"frequency": 0.002})
    device.wait(5400, "idle")
    book.add("off", "Q1", "drag", "out_of_spec", device.clock, {"drag_error": -0.3})
    device.wait(1800, "idle more")
    device.close()
    return folder


def test_every_setting_has_value_error_age_and_state(tmp_path: Path) -> None:
    done = explain("Q1", "--device-folder", str(calibrated(tmp_path / "device")), "--json", str(tmp_path / "q1.json"))
    assert done.exit_code == 0, done.output
    lines = [line.lstrip("│├└─ ") for line in done.stdout.splitlines()]
    assert lines[0] == "Q1 of simulated, device time 2.0 h"
    assert lines[1].startswith("gates bad: drag may not be trusted") or lines[1].startswith("gates stale")
    assert "frequency stale: frequency was last measured 2.0 h ago" in lines
    assert "frequency = 4889.500(2) MHz  stale, 2.0 h ago by ramsey" in lines
    assert "readout fresh" in lines
    assert "drag bad: drag was found off by its last check (0.3)" in lines
    assert lines.count("frequency, see above") == 2
    assert "pulse_duration = 0.03 us  unknown" in lines
    result = json.loads((tmp_path / "q1.json").read_text())["result"]
    nodes = {each["name"]: each for each in result["calibrations"]}
    assert {name: each["state"] for name, each in nodes.items() if name in ONE_QUBIT} == {
        "readout": "fresh", "frequency": "stale", "amplitude": "stale", "drag": "bad", "gates": "stale",
    }  # fmt: skip
    assert nodes["amplitude"]["depends_on"] == ["readout", "frequency"]
    (frequency,) = nodes["frequency"]["settings"]
    assert frequency["age"] == 7200
    assert (frequency["error"], frequency["by"], frequency["unit"]) == (0.002, "ramsey", "MHz")


def test_what_nobody_measured_is_unknown(tmp_path: Path) -> None:
    done = explain("Q2", "--device", "simulated", "--json", str(tmp_path / "q2.json"))
    assert done.exit_code == 0, done.output
    rows = [row for each in json.loads((tmp_path / "q2.json").read_text())["result"]["calibrations"]
            for row in each["settings"]]  # fmt: skip
    assert {row["state"] for row in rows} == {"unknown"}
    assert {row["age"] for row in rows} == {None}


def test_a_qubit_or_a_device_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a demo may have left runs
    done = explain("Q77", "--device", "simulated")
    assert done.exit_code == 2
    assert "no qubit 'Q77'" in done.output
    assert explain("Q1").exit_code == 2  # no run, so no device
