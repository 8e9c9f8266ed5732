"""Tasks in worker processes. A process that dies takes its own task with it, and no other."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
# spawn, because numerical libraries may hold locks that a forked child would wait for
SPAWN = multiprocessing.get_context("spawn")


class WorkerDied(Exception):
    """The process of a task ended without an answer, such as by a signal or for lack of memory."""


def in_processes(
    work: Callable[[Task], Result], tasks: Sequence[Task], workers: int
) -> Iterator[tuple[Task, Result | WorkerDied]]:
    """Each task with what `work` made of it, as they end.

    Args:
        work: importable function that raises nothing; what it returns can be pickled.
        tasks: what to do, begun in this order.
        workers: processes at once.
    """
    waiting = deque(tasks)
    free: list[tuple[Connection, SpawnProcess]] = []
    busy: dict[Connection, tuple[Task, SpawnProcess]] = {}
    with _one_thread_each():
        try:
            while waiting or busy:
                while waiting and len(busy) < workers:
                    connection, process = free.pop() if free else _begun(work)
                    if process.is_alive():
                        task = waiting.popleft()
                        connection.send(task)
                        busy[connection] = task, process
                for ready in wait(list(busy)):
                    assert isinstance(ready, Connection)
                    task, process = busy.pop(ready)
                    try:
                        result: Result | WorkerDied = ready.recv()
                        free.append((ready, process))
                    except (EOFError, ConnectionResetError):
                        process.join()
                        result = WorkerDied(f"the process ended with exit code {process.exitcode}")
                    yield task, result
        finally:
            for connection, _ in free:
                connection.close()  # it ends by itself, and cleans up
            for _, process in busy.values():
                process.terminate()
            for _, process in [*free, *busy.values()]:
                process.join()


def _begun(work: Callable[[Any], Any]) -> tuple[Connection, SpawnProcess]:
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=_serve, args=(theirs, work))
    process.start()
    theirs.close()
    return ours, process


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Answer tasks until the parent closes its end, or is gone itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError):
        while True:
            connection.send(work(connection.recv()))


def _end_with_parent() -> None:
    """A worker whose parent was killed would go on writing where a resumed suite begins anew."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Children inherit the environment: with one thread each, two workers do not fight over two cores."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
