"""Checkpoints in SQLite, one file a run: the run's folder can be moved, archived and judged by itself.

Where several workers share runs (``LABWRIGHT_DATABASE_URL``), they lie in PostgreSQL instead, a thread a run.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from labwright.agents.settings import Settings
from labwright.graphs.crashing import Crashing
from labwright.tools.database.connecting import answering, connect, one_at_a_time
from labwright.tools.errors import CorruptRecordError, InputError

FILE = "checkpoints.sqlite"
DURABILITY: Literal["sync"] = (
    "sync"  # `async` replays a finished node after a kill, `exit` leaves nothing to resume from
)


PACKED = "+zlib"


class Packed(JsonPlusSerializer):
    """Packs what is stored: every checkpoint repeats the words of all stages, and shrinks to a fifth."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, content = super().dumps_typed(obj)
        return (f"{kind}{PACKED}", zlib.compress(content, 1)) if len(content) > 256 else (kind, content)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, content = data
        if not kind.endswith(PACKED):
            return super().loads_typed(data)
        try:
            return super().loads_typed((kind.removesuffix(PACKED), zlib.decompress(content)))
        except zlib.error as error:  # the database is whole, but what lies in it is not
            raise sqlite3.DatabaseError(f"a checkpoint does not unpack: {error}") from error


class _Saver(Crashing, SqliteSaver):
    """LangGraph's own saver."""


@contextmanager
def checkpoints(run_dir: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    """The run's saver.

    Raises:
        CorruptRecordError: the file is no readable database.
        OSError: the disk is full.
        UnreachableError: the shared database does not answer.
    """
    shared = Settings().shared_database
    with _in_postgres(shared) if shared else _in_file(run_dir / FILE) as saver:
        yield saver


@contextmanager
def _in_file(path: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        yield _opened(connection, path)
    finally:
        connection.close()


@contextmanager
def _in_postgres(url: str) -> Iterator[BaseCheckpointSaver[Any]]:
    try:
        from labwright.graphs.checkpoints_postgres import Saver
    except ImportError as missing:
        raise InputError(
            "Checkpoints in a shared database need a package: pip install 'labwright[postgres]'."
        ) from missing
    with answering(), connect(url) as session:
        saver = Saver(session, serde=Packed())
        with one_at_a_time(session):
            saver.setup()
        yield saver


def _opened(connection: sqlite3.Connection, path: Path) -> SqliteSaver:
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        # WAL with NORMAL loses no committed checkpoint when the process dies, and saves most of the syncs.
        connection.execute("PRAGMA synchronous=NORMAL")
        damage = connection.execute("PRAGMA quick_check").fetchone()[0]
        saver = _Saver(connection, serde=Packed())
        saver.setup()
    except sqlite3.DatabaseError as error:
        raise problem_of(error, path) from error
    if damage != "ok":
        raise corrupt(path)
    return saver


def problem_of(error: sqlite3.DatabaseError, path: Path) -> Exception:
    """What to raise for `error`: a full disk is not a corrupt file."""
    if "full" in str(error) or "disk I/O" in str(error):
        return OSError(28, "No space left on device", str(path))
    return corrupt(path)


def corrupt(path: Path) -> CorruptRecordError:
    """What to say about a checkpoint file that does not read back."""
    run_id = path.parent.name
    return CorruptRecordError(
        f"Checkpoint file {path} does not read back. Every finished measurement is safe in the run's journal:"
        f" `labwright runs resume {run_id} --rebuild` sets the file aside and replays them without the device."
    )


def set_aside(run_dir: Path) -> None:
    """Put the run's checkpoints out of the way, so that the run is replayed from its journal."""
    shared = Settings().shared_database
    if shared:
        with _in_postgres(shared) as saver:
            saver.delete_thread(run_dir.name)
    for path in sorted(run_dir.glob(f"{FILE}*")):
        if ".aside" not in path.name:
            path.replace(path.with_name(f"{path.name}.aside"))
