"""Checkpoints in PostgreSQL; needs the extra ``postgres``."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver

from labwright.tools.runs.crash import crash_point


class Saver(PostgresSaver):
    """The PostgreSQL saver with named places to be killed at."""

    def put(self, *args: Any, **kwargs: Any) -> Any:
        """Store one checkpoint."""
        stored = super().put(*args, **kwargs)
        crash_point("after_checkpoint")
        return stored

    def put_writes(self, *args: Any, **kwargs: Any) -> None:
        """Store what the nodes of one step wrote."""
        super().put_writes(*args, **kwargs)
        crash_point("after_writes")
