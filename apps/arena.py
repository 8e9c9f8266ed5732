"""``labwright arena``: drawn devices with a hidden truth for any calibration agent, and the tasks in others' forms."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Literal

import typer

from labwright.apps.exits import endings
from labwright.apps.serving_mcp import serve as serve_mcp
from labwright.apps.terminal_output import err

Kind = Literal["qubit", "pair", "chip"]
Condition = Literal["good", "drifting", "spoilt", "doubly_spoilt", "any"]
app = typer.Typer(no_args_is_help=True, help="Measure a calibration agent on devices with a hidden truth.")


@app.command()
def serve(
    http: Annotated[int | None, typer.Option(min=1, max=65535, help="Speak HTTP on this port of loopback.")] = None,
    anyone: Annotated[
        bool, typer.Option("--open", help="With --http: no token, where nobody else reaches this loopback.")
    ] = False,
    kind: Annotated[Kind, typer.Option(help="One qubit, a coupled pair, or sixteen.")] = "qubit",
    condition: Annotated[Condition, typer.Option(help="What is wrong with it; any: by lot.")] = "any",
    number: Annotated[int, typer.Option(min=0, help="Which device of --secret.")] = 0,
    secret: Annotated[
        Path | None, typer.Option(help="File with 64 hexadecimal digits; else a device that nobody sees again.")
    ] = None,
    grades: Annotated[Path | None, typer.Option(help="File that gets the grade, a line of JSON a device.")] = None,
    device_seconds: Annotated[float, typer.Option(min=1, help="Budget of device time.")] = 3000.0,
    acquisitions: Annotated[int, typer.Option(min=1, help="Budget of acquisitions.")] = 150,
    wall_seconds: Annotated[float, typer.Option(min=1, help="Budget of time on the clock.")] = 3600.0,
) -> None:
    """Serve one device to an agent over MCP until stopped: standard input and output, or --http."""
    with endings():
        serving = importlib.import_module("labwright.evaluation.arena.serving")
        budget = serving.Budget(device_seconds, acquisitions, wall_seconds)
        with serving.served(kind, condition, number, secret, budget, grades) as server:
            serve_mcp(server, http, "a device of the arena", anyone=anyone)


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where the tasks go.")],
    devices: Annotated[int, typer.Option(min=1, max=100, help="Tasks of each kind of device.")] = 5,
) -> None:
    """Write the tasks out for Harbor and for inspect-ai, with a new secret beside them for who grades."""
    with endings():
        importlib.import_module("labwright.evaluation.arena.task_export").export(folder, devices)
        err().print(f"tasks in {folder}; keep {folder}/arena.secret from the agent")
