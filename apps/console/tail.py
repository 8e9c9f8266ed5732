"""A run's logs read on from where the last look stopped: only new bytes, only whole lines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.tools.runs import Run

Event = dict[str, Any]


@dataclass
class Tail:
    """One ``events.jsonl``. A line that is not whole yet is left for the next look; one that is no event is skipped.

    Attributes:
        path: of the log; it need not be there yet.
        at: bytes that were read.
    """

    path: Path
    at: int = 0

    def grown(self) -> bool:
        """Whether there is more to read; costs one ``stat``."""
        try:
            return self.path.stat().st_size > self.at
        except OSError:
            return False

    def read(self) -> list[Event]:
        """The events that were written since the last look."""
        if not self.grown():
            return []
        with self.path.open("rb") as file:
            file.seek(self.at)
            content = file.read()
        whole = content.rfind(b"\n") + 1
        self.at += whole
        return [event for line in content[:whole].splitlines() if (event := _parsed(line)) is not None]


@dataclass
class RunTail:
    """The logs of a run and of its parts; an event of a part carries the part's name as ``lane``."""

    run: Run
    _own: Tail = field(init=False)
    _lanes: dict[str, Tail] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._own = Tail(self.run.folder / "events.jsonl")

    def grown(self) -> bool:
        """Whether any of the logs has more to read."""
        self._look_for_lanes()
        return self._own.grown() or any(lane.grown() for lane in self._lanes.values())

    def read(self) -> list[Event]:
        """What is new in all of them, by time."""
        self._look_for_lanes()
        found = self._own.read()
        for name, lane in self._lanes.items():
            found += [{**event, "lane": name} for event in lane.read()]
        return sorted(found, key=lambda event: str(event.get("time", "")))

    def _look_for_lanes(self) -> None:
        parts = self.run.folder / "parts"
        if parts.is_dir():
            for record in parts.glob("*/run.json"):
                self._lanes.setdefault(record.parent.name, Tail(record.parent / "events.jsonl"))


def _parsed(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None
