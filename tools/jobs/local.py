"""Jobs on this machine: a bounded number of supervisors, each detached from whoever started it.

A supervisor holds one slot, which is the lock of a file, works through the queue, and leaves when nothing is left that
could start. It needs neither server nor graph. The lock is handed to it when it is started, so that a slot is never
taken twice, and the kernel gives it back however the supervisor ends.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.jobs.job_execution import CANCEL
from labwright.tools.jobs.process_identity import Identity
from labwright.tools.jobs.records import JobState
from labwright.tools.jobs.runner_interface import blocked_by, settle
from labwright.tools.jobs.store import Entry, Store
from labwright.tools.sandbox.plan import source_folder

PASSED_ON = ("PATH", "LABWRIGHT_SANDBOX", "TMPDIR", "LANG")
DETACH = '"$@" &'  # the shell leaves at once, so that nobody has to wait for the supervisor or to reap it
GONE = "Its supervisor is gone and left no end: it was killed, or the machine went down."


class LocalRunner:
    """Implements `Runner` with processes of this machine."""

    name = "local"

    def __init__(self, slots: int | None = None) -> None:
        """A runner of at most `slots` jobs at once; half the processors if None, at least one."""
        self.slots = max(1, (os.cpu_count() or 2) // 2) if slots is None else slots
        if self.slots < 1:
            raise InputError(f"Argument `slots` must be at least 1, but is {slots}.")

    def start(self, store: Store) -> None:
        """Start supervisors for what could run, as far as slots are free."""
        started = 0
        while (slot := self._free_slot(store)) is not None:
            if len(ready_jobs(store)) > started:
                _spawn(store.root, self.slots, slot)
                started += 1
                continue
            os.close(slot)
            # Whoever submitted in between has seen the slot taken and left.
            if len(ready_jobs(store)) <= started:
                return

    def _free_slot(self, store: Store) -> int | None:
        """Descriptor of a free slot's file, now locked; None if all are taken."""
        found = (_taken(store.root / "slots" / str(number)) for number in range(self.slots))
        return next((slot for slot in found if slot is not None), None)

    def look(self, store: Store) -> None:
        """Settle RUNNING jobs whose supervisor is gone."""
        for entry in store.entries(JobState.RUNNING):
            if not Identity.from_text(entry.handle).alive:
                settle(store, entry, JobState.LOST, GONE)

    def cancel(self, store: Store, entry: Entry) -> None:
        """Ask the supervisor to end the job; one that waits ends here."""
        (store.folder(entry.status.id) / CANCEL).touch()
        if entry.status.state is JobState.PENDING:
            settle(store, entry, JobState.CANCELLED, "Somebody cancelled it.")


def ready_jobs(store: Store) -> list[Entry]:
    """PENDING jobs that could start; those that wait in vain are CANCELLED."""
    ready = []
    for entry in store.entries(JobState.PENDING):
        waits, vain = blocked_by(store, entry)
        if vain:
            settle(store, entry, JobState.CANCELLED, vain)
        elif not waits:
            ready.append(entry)
    return ready


def python_command(module: str, *arguments: str) -> list[str]:
    """Command that calls ``main`` of a module of ours with words, in this Python and with these sources."""
    code = f"import sys; sys.path.insert(0, sys.argv[1]); from {module} import main; main(*sys.argv[2:])"
    return [sys.executable, "-I", "-c", code, str(source_folder()), *arguments]


def _taken(path: Path) -> int | None:
    """Descriptor of a slot's file, locked; None if somebody has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    slot = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(slot)
        return None
    return slot


def _spawn(root: Path, slots: int, slot: int) -> None:
    """Start a supervisor that owns `slot`, in a session of its own, with no more of our environment than it needs."""
    words = python_command("labwright.tools.jobs.supervisor", str(root), str(slots), str(slot))
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        with (root / "supervisor.log").open("ab") as log:
            subprocess.run(
                ["/bin/sh", "-c", DETACH, "sh", *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(slot,),
                env=environment,
                cwd="/",
                check=True,
            )
    finally:
        os.close(slot)
