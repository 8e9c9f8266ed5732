"""SIGKILL anywhere, then resume: the same final result, nothing measured twice, no file half-written."""

from __future__ import annotations

import signal
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from calibrations import CALIBRATED, ONE_STAGE, TWO_STAGES
from killed_calibrations import PRELOADED, Job, disturbed, live, undisturbed
from lives import life
from typer.testing import CliRunner

from labwright.apps.cli import app
from labwright.evaluation.benchmarks.run_comparison import Witness, broken_files, differences, repeated_actions, witness
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.kill_points import POINTS
from labwright.tools.runs.run import open_run

USUAL = ("after_claim", "after_done")  # the other points where slow tests run
JOB = Job(TWO_STAGES, {"seed": 3, "qubits": ["Q1"], "device_options": CALIBRATED})


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Witness:
    facts = undisturbed(JOB, tmp_path_factory.mktemp("undisturbed"))
    assert facts.status == "complete"
    assert {row["call"]["experiment"] for row in facts.stages} == {"t1", "spin_echo"}
    assert facts.acquisitions
    return facts


@pytest.mark.parametrize("point", [pytest.param(one, marks=[pytest.mark.slow] * (one not in USUAL)) for one in POINTS])
def test_a_run_killed_at_a_named_point_ends_as_if_nothing_had_happened(
    point: str, root: Path, expected: Witness
) -> None:
    passage = 12 if point in ("after_writes", "after_checkpoint") else 2
    row = disturbed(JOB, root, expected, f"{point}:{passage}")
    assert row.faults == []
    assert (row.kills, row.lives) == (1, 2)


@pytest.mark.slow
@pytest.mark.parametrize("passage", [1, *(pytest.param(later, marks=pytest.mark.slow) for later in (2, 3))])
def test_a_node_that_finished_without_a_checkpoint_is_not_the_end(passage: int, root: Path, expected: Witness) -> None:
    """Between a node's writes and the next checkpoint nothing is left to run, and yet the run has not ended."""
    row = disturbed(JOB, root, expected, f"after_writes:{passage}")
    assert row.faults == []


@pytest.mark.slow
def test_a_run_killed_at_moments_that_nobody_chose_ends_as_if_nothing_had_happened(
    root: Path, expected: Witness
) -> None:
    row = disturbed(JOB, root, expected, delays=(0.35, 0.6, 0.85))
    assert row.faults == []
    assert row.kills >= 1


@pytest.mark.slow  # without a kill: tests/apps/test_bad_input.py
def test_the_command_line_resumes_a_killed_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_RUNS", str(root / "killed"))
    job = Job(ONE_STAGE, {"seed": 3})
    facts = undisturbed(job, root / "undisturbed")
    assert life(live, (job, root / "killed"), "after_act:1", PRELOADED) == -signal.SIGKILL
    listed = CliRunner().invoke(app, ["runs", "list"])
    assert "dead" in listed.stdout
    done = CliRunner().invoke(app, ["runs", "resume", "latest"])
    assert done.exit_code == 0, done.stderr
    [folder] = (root / "killed").iterdir()
    assert differences(witness(folder), facts) == []
    assert repeated_actions(folder) == []


def test_the_comparison_sees_what_must_not_differ(expected: Witness) -> None:
    moved = replace(expected, acquisitions=expected.acquisitions[:-1])
    [line] = differences(moved, expected)
    assert line.startswith(f"acquisitions: {len(moved.acquisitions)} > None is not")
    stage = {**expected.stages[0], "verdict": "bad_data"}
    [line] = differences(replace(expected, stages=[stage, *expected.stages[1:]]), expected)
    assert line == f"stages: 0 > verdict > 'bad_data' is not {expected.stages[0]['verdict']!r}"


def test_the_comparison_sees_torn_files_and_double_measurements(tmp_path: Path) -> None:
    (tmp_path / "device").mkdir()
    (tmp_path / "device" / "journal.jsonl").write_text('{"key": "a.0"}\n{"key": "a.0"}\n')
    (tmp_path / "actions" / "abc").mkdir(parents=True)
    (tmp_path / "actions" / "abc" / "claim.json").write_text("{}")
    assert repeated_actions(tmp_path) == ["played 2 times: a.0", "claimed and never done: abc"]
    (tmp_path / "run.json").write_text('{"run_id": ')
    (tmp_path / "events.jsonl").write_text('{"seq": 1}\n{"se')
    (tmp_path / "curve.png").write_bytes(b"\x89PNG\r\n\x1a\n half")
    (tmp_path / "curve.npz").write_bytes(b"PK half")
    assert [line.split(":")[0] for line in broken_files(tmp_path)] == [
        "curve.npz",
        "curve.png",
        "events.jsonl",
        "run.json",
    ]


def spent_after(point: str, folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a killed run says that it has spent, and its events."""
    assert life(live, (Job(ONE_STAGE, {"seed": 3}), folder), point, PRELOADED) == -signal.SIGKILL
    run = open_run(folder, "latest")
    return read_json(run.folder / "usage.json", ""), run.events.read()


DEATHS = [*(f"after_checkpoint:{number}" for number in range(3, 21)), "after_writes:6", "after_writes:14"]


@pytest.mark.parametrize(
    "point", [pytest.param(one, marks=[pytest.mark.nightly] * (one[-2:] != ":8")) for one in DEATHS]
)
def test_a_killed_run_forgets_nothing_that_it_has_spent(point: str, root: Path) -> None:
    usage, events = spent_after(point, root)
    begun, last = (datetime.fromisoformat(events[at]["time"]) for at in (0, -1))
    assert usage["wall"] >= (last - begun).total_seconds()
    assert usage["total"]["answers"] == sum(event["kind"] == "agent" for event in events)
