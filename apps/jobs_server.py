"""The job service as an MCP server: any agent that speaks the protocol can run confined jobs and come back for them.

The server keeps nothing: each call opens the store anew, so it may be killed and started again between any two.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.fastmcp import Context, FastMCP
from pydantic import Field

from labwright.apps.serving_mcp import told
from labwright.tools.jobs import JobLimits, JobService, JobSpec, JobState, JobStatus

LONGEST_WAIT = 45.0  # seconds; clients give up a call after 60 or so
TELL = 1.0  # seconds between two reports of progress
LIMITS = JobLimits()
INSTRUCTIONS = """Jobs run on a copy of a folder below the workspace, in a sandbox without network, and outlive this
server. submit_job returns at once with an id. wait_job returns at the end of the job or after some seconds, whichever
comes first: call it again, or do something else and come back. What a job makes or changes comes back to its folder."""

JobId = Annotated[str, Field(description="Id of the job, from submit_job or list_jobs.")]
Seconds = Annotated[float, Field(gt=0)]


def make_server(open_service: Callable[[], JobService], workspace: Path) -> FastMCP:
    """A server around the service that `open_service` opens for each call.

    Args:
        open_service: gives the service.
        workspace: below which the folders of jobs lie; relative folders are meant from here.
    """
    server = FastMCP(
        "labwright-jobs",
        instructions=INSTRUCTIONS,
        host="127.0.0.1",
        stateless_http=True,
        log_level="WARNING",
    )
    tools = _Tools(open_service, workspace)
    for tool in (
        tools.submit_job,
        tools.job_status,
        tools.job_output,
        tools.wait_job,
        tools.cancel_job,
        tools.list_jobs,
    ):
        server.add_tool(tool)
    return server


class _Tools:
    """The tools; their docstrings are what an agent reads of them."""

    def __init__(self, open_service: Callable[[], JobService], workspace: Path) -> None:
        self._open, self._workspace = open_service, workspace

    @told
    async def submit_job(
        self,
        command: Annotated[
            list[str], Field(description='The command as words, as ["python", "script_1.py"]; no shell.', min_length=1)
        ],
        folder: Annotated[str, Field(description="Existing folder below the workspace in which it works.")],
        name: Annotated[str, Field(description="For people.")] = "",
        cpu_seconds: Seconds = LIMITS.cpu_seconds,
        wall_seconds: Seconds = LIMITS.wall_seconds,
        memory_mb: Annotated[int, Field(gt=0)] = LIMITS.memory_mb,
        file_mb: Annotated[int, Field(gt=0, description="Largest file it may write.")] = LIMITS.file_mb,
        threads: Annotated[int, Field(gt=0)] = LIMITS.threads,
        keep: Annotated[list[str] | None, Field(description="Relative paths that must not change.")] = None,
        after: Annotated[list[str] | None, Field(description="Jobs that must have COMPLETED first.")] = None,
        key: Annotated[str | None, Field(description="A second call with this key gives the first one's job.")] = None,
    ) -> dict[str, Any]:
        """Submit a command as a job and return at once with its id and state."""
        limits = JobLimits(cpu_seconds, wall_seconds, memory_mb, file_mb, threads)
        place = self._workspace / folder
        spec = JobSpec(tuple(command), place, name, limits, tuple(keep or ()), tuple(after or ()), key)

        def submit() -> JobStatus:
            service = self._open()
            return service.status(service.submit(spec))

        return (await run_sync(submit)).to_plain()

    @told
    async def job_status(self, job_id: JobId) -> dict[str, Any]:
        """State of a job (PENDING RUNNING COMPLETED FAILED TIMEOUT CANCELLED OOM LOST), why, and the changed files."""
        return (await run_sync(lambda: self._open().status(job_id))).to_plain()

    @told
    async def job_output(
        self,
        job_id: JobId,
        stream: Annotated[str, Field(description="stdout or stderr")] = "stdout",
        offset: Annotated[int, Field(description="First byte; a negative one counts from the end.")] = 0,
        limit: Annotated[int, Field(gt=0, description="Most bytes.")] = 8000,
    ) -> dict[str, Any]:
        """What a job wrote so far, also while it runs: text, and the offset from which to read on."""
        part, begin = await run_sync(lambda: self._open().tail(job_id, stream, offset, limit))
        return {"text": part.decode(errors="replace"), "next_offset": begin + len(part)}

    @told
    async def wait_job(
        self,
        job_id: JobId,
        context: Context[Any, Any, Any],
        timeout_seconds: Annotated[float, Field(gt=0, description=f"At most {LONGEST_WAIT:g}.")] = 30.0,
    ) -> dict[str, Any]:
        """Wait for a job's end, or for a while; `ended` says which. It goes on either way: call again or come back."""
        most, began = min(timeout_seconds, LONGEST_WAIT), time.monotonic()
        while True:
            status = await run_sync(lambda: self._open().status(job_id))
            waited = time.monotonic() - began
            if status.state.ended or waited >= most:
                return {**status.to_plain(), "ended": status.state.ended}
            await context.report_progress(waited, most, f"{status.state} after {waited:.0f} s")
            await anyio.sleep(min(TELL, most - waited))

    @told
    async def cancel_job(self, job_id: JobId) -> dict[str, Any]:
        """Begin to end a job; one that has ended stays as it is. What it wrote by then comes back."""
        return (await run_sync(lambda: self._open().cancel(job_id))).to_plain()

    @told
    async def list_jobs(
        self, states: Annotated[list[JobState] | None, Field(description="Only these; all if left out.")] = None
    ) -> dict[str, Any]:
        """All jobs in the order of submission, briefly."""
        found = await run_sync(lambda: self._open().list(states or ()))
        return {"jobs": [{"id": one.id, "name": one.name, "state": one.state, "reason": one.reason} for one in found]}
