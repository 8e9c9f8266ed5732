"""What can be asked for, who a process is, and what SLURM's words mean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.jobs import JobLimits, JobSpec, JobState, JobStatus
from labwright.tools.jobs.process_identity import Identity, of_process, own
from labwright.tools.jobs.scontrol import parse


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), True, "3"])
def test_limits_must_be_numbers_above_zero(wrong: Any) -> None:
    with pytest.raises(InputError, match="wall_seconds"):
        JobLimits(wall_seconds=wrong)


@pytest.mark.parametrize(
    "wrong", [{"argv": ()}, {"argv": ("a\0b",)}, {"keep": ("/etc",)}, {"keep": ("a/../..",)}, {"key": ""}]
)
def test_a_job_that_cannot_be_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError):
        JobSpec(**{"argv": ("python",), "folder": tmp_path, **wrong})


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    spec = JobSpec(("python", "a.py"), tmp_path, "n", JobLimits(threads=3), ("tools",), ("x",), "k")
    assert JobSpec.from_plain(json.loads(json.dumps(spec.to_plain()))) == spec
    status = JobStatus("i", "n", JobState.OOM, "f", 1.0, "why", 2.0, 3.0, -9, "bubblewrap", ("a",), ("b",))
    assert JobStatus.from_plain(json.loads(json.dumps(status.to_plain()))) == status
    with pytest.raises(CorruptRecordError):
        JobStatus.from_plain({**status.to_plain(), "state": "PERHAPS"})


def test_a_title_is_one_printable_line(tmp_path: Path) -> None:
    assert JobSpec(("/usr/bin/python", "a.py"), tmp_path).title == "python a.py"
    assert JobSpec(("x",), tmp_path, "two\nlines\x1b[2J").title == "two lines [2J"


def test_a_process_is_itself_and_no_other_of_its_number() -> None:
    me = own()
    assert me.alive
    assert Identity.from_text(me.to_text()) == me
    assert not Identity(me.pid, me.start + 1, me.boot).alive
    assert not Identity(me.pid, me.start, "another boot").alive
    assert not Identity.from_text("no identity").alive


def test_a_dead_process_that_nobody_reaped_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    its = of_process(child.pid)
    assert its is not None
    assert its.alive
    assert child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie from here on
    assert not its.alive
    child.wait()


def test_scontrol_is_read_by_its_fields() -> None:
    text = (
        "JobId=7 JobName=labwright-x UserId=a(1) JobState=PENDING Reason=DependencyNeverSatisfied"
        " Dependency=afterok:6(failed) ExitCode=0:0 Command=(null)\n"
        "JobId=8 JobName=y JobState=RUNNING Reason=None\n\nNo jobs in the system\n"
    )
    told = parse(text)
    assert set(told) == {"labwright-x", "y"}
    assert (told["labwright-x"].number, told["labwright-x"].reason) == ("7", "DependencyNeverSatisfied")
    assert told["y"].state == "RUNNING"
