"""Outside: a confined process under its keeper, as the graph's process holds it."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labwright.tools.sandbox.keeper import boot_keeper
from labwright.tools.sandbox.plan import Plan

TICK = 0.1  # seconds between looks at the size of the work folder
GRACE = 5.0  # seconds that a keeper gets to end everything below it


@dataclass(frozen=True, slots=True)
class Output:
    """What came of a command.

    Attributes:
        returncode: of the keeper; 128 + n for signal n.
        streams: standard output and standard error, cut at the limit.
        overflow: a stream or the work folder grew over its limit.
        late: the clock ran out.
    """

    returncode: int
    streams: tuple[bytes, bytes]
    overflow: bool
    late: bool


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
        self.folder = plan.bound
        self._end = weakref.finalize(self, _stop, self._keeper, ours, self._errors, os.getpid())
        self._removal = weakref.finalize(self, _remove, folders, self._end)

    @property
    def quiet(self) -> bool:
        """Whether it runs and says nothing; one that speaks unasked, or whose output ended, is not to be used."""
        return self._keeper.poll() is None and not select.select([self.stdout], [], [], 0)[0]

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

    def communicate(self, stdin: bytes, seconds: float, most: int, folder_bytes: int) -> Output:
        """Feed `stdin`, gather both outputs, and end the process at the first limit that it breaks.

        Args:
            stdin: for the command.
            seconds: on the clock.
            most: bytes of each output.
            folder_bytes: of all files in the work folder together.
        """
        got = {self.stdout.fileno(): bytearray(), self.stderr.fileno(): bytearray()}
        kept = list(got.values())
        feed, waiting = memoryview(stdin), set(got)
        os.set_blocking(self.stdin.fileno(), False)
        writable = {self.stdin.fileno()}
        deadline = time.monotonic() + seconds
        late = overflow = False
        while waiting and not (late or overflow):
            readable, ready, _ = select.select(waiting, writable, [], TICK)
            if ready:
                feed = self._fed(feed)
                if not feed:
                    self.stdin.close()
                    writable = set()
            for descriptor in readable:
                part = os.read(descriptor, 1 << 16)
                got[descriptor] += part
                waiting -= set() if part else {descriptor}
            overflow = any(len(stream) > most for stream in kept) or folder_size(self.folder) > folder_bytes
            late = time.monotonic() > deadline
        code = self.stop() if late or overflow else self._finished(deadline)
        return Output(code, (bytes(kept[0][:most]), bytes(kept[1][:most])), overflow, late)

    def _fed(self, feed: memoryview) -> memoryview:
        try:
            return feed[os.write(self.stdin.fileno(), feed[: 1 << 16]) :] if feed else feed
        except BrokenPipeError:
            return feed[:0]  # the command does not want it

    def _finished(self, deadline: float) -> int:
        try:
            return self._keeper.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return self.stop()


def folder_size(folder: str) -> int:
    """Bytes of all files below `folder`, at least a block for each so that many empty ones count; 0 without one."""
    total, stack = 0, [folder] if folder else []
    while stack:
        try:
            for entry in os.scandir(stack.pop()):
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                total += max(4096, entry.stat(follow_symlinks=False).st_blocks * 512)
        except OSError:
            continue  # it is being changed while we look
    return total


def _stream(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _stop(keeper: subprocess.Popen[bytes], lifeline: int, errors: IO[bytes] | None, owner: int) -> None:
    if os.getpid() != owner:
        return  # a forked copy of the graph's process does not own it
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
        shutil.rmtree(folder, ignore_errors=True)


def fresh_folder(user: int) -> str:
    """A new empty folder that belongs to `user`, or to us for 0."""
    folder = tempfile.mkdtemp(prefix="labwright-")
    if user and sys.platform == "linux":
        os.chown(folder, user, user)
    return str(Path(folder).resolve())
