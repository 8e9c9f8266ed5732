"""Where jobs are kept: an index in SQLite for who is next, and one folder a job that is readable without us.

The index decides who may start a job; the folder's ``status.json`` decides how it ended. A supervisor writes the end
there first and into the index second, so that a death between the two loses nothing.
"""

from __future__ import annotations

import dataclasses
import json
import re
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import CorruptRecordError, InputError, JobNotFoundError
from labwright.tools.jobs.records import JobSpec, JobState, JobStatus

BUSY_SECONDS = 60.0  # that a writer waits for the others
LOOKED_FOR = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    key TEXT UNIQUE,
    state TEXT NOT NULL,
    spec TEXT NOT NULL,
    status TEXT NOT NULL,
    handle TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS by_state ON jobs (state, number);
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A job as the index knows it.

    Attributes:
        spec: what was asked for.
        status: how it stands.
        handle: by which the runner knows it; empty before it has one.
    """

    spec: JobSpec
    status: JobStatus
    handle: str


class Store:
    """The jobs of one root folder; any number of processes may use it at once, none keeps anything in memory."""

    def __init__(self, root: Path) -> None:
        """Open or make the store in `root`."""
        self.root = root.absolute()
        self.root.mkdir(parents=True, exist_ok=True)
        with self._open() as index:
            index.executescript(TABLE)

    def bind(self, runner: str) -> None:
        """Note which runner's handles these are: another would take the jobs for lost.

        Raises:
            InputError: they are another's.
        """
        known = self.root / "runner"
        if not known.exists():
            write_atomic(known, runner.encode())
        if known.read_text() != runner:
            raise InputError(
                f"The jobs in {self.root} are run by {known.read_text()}, not by {runner}. Use that, or another folder."
            )

    def folder(self, job: str) -> Path:
        """The job's own folder: ``spec.json``, ``status.json``, ``stdout.log``, ``stderr.log``.

        Raises:
            JobNotFoundError: this cannot be the id of a job.
        """
        if not LOOKED_FOR.fullmatch(job):
            raise JobNotFoundError(f"There is no job {job!r}. List the jobs to see their ids.")
        return self.root / "jobs" / job

    def add(self, spec: JobSpec) -> str:
        """The id of a new job, or of the one that has the same key.

        Raises:
            InputError: a job in `after` does not exist.
        """
        now = time.time()
        job = f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{secrets.token_hex(4)}"
        status = JobStatus(job, spec.title, JobState.PENDING, str(spec.folder), now)
        with self._open() as index, _all_or_nothing(index):
            if spec.key is not None:
                there = index.execute("SELECT id FROM jobs WHERE key = ?", (spec.key,)).fetchone()
                if there is not None:
                    return str(there[0])
            for other in spec.after:
                if index.execute("SELECT 1 FROM jobs WHERE id = ?", (other,)).fetchone() is None:
                    raise InputError(f"Job {other!r}, which this one shall follow, does not exist. Submit it first.")
            folder = self.folder(job)
            write_atomic(folder / "spec.json", json.dumps(spec.to_plain(), indent=1).encode())
            self._write_status(status)
            index.execute(
                "INSERT INTO jobs (id, key, state, spec, status) VALUES (?, ?, ?, ?, ?)",
                (job, spec.key, status.state, json.dumps(spec.to_plain()), json.dumps(status.to_plain())),
            )
        return job

    def entry(self, job: str) -> Entry:
        """The job `job`.

        Raises:
            JobNotFoundError: there is none.
        """
        self.folder(job)
        found = self._select("WHERE id = ?", job)
        if not found:
            raise JobNotFoundError(f"There is no job {job!r}. List the jobs to see their ids.")
        return found[0]

    def entries(self, *states: JobState) -> list[Entry]:
        """Jobs in one of `states`, or all, in the order of submission."""
        marks = ", ".join("?" * len(states))
        return self._select(f"WHERE state IN ({marks})" if states else "", *states)

    def claim(self, job: str, handle: str) -> bool:
        """Make a PENDING job RUNNING for the holder of `handle`; False if somebody was faster or it was cancelled."""
        status = dataclasses.replace(self.entry(job).status, state=JobState.RUNNING, started=time.time())
        if not self._change(status, JobState.PENDING, handle):
            return False
        self._write_status(status)
        return True

    def set_handle(self, job: str, handle: str) -> None:
        """Note by which name the runner knows the job."""
        with self._open() as index:
            index.execute("UPDATE jobs SET handle = ? WHERE id = ?", (handle, job))

    def note(self, status: JobStatus, *, before: JobState) -> bool:
        """Write a new status if the job is still in state `before`; False if it is not."""
        if status.state.ended and before is JobState.RUNNING:
            self._write_status(status)  # first, so that nobody else's word for the end can come between
            return self._change(status, before)
        if not self._change(status, before):
            return False
        self._write_status(status)
        return True

    def take_over(self, told: JobStatus, *, before: JobState) -> bool:
        """Write what the job's own folder told into the index, if the job is still in state `before` there."""
        return self._change(told, before)

    def told(self, job: str) -> JobStatus:
        """What the job's own folder says.

        Raises:
            CorruptRecordError: it does not read back.
        """
        return read_status(self.folder(job))

    def _change(self, status: JobStatus, before: JobState, handle: str | None = None) -> bool:
        with self._open() as index:
            done = index.execute(
                "UPDATE jobs SET state = ?, status = ?, handle = coalesce(?, handle) WHERE id = ? AND state = ?",
                (status.state, json.dumps(status.to_plain()), handle, status.id, before),
            )
            return done.rowcount == 1

    def _write_status(self, status: JobStatus) -> None:
        write_atomic(self.folder(status.id) / "status.json", json.dumps(status.to_plain(), indent=1).encode())

    def _select(self, condition: str, *values: str) -> list[Entry]:
        with self._open() as index:
            rows = index.execute(
                f"SELECT spec, status, handle FROM jobs {condition} ORDER BY number", values
            ).fetchall()
        return [
            Entry(JobSpec.from_plain(json.loads(row[0])), JobStatus.from_plain(json.loads(row[1])), row[2])
            for row in rows
        ]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        index = sqlite3.connect(self.root / "index.sqlite", timeout=BUSY_SECONDS, isolation_level=None)
        try:
            index.execute("PRAGMA journal_mode=WAL")
            index.execute("PRAGMA synchronous=NORMAL")
            yield index
        finally:
            index.close()


@contextmanager
def _all_or_nothing(index: sqlite3.Connection) -> Iterator[None]:
    index.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        index.execute("ROLLBACK")
        raise
    index.execute("COMMIT")


def read_status(folder: Path) -> JobStatus:
    """The status in a job's folder.

    Raises:
        CorruptRecordError: it does not read back.
    """
    try:
        return JobStatus.from_plain(json.loads((folder / "status.json").read_bytes()))
    except (OSError, ValueError) as wrong:
        raise CorruptRecordError(f"The status in {folder} does not read back: {wrong}.") from wrong
