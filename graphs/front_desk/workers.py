"""The runs that this process drives: each in a thread of its own, so that the conversation stays free.

A worker holds no facts. A run that asks something ends its thread and waits on the disk; the answer starts another
thread, in this process or in any later one. So the desk may be killed between any two steps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labwright.agents.errors import AgentError
from labwright.graphs.cancelling import Cancellation
from labwright.graphs.front_desk.person_channel import Heard
from labwright.graphs.questions import Answer
from labwright.graphs.registry import driver
from labwright.tools.errors import ToolError
from labwright.tools.process_file_lock import holder_of
from labwright.tools.runs.pause_request import clear_pause, request_pause
from labwright.tools.runs.run import Run, load_run

Listener = Callable[[str, dict[str, Any]], None]
OnEvent = Callable[[dict[str, Any]], None]
Drive = Callable[[Run, dict[str, Answer], str | None, Cancellation, OnEvent], None]
WITHOUT_STAGES = ("tool_forging", "protocol_design")  # nothing in them looks for a pause
AT_ONCE = 4  # runs under way at the same time; more wait for their turn


def in_this_process(
    run: Run, answers: dict[str, Answer], budget: str | None, switch: Cancellation, on_event: OnEvent
) -> None:
    """Drive `run` until it ends, waits, or is stopped by `switch`; a pause asked for before it got here counts."""
    system, hear = driver(run.record.system), switch.watched(on_event)
    system.resume(run.run_id, run.folder.parent, answers=answers, budget=budget, keep_pause=True, on_event=hear)


def named(fault: Exception) -> str:
    """Why a run broke off; the run's own log and result say so, too, unless the program itself is at fault."""
    known = isinstance(fault, ToolError | AgentError | OSError)
    return str(fault) if known else f"A fault in Labwright: {type(fault).__name__}: {fault}"


class Workers:
    """Threads by run folder.

    Attributes:
        way: what a thread does to drive its run.
    """

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self.way: Drive = in_this_process
        self._slots = threading.BoundedSemaphore(at_once)
        self._threads: dict[str, threading.Thread] = {}
        self._ending: list[threading.Thread] = []  # they only report that they ended
        self._switches: dict[str, Cancellation] = {}
        self._faults: dict[str, str] = {}
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._hold = False

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear every event of every run, in the run's thread, and ``{"kind": "worker_ended"}``; returns how to stop."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within this, runs are made and not begun: what a message starts is seen without doing it."""
        self._hold = True
        try:
            yield
        finally:
            self._hold = False

    def drive(self, run: Run, budget: str | None = None) -> bool:
        """Begin or go on with `run`, unless somebody drives it already; says whether a thread was started.

        `budget` replaces the run's own; only the person's channel may give one.
        """
        return self._begin(run, {}, budget)

    def answer(self, run: Run, heard: Heard) -> bool:
        """Go on with `run` with what the person said. Nothing else than a person's answer has this type."""
        return self._begin(run, {heard.answer.id: heard.answer})

    def pause(self, run: Run) -> None:
        """Ask the run to stop before its next stage, or, without stages, at its next event. Both can be resumed."""
        request_pause(run)
        switch = self._switches.get(str(run.folder))
        if switch is not None and run.record.system in WITHOUT_STAGES:
            switch.cancel("A person paused it.")

    def drives(self, run: Run) -> bool:
        """Whether it is driven now, or waits here for its turn."""
        return run.folder in self.active()

    def fault(self, run: Run) -> str:
        """Why the run's last thread broke off; empty if it did not."""
        return self._faults.get(str(run.folder), "")

    def active(self) -> list[Path]:
        """Folders of the runs that are driven now."""
        with self._lock:
            return [Path(folder) for folder, thread in self._threads.items() if thread.is_alive()]

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is driven; says whether that is so."""
        with self._lock:
            threads = [*self._threads.values(), *self._ending]
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(seconds)
        return not self.active()

    def _begin(self, run: Run, answers: dict[str, Answer], budget: str | None = None) -> bool:
        folder = str(run.folder)
        with self._lock:
            thread = self._threads.get(folder)
            if self._hold or (thread is not None and thread.is_alive()) or holder_of(run.folder / "lease") is not None:
                return False
            clear_pause(run)
            self._faults.pop(folder, None)
            self._switches[folder] = Cancellation()
            given = (folder, answers, budget)
            thread = threading.Thread(target=self._drive, args=given, name=f"run {run.run_id}", daemon=True)
            self._threads[folder] = thread
        thread.start()
        return True

    def _drive(self, folder: str, answers: dict[str, Answer], budget: str | None) -> None:
        run, switch = load_run(Path(folder)), self._switches[folder]
        try:
            with self._slots:
                self.way(run, answers, budget, switch, lambda event: self._tell(run.run_id, event))
        except Exception as fault:  # noqa: BLE001 - a thread's end of the line; what the driver could not name is kept
            self._faults[folder] = named(fault)
        finally:
            with self._lock:  # whoever hears of the end may go on with the run at once
                self._ending = [each for each in self._ending if each.is_alive()]
                self._ending.append(self._threads.pop(folder))
            self._tell(run.run_id, {"kind": "worker_ended", "run_id": run.run_id})

    def _tell(self, run_id: str, event: dict[str, Any]) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(run_id, event)


WORKERS = Workers()
