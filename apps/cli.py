"""``labwright``: the command line. The module of a command is imported when the command is used."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from labwright import __version__
from labwright.apps.terminal_output import shield

COMMANDS = {  # as `labwright --help` lists them: the first sentences of the commands' own help
    "demo": "Calibrate a mis-set qubit of the simulated processor and benchmark it, unattended.",
    "run": "Run a specification; `system:` in it says what for. What you grant (model, device, budget) are options.",
    "new": "Print a filled, commented specification to change and run; or ask for its fields.",
    "schema": "Print the JSON Schema of a specification, which editors check and complete with.",
    "compile": "Have a model read a procedure in prose, once; its plan is written beside it and taken by later runs.",
    "calibrate": "Calibrate qubits from words, a plan or a Markdown procedure, or keep them calibrated.",
    "explain": "Draw what is known of a qubit's settings: value, error, age, and whether each is fresh, stale, bad or"
    " unknown.",
    "design": "Design an experiment for the liquid handler from words, a YAML design, or a CSV table.",
    "search": "Search a quantum feature map for a data set and compare it with classical and quantum kernels.",
    "predict": "Predict the class of new samples with a saved pipeline; no code of the pipeline's folder is run.",
    "export": "Write a saved pipeline for PennyLane, for Qiskit, as OpenQASM 3, or whole for somebody else.",
    "forge": "Solve a computational task with scientific tools that are forged, tested, reviewed and reused.",
    "new-lab": "Write a working example of a lab folder: your experiments, procedures and device, with their test.",
    "adopt": "Adopt a measurement of another framework: read without running, fill in its card, accept, try it once.",
    "limits": "Show the limits in force: those of LABWRIGHT_LIMITS, of --limits, of the lab's folder and beside its"
    " device.",
    "sign": "Accept, as a named person, the findings that a run waits with; then resume it.",
    "chat": "Talk to the front desk: it starts calibrations, searches, computations and protocols, and asks you.",
    "serve": "Serve the console to a browser until stopped: conversation, runs, library, costs.",
    "mcp": "Serve the four systems to agents over MCP until stopped: standard input and output, or --http.",
    "work": "Drive queued runs, one after the other, until ended by Ctrl-C or SIGTERM. Start as many as there are"
    " cores.",
    "doctor": "Look at this machine and say what works, what does not, and what fixes it.",
    "person": "Persons who may accept findings that need a named person.",
    "runs": "Runs: list, show, resume, fork, pause, compare, verify, export.",
    "toolset": "Forged tools: list, show, add, check, prove.",
    "jobs": "Jobs: serve them to agents over MCP; list, show, cancel, wait.",
    "queue": "Runs for workers that share a database: submit, list, answer.",
    "eval": "Measure a system on cases, beside its baseline and the physical limit: `labwright eval SUITE`."
    " Without a suite, the suites are listed.",
    "arena": "Measure a calibration agent on devices with a hidden truth.",
}
PLACES = {  # the function or group of a command, below labwright.apps
    "demo": "calibrate:demo", "run": "run:run", "new": "new_specification:new", "schema": "new_specification:schema",
    "compile": "compile_procedure:compile_procedure", "calibrate": "calibrate:calibrate",
    "explain": "explain_settings:explain", "design": "design_protocol:design", "search": "search:search",
    "predict": "predict_and_export:predict", "export": "predict_and_export:export", "forge": "forge:forge",
    "new-lab": "new_lab:new_lab", "adopt": "adopt:adopt", "limits": "limits:limits", "sign": "named_person:sign",
    "chat": "chat.command:chat", "serve": "console.command:serve", "mcp": "mcp:mcp", "person": "named_person:app",
    "runs": "runs:app", "toolset": "toolset:app", "jobs": "jobs:app", "queue": "queue:app", "work": "work:work",
    "eval": "evaluate:app", "arena": "arena:app", "doctor": "doctor:doctor",
}  # fmt: skip


def command(name: str) -> Any:
    """The command or group `name`, imported now."""
    module, _, attribute = PLACES[name].partition(":")
    found = getattr(importlib.import_module(f"labwright.apps.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        return typer.main.get_command(alone)
    found.info.name = name
    return typer.main.get_group(found)


class CommandInTheList(TyperCommand):
    """What the list of commands shows of one. To use it imports the command, whose context takes its place."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """The context of the command itself."""
        return command(self.name or "").make_context(*args, **more)


app = typer.Typer(
    name="labwright",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="Agents for autonomous science. Exit codes: 0 done, 1 the science failed, 2 bad input,"
    " 3 stopped by budget or person, 4 environment.",
)
for _name, _sentence in COMMANDS.items():
    app.command(_name, cls=CommandInTheList, help=_sentence)(lambda: None)


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
    context.with_resource(_besides(limits))


@contextmanager
def _besides(file: Path | None) -> Iterator[None]:
    """Let the limits in `file` hold, too, as long as the command runs; processes that it starts have them as well."""
    before = os.environ.get("LABWRIGHT_LIMITS")
    if file is not None:
        from labwright.agents.settings import Settings  # what a .env file says holds, too

        whole = (Settings().limits, str(file.expanduser().absolute()))
        os.environ["LABWRIGHT_LIMITS"] = os.pathsep.join(filter(None, whole))
    try:
        yield
    finally:
        os.environ.pop("LABWRIGHT_LIMITS", None)
        os.environ.update({"LABWRIGHT_LIMITS": before} if before is not None else {})


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
