"""What the pages of one server share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from labwright.apps.console.run_watcher import Live

if TYPE_CHECKING:
    from labwright.apps.console.conversation_store import Talks


@dataclass
class Console:
    """One server.

    Attributes:
        root: folder of the runs, absolute.
        talks: the conversations that are open.
        live: the watchers of runs.
    """

    root: Path
    talks: Talks
    live: Live = field(default_factory=Live)

    async def close(self) -> None:
        """Pause what runs and end the conversations."""
        await asyncio.to_thread(self.talks.close)
