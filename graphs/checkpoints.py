"""Checkpoints in SQLite, one file a run: the run's folder can be moved, archived and judged by itself.

Where several workers share runs (``LABWRIGHT_DATABASE_URL``), they lie in PostgreSQL instead, a thread a run.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import ormsgpack
from langgraph.checkpoint.base import BaseCheckpointSaver, id
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from labwright.agents.settings import Settings
from labwright.graphs.kill_points import Crashing
from labwright.tools.database.connecting import answering, connect, one_at_a_time
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.runs.seals import LENGTH, holds, seal

FILE = "checkpoints.sqlite"
DURABILITY: Literal["sync"] = (
    "sync"  # `async` replays a finished node after a kill, `exit` leaves nothing to resume from
)


PACKED, SEALED = "+zlib", "+seal"
KINDS = ("null", "bytes", "msgpack")  # that a run stores; LangGraph's "json" would build objects by their names
# Beside plain values: what LangGraph itself puts into a checkpoint, and the messages of a conversation.
TYPES = frozenset(
    {
        ("langgraph.types", "Interrupt"),
        ("langgraph.types", "Send"),
        ("langchain_core.messages.human", "HumanMessage"),
        ("langchain_core.messages.ai", "AIMessage"),
    }
)
LARGEST = 256 * 2**20  # bytes of one unpacked checkpoint; the largest of a chip of sixteen qubits has 3 MB
_DEEPEST = 4  # types within types
_EPOCH = 0x01B21DD213814000  # 100 ns from the epoch of UUIDs, in 1582, to that of Unix
_YEAR = 366 * 24 * 3600 * 10**7  # 100 ns


class Packed(JsonPlusSerializer):
    """Pack what is stored, and build nothing from it but plain values and `TYPES`.

    Every checkpoint repeats the words of all stages, and shrinks to a fifth. A checkpoint can come from somebody else:
    LangGraph's own reading would import and call whatever function it names.
    """

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)
        built = self._unpack_ext_hook

        self._refused = ""  # why; msgpack's reader raises an error of its own over the hook's

        def hook(code: int, content: bytes) -> Any:
            try:
                _demand_known(content)
            except ValueError as error:
                self._refused = self._refused or str(error)
                raise
            return built(code, content)

        self._unpack_ext_hook = hook

    def with_msgpack_allowlist(self, extra_allowlist: Any) -> Packed:
        """This serializer: LangGraph would widen it by every type that a state is annotated with."""
        return self

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, content = super().dumps_typed(obj)
        return (f"{kind}{PACKED}", zlib.compress(content, 1)) if len(content) > 256 else (kind, content)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The stored value.

        Raises:
            sqlite3.DatabaseError: it is damaged, too large, or holds anything but plain values and `TYPES`.
        """
        kind, content = data
        if kind.removesuffix(PACKED) not in KINDS:
            raise sqlite3.DatabaseError(f"a checkpoint is stored as {kind!r}, which no run writes")
        self._refused = ""
        try:
            if kind.endswith(PACKED):
                packed = zlib.decompressobj()
                content = packed.decompress(content, LARGEST)
                if not packed.eof:
                    raise zlib.error("it is cut off, or too large")
            return super().loads_typed((kind.removesuffix(PACKED), content))
        except (zlib.error, ValueError) as error:  # the database is whole, but what lies in it is not
            raise sqlite3.DatabaseError(f"a checkpoint does not unpack: {self._refused or error}") from error


