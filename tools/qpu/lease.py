"""One driver at a time: a lock for the life of the process, and a fencing token that grows at each taking."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from labwright.tools.errors import LeaseError

RECORD = 32  # bytes: "<token> <pid>\n", fixed so that one write in place replaces it


class Lease:
    """Exclusive right to drive the device in `folder`.

    The kernel frees the lock when the process dies. The token catches what the lock cannot: a lease file that was
    deleted or replaced while this process still believes that it holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lease"
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _, holder = _parse(os.pread(self._file, RECORD, 0))
            os.close(self._file)
            raise LeaseError(
                f"The device in {folder} is driven by process {holder}. Wait for it to finish, or end it."
            ) from None
        self.token = _parse(os.pread(self._file, RECORD, 0))[0] + 1
        os.pwrite(self._file, f"{self.token:015d} {os.getpid():015d}\n".encode(), 0)
        os.fsync(self._file)

    def verify(self) -> None:
        """Raise LeaseError unless the newest token is ours."""
        if self._file < 0:
            raise LeaseError("The device is closed. Open it again.")
        try:
            newest, holder = _parse(self._path.read_bytes())
        except FileNotFoundError:
            raise LeaseError(f"The lease {self._path} has been deleted. Open the device again.") from None
        if newest != self.token:
            raise LeaseError(f"Process {holder} has taken over the device (lease {newest}, ours was {self.token}).")

    def release(self) -> None:
        """Give the device back; calling it twice is harmless."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _parse(record: bytes) -> tuple[int, int]:
    fields = record.split()
    whole = len(fields) == 2 and all(field.isdigit() for field in fields)
    return (int(fields[0]), int(fields[1])) if whole else (0, 0)
