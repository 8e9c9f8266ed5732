"""What makes jobs run: on this machine, or on a cluster."""

from __future__ import annotations

import dataclasses
import time
from typing import Protocol

from labwright.tools.errors import CorruptRecordError
from labwright.tools.jobs.records import JobState, JobStatus
from labwright.tools.jobs.store import Entry, Store


class Runner(Protocol):
    """Starts, watches and cancels. It keeps nothing in memory: what it needs to know is in the store."""

    @property
    def name(self) -> str: ...

    def start(self, store: Store) -> None:
        """See to it that every PENDING job gets its turn; harmless if it does already."""
        ...

    def look(self, store: Store) -> None:
        """Bring the store up to what is true: starts, ends, and what was lost."""
        ...

    def cancel(self, store: Store, entry: Entry) -> None:
        """Begin to end a job that is PENDING or RUNNING."""
        ...


def settle(store: Store, entry: Entry, state: JobState, reason: str) -> None:
    """Write the end of a job whose supervisor can no longer do so, unless it did before it went.

    Args:
        store: of the job.
        entry: the job, PENDING or RUNNING in the index.
        state: what to write if the job's folder tells no end.
        reason: the same.
    """
    before = entry.status.state
    told = _told(store, entry)
    end = told if told.state.ended else dataclasses.replace(told, state=state, reason=reason, ended=time.time())
    store.note(end, before=before)


def _told(store: Store, entry: Entry) -> JobStatus:
    try:
        return store.told(entry.status.id)
    except CorruptRecordError:
        return entry.status


def blocked_by(store: Store, entry: Entry) -> tuple[bool, str]:
    """Whether a job has to wait for another, and which one it waits for in vain (empty: none)."""
    waits = False
    for other in entry.spec.after:
        state = store.entry(other).status.state
        if state.ended and state is not JobState.COMPLETED:
            return True, f"Job {other}, which it waits for, ended {state}."
        waits = waits or state is not JobState.COMPLETED
    return waits, ""
