"""``labwright explain Q1``: what is known of a qubit's settings, as the graph that plans and upkeep follow."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.tree import Tree

from labwright.apps.calibrate import Json, Seed, device_options
from labwright.apps.exits import endings
from labwright.apps.maintained_device import device_of_run
from labwright.apps.numbers import with_error
from labwright.apps.output_writing import write_document
from labwright.apps.terminal_output import escape, out
from labwright.tools.errors import InputError
from labwright.tools.runs.run import runs_root

if TYPE_CHECKING:
    from labwright.tools.upkeep.settings_graph import Explained

OTHERS = "others"  # no other setting needs them fresh
STYLE = {"fresh": "green", "unknown": "dim", "stale": "yellow", "bad": "bold red"}


def explain(
    qubit: Annotated[str, typer.Argument(help="Of the device, such as Q1.")],
    device: Annotated[str, typer.Option(help="As for calibrate; that of the newest run if empty.")] = "",
    device_option: Annotated[list[str] | None, typer.Option(help="name=value for the device's factory.")] = None,
    device_folder: Annotated[str, typer.Option(help="Where the device keeps its memory.")] = "",
    run: Annotated[str, typer.Option(help="The run whose device is meant; the newest if empty.")] = "",
    seed: Seed = 0,
    lab: Annotated[str, typer.Option(help="Folder with your own experiments.")] = "",
    json_file: Json = None,
) -> None:
    """Draw what is known of a qubit's settings: value, error, age, and whether each is fresh, stale, bad or unknown."""
    from labwright.tools.experiments.registry import experiments
    from labwright.tools.qpu.opening import absolute_spec, open_device
    from labwright.tools.upkeep.settings_graph import explained
    from labwright.tools.upkeep.upkeep_journal import UpkeepBook

    with endings(), TemporaryDirectory() as empty:
        meant: dict[str, Any] = {"device": absolute_spec(device or "simulated"), "seed": seed, "lab": lab}
        meant |= {"device_options": device_options(device_option or []), "device_folder": device_folder or empty}
        if not device and not device_folder:
            meant |= device_of_run(runs_root(), run)
        folder = Path(meant["device_folder"]).expanduser()
        opened = open_device(meant["device"], folder, meant["seed"], meant["device_options"])
        try:
            if qubit not in opened.qubits:
                raise InputError(f"The device has no qubit {qubit!r}. It has: {', '.join(opened.qubits)}.")
            kinds = experiments(Path(meant["lab"]).expanduser() if meant["lab"] else None)
            found, clock = explained(qubit, opened, UpkeepBook(folder), kinds), opened.clock
        finally:
            opened.close()
        out().print(drawn(f"{qubit} of {escape(meant['device'])}, device time {clock / 3600:.1f} h", found))
        result = {"qubit": qubit, "clock": clock, "calibrations": [asdict(each) for each in found]}
        head = {"run_id": "", "system": "explain", "status": "complete", "reason": ""}
        write_document(json_file, {**head, "result": result})


def drawn(title: str, found: list[Explained]) -> Tree:
    """The graph as a tree: below each calibration its settings and what it depends on, each drawn out once."""
    tree, names, seen = Tree(title), {each.name: each for each in found}, set[str]()
    below = {name for each in found for name in each.depends_on}

    def add(branch: Tree, each: Explained) -> None:
        if each.name in seen:
            branch.add(f"[dim]{each.name}, see above[/]")
            return
        seen.add(each.name)
        why = f": {escape(each.why)}" if each.why else ""
        state = "" if each.name == OTHERS else f" [{STYLE[each.state]}]{each.state}[/]{why}"
        own = branch.add(f"[bold]{each.name}[/]{state}")
        for row in each.settings:
            own.add(_setting(row))
        for name in each.depends_on:
            add(own, names[name])

    for each in reversed(found):
        if each.name not in below:
            add(tree, each)
    return tree


def _setting(row: dict[str, Any]) -> str:
    value = f"{row['name']} = {with_error(row['value'], row['error'], row['unit'])}"
    told = "" if row["age"] is None else f", {_ago(row['age'])} ago by {escape(row['by'])}"
    return f"{value}  [{STYLE[row['state']]}]{row['state']}[/]{told}"


def _ago(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
