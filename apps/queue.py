"""``labwright queue``: runs for workers that share a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.table import Table

from labwright.apps.calibrate import Json
from labwright.apps.documents import write_document
from labwright.apps.exits import endings
from labwright.apps.requests import request_text
from labwright.apps.screen import escape, out
from labwright.apps.summary import STYLE
from labwright.graphs.registry import NAMES as STARTED
from labwright.graphs.registry import SYSTEMS
from labwright.tools.errors import InputError
from labwright.tools.runs import open_run, runs_root

if TYPE_CHECKING:
    from labwright.tools.database.queue import RunQueue

app = typer.Typer(no_args_is_help=True, help="Runs for workers that share a database: submit, list, answer.")
NAMES = {SYSTEMS[name].verb: name for name in STARTED}
NEEDED = (
    "Workers share a PostgreSQL database. Set LABWRIGHT_DATABASE_URL to its address, postgresql://user@host/name,"
    " in the environment of every worker and of this command."
)
System = Annotated[str, typer.Argument(help=f"One of {', '.join(NAMES)}.")]
Choice = Annotated[list[str] | None, typer.Option(help="name=value of the system's choices; JSON or a word.")]


@app.command()
def submit(
    system: System,
    request: Annotated[
        str, typer.Argument(metavar="TEXT|FILE", help="What is wanted, or a file that says it; of a search the data.")
    ],
    choice: Choice = None,
    inputs: Annotated[
        list[Path] | None,
        typer.Option("--input", help="File of a task to forge for; an inputs/ folder beside the task is taken too."),
    ] = None,
) -> None:
    """Put a run into the queue; a worker drives it."""
    with endings():
        if system not in NAMES:
            raise InputError(f"Argument `system` must be one of {', '.join(NAMES)}, but is {system!r}.")
        from labwright.graphs.registry import driver

        text, choices, files = _order(NAMES[system], request, choices_of(choice or []), inputs or [])
        with shared_queue() as queue:
            run = driver(NAMES[system]).prepare(text, choices, runs_root(), seed=choices.seed, files=files)
            queue.submit(run, runs_root())
        out().print(escape(run.run_id), soft_wrap=True)


def _order(
    name: str, request: str, given: dict[str, Any], inputs: list[Path]
) -> tuple[str, Any, dict[str, bytes] | None]:
    """The text, the choices and the files of a run of the system `name`.

    Raises:
        InputError: a file cannot be read, or does not belong here.
        ValidationError: a choice is unknown or out of range.
    """
    from labwright.graphs.registry import choices_type

    if inputs and name != "tool_forging":
        raise InputError("Option `--input` is for `labwright queue submit forge`.")
    if name == "feature_map_search":
        if given.setdefault("dataset", request) != request:
            raise InputError(f"The search is given two data sets: {request!r} and {given['dataset']!r}. Leave one out.")
        from labwright.graphs.feature_map_search.running import SearchRequest

        search = SearchRequest(choices=cast("Any", choices_type(name).model_validate(given)))
        return search.words, search.choices, None
    text = request_text(request, (".md", ".txt", ".yaml", ".csv"), "Say what is wanted.")
    choices = choices_type(name).model_validate(given)
    if name != "tool_forging":
        return text, choices, None
    from labwright.apps.forge import task_files
    from labwright.graphs.tool_forging.running import ForgeRequest

    return text, choices, ForgeRequest(text, task_files(request, inputs)).files


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


def choices_of(pairs: list[str]) -> dict[str, Any]:
    """``["seed=3", "approval=auto"]`` as a dict.

    Raises:
        InputError: an item has no ``=``.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise InputError(f"Option `--choice` must be name=value, but is {pair!r}.")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value
    return found
