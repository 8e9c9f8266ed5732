"""The work of one job, in its supervisor: the sandbox, the logs, and how it ended."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from labwright.tools.errors import ToolError
from labwright.tools.jobs.records import JobSpec, JobState, JobStatus
from labwright.tools.sandbox import FolderRun, open_sandbox, run_in_folder

CANCEL = "cancel"  # a file of this name in the job's folder ends it
STATE_OF: dict[str, JobState] = {
    "ok": JobState.COMPLETED,
    "failed": JobState.FAILED,
    "killed": JobState.FAILED,
    "overflow": JobState.FAILED,
    "timeout": JobState.TIMEOUT,
    "memory": JobState.OOM,
    "cancelled": JobState.CANCELLED,
}


def work(folder: Path, spec: JobSpec, status: JobStatus) -> JobStatus:
    """Do the job and say how it ended; what goes wrong around it is an end, too.

    Args:
        folder: the job's own, for its logs; a file `CANCEL` in it ends the work.
        spec: what to do.
        status: how the job stands, RUNNING.
    """
    from labwright.tools.forge.calls.call_processes import tools_desk  # here, since every command imports this module

    cancel = folder / CANCEL
    try:
        sandbox = open_sandbox(weakest=spec.weakest)
        with (folder / "stdout.log").open("ab") as said, (folder / "stderr.log").open("ab") as wrong:
            run = run_in_folder(
                sandbox,
                spec.argv,
                spec.folder,
                keep=spec.keep,
                limits=spec.limits.of_sandbox(),
                on_output=_into(said),
                on_error=_into(wrong),
                cancelled=cancel.exists,
                beside=tools_desk(sandbox),
            )
    except (ToolError, OSError) as broken:
        return dataclasses.replace(status, state=JobState.FAILED, reason=str(broken), ended=time.time())
    return _ended(status, spec, run)


def _into(log: BinaryIO) -> Callable[[bytes], None]:
    def hear(part: bytes) -> None:
        log.write(part)
        log.flush()

    return hear


def _ended(status: JobStatus, spec: JobSpec, run: FolderRun) -> JobStatus:
    done, limits = run.completed, spec.limits
    reasons = {
        "failed": f"It exited with {done.returncode}.",
        "killed": f"It was ended by signal {-done.returncode}.",
        "overflow": "It wrote more than it may, into files or as output.",
        "timeout": f"It took longer than {limits.wall_seconds:g} s, or {limits.cpu_seconds:g} s of processor time.",
        "memory": f"It asked for more than {limits.memory_mb} MB of memory.",
        "cancelled": "Somebody cancelled it.",
    }
    return dataclasses.replace(
        status,
        state=STATE_OF[done.ending],
        reason=reasons.get(done.ending, ""),
        ended=time.time(),
        returncode=done.returncode,
        level=done.level,
        changed=tuple(run.changed),
        rejected=tuple(run.rejected),
    )
