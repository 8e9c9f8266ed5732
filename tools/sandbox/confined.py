"""A sandbox of one level: it makes the plan, starts it, and says how the work ended."""

from __future__ import annotations

import dataclasses
import os
import stat
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from labwright.tools.errors import InputError, SandboxError
from labwright.tools.sandbox import kernel
from labwright.tools.sandbox.base import Completed, Ending, Level, Limits
from labwright.tools.sandbox.confine import NOT_STARTED
from labwright.tools.sandbox.plan import (
    WORK,
    Plan,
    closed_to_others,
    environment,
    processes_of,
    readable_paths,
    source_folder,
    system_links,
)
from labwright.tools.sandbox.process import Output, Process, fresh_folder
from labwright.tools.sandbox.server import ForkServer

CPU_SIGNAL, FILE_SIGNAL = 24, 25  # SIGXCPU, SIGXFSZ
MEMORY_SIGNS = (b"MemoryError", b"std::bad_alloc", b"Cannot allocate memory")


class ConfinedSandbox:
    """Implements `labwright.tools.sandbox.base.Sandbox`."""

    def __init__(self, level: Level, *, bubblewrap: str = "", userns: bool = False) -> None:
        """A sandbox that has not proven itself; `open_sandbox` gives one that has.

        Args:
            level: how to confine.
            bubblewrap: path of the program, for that level.
            userns: make a user namespace even as root, where root may not make the others without.
        """
        self._level, self._bubblewrap, self._userns = level, bubblewrap, userns

    @property
    def level(self) -> Level:
        """How strongly it confines."""
        return self._level

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        collect: Sequence[str] = (),
        stdin: bytes = b"",
        limits: Limits | None = None,
    ) -> Completed:
        """Run a command in a fresh work folder; see `Sandbox.run`.

        Raises:
            InputError: a name in `files` or `collect` leads out of the work folder.
            SandboxError: the walls could not be put up; nothing was run.
        """
        limits = limits or Limits()
        given, wanted = {_inner(name): content for name, content in (files or {}).items()}, [*map(_inner, collect)]
        user = self._user()
        folder = fresh_folder(user)
        for name, content in given.items():
            _put(folder, name, content, user)
        began = time.monotonic()
        process = self._start(self._plan("run", user, folder, limits, argv=list(argv)), [folder])
        most = 4 * limits.file_mb * kernel.MEGABYTE
        output = process.communicate(stdin, limits.wall_seconds, 1024 * limits.output_kb, most)
        seconds = time.monotonic() - began
        if output.returncode == NOT_STARTED and b"labwright sandbox" in output.streams[1]:
            raise SandboxError(output.streams[1].decode(errors="replace").strip())
        found = {name: data for name in wanted if (data := _taken(folder, name, most)) is not None}
        process.remove()
        code = output.returncode if output.returncode <= 128 else 128 - output.returncode
        return Completed(_ending(output, code), code, *output.streams, seconds, self._level, found)

    def serve(self, function: str, *, preload: Sequence[str] = (), limits: Limits | None = None) -> ForkServer:
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
            return self._start(made, [folder] if folder else [])

        return ForkServer(start, function, limits)

    @property
    def _own_root(self) -> bool:
        return self._level in ("bubblewrap", "namespaces")

    def _user(self) -> int:
        private = os.getuid() == 0 and sys.platform == "linux" and not self._userns
        return kernel.a_private_id() if private else 0

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
    ) -> Plan:
        folder = WORK if self._own_root else bound
        source, readable = source_folder(), readable_paths()
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
            environment=environment(folder),
            limits=dataclasses.asdict(limits),
            processes=limits.processes + self._others(user),
            argv=argv or [],
            function=function,
            preload=preload or [],
        )

    def _others(self, user: int) -> int:
        """Processes outside that count against the limit: none of a private id or in a user namespace."""
        private = os.getuid() == 0 and user != kernel.NOBODY
        if private or sys.platform != "linux" or (self._own_root and _release() >= (5, 14)):
            return 0
        return processes_of(user or os.getuid())


def _release() -> tuple[int, ...]:
    return tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])


def _inner(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise InputError(f"The file name {name!r} leads out of the work folder. Give a relative path without `..`.")
    return str(path)


def _put(folder: str, name: str, content: bytes, user: int) -> None:
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    while user and path != Path(folder):
        os.chown(path, user, user)
        path = path.parent


def _taken(folder: str, name: str, most: int) -> bytes | None:
    """Content of a file that confined code left; None if it is no plain file of its own work folder.

    No link is followed on the way, at any depth: it could point at a secret of the person's.
    """
    parts = PurePosixPath(name).parts
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        descriptor = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    except OSError:
        return None
    finally:
        os.close(here)
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1 or facts.st_size > most:
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def _ending(output: Output, code: int) -> Ending:
    if output.overflow or code == -FILE_SIGNAL:
        return "overflow"
    if output.late or code == -CPU_SIGNAL:
        return "timeout"
    if code == 0:
        return "ok"
    if any(sign in output.streams[1][-4000:] for sign in MEMORY_SIGNS):
        return "memory"
    return "killed" if code < 0 else "failed"
