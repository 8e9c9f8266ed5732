"""One process of a run that a test may have killed; the next one goes on."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from typing import Any

from labwright.tools.runs.kill_points import VARIABLE

PATIENCE = 300.0  # s that one process may take


def life(
    begin: Callable[..., None],
    arguments: Sequence[Any],
    crash_at: str,
    preloaded: Sequence[str],
    seconds: float = PATIENCE,
) -> int | None:
    """The exit code of a process that calls `begin` with `arguments`; -9 if it was killed.

    Args:
        begin: of a module, so that another process can find it.
        arguments: picklable.
        crash_at: the point at which it is killed, see `labwright.tools.runs.kill_points`; empty for nowhere.
        preloaded: modules that are slow to import.
        seconds: after which it is killed wherever it is.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*preloaded])
    child = context.Process(target=_lived, args=(begin, tuple(arguments), {**os.environ, VARIABLE: crash_at}))
    child.start()
    child.join(seconds)
    if child.is_alive():
        child.kill()
        child.join()
    return child.exitcode


def _lived(begin: Callable[..., None], arguments: tuple[Any, ...], environment: dict[str, str]) -> None:
    os.environ.clear()  # the server that forks has that of the test which started it
    os.environ.update(environment)
    begin(*arguments)
