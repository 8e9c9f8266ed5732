"""A real PostgreSQL on this machine, started and stopped by the tests; a database of its own for each."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from labwright.evaluation.benchmarks.postgres_server import server as server


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
