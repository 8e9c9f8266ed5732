"""The feature maps that a search has tried, in their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class MapRow:
    """One feature map that was tried; `took` is wall time since the one before, in seconds."""

    trial: int
    name: str
    outcome: str
    validation: float | None
    selection: float | None
    reason: str
    took: float
    leads: bool  # whether it was the best so far when it came
    file: str = ""  # its record in the run folder


@dataclass
class TrialTable:
    """Keeps one row a feature map, from events alone; knows nothing of terminals."""

    rows: list[MapRow] = field(default_factory=list)
    trial: int = 0
    of: int = 0
    ideas: int = 0  # in the trial under way
    spent: int = 0  # evaluations
    budget: int = 0  # of evaluations; 0 in the logs of older versions
    activity: str = "preparing the data"
    _since: float | None = None

    def hear(self, event: dict[str, Any], now: float) -> list[MapRow]:
        """Take in one event; returns the rows of a trial that it ended."""
        self._since = now if self._since is None else self._since
        if "agent" in event:
            self.activity = str(event["agent"]).rpartition(".")[2].replace("_", " ")
            return []
        kind = event.get("kind")
        if kind == "trial_started":
            self.trial, self.of, self.ideas = int(event["trial"]), int(event["of"]), 0
        elif kind == "proposed":
            self.ideas = len(event["names"])
        elif kind == "tried":
            self.spent, self.budget = int(event.get("spent", 0)), int(event.get("budget", 0))
            self._add(event, now)
        elif kind == "reviewed":
            return [row for row in self.rows if row.trial == event["trial"]]
        elif kind in ("revealed", "baseline"):
            self.activity = "comparing with known kernels"
        return []

    def _add(self, event: dict[str, Any], now: float) -> None:
        known = [row.selection for row in self.rows if row.selection is not None]
        selection = event["selection"]
        leads = selection is not None and selection > max(known, default=-1.0)
        took = now - (now if self._since is None else self._since)
        words = (str(event["name"]), str(event["outcome"]), event["validation"], selection, str(event["reason"]))
        self.rows.append(MapRow(int(event["trial"]), *words, took, leads, str(event.get("file", ""))))
        self._since = now

    @property
    def done(self) -> float:
        """Share of the search that is behind us, 0 .. 1: of its evaluations; of its ideas where those are unknown."""
        if self.budget:
            return min(1.0, self.spent / self.budget)
        if not self.of:
            return 0.0
        own = sum(row.trial == self.trial for row in self.rows)
        return min(1.0, (self.trial - 1 + (own / self.ideas if self.ideas else 0.0)) / self.of)
