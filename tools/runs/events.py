"""The append-only log of a run: one JSON object a line, numbered without gaps."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs.files import plain

_TAIL = 8192  # bytes; longer last lines are found by reading further back


@dataclass(frozen=True, slots=True)
class EventLog:
    """``events.jsonl``. Any number of readers; writers take a lock for each line.

    A line that a crash tore off is not an event: readers skip it and the next writer cuts it away.
    """

    path: Path

    def append(self, event: dict[str, Any], *, sync: bool = False) -> int:
        """Write `event` with the next sequence number and the time, and return the number (from 1).

        `sync` waits for the disk; without it a power cut, but not a killed process, may lose the last lines.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            number = _last_number(_cut_torn_line(file)) + 1
            line = {"seq": number, "time": datetime.now(UTC).isoformat(timespec="milliseconds"), **event}
            file.write((json.dumps(plain(line), ensure_ascii=False) + "\n").encode())
            file.flush()
            if sync:
                os.fsync(file.fileno())
        return number

    def read(self, after: int = 0) -> list[dict[str, Any]]:
        """Every whole event with a sequence number above `after`, in order.

        Raises:
            CorruptRecordError: a line before the last is not JSON.
        """
        if not self.path.exists():
            return []
        events = []
        for number, line in enumerate(_whole_lines(self.path.read_bytes()), start=1):
            event = _parse(line, self.path, number)
            if event["seq"] > after:
                events.append(event)
        return events

    def last(self) -> dict[str, Any] | None:
        """The newest whole event; reads only the end of the file."""
        if not self.path.exists():
            return None
        with self.path.open("rb") as file:
            line = _last_line(file)
        return _parse(line, self.path, 0) if line else None

    def follow(self, done: Callable[[], bool], *, after: int = 0, poll: float = 0.2) -> Iterator[dict[str, Any]]:
        """Yield events as they are written, until `done` is true and nothing new is left. `poll` is in seconds."""
        while True:
            finished = done()  # asked before reading, so that what was written last is still yielded
            for event in self.read(after):
                after = event["seq"]
                yield event
            if finished:
                return
            time.sleep(poll)


def _whole_lines(content: bytes) -> list[bytes]:
    return content.split(b"\n")[:-1]


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        event = json.loads(line)
        event["seq"] = int(event["seq"])
    except (ValueError, TypeError, KeyError) as error:
        where = f"Line {number}" if number else "The last line"
        raise CorruptRecordError(
            f"{where} of {path} is not an event ({error}). Delete that line; the log is for reading only,"
            f" so the run itself is not touched."
        ) from error
    assert isinstance(event, dict)
    return event


def _last_line(file: BinaryIO) -> bytes:
    """The newest whole line without its line end; empty if there is none."""
    size, span = file.seek(0, os.SEEK_END), _TAIL
    while True:
        start = max(0, size - span)
        file.seek(start)
        pieces = file.read(size - start).split(b"\n")
        # pieces[-1] is what follows the last line end; the piece before it is whole if another line end precedes it.
        if len(pieces) > 2 or (start == 0 and len(pieces) == 2):
            return pieces[-2]
        if start == 0:
            return b""
        span *= 4


def _cut_torn_line(file: BinaryIO) -> BinaryIO:
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
    return file


def _last_number(file: BinaryIO) -> int:
    line = _last_line(file)
    return int(_parse(line, Path(file.name), 0)["seq"]) if line else 0
