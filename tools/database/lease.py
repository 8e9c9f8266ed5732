"""The right to drive a run or a device, held in the database: it dies with the holder's session."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from labwright.tools.database.connecting import answering, connect, key_of, locked, one_at_a_time
from labwright.tools.errors import LeaseError, UnreachableError

if TYPE_CHECKING:
    from types import TracebackType

    from psycopg import Connection

TABLE = """
CREATE TABLE IF NOT EXISTS labwright_leases (
    name text PRIMARY KEY, token bigint NOT NULL, holder text NOT NULL, since timestamptz NOT NULL DEFAULT now()
)
"""
SIGN = """
INSERT INTO labwright_leases (name, token, holder) VALUES (%s, 1, %s)
ON CONFLICT (name) DO UPDATE SET token = labwright_leases.token + 1, holder = EXCLUDED.holder, since = now()
RETURNING token
"""


class DatabaseLease:
    """The exclusive right to `name` among all who use one database; use it in a ``with`` block.

    The server drops the lock when the holder's session ends, so that a killed worker never blocks its successor. A
    holder that lost its session without dying finds out at its next `verify`.

    Attributes:
        token: fencing token, one higher for every holder.
    """

    def __init__(self, url: str, name: str, what: str, patience: float = 2.0) -> None:
        self.name, self.what, self.token, self._patience = name, what, 0, patience
        self._url = url
        self._session: Connection[dict[str, Any]] | None = None
        self._lock = threading.Lock()  # nodes that run side by side share the session

    def acquire(self) -> DatabaseLease:
        """Take the lease.

        Raises:
            LeaseError: another session has it, and kept it for `patience` seconds.
            UnreachableError: the database does not answer.
        """
        session = connect(self._url)
        try:
            with answering():
                with one_at_a_time(session):
                    session.execute(TABLE)
                self._get(session)
                row = session.execute(SIGN, (self.name, f"process {os.getpid()} on {socket.gethostname()}")).fetchone()
        except BaseException:
            session.close()
            raise
        assert row is not None
        self.token, self._session = int(row["token"]), session
        return self

    def verify(self) -> None:
        """Make sure that this is still the newest holder.

        Raises:
            LeaseError: the lease was given back, its session is gone, or it was taken over.
        """
        with self._lock:
            if self._session is None:
                raise LeaseError(f"{self.what} is closed. Open it again.")
            try:
                with answering():
                    row = self._session.execute(
                        "SELECT token, holder FROM labwright_leases WHERE name = %s", (self.name,)
                    ).fetchone()
            except UnreachableError as lost:
                raise LeaseError(f"The lease of {self.what} is lost with the session that held it. {lost}") from lost
        if row is None or int(row["token"]) != self.token:
            holder = row["holder"] if row else "somebody who deleted the lease"
            raise LeaseError(f"{self.what} was taken over by {holder}.")

    def release(self) -> None:
        """Give the lease back; harmless if it is not held."""
        with self._lock:
            if self._session is not None:
                self._session.close()
                self._session = None

    def _get(self, session: Connection[dict[str, Any]]) -> None:
        # The session of a holder that was killed a moment ago may still be ending.
        until = time.monotonic() + self._patience
        while not locked(session, key_of(self.name)):
            if time.monotonic() > until:
                raise self._taken(session)
            time.sleep(0.05)

    def _taken(self, session: Connection[dict[str, Any]]) -> LeaseError:
        row = session.execute("SELECT holder, since FROM labwright_leases WHERE name = %s", (self.name,)).fetchone()
        who = f"{row['holder']} since {row['since']:%Y-%m-%d %H:%M:%S%z}" if row else "somebody who began just now"
        return LeaseError(f"{self.what} is driven by {who}. Wait until it ends, pause it, or end that process.")

    def __enter__(self) -> DatabaseLease:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
