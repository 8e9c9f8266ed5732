"""SIGKILL anywhere, then resume: the same results, no script run twice that had ended, no file half-written."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from forging import forge, live
from lives import life

from labwright.tools.jobs import JobService, LocalRunner
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import load_run, run_ids
from labwright.tools.specifications.examples import example

pytestmark = pytest.mark.slow
TASK = example("task", "circuit")
DIRECT = {"mode": "direct"}
PRELOADED = ("labwright.graphs.tool_forging.running", "langgraph.checkpoint.sqlite")


def facts(folder: Path) -> dict[str, Any]:
    """What a finished run left, without names of runs and times."""
    document = read_json(folder / "result.json", "")
    kept = ("score", "tools_used", "iterations", "evaluations", "assumptions", "tools_forged")
    jobs = JobService(folder / "jobs", LocalRunner())
    return {
        "status": document["status"],
        "result": {name: document["result"][name] for name in kept},
        "results": read_json(folder / "results.json", ""),
        "jobs": [(one.name, one.state) for one in jobs.list()],
        "events": sorted(event["once"] for event in load_run(folder).events.read() if event.get("once")),
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = facts(forge(TASK, tmp_path_factory.mktemp("whole") / "runs", **DIRECT).run_dir)
    assert (found["status"], len(found["jobs"])) == ("complete", 1)
    assert found["results"]["records"]
    return found


@pytest.mark.parametrize(
    "point",
    ["after_claim", "after_act", "after_data", "after_done", "after_writes:2", "after_writes:5", "after_checkpoint:3",
     "after_checkpoint:6"],
)  # fmt: skip
def test_a_killed_run_ends_as_if_nothing_had_happened(root: Path, point: str, undisturbed: dict[str, Any]) -> None:
    assert life(live, [root, TASK, DIRECT], point, PRELOADED) == -signal.SIGKILL
    assert life(live, [root, TASK, DIRECT], "", PRELOADED) == 0
    [name] = run_ids(root)
    assert facts(root / name) == undisturbed
    assert not list((root / name).rglob("*.tmp"))
