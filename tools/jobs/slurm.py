"""Jobs under SLURM: each is handed to sbatch with a supervisor around it, and its folder tells how it stands.

What the supervisor writes counts first. SLURM is asked for what a supervisor cannot tell: that the job waits, that
it was cancelled or killed with its job, or that a job it depends on failed.
"""

from __future__ import annotations

import fcntl
import math
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labwright.tools.errors import CorruptRecordError
from labwright.tools.jobs.job_execution import CANCEL
from labwright.tools.jobs.local import python_command
from labwright.tools.jobs.records import JobState
from labwright.tools.jobs.runner_interface import blocked_by, settle
from labwright.tools.jobs.scontrol import Told, command, show_jobs
from labwright.tools.jobs.store import Entry, Store

SUPERVISOR_MB = 256  # beside the job's own memory
MARGIN_SECONDS = 60  # beside the job's own time: the supervisor ends it first, and brings its files back
NEVER = "DependencyNeverSatisfied"  # such a job stays PENDING for ever
OVER_MEMORY = ("exceeded memory limit", "Exceeded job memory limit", "oom_kill", "oom-kill")
# SLURM's state -> ours, with why. What is not here has not ended.
ENDS: dict[str, tuple[JobState, str]] = {
    "COMPLETED": (JobState.LOST, "SLURM says that it completed, but its supervisor left no end."),
    "FAILED": (JobState.FAILED, "SLURM says that its supervisor failed or did not start; see slurm.log."),
    "TIMEOUT": (JobState.TIMEOUT, "SLURM ended it: it took longer than it was given."),
    "DEADLINE": (JobState.TIMEOUT, "SLURM ended it: its deadline passed."),
    "OUT_OF_MEMORY": (JobState.OOM, "SLURM ended it: it used more memory than it was given."),
    "CANCELLED": (JobState.CANCELLED, "It was cancelled."),
    "NODE_FAIL": (JobState.LOST, "Its machine failed."),
    "BOOT_FAIL": (JobState.LOST, "Its machine did not start."),
    "PREEMPTED": (JobState.LOST, "SLURM took its machine for another job."),
    "REVOKED": (JobState.LOST, "SLURM gave it to another cluster."),
}


class SlurmRunner:
    """Implements `Runner` with SLURM's commands; which cluster is said by the environment, as by ``SLURM_CONF``."""

    name = "slurm"

    def __init__(self, partition: str = "") -> None:
        """A runner that submits to `partition`; to the cluster's default if empty."""
        self.partition = partition

    def start(self, store: Store) -> None:
        """Hand to SLURM what it does not have yet, in the order of submission.

        Raises:
            UnreachableError: SLURM does not answer, or refuses a job.
        """
        if not _without_handle(store):
            return
        with _alone(store.root / "slurm.lock"):
            known = show_jobs()  # a submitter that died may have handed a job over and not noted it
            for entry in _without_handle(store):
                told = known.get(_name(entry.status.id))
                if told is not None:
                    store.set_handle(entry.status.id, told.number)
                elif blocked_by(store, entry)[1]:
                    settle(store, entry, JobState.CANCELLED, blocked_by(store, entry)[1])
                else:
                    store.set_handle(entry.status.id, self._submitted(store, entry))

    def look(self, store: Store) -> None:
        """Take over what the jobs' folders say, and what SLURM says of jobs that left no end.

        Raises:
            UnreachableError: SLURM does not answer.
        """
        open_ones = [entry for entry in store.entries(JobState.PENDING, JobState.RUNNING) if entry.handle]
        open_ones = [entry for entry in open_ones if not _taken_over(store, entry)]
        if not open_ones:
            return
        known = {told.number: told for told in show_jobs().values()}
        for entry in open_ones:
            told = known.get(entry.handle)
            if told is not None and told.state == "PENDING" and told.reason == NEVER:
                command(["scancel", told.number])
                why = blocked_by(store, entry)[1] or "A job that it waits for did not complete."
                settle(store, entry, JobState.CANCELLED, why)
                continue
            end = _end(store, entry, told)
            if end is not None:
                settle(store, store.entry(entry.status.id), *end)

    def cancel(self, store: Store, entry: Entry) -> None:
        """Ask the supervisor to end the job, so that its files come back; a job that waits is taken out of the queue.

        Raises:
            UnreachableError: SLURM does not answer.
        """
        (store.folder(entry.status.id) / CANCEL).touch()
        if not entry.handle:
            settle(store, entry, JobState.CANCELLED, "Somebody cancelled it.")
        else:
            command(["scancel", "--state=PENDING", entry.handle])

    def _submitted(self, store: Store, entry: Entry) -> str:
        folder, limits = store.folder(entry.status.id), entry.spec.limits
        minutes = math.ceil((limits.wall_seconds + MARGIN_SECONDS) / 60)
        words = ["sbatch", "--parsable", f"--job-name={_name(entry.status.id)}", f"--output={folder / 'slurm.log'}"]
        words += [f"--time={minutes}", f"--mem={limits.memory_mb + SUPERVISOR_MB}M", "--ntasks=1", "--no-requeue"]
        words += [f"--cpus-per-task={limits.threads}", "--export=PATH,LABWRIGHT_SANDBOX,TMPDIR,LANG", "--chdir=/"]
        words += [f"--partition={self.partition}"] if self.partition else []
        first = [store.entry(other) for other in entry.spec.after]
        waiting = [one.handle for one in first if not one.status.state.ended]
        words += ["--dependency=" + ",".join(f"afterok:{one}" for one in waiting)] if waiting else []
        script = f"#!/bin/sh\nexec {shlex.join(python_command('labwright.tools.jobs.slurm_supervisor', str(folder)))}\n"
        return command(words, script).strip().split(";")[0]


def _without_handle(store: Store) -> list[Entry]:
    return [entry for entry in store.entries(JobState.PENDING) if not entry.handle]


def _name(job: str) -> str:
    return f"labwright-{job}"


def _taken_over(store: Store, entry: Entry) -> bool:
    """Bring the index up to the job's own folder; whether it tells an end."""
    before = entry.status.state
    try:
        told = store.told(entry.status.id)
    except CorruptRecordError:
        return False
    if told.state is not before:
        store.take_over(told, before=before)
    return told.state.ended


def _end(store: Store, entry: Entry, told: Told | None) -> tuple[JobState, str] | None:
    """How a job ended that may have left no end itself; None if it goes on."""
    if told is None:
        return JobState.LOST, "SLURM does not know it any more, and its supervisor left no end."
    if told.state in ("FAILED", "CANCELLED") and _over_memory(store.folder(entry.status.id) / "slurm.log"):
        return ENDS["OUT_OF_MEMORY"]
    return ENDS.get(told.state)


def _over_memory(log: Path) -> bool:
    """Whether SLURM's own words tell that it killed the job for its memory: its state is then that of any failure."""
    words = log.read_bytes().decode(errors="replace") if log.exists() else ""
    return any(sign in words for sign in OVER_MEMORY)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One submitter at a time: two would hand the same job over twice."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
