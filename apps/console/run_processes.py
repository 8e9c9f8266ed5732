"""Each run of the console in a process of its own, so that the server's process only serves its windows.

The processes are forked from one that has the systems imported, and are less urgent than the server. One that dies, of
too little memory or by a kill, loses no run: another one takes it up where it stood, and nothing is done twice.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from labwright.tools.errors import ToolError
from labwright.tools.runs.pause_request import pause_requested

if TYPE_CHECKING:
    from labwright.graphs.cancelling import Cancellation
    from labwright.graphs.front_desk.workers import OnEvent
    from labwright.graphs.questions import Answer
    from labwright.tools.runs import Run

DEATHS = 3  # processes that may die of one drive
LEAVES = 10  # s that a process may take to go
LOOK = 0.2  # s between two looks whether the run is to pause
NICE = 5  # below the server, which answers people
_SYSTEMS = ("lab_calibration", "feature_map_search", "tool_forging", "protocol_design", "sequence")
_USED = ("apps.cli", "graphs.results", "tools.qpu.simulated", *(f"graphs.{name}.running" for name in _SYSTEMS))
_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["matplotlib.backends.backend_agg", *(f"labwright.{name}" for name in _USED)])
_STARTING = threading.Lock()  # `multiprocessing` looks after all children whenever it starts or joins one


def in_a_process(
    run: Run, answers: dict[str, Answer], budget: str | None, switch: Cancellation, _on_event: OnEvent
) -> None:
    """Drive `run` until it ends or waits, as `graphs.front_desk.workers.Drive`; its windows read the run's own log.

    Raises:
        ToolError: it could not be driven, or its processes died.
    """
    for _ in range(DEATHS):
        try:
            fault = _driven(run, answers, budget, switch)
        except EOFError:
            if pause_requested(run):  # to begin anew would forget it
                break
            continue
        if fault:
            raise ToolError(fault)
        return
    raise ToolError("Its processes died while they drove it. What it has done is kept; resume it to go on.")


def _driven(run: Run, answers: dict[str, Answer], budget: str | None, switch: Cancellation) -> str:
    """What kept one process from driving the run; empty if nothing did.

    Raises:
        EOFError: the process died.
    """
    here, there = _FORKS.Pipe(duplex=False)
    with _STARTING:
        process = _FORKS.Process(
            target=_drive, args=(run.run_id, str(run.folder.parent), answers, budget, there), daemon=True
        )
        process.start()
        there.close()
    with here:
        asked = False
        while not here.poll(LOOK):
            if switch.turned and not asked:
                asked = True
                os.kill(process.pid or 0, signal.SIGUSR1)
        try:
            return str(here.recv())
        finally:
            with _STARTING:
                process.join(LEAVES)
                process.kill()  # of one that has told its end, and does not go


def _drive(run_id: str, root: str, answers: dict[str, Answer], budget: str | None, tell: Connection) -> None:
    """All that a process does: SIGUSR1 stops the run at its next event, SIGTERM and Ctrl-C at once, for good order."""
    from labwright.graphs.cancelling import Cancellation

    switch, fault = Cancellation(), ""
    signal.signal(signal.SIGUSR1, lambda *_: switch.cancel("A person paused it."))  # before anything that takes long
    from pathlib import Path

    from labwright.apps.exits import polite
    from labwright.graphs.front_desk.workers import in_this_process, named
    from labwright.tools.runs import open_run

    os.nice(NICE)
    try:
        with polite():
            in_this_process(open_run(Path(root), run_id), answers, budget, switch, lambda _: None)
    except KeyboardInterrupt:
        pass
    except Exception as wrong:  # noqa: BLE001 - the process's last wall; the server's thread names it
        fault = named(wrong)
    with contextlib.suppress(OSError):  # the server is gone
        tell.send(fault)
