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
from labwright.apps.terminal_output import escape
from labwright.apps.watching import forging_steps
from labwright.apps.watching.forging_steps import Step

MARK = {
    "admitted": "[green]admitted[/]",
    "refused": "[red]refused[/]",
    "done": "[green]done[/]",
    "again": "[yellow]again[/]",
    "open": "",
}
LONGEST_NOTE = 90  # characters; the report has the rest


@dataclass
class StepTable(forging_steps.StepTable):
    """The steps as a table of the terminal."""

    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

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
