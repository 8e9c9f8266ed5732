"""One watcher a run for all windows: it reads the run's folder, so runs of other processes are live, too."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from labwright.apps.console.files import REPORT, pictures, savable
from labwright.apps.console.interactive_plot import plots
from labwright.apps.console.markdown_html import safe_html
from labwright.apps.console.subscribers import Hearers
from labwright.apps.console.tail import Event, RunTail
from labwright.graphs.front_desk.workers import WORKERS
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs import Run, read_result, summarise

if TYPE_CHECKING:
    from labwright.tools.runs import RunSummary

POLL = 0.1  # s between two looks at the log; a look is one stat
STATUS = 1.0  # s after which the status is looked at although nothing was written: a process may have died
BURST = 20  # windows that are told before the loop may do something else

Hearer = Callable[[list[Event]], None]
_LOG = logging.getLogger(__name__)


class _Look(NamedTuple):
    state: RunSummary
    questions: list[dict[str, Any]]
    figures: list[str]
    plots: list[str]
    report: str
    files: list[str]


class Feed:
    """A run as it goes on: every window that shows it subscribes.

    Attributes:
        events: all that was read, in order; shared by the windows, so not to be changed.
        state: the run's status; None until the first look.
        figures: paths of its figures so far, in the run's folder.
        plots: names of those that can be zoomed.
        questions: what it waits to be told; empty unless its status is ``interrupted``.
        files: paths of the files that can be saved.
        report: its report as HTML; empty until it has one.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.events: list[Event] = []
        self.state: RunSummary | None = None
        self.figures: list[str] = []
        self.plots: list[str] = []
        self.questions: list[dict[str, Any]] = []
        self.files: list[str] = []
        self.report = ""
        self._tail = RunTail(run)
        self._hearers: Hearers[[list[Event]]] = Hearers(run.run_id)
        self._coming = 0  # windows that wait for the first look
        self._task: asyncio.Task[None] | None = None
        self._first = asyncio.Event()

    async def subscribe(self, hearer: Hearer) -> Callable[[], None]:
        """Hear what is new from now on; what was before is in `events`, complete when this returns how to stop."""
        self._coming += 1
        if self._task is None or self._task.done():
            self._first = asyncio.Event()
            self._task = asyncio.create_task(self._watch(), name=f"watch {self.run.run_id}")
        await self._first.wait()
        self._coming -= 1
        return self._hearers.add(hearer)

    @property
    def watched(self) -> bool:
        """Whether any window shows the run."""
        return bool(self._hearers or self._coming)

    async def _watch(self) -> None:
        passed = STATUS
        while self.watched:
            grown = self._tail.grown()
            if grown or passed >= STATUS:
                await self._look()
                passed = 0.0
            self._first.set()
            await asyncio.sleep(POLL)
            passed += POLL

    async def _look(self) -> None:
        before = (self.state and self.state.status, self.questions, len(self.figures))
        new, now = await asyncio.to_thread(self._read)
        self.events += new
        if now is not None:  # taken over here, on the loop: no window sees half of a look
            self.state, self.questions, self.figures, self.plots, self.report, self.files = now
        if new or before != (self.state and self.state.status, self.questions, len(self.figures)):
            await self._tell(new)

    def _read(self) -> tuple[list[Event], _Look | None]:
        """Everything that the disk tells, in a thread of its own: a disk may be slow. None for what cannot be read."""
        new = self._tail.read()
        try:
            state = summarise(self.run)
            if state.status == "dead" and WORKERS.drives(self.run):  # it begins, or another process takes it up
                state = replace(state, status="running", reason="")
            waits = state.status == "interrupted"
            questions = (read_result(self.run) or {}).get("questions", []) if waits else []
        except CorruptRecordError as fault:
            _LOG.warning("%s", fault)
            return new, None
        report, files = self.report, self.files
        ended = self.state is None or new or state.status != self.state.status
        if ended and state.status != "running":
            report, files = _report(self.run), savable(self.run)
        return new, _Look(state, questions, pictures(self.run), plots(self.run), report, files)

    async def _tell(self, new: list[Event]) -> None:
        for number, _ in enumerate(self._hearers.telling(new)):
            if number % BURST == BURST - 1:
                await asyncio.sleep(0)


def _report(run: Run) -> str:
    try:
        text = (run.folder / REPORT).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return safe_html(text, run.run_id)


class Live:
    """The feeds of this server, by run folder."""

    def __init__(self) -> None:
        self._feeds: dict[Path, Feed] = {}

    def feed(self, run: Run) -> Feed:
        """The one feed of `run`; those that nobody watches are let go."""
        for folder in [folder for folder, feed in self._feeds.items() if not feed.watched]:
            if folder != run.folder:
                del self._feeds[folder]
        return self._feeds.setdefault(run.folder, Feed(run))
