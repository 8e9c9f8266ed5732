"""``labwright``: the command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from labwright import __version__
from labwright.apps import arena, evaluate, jobs, named_person, queue, runs, toolset
from labwright.apps.adopt import adopt
from labwright.apps.calibrate import calibrate, demo
from labwright.apps.chat.command import chat
from labwright.apps.compile_procedure import compile_procedure
from labwright.apps.console.command import serve
from labwright.apps.design_protocol import design
from labwright.apps.doctor import doctor
from labwright.apps.explain_settings import explain
from labwright.apps.forge import forge
from labwright.apps.limits import besides, limits
from labwright.apps.mcp import mcp
from labwright.apps.new_lab import new_lab
from labwright.apps.new_specification import new, schema
from labwright.apps.predict_and_export import export, predict
from labwright.apps.run import run
from labwright.apps.search import search
from labwright.apps.terminal_output import shield
from labwright.apps.work import work

app = typer.Typer(
    name="labwright",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="Agents for autonomous science. Exit codes: 0 done, 1 the science failed, 2 bad input,"
    " 3 stopped by budget or person, 4 environment.",
)
app.command()(demo)
app.command()(run)
app.command()(new)
app.command()(schema)
app.command("compile")(compile_procedure)
app.command()(calibrate)
app.command()(explain)
app.command()(design)
app.command()(search)
app.command()(predict)
app.command()(export)
app.command()(forge)
app.command()(new_lab)
app.command()(adopt)
app.command()(limits)
app.command()(named_person.sign)
app.command()(chat)
app.command()(serve)
app.command()(mcp)
app.add_typer(named_person.app, name="person")
app.add_typer(runs.app, name="runs")
app.add_typer(toolset.app, name="toolset")
app.add_typer(jobs.app, name="jobs")
app.add_typer(queue.app, name="queue")
app.command()(work)
app.add_typer(evaluate.app, name="eval")
app.add_typer(arena.app, name="arena")
app.command()(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"labwright {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    limits: Annotated[
        Path | None, typer.Option(help="A file of limits that holds besides the others: labwright --limits FILE ...")
    ] = None,
) -> None:
    """Options of the program itself."""
    context.with_resource(besides(limits))


def _take_places() -> None:
    """Have the folders that ``.env`` names hold for every command, not only for those that read all settings."""
    if Path(".env").is_file():
        from dotenv import dotenv_values

        found = dotenv_values(".env")
        for name in ("LABWRIGHT_RUNS", "LABWRIGHT_STATE"):
            if place := found.get(name):
                os.environ.setdefault(name, place)


def main() -> None:
    """Run the command line; leaves with its exit code."""
    shield()
    _take_places()
    app()
