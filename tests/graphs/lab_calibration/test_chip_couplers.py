"""Chosen couplers behind the qubits of a chip: side by side where they may be, apart where they must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calibrations import calibrate, side_by_side

from labwright.agents.lab_calibration.sizzle import DRIVE
from labwright.evaluation.benchmarks.run_comparison import repeated_actions
from labwright.graphs.lab_calibration.running import Outcome
from labwright.tools.qpu.oracle_pair import pair_error
from labwright.tools.qpu.simulated import open_simulated

GRID: dict[str, float | str] = {"device": "grid:3", "frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}

T1 = "t1 'dut'"


def chip(text: str, root: Path, **more: Any) -> Outcome:
    return calibrate(text, root, **{"device_options": GRID, "seed": 3, "figures": False, **more})


@pytest.mark.slow
def test_without_chosen_couplers_none_is_calibrated_and_the_report_says_so(root: Path) -> None:
    outcome = chip(side_by_side(T1, qubits=("Q1", "Q3")), root)
    assert outcome.status == "complete"
    assert outcome.result["pairs"] == {}
    assert "None were chosen: no two-qubit gate was calibrated" in (outcome.run_dir / "report.md").read_text()


def test_a_coupler_of_a_qubit_that_failed_is_refused_with_its_reason(root: Path) -> None:
    options = {**GRID, "qubit": "Q3", "snr": 0.05}
    outcome = chip(side_by_side(T1, qubits=("Q2", "Q3"), couplers=["Q2-Q3"]), root, device_options=options)
    assert outcome.status == "failed"
    assert outcome.result["qubits"]["Q2"]["status"] == "complete"
    pair = outcome.result["pairs"]["Q2-Q3"]
    assert (pair["status"], pair["cause"], pair["round"]) == ("refused", "Q3 did not pass", None)
    assert "1 of 1 couplers did not pass. Q2-Q3: Q3 did not pass" in outcome.reason
    assert "| Q2-Q3 | refused |" in (outcome.run_dir / "report.md").read_text()


def test_a_coupler_that_the_chip_does_not_have_is_refused_before_anything_is_measured(root: Path) -> None:
    outcome = chip("Bring up the chip and the couplers Q1-Q3", root)
    assert outcome.status == "refused"
    assert "The device has no coupler 'Q1-Q3'" in outcome.reason


@pytest.mark.nightly
def test_independent_couplers_are_calibrated_at_the_same_time(root: Path) -> None:
    outcome = chip(side_by_side(T1, qubits=("Q1", "Q2", "Q13", "Q14"), couplers=["Q1-Q2", "Q13-Q14"]), root)
    assert outcome.status == "complete", outcome.reason
    result = outcome.result
    assert result["rounds"][-1] == ["Q1-Q2", "Q13-Q14"]
    lines = [json.loads(line) for line in (outcome.run_dir / "device" / "journal.jsonl").read_text().splitlines()]
    together = [{entry["qubit"] for entry in line.get("together", [])} for line in lines]
    assert {"Q1-Q2", "Q13-Q14"} in together
    assert result["device_seconds"] < 0.75 * result["one_by_one_seconds"]
    assert repeated_actions(outcome.run_dir) == []
    device = open_simulated(outcome.run_dir / "device", 3, GRID)
    for name, entry in result["pairs"].items():
        error = entry["measured"]["interleaved_rb_cz.cz_error"]
        assert entry["before"]["duration"] == 0
        assert abs(error["value"] - pair_error(device, name).total) < 4 * error["error"]
        part = outcome.run_dir / entry["parts"][0]
        said = [json.loads(line) for line in (part / "events.jsonl").read_text().splitlines()]
        advised = [line for line in said if line.get("agent") == DRIVE.name]
        assert 2 <= len(advised) <= 60  # each piece of advice is asked for once, however often the search goes on
    device.close()
