"""Repair gates: AllXY says what is wrong, one experiment mends it, AllXY looks again."""

from __future__ import annotations

from pathlib import Path

import pytest

import labwright
from labwright.tools.qpu.oracle import device_errors
from labwright.tools.qpu.simulated import open_simulated

TUNED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("error", "mending"),
    [
        ({}, []),
        ({"amplitude_error": 0.06}, ["amplitude_pingpong"]),
        ({"frequency_offset": 1.0}, ["ramsey", "ramsey"]),
        ({"drag": -0.3}, ["drag_calibration"]),
    ],
)
def test_only_what_is_wrong_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: dict[str, float], mending: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options = TUNED | error
    outcome = labwright.calibrate("Repair the gates of Q1", device_options=options)
    assert outcome.status == "complete", outcome.reason
    ran = [row["experiment"] for row in outcome.result["stages"] if row["action"]]
    assert ran == ["all_xy", *mending, *(["all_xy"] if mending else [])]
    device = open_simulated(Path(outcome.run_dir) / "device", 0, dict(options))
    try:
        assert device_errors(device, "Q1").ratio < 1.6  # AllXY sees errors of 3 % of the contrast and above
    finally:
        device.close()


def test_a_lost_qubit_is_no_case_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = labwright.calibrate("Repair the gates of Q1", device_options=TUNED | {"frequency_offset": 40.0})
    assert outcome.status == "failed"
    assert "run qubit_spectroscopy" in outcome.reason
