"""Labwright from Python: typed results, callbacks, awaiting and cancelling."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from calibrations import CALIBRATED
from talks import DILUTION

import labwright
from labwright.graphs.lab_calibration.running import resume
from labwright.graphs.questions import Answer, Question
from labwright.graphs.results import Calibrated, Designed, Forged, Searched, typed
from labwright.graphs.running import Outcome
from labwright.tools.runs import list_runs

QUICK: dict[str, Any] = {"seed": 3, "figures": False, "device_options": CALIBRATED}


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the runs; nothing of the person's own settings is seen."""
    for name in [name for name in os.environ if name.startswith("LABWRIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_the_names_are_there_the_old_ones_too() -> None:
    assert labwright.design is labwright.design_protocol
    assert labwright.search is labwright.search_feature_map
    for name in ("calibrate", "search_feature_map", "forge", "design_protocol"):
        assert asyncio.iscoroutinefunction(getattr(labwright, f"{name}_async"))


def test_a_calibration_returns_its_numbers_with_types(root: Path) -> None:
    heard: list[str] = []
    outcome = labwright.calibrate("Measure T1 of Q1", on_event=lambda event: heard.append(event["kind"]), **QUICK)
    assert isinstance(outcome, Calibrated)
    t1 = outcome.qubits["Q1"].measured["t1.t1"]
    assert t1.unit == "us"
    assert t1.error is not None
    assert abs(t1.value - 126) < 5 * t1.error < 60  # the simulated Q1 relaxes in 126 us
    assert outcome.qubits["Q1"].error_per_gate is None
    assert [stage["experiment"] for stage in outcome.stages] == ["t1"]
    assert outcome.report is not None
    assert (heard[0], heard[-1]) == ("run_started", "run_finished")


def test_a_design_is_awaited_and_its_question_answered_by_a_coroutine(root: Path) -> None:
    asked: list[str] = []

    async def answer(question: Question) -> Answer:
        await asyncio.sleep(0)
        asked.append(question.kind)
        return Answer(id=question.id, decision="write")

    async def main() -> Designed:
        return await labwright.design_protocol_async(DILUTION, approval="risky", figures=False, on_question=answer)

    outcome = asyncio.run(main())
    assert asked == ["approve"]
    assert outcome.robot_file is not None
    assert outcome.robot_file.is_file()
    totals = [sum(amount.value for amount in vial.contents.values()) for vial in outcome.vials]
    assert totals == pytest.approx([1000, 1000])  # uL
    assert {amount.unit for vial in outcome.vials for amount in vial.contents.values()} == {"uL"}


def test_without_an_answer_it_waits() -> None:
    outcome = labwright.design(DILUTION, approval="always", figures=False)
    assert (outcome.status, len(outcome.questions), outcome.robot_file, outcome.vials) == ("stopped", 1, None, [])


def test_a_cancelled_task_stops_the_run_which_can_be_resumed(root: Path) -> None:
    async def main() -> None:
        begun = asyncio.Event()

        async def hear(event: dict[str, Any]) -> None:
            if event["kind"] == "measured":
                begun.set()

        task = asyncio.create_task(
            labwright.calibrate_async("Measure T1 and the spin echo of Q1", on_event=hear, **QUICK)
        )
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    [run] = list_runs(root)
    assert (run.status, run.reason) == ("stopped", "The task that awaited it was cancelled.")
    ended = typed(Calibrated, resume(run.run_id, root))
    assert ended.status == "complete"
    assert [stage["experiment"] for stage in ended.stages] == ["t1", "spin_echo"]


def test_results_of_searches_and_forging_read_from_their_documents(tmp_path: Path) -> None:
    found = {
        "feature_map": {"name": "Ring"},
        "validation_accuracy": 0.9,
        "test_accuracy": 0.8,
        "baselines": {"linear": {"validation_accuracy": 0.7, "test_accuracy": None}},
    }
    searched = typed(Searched, Outcome("r", "complete", "", found, [], tmp_path, {}))
    assert (searched.name, searched.accuracy) == ("Ring", searched.accuracy)
    assert searched.accuracy is not None
    assert (searched.accuracy.test, searched.baselines["linear"].test, searched.code) == (0.8, None, None)
    work = {"tools_forged": ["a"], "tools_reused": [], "criteria": [{"passed": False, "message": "no"}]}
    forged = typed(Forged, Outcome("r", "complete", "", work, [], tmp_path, {}))
    assert (forged.tools_forged, forged.solved, forged.figures) == (["a"], False, [])
