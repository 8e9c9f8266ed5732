"""Prerequisites in a run: what is stale is calibrated first, spoilt data are refused, and results are remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT
from labwright.tools.upkeep.upkeep_journal import Known, UpkeepBook

OPTIONS: dict[str, float | str] = {"frequency_offset": 0.02, "amplitude_error": 0.003, "drag": 0.45}
PLAN = "system: lab_calibration\nsteps: [drag_calibration Q1]\n"


def run(root: Path, folder: Path, text: str, **more: Any) -> Outcome:
    given: dict[str, Any] = {"device_folder": str(folder), "device_options": OPTIONS, "figures": False}
    given = {"approval": "auto", "answers": "defaults", **given, **more}
    return start(CalibrationRequest(text, Choices.model_validate(given)), root)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A device that was calibrated three hours ago."""
    device, book = open_simulated(tmp_path / "device", 0, OPTIONS), UpkeepBook(tmp_path / "device")
    for node in ONE_QUBIT:
        book.add(node, "Q1", node, "calibrated", device.clock)
    device.wait(3 * 3600, "three hours")
    device.close()
    return tmp_path / "device"


def known(folder: Path) -> tuple[dict[str, Known], float]:
    device = open_simulated(folder, 0, OPTIONS)
    found, clock = UpkeepBook(folder).settings("Q1", experiments(), device.settings), device.clock
    device.close()
    return found, clock


def test_what_is_stale_is_calibrated_first_and_the_run_says_why(root: Path, folder: Path) -> None:
    outcome = run(root, folder, PLAN + "insert: prerequisites\n")
    assert outcome.status == "complete", outcome.reason
    done = [row["experiment"] for row in outcome.result["stages"] if row["action"]]
    assert list(dict.fromkeys(done)) == ["ramsey", "amplitude_pingpong", "drag_calibration"]
    spec = (outcome.run_dir / "spec.yaml").read_text()
    assert "inserted: frequency of Q1 was last measured 3.0 h ago; drag_calibration needs" in " ".join(spec.split())
    found, clock = known(folder)
    for name, error in (("frequency", 0.005), ("amplitude_pi", 0.001), ("drag", 0.03)):
        now = found[name]
        assert now.at is not None
        assert now.at > 3 * 3600
        assert now.error is not None
        assert now.error < error
        assert abs(clock - now.at) < 600
    again = run(root, folder, PLAN + "insert: prerequisites\n")  # everything is fresh now
    assert [row["experiment"] for row in again.result["stages"]] == ["drag_calibration"]


def test_spoilt_data_are_refused_before_anything_is_measured(root: Path, folder: Path) -> None:
    UpkeepBook(folder).add("off", "Q1", "frequency", "out_of_spec", 3 * 3600.0, {"detuning": 0.4})
    before = known(folder)[1]
    outcome = run(root, folder, PLAN)
    assert outcome.status == "refused"
    assert "frequency of Q1 was found off by its last check (0.4)" in outcome.reason
    assert "insert: prerequisites" in outcome.reason
    assert known(folder)[1] == before


def test_what_is_stale_is_told_and_measured_all_the_same(root: Path, folder: Path) -> None:
    outcome = run(root, folder, PLAN)
    assert outcome.status == "complete", outcome.reason
    assert any(each.startswith("frequency of Q1 was last measured 3.0 h ago") for each in outcome.result["assumptions"])


def test_what_is_stale_stands_in_the_first_question_for_approval(root: Path, folder: Path) -> None:
    outcome = run(root, folder, PLAN, approval="always", answers="ask")
    assert outcome.status == "stopped"
    (question,) = outcome.questions
    assert "frequency of Q1 was last measured 3.0 h ago; needed by drag_calibration" in question["body_markdown"]
    assert known(folder)[1] == 3 * 3600
