"""The live view of a forging run: one row for the analysis, each tool, each solution and each evaluation."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from labwright.apps.exits import Watch
from labwright.apps.numbers import seconds
from labwright.apps.progress import SPARE_LINES, Progress
from labwright.apps.screen import escape

MARK = {
    "admitted": "[green]admitted[/]",
    "refused": "[red]refused[/]",
    "done": "[green]done[/]",
    "again": "[yellow]again[/]",
    "open": "",
}
LONGEST_NOTE = 90  # characters; the report has the rest


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
    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

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

    def render(self, rows: list[Step], width: int, *, live: bool = False, now: float = 0.0) -> Table:
        """`rows` as a table for `width` columns; a live one shows what the unfinished row is doing."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("step", style="dim")
        table.add_column("", no_wrap=True, overflow="ellipsis", max_width=max(20, width // 3))
        table.add_column("", no_wrap=True)
        table.add_column("s", justify="right")
        table.add_column("", no_wrap=live, overflow="ellipsis" if live else "fold")
        for row in rows:
            table.add_row(*self._cells(row, live=live, now=now))
        return table

    def _cells(self, row: Step, *, live: bool, now: float) -> list[RenderableType]:
        state: RenderableType = MARK[row.state]
        if live and row.took is None:
            self.spinner.update(text=Text(self.activity, style="cyan"))
            state = self.spinner
        taken = f"{row.took:.1f}" if row.took is not None else (f"{now - row.begun:.0f}" if live else "")
        return [row.what, escape(row.name), state, taken, escape(shortened(row.note))]


def shortened(note: str) -> str:
    """`note` on one line, cut at `LONGEST_NOTE`."""
    line = " ".join(note.split())
    return line if len(line) <= LONGEST_NOTE else line[: LONGEST_NOTE - 3] + "..."


def _planned(event: dict[str, Any]) -> str:
    parts = [f"{len(event[name])} {word}" for name, word in (("reuse", "reused"), ("new", "to be made")) if event[name]]
    return ", ".join(parts) or "no tools needed"


def _gated(event: dict[str, Any]) -> str:
    mutants = event.get("mutants") or {}
    return f"{mutants['killed']} of {mutants['total']} mutants seen by its tests" if mutants.get("total") else ""


class ForgeProgress(Progress):
    """Shows a `StepTable` on stderr: redrawn in a terminal, one line a finished step in a file, nothing if quiet."""

    def __init__(self, console: Console, watch: Watch, *, quiet: bool = False) -> None:
        super().__init__(console, watch, quiet=quiet)
        self.steps = StepTable()

    def hear(self, event: dict[str, Any]) -> None:
        """Listener for a run's events."""
        if event.get("kind") == "run_started" and "run_id" in event:
            self.watch.run_id = str(event["run_id"])
        ended = self.steps.hear(event, time.monotonic())
        if event.get("kind") == "warning" and not self.quiet:
            self.console.print(f"[yellow]{escape(str(event['text']))}[/]", soft_wrap=True)
        if ended is not None and not self.quiet and self._live is None:
            words = [ended.what, ended.name, ended.state, f"{ended.took:.1f} s", shortened(ended.note)]
            self.console.print(escape("  ".join(word for word in words if word)), soft_wrap=True)

    def recall(self, event: dict[str, Any]) -> None:
        """Take in an event of an earlier process, without showing anything."""
        self.steps.hear(event, time.monotonic())

    def _start(self) -> None:
        if self.console.is_terminal and not self.quiet:
            self._live = Live(get_renderable=self._drawing, console=self.console, refresh_per_second=8, transient=True)
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            if self.steps.rows:
                self.console.print(self.steps.render(self.steps.rows, self.console.width))

    def _drawing(self) -> RenderableType:
        fitting = max(3, self.console.height - SPARE_LINES)
        now = time.monotonic()
        table = self.steps.render(self.steps.rows[-fitting:], self.console.width, live=True, now=now)
        table.caption, table.caption_justify = f"{self.watch.run_id}  {seconds(now - self.begun)}", "left"
        return table
