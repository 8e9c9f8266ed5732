"""SIGKILL anywhere, then resume: the same final result, nothing evaluated twice, the test part opened once."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from searches import AFTER, events, facts, life, notes, search, unfinished

from labwright.tools.runs.run import run_ids

pytestmark = pytest.mark.slow  # quick: the kills of a calibration and of a design


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return facts(search(tmp_path_factory.mktemp("undisturbed") / "runs").run_dir)


def disturbed(root: Path, crash_at: str, expected: dict[str, Any]) -> None:
    assert life(root, crash_at) == -signal.SIGKILL
    [name] = run_ids(root)
    done = {path.parent.name: path.read_bytes() for path in (root / name).glob("actions/*/done.json")}
    assert life(root, "") == 0
    folder = root / name
    assert facts(folder) == expected
    told = [step["what"] for step in notes(folder)]
    assert sorted(told) == sorted(["evaluation"] * 4 + AFTER)
    assert unfinished(folder) == []
    assert {key: (folder / "actions" / key / "done.json").read_bytes() for key in done} == done
    assert len(events(folder, "revealed")) == 1
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("crash_at", ["after_act:2", "after_checkpoint:17", "after_done:3", "after_writes:30"])
def test_a_search_of_four_maps_is_killed(root: Path, expected: dict[str, Any], crash_at: str) -> None:
    disturbed(root, crash_at, expected)


@pytest.mark.nightly
@pytest.mark.parametrize("point", ["after_claim", "after_act", "after_data", "after_done"])
@pytest.mark.parametrize("passage", [1, 4, 5, 6])  # first and last evaluation, the test part, a baseline
def test_every_journaled_step_can_be_cut_off(root: Path, expected: dict[str, Any], point: str, passage: int) -> None:
    disturbed(root, f"{point}:{passage}", expected)


@pytest.mark.nightly
@pytest.mark.parametrize("passage", [1, 2, 5, 9, 14, 23, 31, 38])
def test_every_checkpoint_can_be_the_last(root: Path, expected: dict[str, Any], passage: int) -> None:
    disturbed(root, f"after_checkpoint:{passage}", expected)
