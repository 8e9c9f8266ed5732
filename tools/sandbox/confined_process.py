"""Outside: a confined process under its keeper, as the graph's process holds it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from labwright.tools.sandbox.base import Watch
from labwright.tools.sandbox.descriptor_waiting import ready
from labwright.tools.sandbox.keeper import boot_keeper
from labwright.tools.sandbox.plan import Plan
from labwright.tools.sandbox.safe_folder_walk import folder_size, remove

TICK = 0.1  # seconds between looks at the size of the work folder
ON_PURPOSE = b"."  # before the lifeline is closed; without it the keeper takes the folders for abandoned
GRACE = 5.0  # seconds that a keeper gets to end everything below it


@dataclass(frozen=True, slots=True)
class Output:
    """What came of a command.

    Attributes:
        returncode: of the keeper; 128 + n for signal n.
        streams: standard output and standard error, cut at the limit.
        overflow: a stream or the work folder grew over its limit.
        late: the clock ran out.
        cancelled: whoever watched wanted it to end.
    """

    returncode: int
    streams: tuple[bytes, bytes]
    overflow: bool
    late: bool
    cancelled: bool = False


@dataclass(slots=True)
class _Stream:
    """One output of a command, kept whole and passed on in parts."""

    descriptor: int
    hearer: Callable[[bytes], None] | None
    kept: bytearray = field(default_factory=bytearray)

    def read(self) -> bool:
        """Take what is there; False at the end."""
        part = os.read(self.descriptor, 1 << 16)
        self.kept += part
        if part and self.hearer is not None:
            self.hearer(part)
        return bool(part)


class Process:
    """A started plan. It ends with `stop`, with this object, and with the process that made it, however that dies."""

    def __init__(self, plan: Plan, folders: list[str]) -> None:
        """Start; `folders` are removed at the end."""
        # A server's words go to a file: nobody reads them while it works, and a full pipe would stop it.
        self._errors = tempfile.TemporaryFile() if plan.mode == "serve" else None  # noqa: SIM115 - `_stop` closes it
        theirs, ours = os.pipe()
        try:
            self._keeper = subprocess.Popen(
                boot_keeper(plan.source, plan.to_json(), theirs),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors or subprocess.PIPE,
                pass_fds=(theirs,),
                start_new_session=True,
                env={"PATH": "/usr/bin:/bin"},  # nothing of ours may be found in its memory
                cwd="/",
                bufsize=0,
            )
        except OSError:
            os.close(ours)
            _remove(folders, lambda: None)
            raise
        finally:
            os.close(theirs)
        self.stdin, self.stdout = _stream(self._keeper.stdin), _stream(self._keeper.stdout)
        self.stderr = self._errors or _stream(self._keeper.stderr)
        self.folder, self._next_look = plan.bound, 0.0
        self._end = weakref.finalize(self, _stop, self._keeper, ours, self._errors, os.getpid())
        self._removal = weakref.finalize(self, _remove, folders, self._end)

    @property
    def quiet(self) -> bool:
        """Whether it runs and says nothing; one that speaks unasked, or whose output ended, is not to be used."""
        return self._keeper.poll() is None and not ready([self.stdout.fileno()], [], 0)[0]

    def stop(self) -> int:
        """End it and all below it; the keeper's exit code."""
        self._end()
        return int(self._keeper.returncode if self._keeper.returncode is not None else -9)

    def last_words(self) -> str:
        """What stands on standard error once all is over."""
        try:
            self._keeper.wait(GRACE)
        except subprocess.TimeoutExpired:
            return ""
        if self._errors is not None:
            self._errors.seek(0)
        return self.stderr.read().decode(errors="replace").strip()[-2000:]

    def remove(self) -> None:
        """End it and remove its folders."""
        self._removal()

    def communicate(self, seconds: float, most: int, folder_bytes: int, watch: Watch | None = None) -> Output:
        """Gather both outputs, and end the process at the first limit that it breaks. Its standard input is empty.

        Args:
            seconds: on the clock.
            most: bytes of each output.
            folder_bytes: of all files in the work folder together.
            watch: hears the outputs as they come, and may end the process.
        """
        streams = self._streams(watch or Watch())
        cancelled = watch.cancelled if watch is not None else None
        waiting = set(streams)
        self.stdin.close()
        deadline = time.monotonic() + seconds
        late = overflow = unwanted = False
        while waiting and not (late or overflow or unwanted):
            for descriptor in ready(waiting, [], TICK)[0]:
                waiting -= set() if streams[descriptor].read() else {descriptor}
            overflow = any(len(one.kept) > most for one in streams.values()) or self._overgrown(folder_bytes)
            late = time.monotonic() > deadline
            unwanted = cancelled is not None and cancelled()
        overflow = overflow or folder_size(self.folder) > folder_bytes
        code = self.stop() if late or overflow or unwanted else self._finished(deadline)
        said, wrong = (bytes(one.kept[:most]) for one in streams.values())
        return Output(code, (said, wrong), overflow, late, unwanted)

    def _streams(self, watch: Watch) -> dict[int, _Stream]:
        hearers = {self.stdout.fileno(): watch.on_output, self.stderr.fileno(): watch.on_error or watch.on_output}
        return {descriptor: _Stream(descriptor, hearer) for descriptor, hearer in hearers.items()}

    def _overgrown(self, most: int) -> bool:
        """Whether the work folder is too large; looked at once a tick, however often the streams speak."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + TICK
        return folder_size(self.folder) > most

    def _finished(self, deadline: float) -> int:
        try:
            return self._keeper.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return self.stop()


def _stream(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _stop(keeper: subprocess.Popen[bytes], lifeline: int, errors: IO[bytes] | None, owner: int) -> None:
    if os.getpid() != owner:
        return  # a forked copy of the graph's process does not own it
    with contextlib.suppress(BrokenPipeError):  # it has ended by itself
        os.write(lifeline, ON_PURPOSE)
    os.close(lifeline)
    try:
        keeper.wait(GRACE)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()
    for pipe in (keeper.stdin, keeper.stdout, keeper.stderr, errors):
        if pipe is not None:
            pipe.close()


def _remove(folders: list[str], end: Callable[[], object]) -> None:
    end()
    for folder in folders:
        remove(folder)


def fresh_folder(user: int) -> str:
    """A new empty folder that belongs to `user`, or to us for 0."""
    folder = tempfile.mkdtemp(prefix="labwright-")
    if user and sys.platform == "linux":
        os.chown(folder, user, user)
    return str(Path(folder).resolve())
