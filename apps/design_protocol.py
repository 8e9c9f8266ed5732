"""``labwright design``: from words to a checked protocol and the robot's file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from labwright.apps.calibrate import Answers, Approve, Budget, Json, Model, Quiet, check_budget
from labwright.apps.command_outcome import carry_out, finishing
from labwright.apps.exits import endings
from labwright.apps.request_text import request_text
from labwright.apps.terminal_output import plain_table, print_assumed, print_status
from labwright.tools.liquid_handler.robots import OUTPUTS

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

EXAMPLE = "Describe what goes into the vials, or name a file."
TABLE = ".csv"
SUFFIXES = (".txt", ".md", ".yaml", ".yml", TABLE)


def design(
    request: Annotated[str, typer.Argument(metavar="TEXT|FILE", help="A description, or a file (.txt, .yaml, .csv).")],
    out_dir: Annotated[Path | None, typer.Option("--out", help="Copy the robot's files, report and map here.")] = None,
    model: Model = None,
    approve: Approve = "auto",  # the command asks for the file, and a file moves nothing; risky asks again
    answers: Answers = "ask",
    budget: Budget = "",
    retrieve: Annotated[
        int, typer.Option(min=0, max=3, help="Show a model this many earlier experiments and notes on the robot.")
    ] = 0,
    outputs: Annotated[
        str, typer.Option(help="What is written beside the design file: pylabrobot, opentrons, bench; commas between.")
    ] = ",".join(OUTPUTS),
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Design an experiment for the liquid handler from words, a YAML design, or a CSV table."""
    with endings() as watch:
        text = request_text(request, SUFFIXES, EXAMPLE)
        check_budget(budget)
        check_design(text, table=request.endswith(TABLE) and "\n" not in request)
        from labwright.agents.settings import Settings
        from labwright.graphs.protocol_design.choices import Choices
        from labwright.graphs.protocol_design.running import DESIGN
        from labwright.graphs.specification_runs import Job

        chosen: dict[str, Any] = {"approval": approve, "answers": answers, "budget": budget}
        chosen |= {"mind": model or Settings().model, "retrieve": retrieve}
        chosen["outputs"] = check_outputs(outputs)
        job = Job(DESIGN.name, text, Choices.model_validate(chosen))
        carry_out(job, watch, out_dir, json_file, quiet=True)  # a design takes a second; there is no table to show


def check_design(text: str, *, table: bool = False) -> None:
    """Notice a badly written design before a run is made; `table`: nothing but a table will do.

    Raises:
        InputError: it does not read.
    """
    from labwright.graphs.protocol_design.preparing import given_protocol
    from labwright.tools.liquid_handler.spreadsheet_reader import read_spreadsheet

    if table:
        read_spreadsheet(text)
    given_protocol(text)


def check_outputs(text: str) -> list[str]:
    """The names between commas.

    Raises:
        InputError: one of them is no output; lists them.
    """
    from labwright.tools.errors import InputError

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in OUTPUTS:
            raise InputError(f"There is no output {name!r}. There are: {', '.join(OUTPUTS)}.")
    return names


def print_design(console: Console, outcome: Outcome) -> None:
    """The end of a design, for a person: plates, warnings, assumptions, where the files are."""
    result = outcome.result
    print_status(console, outcome)
    if result.get("vials"):
        console.print()
        console.print(plate_table(result))
        facts = result["facts"]
        console.print(f"{facts['vials']} vials, {facts['steps']} steps, about {facts['minutes']:.0f} min on the robot")
    print_assumed(console, result.get("assumptions", []))
    for finding in result.get("findings", []):
        console.print(f"[yellow]{finding['severity']}[/]: {escape(finding['message'])}", soft_wrap=True)
    for note in result.get("notes", []):
        console.print(f"note: {escape(note)}", soft_wrap=True)
    console.print()
    for name, path in places(outcome.run_dir, result):
        console.print(f"{name:<10}{escape(str(path))}", soft_wrap=True)
    console.print(f"more      labwright runs show {outcome.run_id}", soft_wrap=True)


def plate_table(result: dict[str, Any]) -> Table:
    """One row a plate and substance: how many vials get it, and the least and the most."""
    table = plain_table("plate", "substance", "vials", "amount", right=("vials", "amount"))
    rows: dict[tuple[str, str, str], list[float]] = {}
    for vial in result["vials"]:
        for name, item in vial["contents"].items():
            rows.setdefault((vial["plate"], name, item["unit"]), []).append(item["amount"])
    for (plate, name, unit), amounts in rows.items():
        low, high = f"{min(amounts):.6g}", f"{max(amounts):.6g}"
        shown = f"{low} {unit}" if low == high else f"{low} to {high} {unit}"
        table.add_row(plate, escape(name), str(len(amounts)), shown)
    return table


def places(run_dir: Path, result: dict[str, Any]) -> list[tuple[str, Path]]:
    """Where the files of a run are, each with its kind."""
    named = [
        ("file", result.get("xml")),
        ("report", "report.md"),
        ("bench", result.get("files", {}).get("bench")),
        ("scripts", result.get("files", {}).get("pylabrobot")),
        ("", result.get("files", {}).get("opentrons")),
        ("plate map", result.get("files", {}).get("plate_map")),
    ]
    return [(kind, run_dir / name) for kind, name in named if name and (run_dir / name).exists()]


finish_design = finishing(print_design, "design.yaml", folders=("robot",))
