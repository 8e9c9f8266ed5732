"""Which process it is: its number comes again, its number with its start time and the machine's boot does not."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

DEAD = ("Z", "X", "x")


@dataclass(frozen=True, slots=True)
class Identity:
    """One process of one boot of one machine.

    Attributes:
        pid: process id.
        start: clock ticks from the boot to its start; -1 where the system does not tell.
        boot: id of the boot; empty where the system does not tell.
    """

    pid: int
    start: int
    boot: str

    @property
    def alive(self) -> bool:
        """Whether this very process runs; a dead one that nobody has reaped does not."""
        return self == of_process(self.pid)

    def to_text(self) -> str:
        """One word."""
        return f"{self.pid}:{self.start}:{self.boot}"

    @classmethod
    def from_text(cls, text: str) -> Identity:
        """What `to_text` gave; for any other text a process that is not alive."""
        pid, _, rest = text.partition(":")
        start, _, boot = rest.partition(":")
        try:
            return cls(int(pid), int(start), boot)
        except ValueError:
            return cls(0, 0, "")


def of_process(pid: int) -> Identity | None:
    """The process that has this number now; None if nobody has it or it is dead."""
    try:
        # The command's name stands in brackets and may hold anything, brackets too.
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if words[0] in DEAD else Identity(pid, int(words[19]), _boot())


def own() -> Identity:
    """This process."""
    return of_process(os.getpid()) or Identity(os.getpid(), -1, "")


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
