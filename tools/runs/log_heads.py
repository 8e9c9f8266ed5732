"""How far a sealed log has come, kept in the state folder: without it nobody could tell that its end was cut off."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labwright.tools.runs.seals import private_folder, state_folder

FOLDER = "chains"  # in the state folder
_WIDTH = 12  # digits


@dataclass(frozen=True, slots=True)
class Head:
    """The number of the newest line of one log, as it was written; 0 where that is not known."""

    path: Path

    @classmethod
    def of(cls, bound: str) -> Head:
        """The head of the log that is sealed for `bound`."""
        return cls(state_folder() / FOLDER / bound.replace("/", "."))

    @property
    def number(self) -> int:
        """Of the newest line that was written."""
        try:
            return _number(self.path.read_bytes())
        except OSError:
            return 0

    def beyond(self, number: int) -> int:
        """How many lines were written after the line `number`."""
        return max(0, self.number - number)

    @contextlib.contextmanager
    def moving(self, number: int) -> Iterator[int]:
        """While the line `number` is written; gives how many lines are known that should stand before it and do not.

        In place and at once: another process reads the old number or the new one.
        """
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            private_folder(self.path.parent)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield max(0, _number(os.pread(descriptor, 2 * _WIDTH, 0)) - number + 1)
            os.pwrite(descriptor, f"{number:{_WIDTH}d}\n".encode(), 0)
        finally:
            os.close(descriptor)

    def forget(self) -> None:
        """The log begins anew."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


def _number(content: bytes) -> int:
    try:
        return int(content)
    except ValueError:
        return 0
