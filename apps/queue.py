"""``labwright queue``: runs for workers that share a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from labwright.apps.calibrate import Json
from labwright.apps.exits import endings
from labwright.apps.output_writing import write_document
from labwright.apps.shell_line_parsing import VERBS, jobs_of
from labwright.apps.terminal_output import STYLE, escape, out
from labwright.tools.errors import InputError
from labwright.tools.runs import open_run, runs_root

if TYPE_CHECKING:
    from labwright.tools.database.queue import RunQueue

app = typer.Typer(no_args_is_help=True, help="Runs for workers that share a database: submit, list, answer.")
NEEDED = (
    "Workers share a PostgreSQL database. Set LABWRIGHT_DATABASE_URL to its address, postgresql://user@host/name,"
    " in the environment of every worker and of this command."
)


@app.command(context_settings={"ignore_unknown_options": True})
def submit(
    line: Annotated[
        list[str], typer.Argument(metavar="COMMAND ...", help=f"As without the queue: {', '.join(VERBS)} ...")
    ],
) -> None:
    """Put a run into the queue; a worker drives it."""
    with endings():
        verb, *arguments = line
        if verb not in VERBS:
            raise InputError(f"What is queued must begin with one of {', '.join(VERBS)}, but begins with {verb!r}.")
        jobs, _, _ = jobs_of(verb, arguments)
        with shared_queue() as queue:
            for job in jobs:
                run = job.prepare(runs_root())
                queue.submit(run, runs_root())
                out().print(escape(run.run_id), soft_wrap=True)


@app.command("list")
def list_command(json_file: Json = None) -> None:
    """How the queue's runs stand, newest first."""
    with endings(), shared_queue() as queue:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("run", "status", "tries"):
            table.add_column(column, no_wrap=True)
        table.add_column("reason", overflow="fold")
        found = queue.runs()
        for run in found:
            style = STYLE.get(run.status, "yellow")
            table.add_row(escape(run.run_id), f"[{style}]{run.status}[/]", str(run.attempts), escape(run.reason))
        out().print(table if found else "The queue is empty. Fill it: labwright queue submit calibrate TEXT")
        if json_file:
            rows = [
                {"run_id": run.run_id, "status": run.status, "tries": run.attempts, "reason": run.reason}
                for run in found
            ]
            write_document(json_file, {"runs": rows})


@app.command()
def answer(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or a unique beginning of one.")],
    answers: Annotated[list[str], typer.Argument(metavar="ID=DECISION...", help="As `labwright runs resume` takes.")],
) -> None:
    """Answer what a run waits for, and put it back into the queue."""
    from labwright.apps.runs import answers_of

    with endings(), shared_queue() as queue:
        found = open_run(runs_root(), run)
        given = {name: each.model_dump(mode="json") for name, each in answers_of(answers, found).items()}
        queue.answer(found.run_id, given)
        out().print(f"{escape(found.run_id)} is queued again")


def shared_queue() -> RunQueue:
    """The queue of the database that the settings name.

    Raises:
        InputError: they name none.
    """
    from labwright.agents.settings import Settings
    from labwright.tools.database.queue import RunQueue

    url = Settings().shared_database
    if not url:
        raise InputError(NEEDED)
    return RunQueue(url)