class Sealed(Packed):
    """`Packed` under the lab's seal, for one thread: nothing that another program stored is read."""

    def __init__(self, thread: str) -> None:
        super().__init__()
        self._bound = f"{thread}/checkpoints"

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, content = super().dumps_typed(obj)
        return f"{kind}{SEALED}", seal(self._bound, kind.encode() + content).encode() + content

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The stored value.

        Raises:
            sqlite3.DatabaseError: it does not carry the lab's seal for this thread, or does not unpack.
        """
        kind, content = data[0].removesuffix(SEALED), data[1]
        found, content = content[:LENGTH].decode("ascii", "replace"), content[LENGTH:]
        if not data[0].endswith(SEALED) or not holds(found, self._bound, kind.encode() + content):
            raise sqlite3.DatabaseError("a checkpoint was not stored by this lab for this run, or was changed")
        return super().loads_typed((kind, content))


def _demand_known(content: bytes, depth: int = 1) -> None:
    """Refuse a stored object of another type than `TYPES`, and one within its arguments.

    Raises:
        ValueError: it is of another type, or too deep.
    """
    if depth > _DEEPEST:
        raise ValueError(f"it nests types more than {_DEEPEST} deep")

    within: list[bytes] = []

    def keep(_code: int, nested: bytes) -> None:
        within.append(nested)

    parts = ormsgpack.unpackb(content, ext_hook=keep, option=ormsgpack.OPT_NON_STR_KEYS)
    for nested in within:
        _demand_known(nested, depth + 1)
    named = tuple(parts[:2]) if isinstance(parts, list) else ()
    if named not in TYPES:
        raise ValueError(f"it holds {'.'.join(map(str, named)) or 'an object without a type'}, which no run stores")


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
    serde = Sealed(run_dir.name)
    with _in_postgres(shared, serde) if shared else _in_file(run_dir / FILE, serde) as saver:
        yield saver


@contextmanager
def _in_file(path: Path, serde: Packed) -> Iterator[BaseCheckpointSaver[Any]]:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        yield _opened(connection, path, serde)
    finally:
        connection.close()


@contextmanager
def _in_postgres(url: str, serde: Packed) -> Iterator[BaseCheckpointSaver[Any]]:
    try:
        from labwright.graphs.checkpoints_postgres import Saver
    except ImportError as missing:
        raise InputError(
            "Checkpoints in a shared database need a package: pip install 'labwright[postgres]'."
        ) from missing
    with answering(), connect(url) as session:
        saver = Saver(session, serde=serde)
        with one_at_a_time(session):
            saver.setup()
        yield saver


def checkpoint_damage(run_dir: Path) -> str:
    """What of the run's own checkpoint file is not as this lab stored it, in a sentence; empty if nothing is."""
    path, serde, wrong = run_dir / FILE, Sealed(run_dir.name), 0
    if not path.exists():
        return ""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = connection.execute(
            "SELECT type, checkpoint FROM checkpoints UNION ALL SELECT type, value FROM writes"
        ).fetchall()
    except sqlite3.DatabaseError as error:
        return f"{FILE}: it does not read ({error})"
    finally:
        connection.close()
    for row in rows:
        try:
            serde.loads_typed(row)
        except sqlite3.DatabaseError:
            wrong += 1
    return f"{FILE}: {wrong} of {len(rows)} entries were not stored by this lab for this run" if wrong else ""


def number_after(saver: BaseCheckpointSaver[Any], thread: str) -> None:
    """Have this process number its checkpoints after those that the thread has.

    The newest checkpoint is the one with the largest id, and LangGraph makes ids from the time. After a clock was set
    back, or on a worker whose clock is behind, new checkpoints would count as older ones, and the run would begin again
    from the same place.

    Raises:
        CorruptRecordError: a checkpoint claims to be from a later year.
    """
    newest = next(iter(saver.list({"configurable": {"thread_id": thread}}, limit=1)), None)
    if newest is None:
        return
    number = uuid.UUID(newest.checkpoint["id"]).int
    stamp = (number >> 80 << 12) | (number >> 64 & 0x0FFF)  # 100 ns since 1582, in a UUID of version 6
    if stamp > time.time_ns() // 100 + _EPOCH + _YEAR:
        raise CorruptRecordError(
            f"Run {thread} has a checkpoint from more than a year ahead. Set this machine's clock, or replay the run"
            f" from its journal: `labwright runs resume {thread} --rebuild`."
        )
    # the counter that makes ids rise within a process
    id._last_v6_timestamp = max(id._last_v6_timestamp or 0, stamp)  # type: ignore[assignment]


def _opened(connection: sqlite3.Connection, path: Path, serde: Packed) -> SqliteSaver:
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        # WAL with NORMAL loses no committed checkpoint when the process dies, and saves most of the syncs.
        connection.execute("PRAGMA synchronous=NORMAL")
        damage = connection.execute("PRAGMA quick_check").fetchone()[0]
        saver = _Saver(connection, serde=serde)
        saver.setup()
    except sqlite3.DatabaseError as error:
        raise problem_of(error, path) from error
    if damage != "ok":
        raise corrupt(path)
    return saver


def problem_of(error: sqlite3.DatabaseError, path: Path) -> Exception:
    """What to raise for `error`: a disk that is full or fails is not a corrupt file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says in which call
    if code == sqlite3.SQLITE_FULL:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    if code == sqlite3.SQLITE_IOERR:  # of a failed write to a full disk, too: SQLite does not say which
        either = f"{os.strerror(errno.EIO)}, or {os.strerror(errno.ENOSPC)}: SQLite does not say which"
        return OSError(errno.EIO, either, str(path))
    if code == sqlite3.SQLITE_CANTOPEN:  # SQLite does not say why
        return OSError(errno.EIO, "It cannot be opened: the disk is full or fails, or the folder is closed", str(path))
    return corrupt(path, str(error))


def corrupt(path: Path, why: str = "") -> CorruptRecordError:
    """What to say about a checkpoint file that does not read back."""
    run_id = path.parent.name
    return CorruptRecordError(
        f"Checkpoint file {path} does not read back{f' ({why})' if why else ''}."
        " Every finished measurement is safe in the run's journal:"
        f" `labwright runs resume {run_id} --rebuild` sets the file aside and replays them without the device."
    )


def set_aside(run_dir: Path) -> None:
    """Put the run's checkpoints out of the way, so that the run is replayed from its journal."""
    shared = Settings().shared_database
    if shared:
        with _in_postgres(shared, Packed()) as saver:
            saver.delete_thread(run_dir.name)
    for path in sorted(run_dir.glob(f"{FILE}*")):
        if ".aside" not in path.name:
            path.replace(path.with_name(f"{path.name}.aside"))
