"""The PostgreSQL of the benchmark and of the tests: a given one, or a real server of our own."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def database() -> Iterator[str]:
    """The address of ``LABWRIGHT_DATABASE_URL``, or a server of our own that goes with the block."""
    given = os.environ.pop("LABWRIGHT_DATABASE_URL", "")
    if given:
        yield given
        return
    with server() as address:
        yield address


@contextmanager
def server() -> Iterator[str]:
    """The address of a PostgreSQL that lives as long as the block; it listens on a socket in a folder only."""
    with tempfile.TemporaryDirectory(prefix="lw-pg-", dir="/tmp") as folder:  # a socket's path must be short
        Path(folder).chmod(0o755)  # the server runs as a user of its own where this runs as root
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the package, about where it keeps its own lock file
                import pgserver
        except ImportError as missing:
            raise SystemExit("Set LABWRIGHT_DATABASE_URL, or: pip install 'labwright[test]'.") from missing
        started = pgserver.get_server(  # type: ignore[attr-defined]
            Path(folder) / "data", cleanup_mode="stop"
        )
        try:
            yield str(started.get_uri())
        finally:
            started.cleanup()
