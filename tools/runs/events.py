"""The append-only log of a run: one JSON object a line, numbered without gaps, each sealed and chained to the last."""

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
from labwright.tools.runs.hashed_files import plain, utf8
from labwright.tools.runs.log_heads import Head
from labwright.tools.runs.seals import LENGTH, holds, seal

_TAIL = 8192  # bytes; longer last lines are found by reading further back
_OPENING, _CLOSING = b', "seal": "', b'"}'  # around the seal of the line before, a dot, and the line's own
_SEALED = len(_OPENING) + 2 * LENGTH + 1 + len(_CLOSING)  # bytes
FIRST = "0" * LENGTH  # what the first line is chained to


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log as it stands in the file.

    Attributes:
        number: from 1.
        event: what it says; None: it is no event.
        before: the seal of the line that it was written after; empty: it has no seal.
        seal: its own.
        sound: whether the seal is this lab's, for this log and these bytes.
    """

    number: int
    event: dict[str, Any] | None
    before: str = ""
    seal: str = ""
    sound: bool = False


@dataclass(frozen=True, slots=True)
class EventLog:
    """``events.jsonl``. Any number of readers; writers take a lock for each line.

    A line that a crash tore off is not an event: readers skip it and the next writer cuts it away.

    Attributes:
        bound: what the lines are sealed for, such as a run and this log. Without it they carry no seals, and a line
            that is no event is an error; with it such a line is read as an event of the kind ``damaged``.
    """

    path: Path
    bound: str = ""

    def append(self, event: dict[str, Any], *, sync: bool = False) -> int:
        """Write `event` with the next sequence number and the time, and return the number (from 1).

        `sync` waits for the disk; without it a power cut, but not a killed process, may lose the last lines.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a+b", opener=_private) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            last, damaged = _newest(_cut_torn_line(file), self._sound if self.bound else None)
            if damaged and not self.bound:
                raise _no_event(self.path, 0)
            number = int(last["seq"] if last else 0) + damaged + 1
            line = {"seq": number, "time": datetime.now(UTC).isoformat(timespec="milliseconds"), **event}
            if self.bound:
                self._append_sealed(file, line, str((last or {}).get("seal", "")))
            else:
                file.write(utf8(json.dumps(plain(line), ensure_ascii=False) + "\n"))
                file.flush()
            if sync:
                os.fsync(file.fileno())
        return number

    def _append_sealed(self, file: BinaryIO, line: dict[str, Any], last: str) -> None:
        with Head.of(self.bound).moving(line["seq"]) as lost:
            if lost:
                line["lost"] = lost  # it stays known that the end of the log was cut off
            before = last.rpartition(".")[2] if len(last) == 2 * LENGTH + 1 else FIRST
            text = utf8(json.dumps(plain(line), ensure_ascii=False)[:-1])
            own = seal(self.bound, before.encode() + text)
            file.write(text + f', "seal": "{before}.{own}"}}\n'.encode())
            file.flush()

    def read(self, after: int = 0, *, sound: bool = False) -> list[dict[str, Any]]:
        """Every whole event with a sequence number above `after`, in order.

        Args:
            after: sequence number.
            sound: leave out what this lab did not seal: nothing that another program wrote may act.

        Raises:
            CorruptRecordError: a line before the last is not JSON, and the log is not `bound`.
        """
        events: list[dict[str, Any]] = []
        number, when = 0, ""
        for line in self.lines(check=sound):
            event = line.event
            if event is None:
                if not self.bound:
                    raise _no_event(self.path, line.number)
                event = {"seq": number + 1, "time": when, "kind": "damaged", "line": line.number}
            number, when = event["seq"], str(event.get("time", ""))
            event.pop("seal", None)
            if number > after and (line.sound or not sound):
                events.append(event)
        return events

    def lines(self, *, check: bool = True) -> Iterator[Line]:
        """The whole lines as they stand; `check` looks whether their seals hold."""
        if not self.path.exists():
            return
        for number, content in enumerate(_whole_lines(self.path.read_bytes()), start=1):
            event, (_, before, own) = _parsed(content), _taken_apart(content)
            if not own or event is None:
                yield Line(number, event)
            else:
                yield Line(number, event, before.decode(), own.decode(), check and self._sound(content))

    def _sound(self, line: bytes) -> bool:
        """Whether `line` carries this lab's seal."""
        text, before, own = _taken_apart(line)
        return bool(own) and holds(own.decode(), self.bound, before + text)

    def newest(self, holding: str) -> dict[str, Any] | None:
        """The newest sealed event whose line holds the text `holding`, found without reading the others."""
        content = self.path.read_bytes() if self.path.exists() else b""
        end = content.rfind(b"\n") + 1
        while (found := content.rfind(holding.encode(), 0, end)) >= 0:
            end = content.rfind(b"\n", 0, found) + 1
            line = content[end : content.find(b"\n", found)]
            if self._sound(line):
                return _parsed(line)
        return None

    def last(self) -> dict[str, Any] | None:
        """The newest whole event; reads only the end of the file."""
        if not self.path.exists():
            return None
        with self.path.open("rb") as file:
            event, damaged = _newest(file)
        if damaged and not self.bound:
            raise _no_event(self.path, 0)
        if event is not None:
            event.pop("seal", None)
        return event

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


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _whole_lines(content: bytes) -> list[bytes]:
    return content.split(b"\n")[:-1]


def _taken_apart(line: bytes) -> tuple[bytes, bytes, bytes]:
    """The text of a sealed line, the seal of the line before, and its own; the last two are empty without a seal."""
    text, sealed = line[:-_SEALED], line[-_SEALED:]
    before, dot, own = sealed[len(_OPENING) : -len(_CLOSING)].partition(b".")
    whole = sealed.startswith(_OPENING) and sealed.endswith(_CLOSING) and dot and len(before) == len(own) == LENGTH
    return (text, before, own) if whole and sealed.isascii() else (line, b"", b"")


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The event in `line`; None if it holds none."""
    try:
        event = json.loads(line)
        event["seq"] = int(event["seq"])
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
    return event if isinstance(event, dict) else None


def _no_event(path: Path, number: int) -> CorruptRecordError:
    where = f"Line {number}" if number else "The last line"
    return CorruptRecordError(
        f"{where} of {path} is not an event. Delete that line; the log is for reading only,"
        f" so the run itself is not touched."
    )


def _newest(file: BinaryIO, sound: Callable[[bytes], bool] | None = None) -> tuple[dict[str, Any] | None, int]:
    """The newest whole event that is `sound`, and how many whole lines are behind it."""
    size, span = file.seek(0, os.SEEK_END), _TAIL
    while True:
        start = max(0, size - span)
        file.seek(start)
        lines = _whole_lines(file.read(size - start))
        whole = lines[1:] if start else lines  # the first begins before `start`
        for damaged, line in enumerate(reversed(whole)):
            if (event := _parsed(line)) is not None and (sound is None or sound(line)):
                return event, damaged
        if start == 0:
            return None, len(whole)
        span *= 4


def _cut_torn_line(file: BinaryIO) -> BinaryIO:
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
    return file
