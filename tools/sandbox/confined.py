"""A sandbox of one level: it makes the plan, starts it, and says how the work ended."""

from __future__ import annotations

import dataclasses
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from labwright.tools.errors import SandboxError
from labwright.tools.sandbox import linux_calls
from labwright.tools.sandbox.base import Completed, Ending, Level, Limits, T, Watch
from labwright.tools.sandbox.canary import escapes
from labwright.tools.sandbox.confine import NOT_STARTED
from labwright.tools.sandbox.confined_process import Output, Process, fresh_folder
from labwright.tools.sandbox.fork_server_handle import ForkServer
from labwright.tools.sandbox.plan import (
    SERVING,
    STARTING,
    WORK,
    Plan,
    closed_to_others,
    environment,
    processes_of,
    readable_paths,
    source_folder,
    system_links,
)
from labwright.tools.sandbox.safe_folder_walk import folder_size, remove
from labwright.tools.sandbox.work_folder_files import inner, put

CPU_SIGNAL, FILE_SIGNAL = 24, 25  # SIGXCPU, SIGXFSZ
_log = logging.getLogger("labwright.sandbox")
MEMORY_SIGNS = (b"MemoryError", b"std::bad_alloc", b"Cannot allocate memory")


class ConfinedSandbox:
    """Implements `labwright.tools.sandbox.base.Sandbox`."""

    def __init__(self, level: Level, *, bubblewrap: str = "", userns: bool = False, proc: bool = False) -> None:
        """A sandbox that has not proven itself; `open_sandbox` gives one that has.

        Args:
            level: how to confine.
            bubblewrap: path of the program, for that level.
            userns: make a user namespace even as root, where root may not make the others without.
            proc: mount a ``/proc`` of the confined processes and a ``/dev/shm``; the two strongest levels only.
        """
        self._level, self._bubblewrap, self._userns, self._proc = level, bubblewrap, userns, proc
        self._with_proc: ConfinedSandbox | None = None
        self._proving = threading.Lock()

    @property
    def level(self) -> Level:
        """How strongly it confines."""
        return self._level

    @property
    def proc(self) -> bool:
        """Whether confined processes see a ``/proc`` of their own."""
        return self._proc

    def with_proc(self) -> ConfinedSandbox:
        """See `Sandbox.with_proc`: proven by a canary of its own, once; this same sandbox, with a warning, if it fails.

        Less is shown then, never more: a package that needs ``/proc`` fails by its own words.
        """
        if self._proc or not self._own_root:
            return self
        with self._proving:
            if self._with_proc is None:
                self._with_proc = self._proven_with_proc()
            return self._with_proc

    def _proven_with_proc(self) -> ConfinedSandbox:
        richer = ConfinedSandbox(self._level, bubblewrap=self._bubblewrap, userns=self._userns, proc=True)
        try:
            wrong = ", ".join(escapes(richer))
        except (SandboxError, OSError) as broken:
            wrong = str(broken)
        if not wrong:
            return richer
        _log.warning("Sandbox level %s shows no /proc here: %s", self._level, wrong)
        return self

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
    ) -> Completed:
        """Run a command in a fresh work folder; see `Sandbox.run`.

        Raises:
            InputError: a name in `files` leads out of the work folder.
            SandboxError: the walls could not be put up; nothing was run.
        """
        given = {inner(name): content for name, content in (files or {}).items()}

        def fill(folder: str, user: int) -> None:
            for name, content in given.items():
                put(folder, name, content, user)

        return self.around(argv, fill, lambda folder: None, limits=limits)[0]

    def around(
        self,
        argv: Sequence[str],
        before: Callable[[str, int], None],
        after: Callable[[str], T],
        *,
        limits: Limits | None = None,
        home: str = "",
        watch: Watch | None = None,
    ) -> tuple[Completed, T]:
        """Run a command in a fresh work folder that the caller fills and empties; see `Sandbox.around`.

        Raises:
            SandboxError: the walls could not be put up; nothing was run.
        """
        limits = limits or Limits()
        user = self._user()
        folder = fresh_folder(user)
        try:
            before(folder, user)
            most = folder_size(folder) + 4 * limits.file_mb * linux_calls.MEGABYTE
            made = self._plan("run", user, folder, limits, argv=list(argv), home=home)
        except BaseException:
            remove(folder)
            raise
        began = time.monotonic()
        process = self._start(made, [folder])
        try:
            output = process.communicate(limits.wall_seconds, 1024 * limits.output_kb, most, watch)
            seconds = time.monotonic() - began
            if output.returncode == NOT_STARTED and b"labwright sandbox" in output.streams[1]:
                raise SandboxError(output.streams[1].decode(errors="replace").strip())
            left = after(folder)
        finally:
            process.remove()
        code = output.returncode if output.returncode <= 128 else 128 - output.returncode
        return Completed(_ending(output, code), code, *output.streams, seconds, self._level), left

    def serve(
        self, function: str, *, preload: Sequence[str] = (), limits: Limits | None = None, still: bool = False
    ) -> ForkServer:
        """Start a fork server; see `Sandbox.serve`.

        Raises:
            SandboxedFailure: an import failed.
            SandboxError: the walls could not be put up.
        """
        limits = limits or Limits()

        def start() -> Process:
            user = self._user()
            folder = "" if self._own_root else fresh_folder(user)
            made = self._plan("serve", user, folder, limits, function=function, preload=list(preload))
            made = dataclasses.replace(made, still=still, proc=self._proc and not still)
            return self._start(made, [folder] if folder else [])

        return ForkServer(start, function, limits)

    @property
    def _own_root(self) -> bool:
        return self._level in ("bubblewrap", "namespaces")

    def _user(self) -> int:
        private = os.getuid() == 0 and sys.platform == "linux" and not self._userns
        return linux_calls.a_private_id() if private else 0

    def _start(self, made: Plan, folders: list[str]) -> Process:
        return Process(made, [*folders, made.root] if made.root else folders)

    def _plan(
        self,
        mode: str,
        user: int,
        bound: str,
        limits: Limits,
        *,
        argv: list[str] | None = None,
        function: str = "",
        preload: list[str] | None = None,
        home: str = "",
    ) -> Plan:
        folder = WORK if self._own_root else bound
        ours = SERVING if mode == "serve" else STARTING if self._own_root else ()
        source, readable = source_folder(), readable_paths(ours)
        return Plan(
            level=self._level,
            mode=mode,
            user=user,
            userns=self._userns,
            bubblewrap=self._bubblewrap,
            source=str(source),
            readable=readable,
            listable=[str(source)],
            links=system_links(),
            closed=not self._own_root and closed_to_others(readable),
            folder=folder,
            bound=bound,
            root=tempfile.mkdtemp(prefix="labwright-root-") if self._level == "namespaces" else "",
            environment=environment(f"{folder}/{home}" if home else folder, limits.threads),
            limits=dataclasses.asdict(limits),
            processes=limits.processes + self._others(user),
            argv=argv or [],
            function=function,
            preload=preload or [],
            proc=self._proc,
        )

    def _others(self, user: int) -> int:
        """Processes outside that count against the limit: none of a private id or in a user namespace."""
        private = os.getuid() == 0 and user != linux_calls.NOBODY
        if private or sys.platform != "linux" or (self._own_root and _release() >= (5, 14)):
            return 0
        return processes_of(user or os.getuid())


def _release() -> tuple[int, ...]:
    return tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])


def _ending(output: Output, code: int) -> Ending:
    if output.cancelled:
        return "cancelled"
    if output.overflow or code == -FILE_SIGNAL:
        return "overflow"
    if output.late or code == -CPU_SIGNAL:
        return "timeout"
    if code == 0:
        return "ok"
    if any(sign in output.streams[1][-4000:] for sign in MEMORY_SIGNS):
        return "memory"
    return "killed" if code < 0 else "failed"
