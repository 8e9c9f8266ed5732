"""The live view of a search: a bar, and a table that grows with every trial."""

from __future__ import annotations

import time

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from labwright.apps.numbers import seconds
from labwright.apps.progress import TableProgress
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


class SearchProgress(TableProgress[TrialTable]):
    """A bar above the table of maps; after each trial its maps in a file."""

    REFRESH, SPARE_LINES = 4, 8

    def empty(self) -> TrialTable:
        return TrialTable()

    def drawing(self) -> RenderableType:
        bar = Table.grid(padding=(0, 1))
        said = f"trial {self.table.trial} of {self.table.of}" if self.table.of else ""
        bar.add_row(ProgressBar(1.0, self.table.done, width=BAR), said, Text(self.table.activity, style="cyan"))
        return Group(bar, super().drawing())

    def say(self, ended: list[MapRow]) -> None:
        done = round(BAR / 2 * self.table.done)
        bar = f"[{'#' * done}{'.' * (BAR // 2 - done)}]"
        self.console.print(
            f"{escape(bar)} trial {self.table.trial} of {self.table.of}, {seconds(time.monotonic() - self.begun)}",
            soft_wrap=True,
        )
        self.console.print(self.table.render(ended, self.console.width))
