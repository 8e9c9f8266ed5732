"""SIGKILL anywhere, then resume: the same protocol, nobody asked twice, no file half-written."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from designs import OPEN, design, life, person

from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import load_run, run_ids

TALK: dict[str, Any] = {"approval": "risky"}


def facts(folder: Path) -> dict[str, Any]:
    """What a finished design left, without names of runs and times."""
    document = read_json(folder / "result.json", "")
    log = load_run(folder).events.read()
    return {
        "status": document["status"],
        "result": document["result"],
        "protocol": read_lsr((folder / document["result"]["xml"]).read_bytes()),
        "files": sorted(str(path.relative_to(folder)) for path in (folder / "robot").iterdir()),
        "asked": [event["question"]["id"] for event in log if event["kind"] == "question"],
        "answered": [event["id"] for event in log if event["kind"] == "answer"],
    }


def undisturbed(root: Path, text: str, choices: dict[str, Any]) -> dict[str, Any]:
    return facts(design(text, root, on_question=person, **choices).run_dir)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = undisturbed(tmp_path_factory.mktemp("talk") / "runs", OPEN, TALK)
    assert found["asked"] == found["answered"]
    assert found["answered"] == ["missing chemicals.0 1", "approve 1"]
    return found


def disturbed(root: Path, text: str, choices: dict[str, Any], crash_at: str, expected: dict[str, Any]) -> None:
    assert life(root, crash_at, text, choices) == -signal.SIGKILL
    assert life(root, "", text, choices) == 0
    [name] = run_ids(root)
    assert facts(root / name) == expected
    assert not list((root / name).rglob("*.tmp"))


def test_a_killed_dialogue_ends_as_if_nothing_had_happened(root: Path, talk: dict[str, Any]) -> None:
    disturbed(root, OPEN, TALK, "after_writes:9", talk)


@pytest.mark.nightly
@pytest.mark.parametrize("point", ["after_checkpoint", "after_writes"])
@pytest.mark.parametrize("passage", [1, 2, 4, 6, 8, 10, 12, 14, 16])
def test_every_checkpoint_can_be_the_last(root: Path, talk: dict[str, Any], point: str, passage: int) -> None:
    disturbed(root, OPEN, TALK, f"{point}:{passage}", talk)
