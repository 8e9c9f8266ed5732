"""Two streams of JSON lines to a grader. Standard library only: this file goes into the sandbox as it is."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import IO, Any

ASK, TOLD = "ask.pipe", "told.pipe"


class Pipe:
    """A device on the bench of a grader, reached by two streams of lines."""

    def __init__(self, ask: IO[str], told: IO[str]) -> None:
        self._streams, self._lock = (ask, told), threading.Lock()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool of the bench; see `labwright.evaluation.arena.session`. Raises what `refused` makes."""
        return self._ask({"do": "call", "tool": tool, "arguments": arguments})

    def refused(self, reply: dict[str, Any]) -> Exception:
        """The error to raise where the bench refuses."""
        return RuntimeError(reply["error"])

    def close(self) -> None:
        """Give the streams back."""
        for stream in self._streams:
            stream.close()

    def _ask(self, line: dict[str, Any]) -> dict[str, Any]:
        ask, told = self._streams
        with self._lock:
            ask.write(json.dumps(line) + "\n")
            ask.flush()
            said = told.readline()
        reply: dict[str, Any] = (
            json.loads(said) if said else {"error": "The grader is gone.", "type": "UnreachableError"}
        )
        if "error" in reply:
            raise self.refused(reply)
        found: dict[str, Any] = reply["ok"]
        return found


def beside() -> Pipe:
    """The bench of confined code: two pipes in the folder that it works in."""
    return Pipe(Path(ASK).open("w"), Path(TOLD).open())
