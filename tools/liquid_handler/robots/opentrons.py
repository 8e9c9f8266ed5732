"""The protocol as a file for the Opentrons Flex: slots, tips by volume, and modules where a treatment needs one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.platform import ROOM
from labwright.tools.liquid_handler.robots.deck import Action, Deck
from labwright.tools.liquid_handler.robots.scripts import action_lines, bottle_lines, filled, table

API_LEVEL = "2.20"
# uL of a tip -> the least that its pipette does well with it.
TIPS = (50, 200, 1000)
SMALLEST = 1.0  # uL; of the 50 uL pipette
HEATER_SHAKER, TEMPERATURE = "heaterShakerModuleV1", "temperature module gen2"
SHAKES, HEATS, HOLDS = (200.0, 3000.0), (37.0, 95.0), (4.0, 95.0)  # rpm, degC, degC: what the modules reach
# A heater-shaker stands in the outer columns only; A3 holds the trash.
OUTER = ("D1", "D3", "C1", "C3", "B1", "B3", "A1")
INNER = ("D2", "C2", "B2", "A2")


def opentrons_script(deck: Deck) -> str:
    """A protocol file for Opentrons' Python API.

    Raises:
        InputError: the racks do not fit on the deck, or a volume is smaller than the pipettes take.
    """
    modules = {rack.name: _module(rack.name, deck.actions) for rack in deck.plates}
    volumes = [pour.volume for action in deck.actions if action.kind == "pour" for pour in action.pours]
    if volumes and min(volumes) < SMALLEST:
        raise InputError(f"{min(volumes):g} uL are less than the Flex pipettes take ({SMALLEST:g} uL).")
    sizes = [size for size in TIPS if any(_tip(volume) == size for volume in volumes)]
    slots = _slots(deck, modules, sizes)
    racks = [
        (rack.name, (slots[rack.name], modules.get(rack.name, ""), rack.rows, rack.columns, rack.vial))
        for rack in (*deck.plates, *deck.holders)
    ]
    named = {"protocolName": deck.title, "source": "Labwright"}
    tables = [
        f"metadata = {named!r}",
        f"requirements = { ({'robotType': 'Flex', 'apiLevel': API_LEVEL})!r}",
        "# rack: deck slot, module below it, rows, columns, uL that one of its vials takes",
        *table("RACKS", (f"{name!r}: {row!r}" for name, row in racks), "{}"),
        "# uL of a tip: deck slot",
        f"TIPS = { ({size: slots[str(size)] for size in sizes})!r}",
        *bottle_lines(deck),
        *action_lines(_by_hand(action, modules) for action in deck.actions),
    ]
    return filled("opentrons_protocol.py", tables)


def _tip(volume: float) -> int:
    return next((size for size in TIPS if volume <= size), TIPS[-1])


def _within(values: Iterable[float], limits: tuple[float, float]) -> bool:
    return all(limits[0] <= value <= limits[1] for value in values)


def _wanted(plate: str, kind: str, actions: Iterable[Action], rest: float) -> list[float]:
    return [one.value for one in actions if (one.kind, one.plate) == (kind, plate) and one.value != rest]


def _module(plate: str, actions: tuple[Action, ...]) -> str:
    """The module that can do most of what is done to a plate."""
    speeds, temperatures = _wanted(plate, "shake", actions, 0.0), _wanted(plate, "heat", actions, ROOM)
    if speeds and _within(speeds, SHAKES):
        return HEATER_SHAKER
    return TEMPERATURE if temperatures and _within(temperatures, HOLDS) else ""


def _by_hand(action: Action, modules: dict[str, str]) -> Action:
    """What the plate's module cannot do is asked of a person."""
    module = modules.get(action.plate, "")
    limits = {("heat", HEATER_SHAKER): HEATS, ("heat", TEMPERATURE): HOLDS, ("shake", HEATER_SHAKER): SHAKES}
    if action.kind not in ("heat", "shake"):
        return action
    rest = ROOM if action.kind == "heat" else 0.0
    reached = limits.get((action.kind, module))
    if reached and (action.value == rest or _within([action.value], reached)):
        return action
    return replace(action, kind="ask", text=f"By hand: {action.text}")


def _slots(deck: Deck, modules: dict[str, str], sizes: list[int]) -> dict[str, str]:
    """A slot for every rack and every rack of tips."""
    needs = [rack.name for rack in deck.plates if modules[rack.name]]
    others = [*(rack.name for rack in (*deck.plates, *deck.holders) if rack.name not in needs), *map(str, sizes)]
    free = len(OUTER) + len(INNER)
    if len(needs) > len(OUTER) or len(needs) + len(others) > free:
        count = len(needs) + len(others)
        raise InputError(
            f"The protocol needs {count} places on the deck of a Flex, which has {free}. Make fewer vials."
        )
    left = [*INNER, *OUTER[len(needs) :]]
    return {**dict(zip(needs, OUTER, strict=False)), **dict(zip(others, left, strict=False))}
