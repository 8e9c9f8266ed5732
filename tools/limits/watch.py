"""Who drives a device, in a file that outlives its process: what begins after a crash finds it there."""

from __future__ import annotations

from pathlib import Path

from labwright.tools.durable import write_atomic
from labwright.tools.lease import Lease, holder_of


class Watch:
    """The mark of one device: there while somebody drives it, and left behind by who died."""

    def __init__(self, mark: Path, run: str) -> None:
        self._mark, self._run, self.driving = mark, run, False
        self._lease = Lease(mark.with_suffix(".lease"), "The device")

    def left_behind(self) -> str:
        """The run whose process died while it drove the device; empty if none did."""
        if not self._mark.exists() or holder_of(self._mark.with_suffix(".lease")) is not None:
            return ""
        return f"Run {Path(self._mark.read_text(encoding='utf-8')).name}"

    def begin(self) -> None:
        """Mark the device as driven.

        Raises:
            LeaseError: another living process drives it.
        """
        if not self.driving:
            self._lease.acquire()
            write_atomic(self._mark, self._run.encode())
            self.driving = True

    def end(self) -> None:
        """Forget the mark: the device is at rest, and others may drive it."""
        self._mark.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Let others drive the device; a mark that was not taken away tells them what happened."""
        self._lease.release()
        self.driving = False
