"""An agent's workspace: a folder with the task in it, and the only way to run something there is the sandbox."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.forge.calls.call_processes import tools_desk
from labwright.tools.jobs.job_service import JobService, Stream
from labwright.tools.jobs.records import JobLimits, JobSpec, JobState
from labwright.tools.sandbox.base import Limits, Sandbox
from labwright.tools.sandbox.folder_copy_run import FolderRun, run_in_folder
from labwright.tools.workspace.files import MOST_BYTES, Files

QUESTION, INPUTS, TOOLS = "question.md", "inputs", "tools"
LOCKED = (QUESTION, INPUTS)  # the task is not the agent's to change
STREAMS: tuple[Stream, ...] = ("stdout", "stderr")
MOST_OUTPUT = 16_000  # characters of a program's outputs that an agent sees
PATIENCE = 60.0  # seconds of one wait for a job
TAIL = 4000  # bytes of each output that are shown
SMITHY = "tool_smith"  # where tools are drafted, one folder a tool


@dataclass(frozen=True, slots=True)
class ToolEdits:
    """How ``tools/`` differs from what was put there, by path below it."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed)


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How a job ended.

    Attributes:
        ok: it exited with 0 within its limits.
        said: the end of what it wrote.
        seconds: on the clock.
        state: in words, such as ``ok``, ``failed`` or ``timeout``.
    """

    ok: bool
    said: str
    seconds: float
    state: str


class Workspace:
    """One run's workspace as an agent may use it.

    Args:
        folder: ``question.md``, ``inputs/``, ``tools/``, scripts, results.
        sandbox: in which commands run; without one nothing runs.
        jobs: for work over a minute; without one there are none.
        writable: what may be written and what comes back from a command; ``""`` is all but the task itself.
        limits: of a command that brings none.
        job_limits: the most that one job may use.
    """

    def __init__(
        self,
        folder: Path,
        sandbox: Sandbox | None = None,
        jobs: JobService | None = None,
        *,
        writable: Sequence[str] = ("",),
        limits: Limits | None = None,
        job_limits: JobLimits | None = None,
    ) -> None:
        self.folder, self.sandbox, self.jobs = folder, sandbox, jobs
        self.limits = limits or Limits(cpu_seconds=120.0, wall_seconds=120.0, file_mb=256)
        self.job_limits = job_limits or JobLimits(cpu_seconds=7200.0, memory_mb=8192, threads=2)
        self.files = Files(folder, writable, LOCKED)

    def narrowed(self, writable: Sequence[str]) -> Workspace:
        """The same workspace for an agent that may write less."""
        kept = [one for one in writable if self.files.may_write(one or "x")]
        return self._like(self.sandbox, kept)

    def also(self, *places: str) -> Workspace:
        """The same workspace in which `places` may be written, too."""
        return self._like(self.sandbox, [*self.files.writable, *places])

    def inside(self, sandbox: Sandbox) -> Workspace:
        """The same workspace with another sandbox."""
        return self._like(sandbox, self.files.writable)

    def _like(self, sandbox: Sandbox | None, writable: Sequence[str]) -> Workspace:
        return Workspace(
            self.folder, sandbox, self.jobs, writable=writable, limits=self.limits, job_limits=self.job_limits
        )

    @property
    def question(self) -> str:
        """The task.

        Raises:
            InputError: there is none.
        """
        return self.files.text(QUESTION)

    def inputs(self) -> dict[str, str | None]:
        """Name -> text of each file that came with the task; None for one that is no text."""
        if not any(one.path == INPUTS for one in self.files.entries()):
            return {}
        return {one.path.removeprefix(f"{INPUTS}/"): self._text(one.path) for one in self.files.files(INPUTS)}

    def run(
        self,
        argv: Sequence[str],
        *,
        limits: Limits | None = None,
        on_output: Callable[[bytes], None] | None = None,
        on_error: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> FolderRun:
        """Run a command in the sandbox with the workspace as its folder. What it wrote where it may stays.

        Args:
            argv: the command; ``python`` stands for this interpreter.
            limits: of the command; those of the workspace if None.
            on_output: hears what it writes as it comes.
            on_error: hears standard error apart.
            cancelled: asked ten times a second; once true, the command is ended.

        Raises:
            InputError: this workspace runs nothing.
            SandboxError: the walls could not be put up; nothing was run.
        """
        if self.sandbox is None:
            raise InputError("Nothing can be run in this workspace: it has no sandbox.")
        keep = self._kept("")
        ran = run_in_folder(
            self.sandbox,
            argv,
            self.folder,
            keep=keep,
            limits=limits or self.limits,
            on_output=on_output,
            on_error=on_error,
            cancelled=cancelled,
            beside=tools_desk(self.sandbox),
        )
        return dataclasses.replace(
            ran,
            changed=[path for path in ran.changed if self.files.may_write(path)],
            rejected=[*ran.rejected, *self._without_strays(ran.changed)],
        )

    def submit(self, argv: Sequence[str], *, limits: JobLimits | None = None, name: str = "", key: str = "") -> str:
        """Begin a job in the workspace; its id. What is asked for beyond `job_limits` is cut to them.

        Args:
            argv: the command.
            limits: of the job.
            name: for people.
            key: a second submission with the same key is the same job, also after a restart.

        Raises:
            InputError: this workspace has no jobs, or only parts of it may be written.
        """
        if self.jobs is None:
            raise InputError("This workspace has no jobs. Run shorter pieces at once.")
        if "" not in self.files.writable:
            raise InputError("Jobs are for work on the whole workspace; here only parts of it may be written.")
        spec = JobSpec(
            tuple(argv),
            self.folder,
            name=name,
            limits=_within(limits or self.job_limits, self.job_limits),
            keep=LOCKED,
            key=key or None,
            weakest="rlimits" if self.sandbox is not None and self.sandbox.level == "rlimits" else "landlock",
        )
        return self.jobs.submit(spec)

    def job(self, argv: Sequence[str], *, limits: JobLimits, name: str = "", key: str = "") -> JobEnd:
        """Submit a job and wait for its end; without a job service it is run at once."""
        if self.jobs is None:
            ran = self.run(argv, limits=_within(limits, self.job_limits).of_sandbox()).completed
            said = _ends(ran.stdout, ran.stderr)
            return JobEnd(ran.ending == "ok", said, ran.seconds, ran.ending)
        job = self.submit(argv, limits=limits, name=name, key=key)
        status = self.jobs.wait(job, PATIENCE)
        while not status.state.ended:
            status = self.jobs.wait(job, PATIENCE)
        outputs = (self.jobs.output(job, stream, offset=-TAIL) for stream in STREAMS)
        seconds = (status.ended or 0.0) - (status.started or status.ended or 0.0)
        said = "\n".join(part for part in (_ends(*outputs), status.reason) if part)
        return JobEnd(status.state is JobState.COMPLETED, said, seconds, status.state.value.lower())

    def _kept(self, under: str) -> list[str]:
        """What lies in the workspace now and must not change; the task itself always."""
        kept = [] if under else list(LOCKED)
        for one in self.files.entries(under):
            if self.files.may_write(one.path) or one.path in LOCKED:
                continue
            holds_writable = any(place.startswith(f"{one.path}/") for place in self.files.writable)
            kept += self._kept(one.path) if one.folder and holds_writable else [one.path]
        return kept

    def _without_strays(self, changed: Sequence[str]) -> list[str]:
        """Remove what a command newly made where it may not write; what was there is kept from changing as it is."""
        strays = [path for path in changed if not self.files.may_write(path)]
        whole = Files(self.folder)
        for path in strays:
            whole.remove(path)
        return strays

    def mark_tools(self) -> None:
        """Remember ``tools/`` as it is now; the record lies beside the workspace, out of reach of what runs in it."""
        write_atomic(self._record, json.dumps(self._digests(), indent=1, sort_keys=True).encode())

    def edited_tools(self) -> ToolEdits:
        """What was done to ``tools/`` since `mark_tools`."""
        before: Mapping[str, str] = json.loads(self._record.read_bytes()) if self._record.is_file() else {}
        now = self._digests()
        return ToolEdits(
            changed=tuple(sorted(path for path in now.keys() & before.keys() if now[path] != before[path])),
            added=tuple(sorted(now.keys() - before.keys())),
            removed=tuple(sorted(before.keys() - now.keys())),
        )

    @property
    def _record(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.tools.json")

    def _digests(self) -> dict[str, str]:
        if not any(one.path == TOOLS for one in self.files.entries()):
            return {}
        found = (one.path for one in self.files.files(TOOLS))
        return {
            path.removeprefix(f"{TOOLS}/"): hashlib.sha256(self.files.read_bytes(path, 10 * MOST_BYTES)).hexdigest()
            for path in found
        }

    def _text(self, path: str) -> str | None:
        try:
            return self.files.text(path)
        except InputError:
            return None


def _within(wanted: JobLimits, most: JobLimits) -> JobLimits:
    return JobLimits(
        cpu_seconds=min(wanted.cpu_seconds, most.cpu_seconds),
        wall_seconds=min(wanted.wall_seconds, most.wall_seconds),
        memory_mb=min(wanted.memory_mb, most.memory_mb),
        file_mb=min(wanted.file_mb, most.file_mb),
        threads=min(wanted.threads, most.threads),
    )


def _ends(*outputs: bytes) -> str:
    """The ends of a program's outputs as one text."""
    shown = (output[-TAIL:].decode(errors="replace").strip() for output in outputs)
    return "\n".join(part for part in shown if part)


def shortened(said: str, most: int = MOST_OUTPUT) -> str:
    """The beginning and the end of a long text; errors stand at the end."""
    if len(said) <= most:
        return said
    return f"{said[: most // 4]}\n[... {len(said) - most} characters left out ...]\n{said[-(3 * most) // 4 :]}"
