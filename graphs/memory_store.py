"""The LangGraph store that outlives runs: a file of this machine, or, where workers share a database, a table there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from langgraph.store.base import BaseStore

from labwright.agents.settings import Settings
from labwright.tools.database.connecting import answering, connect, one_at_a_time
from labwright.tools.errors import InputError

FILE = "memory.sqlite"


@contextmanager
def open_memory(folder: Path) -> Iterator[BaseStore]:
    """The store in `folder`, or the one in the shared database; made if it is not there.

    Raises:
        InputError: the database's packages are not installed.
        UnreachableError: the database does not answer.
    """
    shared = Settings().shared_database
    with _in_postgres(shared) if shared else _in_file(folder) as store:
        yield store


@contextmanager
def _in_file(folder: Path) -> Iterator[BaseStore]:
    from langgraph.store.sqlite import SqliteStore

    folder.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(folder / FILE, check_same_thread=False, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        # Without its vector index: that needs SQLite's loadable extensions, which not every Python has.
        store = SqliteStore(connection)
        store.setup()
        yield store
    finally:
        connection.close()


@contextmanager
def _in_postgres(url: str) -> Iterator[BaseStore]:
    try:
        from langgraph.store.postgres import PostgresStore
    except ImportError as missing:
        raise InputError("Memory in a shared database needs a package: pip install 'labwright[postgres]'.") from missing
    with answering(), connect(url) as session:
        store = PostgresStore(session)
        with one_at_a_time(session):
            store.setup()
        yield store
