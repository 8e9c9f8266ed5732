"""What an agent has looked at while it worked: what its answer may be held to."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Looks:
    """Looks that succeeded, in one piece of work.

    Attributes:
        count: of all kinds: files read, searches with a result, commands, figures.
        read: paths of the files that were read.
        ran: commands that ended with exit code 0.
    """

    count: int = 0
    read: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether anything was looked at."""
        return self.count > 0
