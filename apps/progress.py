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
from rich.markup import escape
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from labwright.apps.exits import Watch
from labwright.apps.numbers import key_numbers, seconds

MARK = {"success": "[green]success[/]", "adjust": "[yellow]adjust[/]", "bad_data": "[red]bad data[/]"}
MARK["wrong_setup"] = "[red]wrong setup[/]"
SPARE_LINES = 6  # rows of the terminal that the table leaves free


@dataclass
class Row:
    """One run of one stage. `seconds` is wall time."""

    number: int
    instruction: str
    path: str
    attempt: int
    begun: float
    experiment: str = ""
    verdict: str = ""
    note: str = ""
    numbers: str = ""
    seconds: float | None = None


@dataclass
class StageTable:
    """Keeps one row a stage run, from events alone; knows nothing of terminals."""

    rows: list[Row] = field(default_factory=list)
    activity: str = "reading the request"
    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))  # one object, so that it keeps turning

    def hear(self, event: dict[str, Any], now: float) -> None:
        """Take in one event. Kinds that say nothing about a stage are ignored."""
        if "agent" in event:  # an agent's own events share kinds such as `question` with the run's
            self.activity = str(event["agent"]).rpartition(".")[2].replace("_", " ")
            return
        kind = event.get("kind")
        if kind == "stage_started":
            self._start(event, now)
        elif self.rows:
            self._fill(kind, event, self.rows[-1], now)

    def _start(self, event: dict[str, Any], now: float) -> None:
        number = len(self.rows) + 1
        words = " ".join(str(event["instruction"]).split())
        self.rows.append(Row(number, words, str(event.get("path", "")), int(event.get("attempt", 1)), now))
        self.activity = "translating"

    def _fill(self, kind: Any, event: dict[str, Any], row: Row, now: float) -> None:
        if kind == "translated":
            row.experiment = str(event["call"])
            self.activity = "measuring"
        elif kind == "measured":
            row.experiment, self.activity = str(event["experiment"]), "inspecting"
        elif kind == "inspected":
            row.verdict, row.note = str(event["verdict"]), str(event.get("diagnosis", ""))
            row.numbers = key_numbers(event.get("estimates", {}))
            self.activity = "deciding"
        elif kind == "decided":
            row.seconds = now - row.begun
            changes = ", ".join(f"{name} = {value:g}" for name, value in event.get("changes", {}).items())
            row.note = f"{row.note} → {changes}" if changes else row.note

    def render(self, rows: list[Row], *, live: bool, now: float = 0.0) -> Table:
        """`rows` as a table; a live one shows what the unfinished row is doing."""
        table = Table(box=None, pad_edge=False, expand=False, header_style="bold")
        table.add_column("#", justify="right", style="dim")
        table.add_column("instruction", no_wrap=True, overflow="ellipsis", max_width=38, min_width=12)
        table.add_column("experiment", no_wrap=True, overflow="ellipsis", max_width=24)
        table.add_column("try", justify="right")
        table.add_column("verdict", no_wrap=True)
        table.add_column("numbers", overflow="fold", max_width=44)
        table.add_column("s", justify="right")
        for row in rows:
            table.add_row(*self._cells(row, live=live, now=now))
        return table

    def _cells(self, row: Row, *, live: bool, now: float) -> list[RenderableType]:
        said = MARK.get(row.verdict, escape(row.verdict))
        verdict: RenderableType = said
        if not said and live:
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
            self.console.print(self.table.render(self.table.rows, live=False))

    def hear(self, event: dict[str, Any]) -> None:
        """Listener for a run's events."""
        if event.get("kind") == "run_started" and "run_id" in event:
            self.watch.run_id = str(event["run_id"])
        self.table.hear(event, time.monotonic())
        if event.get("kind") == "decided" and not self.quiet and self._live is None and self.table.rows:
            self._say(self.table.rows[-1])

    def _drawing(self) -> RenderableType:
        # The newest rows that fit: rich cannot redraw above the terminal's first line.
        fitting = max(3, self.console.height - SPARE_LINES)
        now = time.monotonic()
        table = self.table.render(self.table.rows[-fitting:], live=True, now=now)
        table.caption = f"{self.watch.run_id}  {seconds(now - self.begun)}"
        table.caption_justify = "left"
        return table

    def _say(self, row: Row) -> None:
        parts = [row.experiment.partition("(")[0] or row.instruction, row.verdict, row.numbers]
        if row.verdict != "success":
            parts.append(row.note)
        took = f"{row.seconds:.1f} s" if row.seconds is not None else ""
        text = "  ".join(part for part in [*parts, took] if part)
        self.console.print(f"{row.number:3d}  {escape(text)}", soft_wrap=True)
