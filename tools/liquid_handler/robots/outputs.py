"""What is written beside the design file, and the check that each of them moves the volumes of the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.checks.base import Finding
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.robots import OUTPUTS
from labwright.tools.liquid_handler.robots.bench_sheet import ROUNDED, bench_sheet, sheet_moves
from labwright.tools.liquid_handler.robots.deck import Deck, deck_of
from labwright.tools.liquid_handler.robots.opentrons import opentrons_script
from labwright.tools.liquid_handler.robots.scripts import pylabrobot_script
from labwright.tools.liquid_handler.robots.simulators import Simulated, has_pylabrobot, run_opentrons, run_pylabrobot
from labwright.tools.liquid_handler.robots.volume_tracker import Move, differences, holds, moves_of, track, usable

CHECKS = ("robots.design_file", *(f"robots.{name}" for name in OUTPUTS))
_FILES = {"pylabrobot": "-pylabrobot.py", "opentrons": "-opentrons.py", "bench": "-bench.html"}
_RUN = lru_cache(maxsize=16)(run_pylabrobot), lru_cache(maxsize=16)(run_opentrons)  # the same script, the same run


@dataclass(frozen=True, slots=True)
class Output:
    """One file, or why it was not written; `note` also says what was not simulated."""

    kind: str
    suffix: str
    text: str = ""
    note: str = ""


def written(made: Made, wanted: Iterable[str] = OUTPUTS, opentrons: str = "") -> list[Output]:
    """Every wanted output that this protocol has.

    Args:
        opentrons: the program `opentrons_simulate`; without it the note says that nobody simulated the script.
    """
    return [_output(made, kind, opentrons) for kind in OUTPUTS if kind in set(wanted)]


def _output(made: Made, kind: str, opentrons: str) -> Output:
    try:
        text = text_of(made, kind)
    except InputError as unfit:
        return Output(kind, _FILES[kind], note=f"No {kind} file was written: {unfit}")
    note = ""
    if kind == "pylabrobot" and not has_pylabrobot():
        note = "The PyLabRobot script was not simulated: pip install 'labwright[robots]'."
    if kind == "opentrons" and not opentrons:
        note = "The Opentrons file was not simulated: LABWRIGHT_OPENTRONS names no opentrons_simulate."
    return Output(kind, _FILES[kind], text, note)


def text_of(made: Made, kind: str) -> str:
    """The text of one output.

    Raises:
        InputError: the protocol does not fit the robot.
    """
    if kind == "bench":
        return bench_sheet(made)
    if made.design.septa == "whole" and any(one.code == "septa" for one in made.findings):
        raise InputError("Its plastic tips do not pierce whole septa. Take slit ones, or let the vials stand open.")
    deck = deck_of(made.protocol)
    return pylabrobot_script(deck) if kind == "pylabrobot" else opentrons_script(deck)


def findings(made: Made, check: str, opentrons: str = "") -> list[Finding]:
    """Where an output's volumes are not the plan's, or its simulator refuses it. What was not written has none."""
    kind = check.removeprefix("robots.")
    try:
        found = disagreements(made, kind, opentrons)
    except InputError as refused:
        found = [str(refused)]
    return [Finding(check, "error", None, (), text, "Report this, and use another output.") for text in found]


def disagreements(made: Made, kind: str, opentrons: str = "") -> list[str]:
    """The same in sentences.

    Raises:
        InputError: the simulator refuses the script.
    """
    if kind in ("design_file", "bench"):
        protocol = read_lsr(made.file)
        moves = moves_of(protocol) if kind == "design_file" else sheet_moves(bench_sheet(made))
        gives = usable(protocol, ROUNDED if kind == "bench" else 0.0)
        return differences(track(moves, gives, holds(protocol)), made.protocol, made.case.run)
    try:
        deck, script = deck_of(made.protocol), text_of(made, kind)
    except InputError:
        return []  # it does not fit this robot and is not written
    if kind == "pylabrobot":
        return simulated(made, deck, _RUN[0](script)) if has_pylabrobot() else []
    return simulated(made, deck, _RUN[1](script, Path(opentrons))) if opentrons else []


def simulated(made: Made, deck: Deck, run: Simulated) -> list[str]:
    """Where a simulator's moves, or its own trackers, do not end in the plan's volumes."""
    gives = {bottle.spot: bottle.usable for bottle in deck.bottles}
    tracked = track(run.moves, gives, holds(made.protocol))
    found = differences(tracked, made.protocol, made.case.run)
    if run.held:
        own = track([Move(("", ""), spot, volume) for spot, volume in run.held.items()], {("", ""): 1e12}, {})
        found += differences(own, made.protocol, made.case.run)
    return found
