"""Jobs as the tools of a model at work: begin, wait, look, cancel. Its own jobs only, and never longer than it may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from labwright.agents.workspace_files import worth_telling
from labwright.tools.errors import InputError
from labwright.tools.jobs.job_service import JobService
from labwright.tools.jobs.records import JobStatus
from labwright.tools.workspace.workspace import STREAMS, TAIL, Workspace, shortened

LONGEST_WAIT = 300  # seconds of one waiting call; the model comes back for more


def job_tools(workspace: Workspace) -> list[Callable[..., str]]:
    """Functions for the workspace's jobs; what they raise is told to the model."""
    jobs, most = _jobs(workspace), workspace.job_limits

    def submit_job(
        script: str,
        name: str,
        seconds: float,
        arguments: list[str] | None = None,
        threads: int = 1,
        memory_mb: int = 4096,
    ) -> str:
        """Begin a Python script as a job that goes on while you do something else; gives its id."""
        path = script.lstrip("/")
        workspace.files.text(path, 1)
        limits = replace(
            most, wall_seconds=seconds, cpu_seconds=seconds * max(1, threads), threads=threads, memory_mb=memory_mb
        )
        job = workspace.submit(["python", path, *(arguments or [])], limits=limits, name=name)
        return f"Job {job} is submitted."

    def wait_job(job: str = "", seconds: float = 60.0) -> str:
        """Wait for a job, at most 300 s at once (0: only look): its state, the end of its output. No id: all jobs."""
        if not job:
            own = [one for one in jobs.list() if jobs.spec(one.id).folder == workspace.folder]
            return "\n".join(f"{one.id} {one.state.value} {one.name}" for one in own) or "There are no jobs."
        status = jobs.wait(_known(job, jobs, workspace), max(0.0, min(seconds, LONGEST_WAIT)))
        return _told(jobs, status)

    def cancel_job(job: str) -> str:
        """End a job that goes wrong."""
        return _told(jobs, jobs.cancel(_known(job, jobs, workspace)))

    return [submit_job, wait_job, cancel_job]


def _jobs(workspace: Workspace) -> JobService:
    if workspace.jobs is None:
        raise InputError("This workspace has no jobs.")
    return workspace.jobs


def _known(job: str, jobs: JobService, workspace: Workspace) -> str:
    """The job if it is one of this workspace, also one that was begun before a restart."""
    if jobs.spec(job).folder != workspace.folder:
        raise InputError(f"Job {job} is not one of this workspace.")
    return job


def _told(jobs: JobService, status: JobStatus) -> str:
    said = [f"{stream}:\n{text}" for stream in STREAMS if (text := _end(jobs, status.id, stream))]
    kept = f"Files: {', '.join(status.changed[:50])}." if status.changed else ""
    lost = worth_telling(status.rejected)
    refused = f"Not kept: {', '.join(lost[:20])}." if lost else ""
    lines = [f"{status.state.value} {status.reason}".strip(), kept, refused, *said]
    return shortened("\n".join(line for line in lines if line))


def _end(jobs: JobService, job: str, stream: str) -> str:
    return jobs.output(job, stream, offset=-TAIL).decode(errors="replace").strip()  # type: ignore[arg-type]
