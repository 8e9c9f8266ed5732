"""A real PostgreSQL on this machine, started and stopped by the tests; a database of its own for each."""

from __future__ import annotations

import secrets
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


@contextmanager
def server() -> Iterator[str]:
    """The address of a server that lives as long as the block; it listens on a socket in a folder only."""
    with tempfile.TemporaryDirectory(prefix="lw-pg-", dir="/tmp") as folder:  # a socket's path must be short
        Path(folder).chmod(0o755)  # the server runs as a user of its own where the tests run as root
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package, about where it keeps its own lock file
            import pgserver
        started = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield started.get_uri()
        finally:
            started.cleanup()


@contextmanager
def database(address: str) -> Iterator[str]:
    """The address of a new, empty database on that server."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(address, autocommit=True) as session:
        session.execute(f"CREATE DATABASE {name}")
    try:
        yield address.replace("/postgres?", f"/{name}?")
    finally:
        with psycopg.connect(address, autocommit=True) as session:
            session.execute(f"DROP DATABASE {name} WITH (FORCE)")
