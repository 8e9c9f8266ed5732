"""The runs that workers share: which wait, who works on which, how they ended.

The run folder stays the run's memory; the table only says what is to be done. A claim is a lock of the worker's
session: when the worker dies the server drops it, and the next worker takes the run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from labwright.tools.database.connecting import answering, connect, key_of, locked, one_at_a_time
from labwright.tools.errors import RunNotFoundError
from labwright.tools.runs.seals import holds, seal

if TYPE_CHECKING:
    from psycopg import Connection

    from labwright.tools.runs.run import Run

Status = Literal["queued", "running", "waiting", "complete", "failed", "refused", "stopped"]
TABLES = (
    """
CREATE TABLE IF NOT EXISTS labwright_runs (
    run_id text PRIMARY KEY, root text NOT NULL, system text NOT NULL, asked text NOT NULL, key bigint NOT NULL,
    status text NOT NULL DEFAULT 'queued', reason text NOT NULL DEFAULT '', answers jsonb NOT NULL DEFAULT '{}',
    attempts integer NOT NULL DEFAULT 0, deaths integer NOT NULL DEFAULT 0, created timestamptz NOT NULL DEFAULT now(),
    changed timestamptz NOT NULL DEFAULT now()
)
""",
    "CREATE INDEX IF NOT EXISTS labwright_runs_open ON labwright_runs (created) WHERE status IN ('queued', 'running')",
)
# Runs to do that no living session has claimed: an advisory lock shows as two halves of its number. What workers died
# of comes last, or the oldest few would take every worker down with them while the others wait.
FREE = """
SELECT run_id, key FROM labwright_runs WHERE status IN ('queued', 'running') AND NOT EXISTS (
    SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint = key >> 32 AND objid::bigint = key & 4294967295
) ORDER BY deaths, created LIMIT 20
"""
CLAIM = """
UPDATE labwright_runs SET status = 'running', attempts = attempts + 1, changed = now(),
deaths = deaths + (status = 'running')::integer
WHERE run_id = %s AND status IN ('queued', 'running') RETURNING *
"""


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """One row of the queue.

    Attributes:
        root: folder of the runs, the same path for every worker.
        status: ``running`` with nobody at work means that its worker died: the next one goes on.
        answers: question id -> answer, given while nobody worked on the run.
        attempts: how often a worker took it.
        deaths: how many workers went without a word while they had it.
    """

    run_id: str
    root: Path
    system: str
    asked: str
    status: Status
    reason: str
    answers: dict[str, Any]
    attempts: int
    deaths: int


class RunQueue:
    """The table of runs, and the claims of one worker; use it in a ``with`` block."""

    def __init__(self, url: str) -> None:
        """Connect, and make the table if it is not there.

        Raises:
            InputError: the driver is not installed.
            UnreachableError: the database does not answer.
        """
        self._session: Connection[dict[str, Any]] = connect(url)
        try:
            with answering(), one_at_a_time(self._session):
                for table in TABLES:
                    self._session.execute(table)
        except BaseException:
            self._session.close()
            raise

    def submit(self, run: Run, root: Path) -> None:
        """Put `run` at the end of the queue; a run that is there already stays as it is."""
        record = run.record
        with answering():
            self._session.execute(
                "INSERT INTO labwright_runs (run_id, root, system, asked, key) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                (record.run_id, str(root.absolute()), record.system, record.asked, key_of(f"claim {record.run_id}")),
            )

    def claim(self) -> QueuedRun | None:
        """A run that nobody works on, now this worker's: the oldest of those that fewest workers died of; or None."""
        with answering():
            for free in self._session.execute(FREE).fetchall():
                if not locked(self._session, free["key"]):
                    continue
                row = self._session.execute(CLAIM, (free["run_id"],)).fetchone()
                if row is not None:
                    return _queued(row)
                self._unlock(free["key"])  # it ended between the two looks
        return None

    def end(self, run: QueuedRun, status: Status, reason: str = "") -> None:
        """Say how `run` ended, or that it waits, and let go of it."""
        with answering():
            self._session.execute(
                "UPDATE labwright_runs SET status = %s, reason = %s, changed = now(),"
                " answers = CASE %s WHEN 'waiting' THEN answers - %s::text[] WHEN 'queued' THEN answers ELSE '{}' END"
                " WHERE run_id = %s",
                (status, reason, status, list(run.answers), run.run_id),
            )
            self._unlock(key_of(f"claim {run.run_id}"))

    def answer(self, run_id: str, answers: dict[str, Any]) -> None:
        """Keep answers to the questions that a run waits for, and put it back into the queue.

        Raises:
            RunNotFoundError: the queue has no such run, or it does not wait.
        """
        with answering():
            row = self._session.execute(
                "UPDATE labwright_runs SET status = 'queued', answers = %s, changed = now()"
                " WHERE run_id = %s AND status IN ('waiting', 'stopped') RETURNING run_id",
                (json.dumps({name: sealed(run_id, each) for name, each in answers.items()}), run_id),
            ).fetchone()
        if row is None:
            raise RunNotFoundError(f"Run {run_id!r} does not wait in the queue. See `labwright queue list`.")

    def runs(self) -> list[QueuedRun]:
        """All of them, newest first."""
        with answering():
            rows = self._session.execute("SELECT * FROM labwright_runs ORDER BY created DESC, run_id DESC").fetchall()
        return [_queued(row) for row in rows]

    def close(self) -> None:
        """End the session; what it had claimed is free."""
        self._session.close()

    def _unlock(self, key: int) -> None:
        self._session.execute("SELECT pg_advisory_unlock(%s)", (key,))

    def __enter__(self) -> RunQueue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sealed(run_id: str, answer: Any) -> dict[str, Any]:
    """An answer as it lies in the database: whoever can write there has not the lab's key."""
    return {"answer": answer, "seal": seal(f"{run_id}/queue", json.dumps(answer, sort_keys=True).encode())}


def unsealed(run_id: str, kept: Any) -> Any:
    """The answer that `sealed` kept; None if it was not this lab that did."""
    if not isinstance(kept, dict) or set(kept) != {"answer", "seal"}:
        return None
    content = json.dumps(kept["answer"], sort_keys=True).encode()
    return kept["answer"] if holds(str(kept["seal"]), f"{run_id}/queue", content) else None


def _queued(row: dict[str, Any]) -> QueuedRun:
    return QueuedRun(
        row["run_id"],
        Path(row["root"]),
        row["system"],
        row["asked"],
        cast(Status, row["status"]),
        row["reason"],
        {name: unsealed(row["run_id"], each) for name, each in row["answers"].items()},
        row["attempts"],
        row["deaths"],
    )
