"""Runs in processes of their own: one that dies loses nothing, and a pause reaches it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from calibrations import CALIBRATED, ONE_STAGE

from labwright.apps.console.run_processes import DEATHS, in_a_process
from labwright.evaluation.benchmarks.run_comparison import broken_files, differences, repeated_actions, witness
from labwright.graphs.front_desk.workers import Workers, in_this_process
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.registry import driver
from labwright.tools.process_file_lock import holder_of
from labwright.tools.runs import Run, summarise

pytestmark = pytest.mark.slow
PATIENCE = 600.0  # s; the first process imports all systems


def prepared(root: Path) -> Run:
    choices = Choices.model_validate({"seed": 3, "figures": False, "approval": "auto", "device_options": CALIBRATED})
    return driver("lab_calibration").prepare(ONE_STAGE, choices, root, seed=3)


def killed(run: Run, times: int) -> None:
    """Kill so many processes that drive the run, each as soon as it has the run."""
    gone: set[int] = set()
    deadline = time.monotonic() + PATIENCE
    while len(gone) < times:
        assert time.monotonic() < deadline
        pid = holder_of(run.folder / "lease")
        if pid and pid not in gone:
            gone.add(pid)
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def test_processes_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    run, workers = prepared(tmp_path / "killed"), Workers()
    workers.way = in_a_process
    for times, status in ((DEATHS, "dead"), (1, "complete")):
        assert workers.drive(run)
        killed(run, times)
        assert workers.wait(PATIENCE)
        assert (summarise(run).status, "resume it" in workers.fault(run)) == (status, status == "dead")
    once, here = prepared(tmp_path / "once"), Workers()
    assert here.way is in_this_process
    assert here.drive(once)
    assert here.wait(PATIENCE)
    assert differences(witness(run.folder), witness(once.folder)) == []
    assert repeated_actions(run.folder) == broken_files(run.folder) == []
