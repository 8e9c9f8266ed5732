"""Where words go: results to stdout, progress and complaints to stderr. Nothing that a terminal would obey passes.

Every `Screen` replaces such characters in all that it prints; `shield` does so for logs, warnings and tracebacks. Who
prints foreign text need not think of it; `escape` is still needed against rich's own markup.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import markup
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

# Escape sequences, marks that turn the writing direction round, line ends of other alphabets and letters that nobody
# sees: a procedure, a file name or a model's words could redraw with them what a person is about to approve.
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
WIDTH_WITHOUT_TERMINAL = 120  # columns of a file or a pipe
LEGIBLE_WIDTH = 80  # columns of sentences
# Of a run's status.
STYLE = {"complete": "bold green", "failed": "bold red", "refused": "bold red", "stopped": "bold yellow"}


class Screen(Console):
    """A console that shows foreign text as it is and never obeys it."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of `renderable`; what rich itself does to the terminal has segments of its own."""
        for segment in super().render(renderable, options):
            text, style = segment.text, segment.style
            if segment.control or not (CONTROL.search(text) or (style and style.link)):
                yield segment
                continue
            # A link's address is not seen, so foreign words get none.
            yield Segment(legible(text), style.update_link(None) if style else None)


class LegibleRecord(logging.LogRecord):
    """A log record on one line whose message and traceback are legible: a web page can have a path logged."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if isinstance(self.args, tuple):
            self.args = tuple(legible(each) if isinstance(each, str) else each for each in self.args)
        if self.exc_info and self.exc_info[1] is not None:
            self.exc_text = legible("".join(traceback.format_exception(self.exc_info[1])).rstrip())

    def getMessage(self) -> str:  # noqa: N802 - logging calls it so
        return legible(super().getMessage()).replace("\n", "\\n")


def shield() -> None:
    """Have logs, warnings and tracebacks of this process legible, whoever prints them."""
    logging.setLogRecordFactory(LegibleRecord)
    shown = warnings.formatwarning
    warnings.formatwarning = lambda *args, **more: legible(shown(*args, **more))
    sys.excepthook = lambda _kind, error, _trace: _say(error)
    threading.excepthook = lambda happened: _say(happened.exc_value)


def _say(error: BaseException | None) -> None:
    if error is not None:
        sys.stderr.write(legible("".join(traceback.format_exception(error))))


def out() -> Console:
    """The console of results."""
    return _console(stderr=False)


def err() -> Console:
    """The console of progress and complaints."""
    return _console(stderr=True)


def legible(text: str) -> str:
    """`text` without what a terminal would obey instead of show."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def escape(text: str) -> str:
    """`text` as itself in rich's markup, and legible."""
    return markup.escape(legible(text))


def plain_table(*titles: str, right: Collection[str] = ()) -> Table:
    """A table without lines that folds what is too long; columns of the titles in `right` are numbers."""
    columns = (Column(title, overflow="fold", justify="right" if title in right else "left") for title in titles)
    return Table(*columns, box=None, pad_edge=False, header_style="bold")


def print_status(console: Console, outcome: Outcome, ended: str = "") -> None:
    """The status and, beside it, its reason or else how the run `ended`."""
    status = Text(outcome.status.upper(), style=STYLE.get(outcome.status, "bold"))
    reason = legible(outcome.reason or ended)
    console.print(Text.assemble(status, f"  {reason}" if reason else ""), soft_wrap=True)


def where_to_look(run_dir: Path, run_id: str) -> str:
    """The run's files, and the command that shows more."""
    figures = sorted((run_dir / "figures").glob("*.png"))
    lines = []
    if (run_dir / "report.md").exists():
        lines.append(f"report    {escape(str(run_dir / 'report.md'))}")
    if figures:
        lines.append(f"figures   {escape(str(run_dir / 'figures'))}  ({len(figures)} files)")
    return "\n".join([*lines, f"more      labwright runs show {run_id}"])


def print_assumed(console: Console, assumptions: Iterable[str]) -> None:
    """What a run took for granted, a sentence each, wrapped at 80 columns below its first word."""
    table = Table.grid(padding=(0, 1))
    for assumption in assumptions:
        table.add_row("assumed:", escape(assumption))
    if table.row_count:
        console.print(table, width=min(console.width, LEGIBLE_WIDTH))


def _console(*, stderr: bool) -> Console:
    # Made anew at each call: a test, or a caller, may have replaced the streams since.
    stream = sys.stderr if stderr else sys.stdout
    fixed = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    return Screen(file=stream, width=fixed, highlight=False, soft_wrap=False)
