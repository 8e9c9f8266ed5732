"""Runs are made, found again, and say how they stand."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from matplotlib.figure import Figure

from labwright.tools.errors import CorruptRecordError, RunNotFoundError
from labwright.tools.runs import (
    Run,
    clear_pause,
    create_run,
    list_runs,
    open_run,
    pause_requested,
    read_result,
    request_pause,
    runs_root,
    summarise,
)


def made(root: Path, request: str = "Calibrate qubit Q1, please!") -> Run:
    return create_run(root, "lab_calibration", request, {"mind": "rules"}, 3)


def renamed(run: Run, name: str) -> None:
    record = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps(record | {"run_id": name}))
    run.folder.rename(run.folder.parent / name)


def test_record_reads_back(tmp_path: Path) -> None:
    run = made(tmp_path)
    assert open_run(tmp_path, run.run_id) == run
    assert run.run_id.endswith("-calibrate-qubit-q1-please")
    assert run.record.versions["numpy"]


def test_name_sorts_by_time_and_is_safe(tmp_path: Path) -> None:
    run = made(tmp_path, "Größe / ../../x\n" + "w" * 300)
    stamp = datetime.strptime(run.run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - stamp).total_seconds()) < 5
    assert set(run.run_id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(run.run_id) < 80


def test_runs_of_one_second_sort_by_time(tmp_path: Path) -> None:
    made_in_order = []
    for _ in range(20):
        made_in_order.append(made(tmp_path).run_id)
        time.sleep(0.005)
    assert sorted(made_in_order) == made_in_order


def test_two_runs_of_one_second_differ(tmp_path: Path) -> None:
    assert len({made(tmp_path).run_id for _ in range(20)}) == 20


def test_a_name_that_is_taken_is_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Noon(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Noon:
            return cls(2025, 1, 1, 12, tzinfo=tz)

    drawn = iter(["aa", "aa", "bb"])
    monkeypatch.setattr("labwright.tools.runs.run.datetime", Noon)
    monkeypatch.setattr("labwright.tools.runs.run.secrets", SimpleNamespace(token_hex=lambda _: next(drawn)))
    one, other = made(tmp_path), made(tmp_path)
    assert (one.run_id[16:20], other.run_id[16:20]) == ("00aa", "00bb")


def test_found_by_unique_beginning_and_latest(tmp_path: Path) -> None:
    renamed(made(tmp_path), "20250101-000000-aa-x")
    renamed(made(tmp_path), "20250102-000000-bb-x")
    assert open_run(tmp_path, "20250101").run_id == "20250101-000000-aa-x"
    assert open_run(tmp_path, "latest").run_id == "20250102-000000-bb-x"
    with pytest.raises(RunNotFoundError, match="begins 2 run ids"):
        open_run(tmp_path, "2025")


@pytest.mark.parametrize("wanted", ["nothing", "", "../x", "latest"])
def test_unknown_run_says_where_it_looked(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(RunNotFoundError, match="runs list"):
        open_run(tmp_path, wanted)


@pytest.mark.parametrize("content", ["{", '{"run_id": "x"}', '{"surprise": 1}'])
def test_corrupt_record_names_the_mend(tmp_path: Path, content: str) -> None:
    run = made(tmp_path)
    (run.folder / "run.json").write_text(content)
    with pytest.raises(CorruptRecordError, match="Restore the file"):
        open_run(tmp_path, run.run_id)


def test_root_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path))
    assert runs_root() == tmp_path
    monkeypatch.delenv("LABWRIGHT_RUNS")
    assert runs_root() == Path("runs")


def finished(run: Run, status: str, **more: Any) -> None:
    run.save_json("result.json", {"status": status, "reason": "because", **more})
    run.events.append({"kind": "run_finished"})


@pytest.mark.parametrize("status", ["complete", "failed", "refused", "stopped"])
def test_status_of_an_ended_run(tmp_path: Path, status: str) -> None:
    run = made(tmp_path)
    finished(run, status)
    assert (summarise(run).status, summarise(run).reason) == (status, "because")


def test_run_that_waits_for_an_answer_is_interrupted(tmp_path: Path) -> None:
    run = made(tmp_path)
    run.events.append({"kind": "question"})
    assert summarise(run).status == "interrupted"
    finished(run, "stopped", questions=[{"id": "q"}])
    assert summarise(run).status == "interrupted"


def test_agents_question_is_not_the_runs(tmp_path: Path) -> None:
    run = made(tmp_path)
    run.events.append({"kind": "question", "agent": "plan"})
    assert summarise(run).status == "dead"


def test_running_while_leased_and_dead_without_a_word(tmp_path: Path) -> None:
    run = made(tmp_path)
    with run.lease():
        assert summarise(run).status == "running"
    assert summarise(run).status == "dead"


def test_stopped_run_that_died_after_its_resume_is_dead(tmp_path: Path) -> None:
    run = made(tmp_path)
    finished(run, "stopped")
    run.events.append({"kind": "stage_started"})
    assert summarise(run).status == "dead"


def test_list_shows_damage_and_hides_nothing(tmp_path: Path) -> None:
    good, bad = made(tmp_path), made(tmp_path)
    (bad.folder / "run.json").write_text("{")
    (tmp_path / "a file that is no run").touch()
    assert {run.run_id: run.status for run in list_runs(tmp_path)} == {good.run_id: "dead", bad.run_id: "corrupt"}
    assert list_runs(tmp_path / "absent") == []


def test_result_is_none_until_the_end_and_corrupt_is_said(tmp_path: Path) -> None:
    run = made(tmp_path)
    assert read_result(run) is None
    (run.folder / "result.json").write_text("{")
    with pytest.raises(CorruptRecordError, match="runs resume"):
        read_result(run)


def test_pause_is_asked_seen_and_cleared(tmp_path: Path) -> None:
    run = made(tmp_path)
    assert not pause_requested(run)
    request_pause(run)
    request_pause(run)
    assert pause_requested(open_run(tmp_path, run.run_id))
    clear_pause(run)
    clear_pause(run)
    assert not pause_requested(run)


def test_listing_hundred_runs_is_quick(tmp_path: Path) -> None:
    for _ in range(100):
        run = made(tmp_path)
        run.events.append({"kind": "run_started"})
    begun = time.perf_counter()
    assert len(list_runs(tmp_path)) == 100
    assert time.perf_counter() - begun < 1.0


def test_a_figure_is_laid_out_and_drawn_as_matplotlib_saves_it(tmp_path: Path) -> None:
    def drawn() -> Figure:
        figure = Figure(figsize=(6, 4), layout="constrained")
        for axes in figure.subplots(1, 2):
            axes.plot([1, 10, 100], [0.1, 0.2, 0.3])
            axes.set_xlabel("time (us)")
        return figure

    run = made(tmp_path)
    run.save_figure("two", drawn())
    drawn().savefig(tmp_path / "two.png", dpi=110)
    assert (run.folder / "figures/two.png").read_bytes() == (tmp_path / "two.png").read_bytes()
