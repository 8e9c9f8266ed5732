"""A supervisor on this machine: takes the next job that can start, sees it to its end, and so on until none is left."""

from __future__ import annotations

import os
from pathlib import Path

from labwright.tools.jobs.job_execution import work
from labwright.tools.jobs.local import LocalRunner, ready_jobs
from labwright.tools.jobs.process_identity import own
from labwright.tools.jobs.records import JobState
from labwright.tools.jobs.store import Entry, Store


def main(root: str, slots: str, slot: str) -> None:
    """Work through the queue of the store in `root`.

    Args:
        root: of the store.
        slots: that there are.
        slot: descriptor of the lock that this supervisor holds.
    """
    os.set_inheritable(int(slot), False)  # else what it starts would hold the slot after its death
    store, runner, me = Store(Path(root)), LocalRunner(int(slots)), own().to_text()
    while (entry := _next(store, runner, me)) is not None:
        end = work(store.folder(entry.status.id), entry.spec, store.entry(entry.status.id).status)
        store.note(end, before=JobState.RUNNING)
    os.close(int(slot))
    # Whoever submitted between the last look and the release of the slot has seen it taken.
    runner.start(store)


def _next(store: Store, runner: LocalRunner, me: str) -> Entry | None:
    """A job that is now ours; None if nothing can start."""
    runner.look(store)  # a lost job is an end, for which others may wait
    ready = ready_jobs(store)
    if len(ready) > 1:
        runner.start(store)  # what just ended may have let several go
    return next((entry for entry in ready if store.claim(entry.status.id, me)), None)
