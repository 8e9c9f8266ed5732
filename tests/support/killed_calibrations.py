"""Calibrations that are killed with SIGKILL, resumed until they end, and compared with one that nobody killed."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lives import PATIENCE, life

from labwright.evaluation.benchmarks.run_comparison import Witness, broken_files, differences, repeated_actions, witness
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, resume, start
from labwright.tools.runs.run import run_ids

MOST_LIVES = 40
PRELOADED = (
    "labwright.graphs.lab_calibration.running",
    "labwright.tools.qpu.simulated",
    "chromadb",
    "matplotlib.backends.backend_agg",
    "langgraph.checkpoint.sqlite",
    __name__,
)


@dataclass(frozen=True, slots=True)
class Job:
    """Words, and the choices that go with them."""

    text: str
    choices: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a run: processes that died of SIGKILL, all processes, what differs from the undisturbed one."""

    kills: int
    lives: int
    faults: list[str]


def live(job: Job, root: Path) -> None:
    """Start the run, or resume it if there is one already."""
    if known := run_ids(root):
        resume(known[-1], root)
    else:
        start(CalibrationRequest(job.text, Choices.model_validate(job.choices)), root)


def undisturbed(job: Job, root: Path) -> Witness:
    """The facts of a run that nobody killed."""
    assert life(live, (job, root), "", PRELOADED) == 0
    return witness(root / run_ids(root)[-1])


def disturbed(job: Job, root: Path, expected: Witness, crash_at: str = "", delays: Sequence[float] = ()) -> Row:
    """Kill the run at `crash_at` and after each of `delays` (s), resume it, and compare it with `expected`."""
    deaths = [(crash_at, PATIENCE)] * bool(crash_at) + [("", delay) for delay in delays]
    kills = lives = 0
    for point, seconds in [*deaths, *[("", PATIENCE)] * MOST_LIVES]:
        lives += 1
        kills += life(live, (job, root), point, PRELOADED, seconds) == -signal.SIGKILL
        if lives >= len(deaths) and any((root / name / "result.json").exists() for name in run_ids(root)):
            break
    folder = root / run_ids(root)[-1]
    faults = [] if kills else ["the process was never killed"]
    faults += [*differences(witness(folder), expected), *repeated_actions(folder), *broken_files(folder)]
    return Row(kills, lives, faults)
