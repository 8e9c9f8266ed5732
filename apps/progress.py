"""The live stage table: what is being measured, what came of it, and what was decided."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from labwright.apps.chip_progress import ChipMap
from labwright.apps.exits import Watch
from labwright.apps.numbers import seconds
from labwright.apps.terminal_output import escape
from labwright.apps.watching import stages
from labwright.apps.watching.stages import Row

MARK = {"success": "[green]success[/]", "adjust": "[yellow]adjust[/]", "bad_data": "[red]bad data[/]"}
MARK["wrong_setup"] = "[red]wrong setup[/]"
WIDE = 100  # columns of a terminal that has room for instruction and experiment
SPARE_LINES = 6  # rows of the terminal that the table leaves free


@dataclass
class StageTable(stages.StageTable):
    """The stage runs as a table of the terminal."""

    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))  # one object, so that it keeps turning

    def render(self, rows: list[Row], width: int, *, live: bool, now: float = 0.0) -> Table:
        """`rows` as a table for `width` columns; a live one shows what the unfinished row is doing."""
        table = Table(box=None, pad_edge=False, expand=False, header_style="bold")
        table.add_column("#", justify="right", style="dim")
        head = "instruction" if width >= WIDE else "stage"
        table.add_column(head, no_wrap=True, overflow="ellipsis", max_width=34, min_width=18)
        if width >= WIDE:  # else one column holds the experiment, or the instruction until it is translated
            table.add_column("experiment", no_wrap=True, overflow="ellipsis", max_width=24)
        table.add_column("try", justify="right")
        table.add_column("verdict", no_wrap=True)
        # Alive, one line a row: the table must not outgrow the terminal, or its newest row would be cut off.
        table.add_column("numbers", no_wrap=live, overflow="ellipsis" if live else "fold", max_width=56)
        table.add_column("s", justify="right")
        for row in rows:
            first, words, experiment, *rest = self._cells(row, live=live, now=now)
            narrow = [experiment or words] if width < WIDE else [words, experiment]
            table.add_row(first, *narrow, *rest)
        return table

    def _cells(self, row: Row, *, live: bool, now: float) -> list[RenderableType]:
        if row.number == 0:
            return ["", f"[bold]{escape(row.instruction)}[/]", "", "", "", "", ""]
        said = MARK.get(row.verdict, escape(row.verdict))
        verdict: RenderableType = said
        if not said and live and row.seconds is None:
            self.spinner.update(text=Text(self.activity, style="cyan"))
            verdict = self.spinner
        taken = f"{row.seconds:.1f}" if row.seconds is not None else (f"{now - row.begun:.0f}" if live else "")
        detail = escape(row.numbers)
        if row.note and row.verdict not in ("", "success"):
            detail = f"{escape(row.note)}" + (f" [dim]({detail})[/]" if detail else "")
        experiment = row.experiment.partition("(")[0]
        return [str(row.number), escape(row.instruction), escape(experiment), str(row.attempt), verdict, detail, taken]


class Progress:
    """Shows a `StageTable` on stderr: redrawn in a terminal, one line a finished stage in a file, nothing if quiet."""

    def __init__(self, console: Console, watch: Watch, *, quiet: bool = False) -> None:
        self.console, self.watch, self.quiet = console, watch, quiet
        self.table = StageTable()
        self.begun = time.monotonic()
        self.chip: ChipMap | None = None  # once it turns out that the run is for a whole chip
        self._live: Live | None = None

    def __enter__(self) -> Progress:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the terminal to a question: the table stands still above it and goes on below."""
        self._stop()
        try:
            yield
        finally:
            self._start()

    def _start(self) -> None:
        if self.console.is_terminal and not self.quiet:
            self._live = Live(get_renderable=self._drawing, console=self.console, refresh_per_second=8, transient=True)
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            chip = self.chip
            if chip is None and not self.table.rows:
                return
            shown = chip.render() if chip else self.table.render(self.table.rows, self.console.width, live=False)
            self.console.print(shown)

    def hear(self, event: dict[str, Any]) -> None:
        """Listener for a run's events."""
        if event.get("kind") == "run_started" and "run_id" in event:
            self.watch.run_id = str(event["run_id"])
        if event.get("kind") == "understood" and not self.quiet:
            for line in event.get("assumptions", []):
                self.console.print(f"note: {escape(str(line))}", style="dim")
        if event.get("kind") == "chip_planned":
            self.chip = ChipMap.planned(event)
        if self.chip is not None:
            self.chip.hear(event)
            self._say_lines()
            return
        news = self.table.hear(event, time.monotonic())
        if news is not None and not self.quiet and self._live is None:
            self._say(news)

    def recall(self, event: dict[str, Any]) -> None:
        """Take in an event of an earlier process, without showing anything."""
        if event.get("kind") == "chip_planned":
            self.chip = ChipMap.planned(event)
        if self.chip is not None:
            self.chip.hear(event)
            self.chip.news()
        self.table.hear(event, self.begun)

    def _say_lines(self) -> None:
        """What is new on the map, where nothing is redrawn."""
        if self.chip is None or self.quiet or self._live is not None:
            return
        for line in self.chip.news():
            self.console.print(line, soft_wrap=True, markup=False)

    def _drawing(self) -> RenderableType:
        if self.chip is not None:
            return self.chip.render(f"{self.watch.run_id}  {seconds(time.monotonic() - self.begun)}")
        # The newest rows that fit: rich cannot redraw above the terminal's first line.
        fitting = max(3, self.console.height - SPARE_LINES)
        now = time.monotonic()
        table = self.table.render(self.table.rows[-fitting:], self.console.width, live=True, now=now)
        table.caption = f"{self.watch.run_id}  {seconds(now - self.begun)}"
        table.caption_justify = "left"
        return table

    def _say(self, row: Row) -> None:
        if row.number == 0:
            self.console.print(f"     [bold]{escape(row.instruction)}[/]", soft_wrap=True)
            return
        parts = [row.experiment.partition("(")[0] or row.instruction, row.verdict, row.numbers]
        if row.verdict != "success":
            parts.append(row.note)
        took = f"{row.seconds:.1f} s" if row.seconds is not None else ""
        text = "  ".join(part for part in [*parts, took] if part)
        self.console.print(f"{row.number:3d}  {escape(text)}", soft_wrap=True)
