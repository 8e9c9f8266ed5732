"""The live stage table: what is being measured, what came of it, and what was decided."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

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


class Rows(Protocol):
    """A table that keeps rows, from events alone, and draws them."""

    rows: Any

    def hear(self, event: dict[str, Any], now: float) -> Any:
        """Take in one event; what it ended, if anything."""

    def render(self, rows: Any, width: int, *, live: bool = False, now: float = 0.0) -> Table:
        """`rows` for `width` columns; a live table shows what the unfinished row is doing."""


Kept = TypeVar("Kept", bound=Rows)


@dataclass
class StageTable(stages.StageTable):
    """The stage runs as a table of the terminal."""

    spinner: Spinner = field(default_factory=lambda: Spinner("dots"))  # one object, so that it keeps turning

    def render(self, rows: list[Row], width: int, *, live: bool = False, now: float = 0.0) -> Table:
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
        if row.note and row.remarkable:
            detail = f"{escape(row.note)}" + (f" [dim]({detail})[/]" if detail else "")
        experiment = row.experiment.partition("(")[0]
        return [str(row.number), escape(row.instruction), escape(experiment), str(row.attempt), verdict, detail, taken]


class TableProgress(ABC, Generic[Kept]):
    """Shows a table of what a run does: redrawn in a terminal, news below one another in a file, nothing if quiet.

    Class variables:
        REFRESH: how often a second the terminal is redrawn.
        SPARE_LINES: rows of the terminal that the table leaves free.
    """

    REFRESH: ClassVar[int] = 8
    SPARE_LINES: ClassVar[int] = 6

    def __init__(self, console: Console, watch: Watch, *, quiet: bool = False) -> None:
        self.console, self.watch, self.quiet = console, watch, quiet
        self.table = self.empty()
        self.begun = time.monotonic()
        self._live: Live | None = None

    @abstractmethod
    def empty(self) -> Kept:
        """The table before anything has happened."""

    @abstractmethod
    def say(self, news: Any) -> None:
        """Print what an event ended, where nothing is redrawn."""

    def __enter__(self) -> Self:
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
            self._live = Live(
                get_renderable=self.drawing, console=self.console, refresh_per_second=self.REFRESH, transient=True
            )
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            if (left := self.left()) is not None:
                self.console.print(left)

    def left(self) -> RenderableType | None:
        """What stays on the terminal at the end; None if nothing has happened."""
        return self.table.render(self.table.rows, self.console.width) if self.table.rows else None

    def hear(self, event: dict[str, Any]) -> None:
        """Listener for a run's events."""
        if event.get("kind") == "run_started" and "run_id" in event:
            self.watch.run_id = str(event["run_id"])
        if event.get("kind") == "warning" and not self.quiet:
            self.console.print(f"[yellow]{escape(str(event['text']))}[/]", soft_wrap=True)
        if (news := self.table.hear(event, time.monotonic())) and not self.quiet and self._live is None:
            self.say(news)

    def recall(self, event: dict[str, Any]) -> None:
        """Take in an event of an earlier process, without showing anything."""
        self.table.hear(event, self.begun)

    def drawing(self) -> RenderableType:
        """What the terminal shows now: the newest rows that fit, since rich cannot redraw above its first line."""
        fitting, now = max(3, self.console.height - self.SPARE_LINES), time.monotonic()
        table = self.table.render(self.table.rows[-fitting:], self.console.width, live=True, now=now)
        table.caption, table.caption_justify = f"{self.watch.run_id}  {seconds(now - self.begun)}", "left"
        return table


class Progress(TableProgress[StageTable]):
    """The stages of a calibration, one line a finished one in a file; of a whole chip its map."""

    def __init__(self, console: Console, watch: Watch, *, quiet: bool = False) -> None:
        super().__init__(console, watch, quiet=quiet)
        self.chip: ChipMap | None = None  # once it turns out that the run is for a whole chip

    def empty(self) -> StageTable:
        return StageTable()

    def left(self) -> RenderableType | None:
        return self.chip.render() if self.chip is not None else super().left()

    def hear(self, event: dict[str, Any]) -> None:
        if event.get("kind") == "understood" and not self.quiet:
            for line in event.get("assumptions", []):
                self.console.print(f"note: {escape(str(line))}", style="dim")
        if event.get("kind") == "chip_planned":
            self.chip = ChipMap.planned(event)
        if self.chip is None:
            super().hear(event)
            return
        self.chip.hear(event)
        if not self.quiet and self._live is None:
            for line in self.chip.news():
                self.console.print(line, soft_wrap=True, markup=False)

    def recall(self, event: dict[str, Any]) -> None:
        if event.get("kind") == "chip_planned":
            self.chip = ChipMap.planned(event)
        if self.chip is not None:
            self.chip.hear(event)
            self.chip.news()
        super().recall(event)

    def drawing(self) -> RenderableType:
        if self.chip is not None:
            return self.chip.render(f"{self.watch.run_id}  {seconds(time.monotonic() - self.begun)}")
        return super().drawing()

    def say(self, row: Row) -> None:
        if row.number == 0:
            self.console.print(f"     [bold]{escape(row.instruction)}[/]", soft_wrap=True)
            return
        parts = [row.experiment.partition("(")[0] or row.instruction, row.verdict, row.numbers]
        if row.remarkable:
            parts.append(row.note)
        took = f"{row.seconds:.1f} s" if row.seconds is not None else ""
        text = "  ".join(part for part in [*parts, took] if part)
        self.console.print(f"{row.number:3d}  {escape(text)}", soft_wrap=True)
