"""Stop a run from outside, at its next event: it stays resumable, and nothing that was finished is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]


class Cancelled(KeyboardInterrupt):
    """The caller does not want the run to go on now. Ends it as Ctrl-C does, with the caller's reason."""


class Cancellation:
    """A switch that other threads may turn, and the listener that ends the run when it is turned."""

    def __init__(self) -> None:
        self._reason = ""
        self._turned = threading.Event()

    @property
    def turned(self) -> bool:
        """Whether the run is to stop."""
        return self._turned.is_set()

    def cancel(self, reason: str) -> None:
        """Stop the run at its next event."""
        self._reason = reason
        self._turned.set()

    def watched(self, on_event: Callable[[Event], None] | None) -> Callable[[Event], None]:
        """`on_event`, and after it the end of the run if the switch was turned.

        Raises:
            Cancelled: in the run's own thread.
        """

        def hear(event: Event) -> None:
            if on_event is not None:
                on_event(event)
            if self.turned and event.get("kind") != "run_finished":
                raise Cancelled(self._reason)

        return hear
