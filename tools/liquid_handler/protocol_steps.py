"""A protocol as data: plates, sources and ordered steps. Everything else reads or makes these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Pipetting
from labwright.tools.liquid_handler.platform import RESOLUTION

Well = tuple[int, int]  # row, column, from 0


@dataclass(frozen=True, slots=True)
class Plate:
    """An array of vials on the deck; `vial` is the nominal volume in uL."""

    name: str
    rows: int
    columns: int
    vial: float
    cappable: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A vial or bottle to load before the run; `load` in `unit`, dead volume included."""

    name: str
    unit: Literal["mg", "uL"]
    density: float  # g/mL; 0 for solids
    molar_mass: float  # g/mol of the chemical or the stock's solute
    position: int
    load: float
    made_of: str = field(default="", compare=False)  # for people: what a stock is prepared from


@dataclass(frozen=True, slots=True)
class Step:
    """One action on one plate.

    Attributes:
        subject: the source for Add, the parameter for Set, the source plate for Transfer.
        unit: ``mg``, ``uL``, or the parameter's unit (``degC``, ``rpm``, ``min``, empty for Cap). A Transfer without
            amounts of liquid moves whole vials (tag ``MoveVial``) and has the unit empty and values 1.
        origins: for a Transfer, the well each destination well is filled from; a well not named is its own origin.
        note: for people; the file keeps it as a description.
        manner: how an Add is pipetted; the file keeps it in the description, too.
    """

    action: Literal["Add", "Set", "Transfer"]
    subject: str
    plate: str
    unit: str
    amounts: dict[Well, float]
    tags: tuple[str, ...] = ()
    origins: dict[Well, Well] = field(default_factory=dict)
    note: str = field(default="", compare=False)
    manner: Pipetting = PLAIN


@dataclass(frozen=True, slots=True)
class Protocol:
    """What the robot's file says."""

    title: str
    plates: tuple[Plate, ...]
    sources: tuple[Source, ...]
    steps: tuple[Step, ...]

    def plate(self, name: str) -> Plate | None:
        """The plate of a name, None if there is none."""
        return next((plate for plate in self.plates if plate.name == name), None)


# unit -> code in the robot's file, and whether a public file shows it.
UNIT_CODES = {
    "mg": (257, False), "uL": (513, True), "min": (770, True), "degC": (1281, False), "rpm": (3585, True),
    "": (0, True), "degC/min": (0, False),  # no public file has a ramp; its unit is left undefined
}  # fmt: skip
# parameter -> (type in the file, unit)
PARAMETERS = {
    "HeatingRamp": ("Temperature Rate", "degC/min"),
    "HeatingTemp": ("Temperature", "degC"),
    "StirRate": ("Stir Rate", "rpm"),
    "VortexRate": ("Stir Rate", "rpm"),
    "Delay": ("Time", "min"),
    "Cap": ("Number", ""),
    "VialTimers": ("Time", "min"),
}
# What no vial can have for itself; a delay holds the whole deck.
PLATE_WIDE = frozenset({"HeatingRamp", "HeatingTemp", "StirRate", "VortexRate", "Delay"})


BY_HAND = "SkipMap"  # tag of what the robot passes over, as a person does it; real files have it
UNDER = "under "  # begins the note of a delay during which a person brings the vials under another gas
BETWEEN = "one of the portions"  # note of the portions after the first, and of the delays between them


def passes(step: Step, septa: str | None) -> bool:
    """Whether what a step pipettes goes through closed septa: with any tip if they are slit, else with a needle."""
    liquid = step.unit == "uL" and BY_HAND not in step.tags
    return liquid and (septa == "slit" or (septa == "whole" and "SyringePump" in step.tags))


def set_wells(parameter: str, plate: str, wells: Iterable[Well], value: float, note: str = "") -> Step:
    """A parameter for vials of a plate."""
    amounts = dict.fromkeys(wells, round(float(value), RESOLUTION))
    return Step("Set", parameter, plate, PARAMETERS[parameter][1], amounts, ("Processing",), note=note)


def on_deck(protocol: Protocol) -> list[Source]:
    """The sources that need a place; what only a person weighs in needs none."""
    adds = [step for step in protocol.steps if step.action == "Add"]
    weighed = {step.subject for step in adds if BY_HAND in step.tags}
    weighed -= {step.subject for step in adds if BY_HAND not in step.tags}
    return [source for source in protocol.sources if source.name not in weighed]


def unit_name(unit: str) -> str:
    """The file's name of a unit."""
    return {"uL": "ul", "": "undefined", "degC/min": "undefined"}.get(unit, unit)


def used_wells(protocol: Protocol, plate: str) -> set[Well]:
    """The wells of a plate that something goes into, that are capped, or that have a time of their own."""
    steps = [step for step in protocol.steps if step.plate == plate and step.subject not in PLATE_WIDE]
    return {well for step in steps for well in step.amounts}
