"""One driver at a time: a file lock that dies with its process, and says who holds it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from labwright.tools.errors import LeaseError


class Lease:
    """The exclusive right to drive a run or a device; use it in a ``with`` block.

    The kernel drops the lock when the process dies, so a killed driver never blocks its successor.

    Attributes:
        token: fencing token, one higher for every holder: a driver compares it to refuse a holder that was replaced.
    """

    def __init__(self, path: Path, what: str) -> None:
        self.path, self.what, self.token = path, what, 0
        self._descriptor: int | None = None

    def acquire(self) -> Lease:
        """Take the lease.

        Raises:
            LeaseError: another driver has it; the message names its process.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        if not _locked(descriptor):
            os.close(descriptor)
            raise self._taken()
        self._descriptor = descriptor
        self.token = int(_read(self.path).get("token", 0)) + 1
        try:
            self._sign()
        except OSError:  # no room to sign: the lock must not outlive the attempt
            self.release()
            raise
        return self

    def verify(self) -> None:
        """Make sure that this is still the newest holder: the lock cannot tell if its file was deleted or replaced.

        Raises:
            LeaseError: the lease was given back, deleted, or taken over.
        """
        if self._descriptor is None:
            raise LeaseError(f"{self.what} is closed. Open it again.")
        if not self.path.exists():
            raise LeaseError(f"The lease {self.path} has been deleted. Open it again.")
        newest = _read(self.path)
        # A deleted lease starts counting anew, so that two holders can have one token: the file tells them apart.
        ours, theirs = os.fstat(self._descriptor), self.path.stat()
        if newest.get("token") != self.token or (ours.st_dev, ours.st_ino) != (theirs.st_dev, theirs.st_ino):
            raise LeaseError(
                f"{self.what} was taken over by process {newest.get('pid', 'unknown')}"
                f" (lease {newest.get('token')}, ours was {self.token})."
            )

    def release(self) -> None:
        """Give the lease back; harmless if it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _sign(self) -> None:
        assert self._descriptor is not None
        holder = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
            "token": self.token,
        }
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(holder).encode(), 0)

    def _taken(self) -> LeaseError:
        holder = _read(self.path)
        return LeaseError(
            f"{self.what} is driven by process {holder.get('pid', 'unknown')} on {holder.get('host', 'this machine')}"
            f" since {holder.get('since', 'a moment ago')}. Wait until it ends, pause it, or end that process."
        )

    def __enter__(self) -> Lease:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _locked(descriptor: int, tries: int = 5) -> bool:
    """Whether the exclusive lock was got. Tried again for 0.1 s, because `holder_of` takes it for an instant."""
    for _ in range(tries):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return True
    return False


def holder_of(path: Path) -> int | None:
    """The process that holds the lease at `path`, or None if it is free."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        # A shared lock fails exactly while a driver holds the exclusive one; two lookers do not disturb each other.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return int(_read(path).get("pid", 0))
    finally:
        os.close(descriptor)
    return None


def _read(path: Path) -> dict[str, Any]:
    """Who signed the lease; empty while it is being signed. Only for display and the token."""
    try:
        signed = json.loads(path.read_bytes() or b"{}")
    except ValueError:
        return {}
    return signed if isinstance(signed, dict) else {}
