"""Writes the scripts for robots: the modules in `templates/` with the tables of one protocol put in."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.platform import RESOLUTION
from labwright.tools.liquid_handler.robots.deck import Action, Deck

BEGIN, END = "# protocol: begin\n", "# protocol: end\n"


def pylabrobot_script(deck: Deck) -> str:
    """A Python file that runs the protocol with PyLabRobot, on its simulated robot unless it is asked otherwise."""
    racks = [(rack.name, (rack.rows, rack.columns, rack.vial)) for rack in (*deck.plates, *deck.holders)]
    tables = [
        f"TITLE = {deck.title!r}",
        "# rack: rows, columns, uL that one of its vials takes",
        *table("RACKS", (f"{name!r}: {size!r}" for name, size in racks), "{}"),
        *bottle_lines(deck),
        *action_lines(deck.actions),
    ]
    return filled("pylabrobot_script.py", tables)


def table(name: str, rows: Iterable[str], brackets: str) -> list[str]:
    """A Python literal, one line a row."""
    return [f"{name} = {brackets[0]}", *(f"    {row}," for row in rows), brackets[1]]


def bottle_lines(deck: Deck) -> list[str]:
    """What to load, one line a bottle."""
    rows = (repr((one.source, *one.spot, one.load, round(one.usable, RESOLUTION))) for one in deck.bottles)
    return ["# source, rack, well, uL to load, uL that can be drawn", *table("BOTTLES", rows, "[]")]


def action_lines(actions: Iterable[Action]) -> list[str]:
    """What to do: one line an action, and one a pour."""
    lines = ["# step, kind, plate, value, new tip for every pour, text, manner (uL/s, s, strokes and uL),"]
    lines.append("# pours as (from rack, well, to rack, well, uL)")
    lines.append("ACTIONS = [")
    for one in actions:
        head = (one.step, one.kind, one.plate, one.value, one.fresh, one.text, dict(one.manner))
        pours = [(*pour.origin, *pour.target, round(pour.volume, RESOLUTION)) for pour in one.pours]
        lines.append(f"    ({', '.join(map(repr, head))}, [" + ("" if pours else "]),"))
        lines += [*(f"        {pour!r}," for pour in pours), *["    ]),"] * bool(pours)]
    return [*lines, "]"]


def filled(template: str, tables: Iterable[str]) -> str:
    """A template with its tables replaced.

    Raises:
        InputError: the result is not Python; a name was not written as it should be.
    """
    source = resources.files("labwright.tools.liquid_handler.robots.templates").joinpath(template).read_text("utf-8")
    before, _, rest = source.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "".join([before, BEGIN, *(f"{line}\n" for line in tables), END, after])
    try:
        compile(text, template, "exec")
    except (SyntaxError, ValueError) as error:
        raise InputError(f"The script {template} would not be Python: {error}. Use plainer names.") from error
    return text
