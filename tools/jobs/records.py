"""What a job is: what was asked for, how it stands, and what came of it. All JSON-plain."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.sandbox import Level, Limits

PROCESSES = 64  # of one job, beside the threads that it asked for
OUTPUT_KB = 16 * 1024
LONGEST_NAME = 120


class JobState(StrEnum):
    """How a job stands. The last six never change again."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    OOM = "OOM"
    LOST = "LOST"

    @property
    def ended(self) -> bool:
        """Whether it is one of the last six."""
        return self not in (JobState.PENDING, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class JobLimits:
    """What one job may use.

    Attributes:
        cpu_seconds: processor time of one process.
        wall_seconds: time on the clock.
        memory_mb: address space of one process.
        file_mb: largest file; all that comes back together may have four times that.
        threads: of numerical libraries; under SLURM also the processors that are reserved.
    """

    cpu_seconds: float = 3600.0
    wall_seconds: float = 3600.0
    memory_mb: int = 4096
    file_mb: int = 256
    threads: int = 1

    def __post_init__(self) -> None:
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InputError(f"Limit `{one.name}` must be a number above 0, but is {value!r}. Give a larger one.")

    def of_sandbox(self) -> Limits:
        """The same for `labwright.tools.sandbox`."""
        return Limits(
            cpu_seconds=self.cpu_seconds,
            wall_seconds=self.wall_seconds,
            memory_mb=self.memory_mb,
            file_mb=self.file_mb,
            processes=PROCESSES + 2 * self.threads,
            output_kb=OUTPUT_KB,
            threads=self.threads,
        )


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What is asked for.

    Attributes:
        argv: the command, run on a copy of `folder`; ``python`` stands for this interpreter.
        folder: an existing folder; what the command makes or changes comes back to it.
        name: for people; the last word of the command's path if empty.
        limits: of the job.
        keep: relative paths in `folder` that must not change.
        after: ids of jobs that must have COMPLETED first; if one ends otherwise, this one is CANCELLED.
        key: a second submission with the same key gives the job of the first; None for no such key.
        weakest: the weakest confinement that will do, see `labwright.tools.sandbox.open_sandbox`.
    """

    argv: tuple[str, ...]
    folder: Path
    name: str = ""
    limits: JobLimits = field(default_factory=JobLimits)
    keep: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    key: str | None = None
    weakest: Level = "landlock"

    def __post_init__(self) -> None:
        if not self.argv or not all(isinstance(word, str) and "\0" not in word for word in self.argv):
            raise InputError("Argument `argv` must be a list of words with at least one. Give the command to run.")
        if any(PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts for name in self.keep):
            raise InputError("Names in `keep` must be relative to the folder and without `..`.")
        if self.key == "":
            raise InputError("Argument `key` must not be empty. Leave it out for a job without one.")

    @property
    def title(self) -> str:
        """The name, or one made of the command; printable."""
        words = self.name or " ".join((PurePosixPath(self.argv[0]).name, *self.argv[1:]))
        return "".join(letter if letter.isprintable() else " " for letter in words)[:LONGEST_NAME]

    def to_plain(self) -> dict[str, Any]:
        """JSON-plain."""
        return {**dataclasses.asdict(self), "folder": str(self.folder)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> JobSpec:
        """What `to_plain` gave."""
        tuples = {name: tuple(plain[name]) for name in ("argv", "keep", "after")}
        return cls(**{**plain, **tuples, "folder": Path(plain["folder"]), "limits": JobLimits(**plain["limits"])})


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How a job stands.

    Attributes:
        id: of the job.
        name: for people.
        state: see `JobState`.
        reason: why, where the state alone does not say it.
        folder: of the job's files.
        submitted: Unix time in seconds.
        started: Unix time; None before it runs.
        ended: Unix time; None before its end.
        returncode: of the command; negative for a signal, None where it did not run to an end.
        level: of the sandbox; empty before the end.
        changed: relative paths of the files that came back.
        rejected: what did not come back; see `FolderRun`.
    """

    id: str
    name: str
    state: JobState
    folder: str
    submitted: float
    reason: str = ""
    started: float | None = None
    ended: float | None = None
    returncode: int | None = None
    level: str = ""
    changed: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """JSON-plain."""
        return {**dataclasses.asdict(self), "changed": list(self.changed), "rejected": list(self.rejected)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> JobStatus:
        """What `to_plain` gave.

        Raises:
            CorruptRecordError: it is something else.
        """
        try:
            lists = {name: tuple(plain[name]) for name in ("changed", "rejected")}
            return cls(**{**plain, **lists, "state": JobState(plain["state"])})
        except (TypeError, KeyError, ValueError) as wrong:
            raise CorruptRecordError(
                f"The status of a job does not read back: {wrong}. Cancel it, submit anew."
            ) from wrong
