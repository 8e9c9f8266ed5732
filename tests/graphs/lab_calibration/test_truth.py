"""The calibration finds what the device hides: move the truth, and the results move with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from calibrations import FREQUENCY, ONE_STAGE, calibrate
from tiers import sampled


@pytest.mark.parametrize("t1", sampled([30.0, 60.0, 110.0]))
def test_the_measured_t1_follows_the_true_one(root: Path, t1: float) -> None:
    outcome = calibrate(ONE_STAGE, root, device_options={"qubit": "Q1", "t1": t1, "t2_echo": t1})
    assert outcome.status == "complete"
    measured = outcome.result["qubits"]["Q1"]["measured"]["t1.t1"]
    assert abs(measured["value"] - t1) < 4 * measured["error"] < 0.3 * t1


@pytest.mark.parametrize(
    "moved", sampled([{"frequency": 4890.7, "drive_scale": 80.0}, {"frequency": 4869.1, "drive_scale": 95.0}])
)
def test_frequency_and_amplitude_follow_the_truth(root: Path, moved: dict[str, float]) -> None:
    options: dict[str, Any] = {"qubit": "Q1", "frequency_offset": -1.1, "amplitude_error": -0.1, **moved}
    outcome = calibrate(FREQUENCY, root, qubits=["Q1"], device_options=options)
    assert outcome.status == "complete", outcome.reason
    after = outcome.result["qubits"]["Q1"]["after"]
    assert abs(after["frequency"] - moved["frequency"]) < 0.030  # MHz; the drift alone is a few kHz
    before = outcome.result["qubits"]["Q1"]["before"]
    assert before["frequency"] == pytest.approx(moved["frequency"] - 1.1)
    # The coarse amplitude; the drive compresses. Q1's own drive scale would be off by 8 % and more.
    assert after["amplitude_pi"] == pytest.approx(before["amplitude_pi"] / 0.9, rel=0.03)
