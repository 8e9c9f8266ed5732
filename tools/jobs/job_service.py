"""Jobs as their users see them: submit, look, wait, cancel. All that it knows is on the disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from labwright.tools.errors import InputError
from labwright.tools.jobs.records import JobSpec, JobState, JobStatus
from labwright.tools.jobs.runner_interface import Runner
from labwright.tools.jobs.store import Store

Stream = Literal["stdout", "stderr"]
LOOK = 0.2  # seconds between looks of somebody who waits
TELL = 1.0  # seconds between two reports of progress
MOST_BYTES = 1 << 20  # of one look at an output


class JobService:
    """The jobs in one folder. Any number of services may share it; one that is killed is replaced by another."""

    def __init__(self, root: Path, runner: Runner, *, workspace: Path | None = None) -> None:
        """Open the jobs in `root`, bring them up to date, and see that what waits gets its turn.

        Args:
            root: where index, states and logs are kept.
            runner: what makes the jobs run.
            workspace: folders of jobs must lie below it; anywhere if None.

        Raises:
            InputError: the jobs in `root` are run by another runner.
        """
        self._store, self._runner = Store(root), runner
        self._workspace = workspace.resolve() if workspace is not None else None
        self._store.bind(runner.name)
        self._up_to_date()

    def submit(self, spec: JobSpec) -> str:
        """The new job's id, or that of the job with the same key.

        Raises:
            InputError: the folder does not exist, is not allowed, or holds the jobs' own records; a job in `after` is
                not known.
        """
        self._check(spec.folder)
        job = self._store.add(spec)
        self._runner.start(self._store)
        return job

    def status(self, job: str) -> JobStatus:
        """How the job stands now.

        Raises:
            JobNotFoundError: there is none.
        """
        self._store.entry(job)
        self._up_to_date()
        return self._store.entry(job).status

    def spec(self, job: str) -> JobSpec:
        """What was asked for.

        Raises:
            JobNotFoundError: there is none.
        """
        return self._store.entry(job).spec

    def output(self, job: str, stream: Stream = "stdout", offset: int = 0, limit: int = 65536) -> bytes:
        """What the job wrote so far.

        Args:
            job: its id.
            stream: which output.
            offset: first byte; a negative one counts from the end.
            limit: most bytes, at most `MOST_BYTES`.

        Raises:
            JobNotFoundError: there is none.
            InputError: no such stream, or a limit that is none.
        """
        return self.tail(job, stream, offset, limit)[0]

    def tail(self, job: str, stream: str = "stdout", offset: int = 0, limit: int = 65536) -> tuple[bytes, int]:
        """Like `output`, and at which byte it begins: from there one can read on."""
        if stream not in ("stdout", "stderr"):
            raise InputError(f"Argument `stream` must be stdout or stderr, but is {stream!r}.")
        if not 0 < limit <= MOST_BYTES:
            raise InputError(f"Argument `limit` must be between 1 and {MOST_BYTES}, but is {limit}.")
        self._store.entry(job)
        log = self._store.folder(job) / f"{stream}.log"
        if not log.exists():
            return b"", max(0, offset)
        with log.open("rb") as file:
            begin = offset if offset >= 0 else max(0, log.stat().st_size + offset)
            file.seek(begin)
            return file.read(limit), begin

    def wait(
        self, job: str, timeout: float, on_progress: Callable[[JobStatus, float], None] | None = None
    ) -> JobStatus:
        """The job's status at its end, or after `timeout` seconds if it has not ended by then; both are fine.

        Args:
            job: its id.
            timeout: in seconds.
            on_progress: hears the status and the seconds waited, about once a second and at the end.

        Raises:
            JobNotFoundError: there is none.
        """
        began, told = time.monotonic(), -TELL
        while True:
            status = self.status(job)
            waited = time.monotonic() - began
            over = status.state.ended or waited >= timeout
            if on_progress is not None and (over or waited - told >= TELL):
                on_progress(status, waited)
                told = waited
            if over:
                return status
            time.sleep(min(LOOK, max(0.0, timeout - waited)))

    def cancel(self, job: str) -> JobStatus:
        """Begin to end the job; one that has ended stays as it is. `wait` sees the end.

        Raises:
            JobNotFoundError: there is none.
        """
        if not self.status(job).state.ended:
            self._runner.cancel(self._store, self._store.entry(job))
        return self.status(job)

    def list(self, states: Sequence[JobState] = ()) -> list[JobStatus]:
        """All jobs in the order of submission, or those in `states`."""
        self._up_to_date()
        return [entry.status for entry in self._store.entries(*states)]

    def _up_to_date(self) -> None:
        self._runner.look(self._store)
        self._runner.start(self._store)

    def _check(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"The job's folder {folder} does not exist. Make it first.")
        real = folder.resolve()
        if self._workspace is not None and (real == self._workspace or not real.is_relative_to(self._workspace)):
            raise InputError(f"The job's folder must lie below {self._workspace}, but is {real}. Choose one there.")
        state = self._store.root.resolve()
        if state.is_relative_to(real) or real.is_relative_to(state):
            raise InputError(f"The job's folder {real} and the folder of the jobs' records {state} overlap. Part them.")
