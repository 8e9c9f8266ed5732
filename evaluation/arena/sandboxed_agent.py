"""An agent that is code: it runs in the sandbox, and two pipes are all that it has of the bench."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from labwright.evaluation.arena.client import Arena
from labwright.evaluation.arena.pipe import ASK, TOLD
from labwright.tools.sandbox.base import Completed, Limits
from labwright.tools.sandbox.confined import ConfinedSandbox
from labwright.tools.sandbox.work_folder_files import put

PIPE = Path(__file__).with_name("pipe.py")
LONGEST_LINE = 64_000_000  # bytes


def run_confined(
    arena: Arena,
    code: str,
    sandbox: ConfinedSandbox,
    limits: Limits | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Completed:
    """Run an agent's code on the open device; whatever it asks through its pipes is a call of a tool, or refused.

    The code begins with ``from pipe import beside; bench = beside()``, and then has ``bench.call(tool, **arguments)``.
    """
    ends: list[int] = []
    with _pumped(arena, ends):

        def fill(folder: str, user: int) -> None:
            for name, content in {
                **(files or {}),
                "pipe.py": PIPE.read_bytes(),
                "agent.py": code.encode(),
            }.items():
                put(folder, name, content, user)
            for name in (ASK, TOLD):
                path = Path(folder, name)
                os.mkfifo(path, 0o600)
                ends.append(os.open(path, os.O_RDWR))  # held by number: the code cannot put another file in its place
                if user:
                    os.chown(path, user, user)

        completed, _ = sandbox.around(["python", "agent.py"], fill, lambda _folder: None, limits=limits)
        return completed


@contextmanager
def _pumped(arena: Arena, ends: list[int]) -> Iterator[None]:
    """Answer lines from the first pipe into the second, as long as the context lasts."""
    over = threading.Event()

    def pump() -> None:
        held = b""
        while not over.is_set():
            if len(ends) < 2 or not select.select([ends[0]], [], [], 0.05)[0]:
                over.wait(0.0 if len(ends) == 2 else 0.01)
                continue
            held += os.read(ends[0], 1 << 20)
            if len(held) > LONGEST_LINE:
                return
            while b"\n" in held:
                line, _, held = held.partition(b"\n")
                _write(ends[1], arena.forward(line), over)

    thread = threading.Thread(target=pump, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        for end in ends:
            os.close(end)


def _write(end: int, reply: bytes, over: threading.Event) -> None:
    """Write as the code reads; one that reads nothing holds up nobody but itself."""
    left = memoryview(reply)
    os.set_blocking(end, False)
    while left and not over.is_set():
        if select.select([], [end], [], 0.05)[1]:
            left = left[os.write(end, left) :]
