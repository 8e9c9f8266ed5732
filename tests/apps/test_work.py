"""Workers that share a queue: a run is driven, waits, is answered, and outlives its worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.evaluation.benchmarks.killed_workers import disturbed, judged
from labwright.evaluation.benchmarks.run_comparison import witness
from labwright.evaluation.benchmarks.run_ownership_audit import driven_by_two, killed_while_driving, takings
from labwright.evaluation.benchmarks.shared_worker_jobs import jobs
from labwright.tools.database import DatabaseLease, RunQueue
from labwright.tools.runs.run import open_run


@pytest.fixture
def url(postgres_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with postgres.database(postgres_server) as address:
        monkeypatch.setenv("LABWRIGHT_DATABASE_URL", address)
        monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
        yield address


def labwright(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def test_a_run_is_queued_driven_asked_about_answered_and_ended(url: str, tmp_path: Path) -> None:
    made = labwright("queue", "submit", "calibrate", "Measure T1", "--approve", "auto")
    assert made.exit_code == 0, made.output
    run_id = made.stdout.strip()
    assert labwright("work", "--until-empty").exit_code == 0
    assert f"{run_id}  waiting" in labwright("queue", "list").stdout.replace("   ", "  ")
    answered = labwright("queue", "answer", run_id, "=Q2")
    assert answered.exit_code == 0, answered.output
    assert labwright("work", "--until-empty").exit_code == 0
    found = witness(tmp_path / "runs" / run_id)
    assert found.status == "complete"
    assert list(found.measured) == ["Q2"]
    assert not list((tmp_path / "runs" / run_id).glob("checkpoints.sqlite*")), "checkpoints lie in the database"


def test_a_run_that_a_person_drives_is_left_alone(url: str, tmp_path: Path) -> None:
    run_id = labwright("queue", "submit", "calibrate", "Measure T1 of Q1").stdout.strip()
    with DatabaseLease(url, f"run {run_id}", f"Run {run_id}"):
        assert labwright("work", "--until-empty").exit_code == 0
    with RunQueue(url) as queue:
        (row,) = queue.runs()
    assert row.status == "stopped"
    assert "is driven by process" in row.reason


def test_a_run_that_kills_every_worker_is_given_up(url: str, tmp_path: Path) -> None:
    run_id = labwright("queue", "submit", "calibrate", "Measure T1 of Q1").stdout.strip()
    for _ in range(2):
        with RunQueue(url) as dying:
            while dying.claim() is None:
                pass
    assert labwright("work", "--until-empty", "--attempts", "2").exit_code == 0
    with RunQueue(url) as queue:
        (row,) = queue.runs()
    assert (row.run_id, row.status) == (run_id, "failed")
    assert "2 workers died of it" in row.reason


def test_without_a_database_the_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LABWRIGHT_DATABASE_URL", raising=False)
    said = labwright("queue", "list")
    assert said.exit_code == 2
    assert "LABWRIGHT_DATABASE_URL" in said.stderr


def test_a_system_that_is_not_there_is_refused(url: str) -> None:
    said = labwright("queue", "submit", "gardening", "Water the plants")
    assert said.exit_code == 2
    assert "calibrate, search, forge, design, demo, run" in said.stderr


def test_every_system_is_queued_with_its_choices(url: str, tmp_path: Path) -> None:
    (tmp_path / "question.md").write_text("# Sums\n\nAdd the numbers in numbers.txt.\n")
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "numbers.txt").write_text("1 2 3")
    given = {
        "calibrate": ("Measure T1 of Q1", "--seed", "3"),
        "design": ("Dilute it", "--approve", "auto"),
        "search": ("--dataset", "digits", "--trials", "2"),
        "forge": (str(tmp_path / "question.md"), "--mode", "direct"),
    }
    for system, arguments in given.items():
        done = labwright("queue", "submit", system, *arguments)
        assert done.exit_code == 0, done.output
    with RunQueue(url) as queue:
        rows = {row.system: row for row in queue.runs()}
    assert sorted(rows) == ["feature_map_search", "lab_calibration", "protocol_design", "tool_forging"]
    search = open_run(tmp_path / "runs", rows["feature_map_search"].run_id)
    assert (search.record.choices["dataset"], search.record.choices["trials"]) == ("digits", 2)
    assert "digits" in search.record.asked
    forge = open_run(tmp_path / "runs", rows["tool_forging"].run_id)
    assert (forge.folder / "workspace" / "inputs" / "numbers.txt").read_text() == "1 2 3"
    assert forge.record.choices["mode"] == "direct"


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (("search", "--dataset", "no-such-data"), "no-such-data"),
        (("search", "--trials", "0"), "trials"),
        (("calibrate", "Measure T1", "--approved"), "approved"),
        (("calibrate", "Measure T1", "--device-option", "device=grid:x"), "grid:SEED"),
        (("design", "Dilute it", "--input", "x.csv"), "input"),
        (("design", "Dilute it", "--out", "here"), "--out"),
    ],
)
def test_what_cannot_work_is_not_queued(url: str, tmp_path: Path, words: tuple[str, ...], cause: str) -> None:
    done = labwright("queue", "submit", *words)
    assert done.exit_code == 2
    assert cause in " ".join(done.stderr.split())
    assert not (tmp_path / "runs").exists()


@pytest.mark.nightly
def test_runs_whose_workers_are_killed_end_as_if_nothing_had_happened(url: str, tmp_path: Path) -> None:
    work = jobs(6, "cds")
    heard = disturbed(url, tmp_path / "runs", work, workers=2, kills=6, seed=1, patience=900)
    assert killed_while_driving(takings(url), heard.killed) == heard.kills_at_work == 6
    assert heard.overlaps == []
    assert heard.ended_alone == []
    assert driven_by_two(takings(url), heard.killed) == []
    rows = judged(url, tmp_path / "runs", tmp_path / "twins", work)
    assert [(row["status"], row["faults"]) for row in rows] == [("complete", [])] * 6
