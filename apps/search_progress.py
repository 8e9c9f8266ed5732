"""The live view of a search: a bar, and a table that grows with every trial."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from labwright.apps.exits import Watch
from labwright.apps.numbers import seconds
from labwright.apps.progress import SPARE_LINES, Progress
from labwright.apps.terminal_output import escape
from labwright.apps.watching import trials
from labwright.apps.watching.trials import MapRow

MARK = {"illegal": "[red]illegal[/]", "invalid": "[red]invalid[/]", "vetoed": "[yellow]vetoed[/]"}
BAR = 30  # columns
LONGEST_REASON = 60  # characters; the report has the rest


class TrialTable(trials.TrialTable):
    """The maps that were tried as a table of the terminal."""

    def render(self, rows: list[MapRow], width: int, *, live: bool = False, now: float = 0.0) -> Table:
        """`rows` as a table for `width` columns."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("trial", justify="right", style="dim")
        table.add_column("feature map", no_wrap=True, overflow="ellipsis", max_width=max(20, width // 3))
        for title in ("validation", "selection", "s"):
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("", no_wrap=live, overflow="ellipsis" if live else "fold")
        for row in rows:
            table.add_row(*cells(row))
        return table


def cells(row: MapRow) -> list[str]:
    """One row as rich markup; the best so far is bold."""
    name = f"[bold]{escape(row.name)}[/]" if row.leads else escape(row.name)
    note = MARK.get(row.outcome, "")
    reason = row.reason if len(row.reason) <= LONGEST_REASON else row.reason[: LONGEST_REASON - 3] + "..."
    selection = _number(row.selection)
    return [
        str(row.trial),
        name,
        _number(row.validation),
        f"[bold]{selection}[/]" if row.leads else selection,
        f"{row.took:.1f}",
        f"{note} {escape(reason)}".strip(),
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


class SearchProgress(Progress):
    """Shows a `TrialTable` on stderr: redrawn in a terminal, a table after each trial in a file, nothing if quiet."""

    def __init__(self, console: Console, watch: Watch, *, quiet: bool = False) -> None:
        super().__init__(console, watch, quiet=quiet)
        self.trials = TrialTable()

    def hear(self, event: dict[str, Any]) -> None:
        """Listener for a run's events."""
        if event.get("kind") == "run_started" and "run_id" in event:
            self.watch.run_id = str(event["run_id"])
        ended = self.trials.hear(event, time.monotonic())
        if event.get("kind") == "warning" and not self.quiet:
            self.console.print(f"[yellow]{escape(str(event['text']))}[/]", soft_wrap=True)
        if ended and not self.quiet and self._live is None:
            self._say_trial(ended)

    def recall(self, event: dict[str, Any]) -> None:
        """Take in an event of an earlier process, without showing anything."""
        self.trials.hear(event, time.monotonic())

    def _start(self) -> None:
        if self.console.is_terminal and not self.quiet:
            self._live = Live(get_renderable=self._drawing, console=self.console, refresh_per_second=4, transient=True)
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            if self.trials.rows:
                self.console.print(self.trials.render(self.trials.rows, self.console.width))

    def _drawing(self) -> RenderableType:
        fitting = max(3, self.console.height - SPARE_LINES - 2)
        bar = Table.grid(padding=(0, 1))
        said = f"trial {self.trials.trial} of {self.trials.of}" if self.trials.of else ""
        took = seconds(time.monotonic() - self.begun)
        bar.add_row(ProgressBar(1.0, self.trials.done, width=BAR), said, took, Text(self.trials.activity, style="cyan"))
        table = self.trials.render(self.trials.rows[-fitting:], self.console.width, live=True)
        table.caption, table.caption_justify = self.watch.run_id, "left"
        return Group(bar, table)

    def _say_trial(self, ended: list[MapRow]) -> None:
        done = round(BAR / 2 * self.trials.done)
        bar = f"[{'#' * done}{'.' * (BAR // 2 - done)}]"
        self.console.print(
            f"{escape(bar)} trial {self.trials.trial} of {self.trials.of}, {seconds(time.monotonic() - self.begun)}",
            soft_wrap=True,
        )
        self.console.print(self.trials.render(ended, self.console.width))
