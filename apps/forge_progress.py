"""The live view of a forging run: one row for the analysis, each tool, each solution and each evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from labwright.apps.progress import TableProgress
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


class ForgeProgress(TableProgress[StepTable]):
    """One line a finished step in a file."""

    def empty(self) -> StepTable:
        return StepTable()

    def say(self, ended: Step) -> None:
        words = [ended.what, ended.name, ended.state, f"{ended.took:.1f} s", shortened(ended.note)]
        self.console.print(escape("  ".join(word for word in words if word)), soft_wrap=True)
