"""One watcher a run for all windows: it reads the run's folder, so runs of other processes are live, too."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from labwright.apps.console.tail import Event, RunTail
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs import Run, summarise

if TYPE_CHECKING:
    from labwright.tools.runs import RunSummary

POLL = 0.1  # s between two looks at the log; a look is one stat
STATUS = 1.0  # s after which the status is looked at although nothing was written: a process may have died
BURST = 20  # windows that are told before the loop may do something else

Hearer = Callable[[list[Event]], None]
_LOG = logging.getLogger(__name__)


class Feed:
    """A run as it goes on: every window that shows it subscribes.

    Attributes:
        events: all that was read, in order; shared by the windows, so not to be changed.
        state: the run's status; None until the first look.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.events: list[Event] = []
        self.state: RunSummary | None = None
        self._tail = RunTail(run)
        self._hearers: list[Hearer] = []
        self._task: asyncio.Task[None] | None = None
        self._first = asyncio.Event()

    async def subscribe(self, hearer: Hearer) -> Callable[[], None]:
        """Hear what is new from now on; what was before is in `events`. Returns how to stop."""
        self._hearers.append(hearer)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch(), name=f"watch {self.run.run_id}")
        await self._first.wait()

        def stop() -> None:
            if hearer in self._hearers:
                self._hearers.remove(hearer)

        return stop

    @property
    def watched(self) -> bool:
        """Whether any window shows the run."""
        return bool(self._hearers)

    async def _watch(self) -> None:
        passed = STATUS
        while self._hearers:
            grown = self._tail.grown()
            if grown or passed >= STATUS:
                await self._look()
                passed = 0.0
            self._first.set()
            await asyncio.sleep(POLL)
            passed += POLL

    async def _look(self) -> None:
        new, before = await asyncio.to_thread(self._tail.read), self.state
        self.events += new
        try:
            self.state = await asyncio.to_thread(summarise, self.run)
        except CorruptRecordError as fault:
            _LOG.warning("%s", fault)
        changed = before is None or self.state is None or before.status != self.state.status
        if new or changed:
            await self._tell(new)

    async def _tell(self, new: list[Event]) -> None:
        for number, hearer in enumerate(list(self._hearers)):
            try:
                hearer(new)
            except Exception:  # noqa: BLE001 - one window's fault must not silence the others
                _LOG.exception("A window of %s could not be brought up to date.", self.run.run_id)
            if number % BURST == BURST - 1:
                await asyncio.sleep(0)


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
