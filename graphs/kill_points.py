"""Named places to be killed at, for any kind of checkpoint store."""

from __future__ import annotations

from typing import Any

from labwright.tools.runs.kill_points import crash_point


class Crashing:
    """Mixed in before a saver: a test can have the process killed after what the saver has stored."""

    def put(self, *args: Any, **kwargs: Any) -> Any:
        """Store one checkpoint."""
        stored = super().put(*args, **kwargs)  # type: ignore[misc]
        crash_point("after_checkpoint")
        return stored

    def put_writes(self, *args: Any, **kwargs: Any) -> None:
        """Store what the nodes of one step wrote."""
        super().put_writes(*args, **kwargs)  # type: ignore[misc]
        crash_point("after_writes")
