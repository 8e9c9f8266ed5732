"""An append-only journal that survives a kill at any instruction."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from labwright.tools.atomic_files import sync_folder
from labwright.tools.errors import CorruptRecordError


class Journal:
    """Append-only JSON lines. A line is either wholly there, newline included, or it never happened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []
        self._length = 0
        if path.exists():
            self._read()

    def append(self, entry: dict[str, Any]) -> None:
        """Write one line and wait for the disk. If the write fails, nothing of it stays."""
        line = (json.dumps(entry) + "\n").encode()
        new = not self.path.exists()
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            _write_at(file, line, self._length)
        finally:
            os.close(file)
        if new:
            sync_folder(self.path.parent)
        self._length += len(line)
        self.entries.append(entry)

    def _read(self) -> None:
        content = self.path.read_bytes()
        self._length = content.rfind(b"\n") + 1
        for number, line in enumerate(content[: self._length].splitlines(), start=1):
            try:
                self.entries.append(json.loads(line))
            except ValueError as error:
                raise CorruptRecordError(
                    f"Line {number} of {self.path} is not JSON. Restore the file from a copy, or start a new folder."
                ) from error
        if self._length < len(content):  # torn by a kill in the middle of a write
            os.truncate(self.path, self._length)


def _write_at(file: int, line: bytes, position: int) -> None:
    try:
        done = 0
        while done < len(line):
            done += os.pwrite(file, line[done:], position + done)
        os.fsync(file)
    except BaseException:
        os.ftruncate(file, position)
        raise
