"""The runs commands read folders alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from labwright.tools.runs import open_run, pause_requested, run_ids

Command = Callable[..., Result]


@pytest.fixture
def run_id(command: Command, root: Path) -> str:
    command("calibrate", "Calibrate Q1", "--quiet")
    return run_ids(root)[-1]


def test_list_of_nothing_says_how_to_begin(command: Command) -> None:
    assert "labwright demo" in command("runs", "list").stdout


def test_list_show_and_json(command: Command, run_id: str, tmp_path: Path) -> None:
    listed = command("runs", "list", "--json", str(tmp_path / "l.json"))
    assert run_id in listed.stdout
    assert json.loads((tmp_path / "l.json").read_text())["result"]["runs"][0]["status"] == "complete"
    shown = command("runs", "show", run_id[:20], "--json", str(tmp_path / "s.json")).stdout
    for expected in (run_id, "complete", "Ramsey on Q1", "too few oscillations", "4870.200", "report.md"):
        assert expected in shown
    assert json.loads((tmp_path / "s.json").read_text())["run_id"] == run_id


def test_resume_shows_what_was_done_before(command: Command, run_id: str) -> None:
    done = command("runs", "resume", "latest")
    assert done.exit_code == 0
    assert "  4  " in done.stderr  # two rows of the first part, two of the second


@pytest.mark.parametrize("answer", ["nope=run", "run"])
def test_answer_to_no_open_question(command: Command, run_id: str, answer: str) -> None:
    done = command("runs", "resume", run_id, "--answer", answer)
    assert done.exit_code == 2
    assert "names no open question" in done.stderr


def test_fork_names_its_parent(command: Command, root: Path, run_id: str) -> None:
    done = command("runs", "fork", run_id, "--stage", "1")
    new = done.stdout.split()[0]
    assert open_run(root, new).record.parent == {"run_id": run_id, "stage": 1}
    assert f"labwright runs resume {new}" in done.stdout
    assert run_id in command("runs", "show", new).stdout


def test_pause_needs_a_running_run(command: Command, root: Path, run_id: str) -> None:
    refused = command("runs", "pause", run_id)
    assert refused.exit_code == 2
    assert "is complete" in refused.stderr
    run = open_run(root, run_id)
    with run.lease():
        assert command("runs", "pause", run_id).exit_code == 0
    assert pause_requested(run)


def test_compare_puts_two_side_by_side(command: Command, run_id: str, root: Path) -> None:
    command("calibrate", "Calibrate Q1", "--seed", "9", "--quiet")
    other = run_ids(root)[-1] if run_ids(root)[-1] != run_id else run_ids(root)[0]
    shown = command("runs", "compare", run_id, other).stdout
    assert "Q1 error per gate" in shown
    assert "7.660e-04 +- 2e-05" in shown


@pytest.mark.parametrize("arguments", [["show", "nope"], ["resume", "nope"], ["pause", "nope"], ["fork", "nope"]])
def test_unknown_run(command: Command, arguments: list[str]) -> None:
    done = command("runs", *arguments)
    assert done.exit_code == 2
    assert "There is no run 'nope'" in done.stderr


def test_corrupt_record_is_environment(command: Command, root: Path, run_id: str) -> None:
    (root / run_id / "run.json").write_text("{")
    done = command("runs", "show", run_id)
    assert done.exit_code == 4
    assert "Restore the file" in done.stderr
    listed: Any = command("runs", "list")
    assert "corrupt" in listed.stdout
