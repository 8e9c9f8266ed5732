"""What a finished calibration prints on stdout: before, after, limit, and where everything lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from labwright.apps.chip_progress import SIGNS
from labwright.apps.numbers import key_numbers, with_error
from labwright.apps.terminal_output import escape, plain_table, print_assumed, print_status, where_to_look

if TYPE_CHECKING:
    from labwright.graphs.lab_calibration.running import Outcome

# Setting -> (title, unit, digits after the point), in the order of a calibration.
SHOWN = {
    "readout_frequency": ("readout frequency", "MHz", 3),
    "readout_threshold": ("readout threshold", "", 3),
    "frequency": ("drive frequency", "MHz", 3),
    "amplitude_pi": ("X180 amplitude", "", 5),
    "amplitude_pi2": ("X90 amplitude", "", 5),
    "drag": ("DRAG coefficient", "", 3),
}
# Main results that the table shows as settings or in its last row.
IN_TABLE = {*SHOWN, "optimum", "error_per_gate", "limit_error_per_gate"}


def print_summary(console: Console, outcome: Outcome) -> None:
    """The end of a run, for a person."""
    print_status(console, outcome)
    if "rounds" in outcome.result:
        for shown in chip_tables(outcome.result):
            console.print()
            console.print(shown)
    for qubit, entry in outcome.result.get("qubits", {}).items() if "rounds" not in outcome.result else ():
        console.print()
        if (table := qubit_table(qubit, entry)) is not None:
            console.print(table)
        if found := measured_line(qubit, entry):
            console.print(escape(found), soft_wrap=True)
    from labwright.graphs.lab_calibration.stage_results import not_accepted

    for line in not_accepted(outcome.result.get("stages", [])):
        console.print(f"not accepted: {escape(line)}", soft_wrap=True)
    print_assumed(console, outcome.result.get("assumptions", []))
    console.print()
    console.print(where_to_look(outcome.run_dir, outcome.run_id), soft_wrap=True)


def stage_table(result: dict[str, Any]) -> Table | None:
    """One line a stage: what it found, and whether that was accepted; None if no stage found anything."""
    from labwright.graphs.lab_calibration.stage_results import by_stage

    table = plain_table("stage", "", "found")
    for name, each in by_stage(result.get("stages", [])).items():
        if each["results"]:
            table.add_row(escape(name), "" if each["accepted"] else "not accepted", key_numbers(each["results"], 4))
    return table if table.row_count else None


def chip_tables(result: dict[str, Any]) -> list[RenderableType]:
    """What a person is told of a chip: its qubits, the upkeep if it was that, and the time that was saved."""
    upkeep = [_upkeep_table(result["upkeep"])] if "upkeep" in result else []
    return [*upkeep, chip_table(result), device_time(result)]


def _upkeep_table(upkeep: dict[str, list[dict[str, Any]]]) -> Table:
    """One line a qubit: what became of each of its calibrations."""
    names = list(dict.fromkeys(row["node"] for rows in upkeep.values() for row in rows))
    table = plain_table("qubit", *names)
    style = {"trusted": "dim", "recalibrated": "bold", "failed": "bold reverse #E69F00"}
    for qubit, rows in upkeep.items():
        states = {row["node"]: row["state"] for row in rows}
        table.add_row(qubit, *(Text(states.get(name, ""), style=style.get(states.get(name, ""), "")) for name in names))
    return table


def chip_table(result: dict[str, Any]) -> Table:
    """One line a qubit of a chip."""
    numbers = ("drive (MHz)", "T1 (us)", "error per gate", "limit")
    table = plain_table("qubit", "", *numbers, "", right=numbers)
    for name, entry in result["qubits"].items():
        t1, limit = entry["measured"].get("t1.t1", {}), entry.get("limit_error_per_gate")
        error = entry.get("rb_error_per_gate")
        sign, word, style = SIGNS.get(entry["status"], SIGNS["stopped"])
        table.add_row(
            name,
            Text(f"{sign} {word}", style=style),
            f"{entry['after']['frequency']:.4f}" if entry.get("after") else "",
            with_error(t1["value"], t1.get("error")) if t1 else "",
            with_error(error, entry.get("rb_error_std")) if error is not None else "",
            f"{limit:.2e}" if limit else "",
            escape(entry["cause"]) if entry["cause"] else ("alone" if entry.get("benchmarked_alone") else ""),
        )
    return table


def device_time(result: dict[str, Any]) -> str:
    """What working side by side has saved."""
    together, alone = result["device_seconds"], result["one_by_one_seconds"]
    gain = f" ({alone / together:.1f} times less than the {alone:.0f} s of one by one)" if together else ""
    rounds = len(result["rounds"])
    return f"{rounds} round{'s' if rounds != 1 else ''}, device time {together:.0f} s{gain}"


def measured_line(qubit: str, entry: dict[str, Any]) -> str:
    """What the experiments were run for and the table does not hold, such as T1; empty if there is nothing."""
    found = [
        f"{name.partition('.')[2].replace('_', ' ')} {with_error(it['value'], it.get('error'), it.get('unit', ''))}"
        for name, it in entry.get("measured", {}).items()
        if it.get("main") and name.partition(".")[2] not in IN_TABLE
    ]
    return f"{qubit} measured: {', '.join(found)}" if found else ""


def qubit_table(qubit: str, entry: dict[str, Any]) -> RenderableType | None:
    """Changed settings before and after, and the error per gate beside its physical limit; None if there is neither."""
    error, limit = entry.get("rb_error_per_gate"), entry.get("limit_error_per_gate")
    numbers = ("before", "after", "limit") if error is not None else ("before", "after")
    table = plain_table(qubit, *numbers, right=numbers)
    before, after = entry.get("before", {}), entry.get("after", {})
    for name, (title, unit, digits) in SHOWN.items():
        if name in after and before.get(name) != after[name]:
            label = f"{title} ({unit})" if unit else title
            table.add_row(label, f"{before[name]:.{digits}f}", f"{after[name]:.{digits}f}")
    if error is None:
        return table if table.row_count else None
    shown = with_error(error, entry.get("rb_error_std"))
    table.add_row("error per gate", "", f"[bold]{shown}[/]", f"{limit:.2e}" if limit else "")
    return Group(table, Text(_ratio(error, limit), style="dim")) if limit else table


def _ratio(error: float, limit: float) -> str:
    return f"The measured error is {error / limit:.2f} times what T1 and echo allow."
