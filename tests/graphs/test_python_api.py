"""Labwright from Python: typed results, callbacks, awaiting and cancelling."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable
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

    row = outcome.table.loc[("Q1", "t1.t1")]
    assert (row["value"], row["error"], row["unit"]) == (t1.value, t1.error, "us")
    decay = outcome.data["01_t1"].to_dataset()
    assert decay["delay"].attrs["units"] == "us"
    assert float(decay["difference"][0]) > 0.5 > 0.1 > abs(float(decay["difference"][-1]))
    assert repr(outcome) == f"<Calibrated complete ({outcome.run_id})>"
    assert "t1.t1" in outcome._repr_html_()
    again = labwright.load("latest")
    assert again.table.equals(outcome.table)
    assert again.spec == outcome.spec
    same = labwright.run(outcome.spec, **QUICK)
    assert same.table.equals(outcome.table)  # the same seed and device


@pytest.mark.slow
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
    assert list(outcome.table.sum(axis=1)) == pytest.approx([1000, 1000])
    assert {one.attrs["units"] for one in outcome.data.data_vars.values()} == {"uL"}
    assert float(outcome.data.to_array().sum()) == pytest.approx(2000)
    totals = [sum(amount.value for amount in vial.contents.values()) for vial in outcome.vials]
    assert totals == pytest.approx([1000, 1000])  # uL
    assert {amount.unit for vial in outcome.vials for amount in vial.contents.values()} == {"uL"}


def test_without_an_answer_it_waits() -> None:
    outcome = labwright.design(DILUTION, approval="always", figures=False)
    assert (outcome.status, len(outcome.questions), outcome.robot_file, outcome.vials) == ("stopped", 1, None, [])
    assert outcome.questions[0]["title"] in repr(outcome)
    assert outcome.table.empty
    ended = labwright.resume(on_question=lambda question: labwright.Answer(id=question.id, decision="write"))
    assert (ended.status, len(ended.table)) == ("complete", 2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: labwright.calibrate("t1 Q1", seeds=1), "Did you mean 'seed'?"),
        (lambda: labwright.search(trials=0), "greater than or equal to 1"),
        (lambda: labwright.forge(None), "must be text"),
        (lambda: labwright.run(Path("nowhere.yaml")), "nowhere.yaml cannot be read"),
        (lambda: labwright.run("no mapping"), "Begin with `system"),
        (lambda: labwright.design("", approval="never"), "'approval'"),
    ],
)
def test_what_is_wrong_is_an_error_of_ours(call: Callable[[], object], said: str) -> None:
    with pytest.raises(labwright.InputError, match=re.escape(said)):
        call()


def test_dir_shows_what_there_is() -> None:
    assert {"calibrate", "design", "forge", "search", "run", "load", "resume", "InputError"} <= set(dir(labwright))
    assert all(getattr(labwright, name) for name in dir(labwright))


@pytest.mark.slow
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
        "tried": [{"name": "Ring", "outcome": "evaluated", "trial": 1, "validation": 0.9, "selection": 0.91}],
    }
    searched = typed(Searched, Outcome("r", "complete", "", found, [], tmp_path, {}))
    assert searched.name == "Ring"
    assert searched.accuracy is not None
    assert (searched.accuracy.test, searched.baselines["linear"].test, searched.code) == (0.8, None, None)
    assert list(searched.table["validation"]) == [0.9, 0.7]
    assert searched.data["validation"].sel(candidate="Ring") == 0.9
    work = {"tools_forged": ["a"], "tools_reused": [], "criteria": [{"passed": False, "message": "no"}]}
    forged = typed(Forged, Outcome("r", "complete", "", work, [], tmp_path, {}))
    assert (forged.tools_forged, forged.solved, forged.figures, len(forged.table)) == (["a"], False, [], 0)
    with pytest.raises(labwright.InputError, match="recorded no numbers"):
        _ = forged.data


def test_recorded_numbers_are_arrays_by_label_and_axis(tmp_path: Path) -> None:
    def record(quantity: str, value: Any, axes: list[Any], **labels: Any) -> dict[str, Any]:
        return {
            "quantity": quantity, "labels": labels, "axes": axes, "value": value, "unit": "eV", "uncertainty": None
        }  # fmt: skip

    time = [{"name": "time", "values": [0.0, 1.0, 2.0], "unit": "fs"}]
    records = [
        record("energy", [1.0, 2.0, 3.0], time, site="b"),
        record("energy", [4.0, 5.0, 6.0], time, site="a"),
        record("energy", 7.0, [], site="a"),
        record("counts", {"00": 5}, []),
    ]
    (tmp_path / "results.json").write_text(json.dumps({"records": records}))
    forged = typed(Forged, Outcome("r", "complete", "", {}, [], tmp_path, {}))
    energy = forged.data["energy"]["energy"]
    assert energy.attrs["units"] == "eV"
    assert energy["time"].attrs["units"] == "fs"
    assert energy.sel(site="a", time=1.0) == 5.0
    assert forged.data["energy_over_site"]["energy"].item() == 7.0
    assert list(forged.table["value"]) == ["3 values", "3 values", 7.0, {"00": 5}]


def test_a_list_without_an_axis_is_an_array_by_index_and_its_error_stands_beside_it(tmp_path: Path) -> None:
    def record(molecule: str, value: Any) -> dict[str, Any]:
        return {
            "quantity": "place", "labels": {"molecule": molecule}, "axes": [], "value": value, "unit": "angstrom",
            "uncertainty": 0.5,
        }  # fmt: skip

    records = [record("N2", [[0.0, 0.0, 0.0], [0.0, 0.0, 1.1]]), record("H", [[1.0, 2.0, 3.0]])]
    records += [record("ragged", [[1.0], [2.0, 3.0]])]
    (tmp_path / "results.json").write_text(json.dumps({"records": records}))
    place = typed(Forged, Outcome("r", "complete", "", {}, [], tmp_path, {})).data["place"]
    assert place["place"].sel(molecule="N2", index=1, index_2=2) == 1.1
    assert place["place"].sel(molecule="H", index=0, index_2=1) == 2.0
    assert (place["uncertainty"].sel(molecule="H"), place["uncertainty"].attrs["units"]) == (0.5, "angstrom")
