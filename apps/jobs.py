"""``labwright jobs``: the job server, and its jobs for people."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from labwright.apps.exits import DONE, FAILED, STOPPED, endings
from labwright.apps.serving_mcp import serve as serve_mcp
from labwright.apps.terminal_output import escape, legible, out
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.tools.jobs import JobService, JobState, JobStatus, Runner

STATE_FOLDER = ".jobs"
STYLE = {"COMPLETED": "green", "PENDING": "yellow", "RUNNING": "bold cyan", "CANCELLED": "yellow"}
TAIL_BYTES = 2000

app = typer.Typer(no_args_is_help=True, help="Jobs: serve them to agents over MCP; list, show, cancel, wait.")
Root = Annotated[Path, typer.Option(help="Workspace: the folders of all jobs lie below it.")]
State = Annotated[
    Path | None, typer.Option(help=f"Where the jobs' records lie; WORKSPACE/{STATE_FOLDER} if not given.")
]
Job = Annotated[str, typer.Argument(metavar="JOB", help="Job id, or a unique beginning of one.")]
RunnerName = Literal["local", "slurm"]


@app.command()
def serve(
    root: Root = Path(),
    state: State = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak over standard input and output.")] = False,
    http: Annotated[int | None, typer.Option(min=1, max=65535, help="Speak HTTP on this port of loopback.")] = None,
    runner: Annotated[RunnerName, typer.Option(help="What runs the jobs.")] = "local",
    slots: Annotated[
        int | None, typer.Option(min=1, help="Local jobs at once; half the processors if left out.")
    ] = None,
    partition: Annotated[str, typer.Option(help="SLURM's partition; its default if left out.")] = "",
) -> None:
    """Serve jobs to agents over MCP until stopped. Jobs go on without it."""
    with endings():
        if stdio == (http is not None):
            raise InputError("Give either `--stdio` or `--http PORT`.")
        from labwright.apps.jobs_server import make_server  # late: the protocol's package takes a second to import
        from labwright.tools.jobs import JobService

        workspace = _existing(root)
        records = workspace if (workspace / "runner").is_file() else _records(workspace, state)  # a run's own `jobs`
        kind = _runner(runner, slots, partition)
        JobService(records, kind, workspace=workspace)  # goes on with what waits, and says at once what is wrong
        server = make_server(lambda: JobService(records, kind, workspace=workspace), workspace)
        serve_mcp(server, http, f"jobs below {workspace}")


@app.command("list")
def list_command(root: Root = Path(), state: State = None) -> None:
    """All jobs, in the order of submission."""
    with _service(root, state) as service:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("job", "state", "seconds", "name"):
            table.add_column(title, no_wrap=title != "name", justify="right" if title == "seconds" else "left")
        table.add_column("reason", overflow="fold")
        found = service.list()
        for one in found:
            table.add_row(one.id, _coloured(one.state), _seconds(one), escape(one.name), escape(one.reason))
        out().print(table if found else "No jobs yet.")


@app.command()
def show(job: Job, root: Root = Path(), state: State = None) -> None:
    """How a job stands, what it changed, and the end of its outputs."""
    with _service(root, state) as service:
        status, console = service.status(_named(service, job)), out()
        spec = service.spec(status.id)
        console.print(f"[bold]{status.id}[/]  {_coloured(status.state)}  {escape(status.reason)}", soft_wrap=True)
        rows = {"command": " ".join(spec.argv), "folder": status.folder, "seconds": _seconds(status)}
        rows |= {"sandbox": status.level, "changed": ", ".join(status.changed), "rejected": ", ".join(status.rejected)}
        for title, text in rows.items():
            if text:
                console.print(f"{title:9s} {escape(text)}", soft_wrap=True)
        for stream in ("stdout", "stderr"):
            text = service.output(status.id, stream, -TAIL_BYTES).decode(errors="replace")
            if text:
                console.print(f"[bold]{stream}[/]")
                console.out(legible(text.rstrip("\n")), highlight=False)


@app.command()
def cancel(job: Job, root: Root = Path(), state: State = None) -> None:
    """End a job."""
    with _service(root, state) as service:
        _say(service.wait(service.cancel(_named(service, job)).id, timeout=10.0))


@app.command()
def wait(
    job: Job,
    root: Root = Path(),
    state: State = None,
    timeout: Annotated[
        float, typer.Option(min=0, help="Seconds; after that the job goes on, and exit code 3.")
    ] = 3600.0,
) -> None:
    """Wait for a job's end. Exit code 0 if it COMPLETED, 1 if it ended otherwise, 3 if it goes on."""
    with _service(root, state) as service:
        status = service.wait(_named(service, job), timeout)
        _say(status)
        code = DONE if status.state == "COMPLETED" else FAILED if status.state.ended else STOPPED
        if code != DONE:
            raise typer.Exit(code)


@contextmanager
def _service(root: Path, state: Path | None) -> Iterator[JobService]:
    """The service of a workspace that has jobs, with the runner that it had before."""
    with endings():
        workspace = _existing(root)
        records = workspace if (workspace / "runner").is_file() else _records(workspace, state)  # a run's own `jobs`
        if not (records / "runner").is_file():
            raise InputError(f"There are no jobs in {records}. Give the workspace with --root.")
        from labwright.tools.jobs import JobService  # late: what confines a job takes a while to import

        yield JobService(records, _runner((records / "runner").read_text()), workspace=workspace)


def _existing(root: Path) -> Path:
    if not root.is_dir():
        raise InputError(f"The workspace {root} does not exist. Make it first.")
    return root.resolve()


def _records(workspace: Path, state: Path | None) -> Path:
    return workspace / STATE_FOLDER if state is None else state.absolute()


def _runner(name: str, slots: int | None = None, partition: str = "") -> Runner:
    from labwright.tools.jobs import LocalRunner, SlurmRunner

    return SlurmRunner(partition) if name == "slurm" else LocalRunner(slots)


def _named(service: JobService, beginning: str) -> str:
    found = [one.id for one in service.list() if one.id.startswith(beginning)]
    if len(found) > 1:
        raise InputError(f"{beginning!r} begins {len(found)} jobs: {', '.join(found[:5])}. Give more of the id.")
    return found[0] if found else beginning


def _say(status: JobStatus) -> None:
    out().print(f"{status.id}  {_coloured(status.state)}  {escape(status.reason)}", soft_wrap=True)


def _coloured(state: JobState) -> str:
    return f"[{STYLE.get(state, 'red')}]{state}[/]"


def _seconds(status: JobStatus) -> str:
    if status.started is None:
        return ""
    return f"{(status.ended or time.time()) - status.started:.1f}"
