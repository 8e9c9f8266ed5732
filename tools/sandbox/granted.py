"""Running a program with more than the sandbox gives: a network, named variables and folders. Off unless asked for.

What is opened is opened for everything that the program runs, code that a model wrote included: it may send the
workspace and the named variables anywhere. What stays closed: the rest of the disk, other processes, the environment.
It needs bubblewrap.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from labwright.tools.errors import SandboxUnavailableError
from labwright.tools.sandbox.base import Completed, Ending, Limits, Watch
from labwright.tools.sandbox.confined import ConfinedSandbox
from labwright.tools.sandbox.plan import WORK, readable_paths, system_links
from labwright.tools.sandbox.tree import remove

T = TypeVar("T")
FOR_THE_NETWORK = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/etc/pki",
)
TICK = 0.1


@dataclass(frozen=True, slots=True)
class Grant:
    """What a program gets beyond the sandbox.

    Attributes:
        network: whether it may use the machine's network, local services included.
        environment: names of variables that it sees, such as that of a key.
        folders: absolute paths that it may read, such as its own installation.
    """

    network: bool = False
    environment: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


class GrantedSandbox(ConfinedSandbox):
    """Runs a command in bubblewrap with a grant, in a fresh work folder; see `labwright.tools.sandbox.base.Sandbox`."""

    def __init__(self, grant: Grant) -> None:
        super().__init__("bubblewrap")
        self.grant = grant

    def with_proc(self) -> GrantedSandbox:
        """It has a /proc of its own always."""
        return self

    def around(
        self,
        argv: Sequence[str],
        before: Callable[[str, int], None],
        after: Callable[[str], T],
        *,
        stdin: bytes = b"",
        limits: Limits | None = None,
        home: str = "",
        watch: Watch | None = None,
    ) -> tuple[Completed, T]:
        """Run a command in a folder that the caller fills and empties; see `Sandbox.around`.

        Raises:
            SandboxUnavailableError: bubblewrap is not installed.
        """
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailableError(
                "A grant needs bubblewrap. Install it (`apt install bubblewrap`), or drop the grant."
            )
        limits, watch = limits or Limits(), watch or Watch()
        folder = tempfile.mkdtemp(prefix="labwright-")
        try:
            before(folder, 0)
            done = self._run([program, *self._walls(folder, home), "--", *_words(argv)], limits, watch)
            return done, after(folder)
        finally:
            remove(folder)

    def _walls(self, folder: str, home: str) -> list[str]:
        words = [
            "--unshare-all",
            *(["--share-net"] if self.grant.network else []),
            "--die-with-parent",
            "--new-session",
        ]
        words += ["--cap-drop", "ALL", "--clearenv", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        shown = {**readable_paths(), **{path: path for path in self.grant.folders}}
        if self.grant.network:
            shown |= {path: str(Path(path).resolve()) for path in FOR_THE_NETWORK if Path(path).exists()}
        for inside, outside in sorted(shown.items()):
            words += ["--ro-bind", outside, inside]
        for inside, target in system_links().items():
            words += ["--symlink", target, inside]
        words += ["--bind", folder, WORK, "--chdir", WORK]
        for name, value in self._environment(f"{WORK}/{home}" if home else WORK).items():
            words += ["--setenv", name, value]
        return [*words, "--remount-ro", "/"]

    def _environment(self, home: str) -> dict[str, str]:
        given = {name: os.environ[name] for name in self.grant.environment if name in os.environ}
        path = ":".join(
            [*(f"{one}/bin" for one in self.grant.folders), *self.grant.folders, "/usr/local/bin:/usr/bin:/bin"]
        )
        return {"PATH": path, "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home, **given}

    def _run(self, command: Sequence[str], limits: Limits, watch: Watch) -> Completed:
        began = time.monotonic()
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as wrong:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=wrong, start_new_session=True, env={}, cwd="/"
            )
            ending = _watched(process, said, limits, watch, began)
            seconds = time.monotonic() - began
            outputs = _content(said, limits), _content(wrong, limits)
        code = process.returncode
        ending = ending or ("ok" if code == 0 else "killed" if code < 0 else "failed")
        return Completed(ending, code, *outputs, seconds, "bubblewrap")


def _words(argv: Sequence[str]) -> list[str]:
    return [sys.executable if argv[0] == "python" else argv[0], *argv[1:]]


def _watched(process: subprocess.Popen[bytes], said: Any, limits: Limits, watch: Watch, began: float) -> Ending | None:
    """Follow the process to its end, or end it; why, if we did."""
    seen, ending = 0, None
    while process.poll() is None:
        seen = _told(said, seen, watch)
        if time.monotonic() - began > limits.wall_seconds:
            ending = "timeout"
        elif seen > 1024 * limits.output_kb:
            ending = "overflow"
        elif watch.cancelled is not None and watch.cancelled():
            ending = "cancelled"
        if ending is not None:
            os.killpg(process.pid, signal.SIGKILL)  # bubblewrap is the group's head; all inside dies with it
            process.wait()
            break
        time.sleep(TICK)
    _told(said, seen, watch)
    return ending  # type: ignore[return-value]


def _told(said: Any, seen: int, watch: Watch) -> int:
    """Tell what was written since; how much there is now."""
    part = os.pread(said.fileno(), 1 << 20, seen)
    if part and watch.on_output is not None:
        watch.on_output(part)
    return seen + len(part)


def _content(file: Any, limits: Limits) -> bytes:
    return os.pread(file.fileno(), 1024 * limits.output_kb, 0)
