"""What a sandbox is: untrusted code runs in it, and only plain data comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

Level = Literal["bubblewrap", "namespaces", "landlock", "rlimits"]  # strongest first; see `open_sandbox`
Ending = Literal["ok", "failed", "timeout", "memory", "killed", "overflow", "cancelled"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one piece of sandboxed work may use.

    Attributes:
        cpu_seconds: processor time of one process.
        wall_seconds: time on the clock, of the whole process group.
        memory_mb: address space of one process.
        file_mb: largest file that may be written.
        processes: that may run at once.
        open_files: file descriptors of one process.
        output_kb: of standard output and of standard error; more ends the work with ``overflow``.
        threads: that numerical libraries shall start; a wish in the environment, not a wall.
    """

    cpu_seconds: float = 30.0
    wall_seconds: float = 60.0
    memory_mb: int = 4096
    file_mb: int = 16
    processes: int = 64
    open_files: int = 256
    output_kb: int = 4096
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Watch:
    """How somebody takes part in work while it runs.

    Attributes:
        on_output: hears each part of standard output, and of standard error unless that has a hearer of its own.
        on_error: hears each part of standard error.
        cancelled: asked about ten times a second; once true, the work is ended.
    """

    on_output: Callable[[bytes], None] | None = None
    on_error: Callable[[bytes], None] | None = None
    cancelled: Callable[[], bool] | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """How sandboxed work ended.

    Attributes:
        ending: ``ok`` only if the work exited with 0 within its limits.
        returncode: exit code; negative for a signal.
        stdout: what it wrote to standard output, at most `Limits.output_kb`.
        stderr: what it wrote to standard error, at most `Limits.output_kb`.
        seconds: on the clock.
        level: how strongly it was confined.
    """

    ending: Ending
    returncode: int
    stdout: bytes
    stderr: bytes
    seconds: float
    level: Level


class Server(Protocol):
    """A confined process that has imported what is slow to import, and forks one child a request."""

    def call(
        self, request: dict[str, Any], limits: Limits | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """The JSON-plain reply of the served function; nothing of one call is seen by the next.

        Args:
            request: JSON-plain.
            limits: of this call; those of the server if None.
            cancelled: asked about ten times a second; once true, the call ends as if it were late.

        Raises:
            SandboxedFailure: the function raised, broke a limit, or replied with something that is no JSON object.
        """
        ...

    def close(self) -> None:
        """End the server and everything below it."""
        ...


class Sandbox(Protocol):
    """One way to confine. No network, no environment, no files but the interpreter's own and a work folder."""

    @property
    def level(self) -> Level: ...

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
    ) -> Completed:
        """Run a command in a fresh work folder.

        Args:
            argv: the command; ``python`` as the first word stands for this interpreter.
            files: relative path -> content, put into the work folder first.
            limits: of this command; the defaults if None.
        """
        ...

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
        """Run a command in a fresh work folder that the caller fills and empties: what `run` is made of.

        Args:
            argv: the command; ``python`` as the first word stands for this interpreter.
            before: fills the folder (path outside); gets the user id to which its files must belong, 0 for our own.
            after: looks at the folder when everything below the command has ended, however it ended.
            limits: of this command; the defaults if None.
            home: folder below the work folder for caches and temporary files; the work folder itself if empty.
            watch: who takes part meanwhile.
        """
        ...

    def with_proc(self) -> Sandbox:
        """This sandbox, with a ``/proc`` of the confined processes alone and a ``/dev/shm``, where the level can."""
        ...

    def serve(
        self, function: str, *, preload: Sequence[str] = (), limits: Limits | None = None, still: bool = False
    ) -> Server:
        """Start a fork server around ``package.module:function``, a function of one dict that returns a dict.

        Args:
            function: dotted module, colon, name; importable by this interpreter.
            preload: modules to import before the first request.
            limits: of every call, unless the call brings its own.
            still: give no random devices, and the same addresses each time, so that calls can be alike.
        """
        ...
