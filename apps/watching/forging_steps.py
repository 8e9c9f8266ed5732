"""The steps of a forging run: the analysis, each tool, each solution and each evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Step:
    """One row: `what` is analysis, tool, solution or evaluation; `took` is wall time in seconds, None while open."""

    what: str
    name: str
    begun: float
    state: str = "open"
    note: str = ""
    took: float | None = None


@dataclass
class StepTable:
    """Keeps the rows, from events alone; knows nothing of terminals."""

    rows: list[Step] = field(default_factory=list)
    activity: str = "reading the task"

    def hear(self, event: dict[str, Any], now: float) -> Step | None:
        """Take in one event; returns the row that it ended."""
        if "agent" in event:
            self.activity = str(event["agent"]).rpartition(".")[2].replace("_", " ")
            return None
        kind = event.get("kind")
        if kind == "analysing":
            self._open("analysis", f"iteration {event['iteration']}", now)
        elif kind == "analysed":
            return self._close(now, "done", _planned(event))
        elif kind == "tool_begun":
            self._open("tool", str(event["tool"]), now)
        elif kind == "admitted":
            return self._close(now, "admitted", _gated(event))
        elif kind == "tool_refused":
            return self._close(now, "refused", " ".join(event["findings"]))
        elif kind == "executing":
            self._open("solution", f"iteration {event['iteration']}", now)
        elif kind == "executed":
            return self._close(now, "done", str(event.get("summary", "")))
        elif kind == "evaluated":
            self._open("evaluation", f"iteration {event['iteration']}", now - float(event.get("seconds", 0.0)))
            return self._close(now, "again" if event["next_step_needed"] else "done", str(event.get("summary", "")))
        elif kind == "job" and event.get("name"):
            self.activity = f"running {event['name']}"
        elif kind == "gating":
            self.activity = f"gate: {event['check']}"
        return None

    def _open(self, what: str, name: str, now: float) -> None:
        last = self.rows[-1] if self.rows else None
        if last is None or last.took is not None or (last.what, last.name) != (what, name):
            self.rows.append(Step(what, name, now))

    def _close(self, now: float, state: str, note: str) -> Step | None:
        row = next((one for one in reversed(self.rows) if one.took is None), None)
        if row is not None:
            row.state, row.note, row.took = state, note, now - row.begun
        return row


def _planned(event: dict[str, Any]) -> str:
    parts = [f"{len(event[name])} {word}" for name, word in (("reuse", "reused"), ("new", "to be made")) if event[name]]
    return ", ".join(parts) or "no tools needed"


def _gated(event: dict[str, Any]) -> str:
    mutants = event.get("mutants") or {}
    return f"{mutants['killed']} of {mutants['total']} mutants seen by its tests" if mutants.get("total") else ""
