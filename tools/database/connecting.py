"""Connections to the shared database, and the one place that knows its driver's errors."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from labwright.tools.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from psycopg import Connection

MISSING = "A shared database needs the package psycopg: pip install 'labwright[postgres]'"
PATIENCE = 5  # s to wait for a connection
SETUP = "labwright set-up"
# A host that vanishes without a word must lose its session, and with it its leases, within about half a minute.
KEEPALIVE: dict[str, Any] = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}


def connect(url: str) -> Connection[dict[str, Any]]:
    """A session that commits every statement.

    Args:
        url: such as ``postgresql://user:password@host/labwright``.

    Raises:
        InputError: the driver is not installed.
        UnreachableError: nothing answers there, or it refuses the connection.
    """
    try:
        import psycopg
        from psycopg.rows import dict_row
    except ImportError as missing:
        raise InputError(MISSING) from missing
    try:
        return psycopg.connect(
            url, autocommit=True, prepare_threshold=0, row_factory=dict_row, connect_timeout=PATIENCE, **KEEPALIVE
        )
    except psycopg.Error as error:
        raise _unreachable(error) from error


@contextmanager
def answering() -> Iterator[None]:
    """Turn what the driver raises in the block into an `UnreachableError`."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise _unreachable(error) from error


def key_of(name: str) -> int:
    """A lock's number, 62 bits of a hash of `name`: two names in a million runs meet with a chance of 1e-7."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 2


@contextmanager
def one_at_a_time(connection: Connection[dict[str, Any]]) -> Iterator[None]:
    """Only one session of all is in this block: tables must not be made by two at once.

    It asks again and again instead of waiting in the server: a waiting session holds a snapshot, and the index that
    the other session builds would wait for that one for ever.
    """
    key = key_of(SETUP)
    while not locked(connection, key):
        time.sleep(0.05)
    try:
        yield
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (key,))


def locked(connection: Connection[dict[str, Any]], key: int) -> bool:
    """Whether this session got the lock `key`; the server drops it when the session ends."""
    row = connection.execute("SELECT pg_try_advisory_lock(%s) AS got", (key,)).fetchone()
    return bool(row and row["got"])


def _unreachable(error: Exception) -> UnreachableError:
    cause = " ".join(str(error).split())  # the driver's messages name host and user, never the password
    return UnreachableError(
        f"The shared database does not do its work: {cause}. Look at LABWRIGHT_DATABASE_URL and at the server;"
        " runs are kept and go on when it is back."
    )
