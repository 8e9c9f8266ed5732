"""Vials into wells: the smallest legal vial, the fewest plates, one fixed layout (row by row, design order)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts
from labwright.tools.liquid_handler.design import ExperimentDesign, Workup
from labwright.tools.liquid_handler.platform import ARRAYS, MAX_FILL, MAX_PLATES, MIN_FILL, Array
from labwright.tools.liquid_handler.steps import Plate, Well


@dataclass(frozen=True, slots=True)
class Layout:
    """Where every vial stands. `wells[i]` is vial i's plate name and well; `twin` is the second plate, if one is used.

    Attributes:
        twin_for: ``dilution`` or ``timers``: what the second plate is for.
        order: sources that a person wants added first, in this order.
    """

    plates: tuple[Plate, ...]
    wells: tuple[tuple[str, Well], ...]
    twin: Plate | None = None
    twin_for: str = ""
    capped: bool = False
    order: tuple[str, ...] = ()


def arrange(design: ExperimentDesign, amounts: Amounts) -> Layout:
    """Chooses the array and gives every vial its well.

    Raises:
        InputError: no array holds these vials on two plates; the message says how many fit.
    """
    timed = any(condition.time_factor for condition in design.conditions)
    if timed and design.workup is not None:
        raise InputError("A time course needs the second plate for heating, so it cannot have a work-up plate as well.")
    volumes = [amounts.liquid(vial) for vial in amounts.vials]
    capped = needs_caps(design, amounts)
    free = MAX_PLATES - (1 if timed or design.workup is not None else 0)
    stated = design.vial_volume.to("uL") if design.vial_volume else None
    array, count = choose_array(len(volumes), min(volumes), max(volumes), capped=capped, plates=free, vial=stated)
    names = [f"Plate {index + 1}" for index in range(count)]
    plates = tuple(_plate(name, array) for name in names)
    wells = _places(design, amounts, array, names)
    twin = _twin(design.workup, array, len(volumes), timed)
    return Layout(plates, wells, twin, "timers" if timed else "dilution" if twin else "", capped, tuple(design.order))


def _places(design: ExperimentDesign, amounts: Amounts, array: Array, names: list[str]) -> tuple[tuple[str, Well], ...]:
    """Given wells first; the other vials fill rows, columns, or rows in a drawn order.

    Raises:
        InputError: wells are given that the array lacks, twice, or not as many as there are vials.
    """
    every = [(name, divmod(index, array.columns)) for name in names for index in range(array.size)]
    if design.layout.by == "column":
        every.sort(key=lambda place: (place[0], place[1][1], place[1][0]))
    found: dict[int, tuple[str, Well]] = {}
    for group in design.groups:
        members = [index for index, vial in enumerate(amounts.vials) if vial.group == group.name]
        if group.wells and len(group.wells) != len(members):
            raise InputError(f"Group {group.name!r} has {len(members)} vials, but {len(group.wells)} wells are given.")
        for index, well in zip(members if group.wells else [], group.wells, strict=True):
            place = (names[0], (ord(well[0]) - ord("A"), int(well[1:]) - 1))
            if place not in every or place in found.values():
                why = "is given twice" if place in found.values() else "is not on the plate"
                raise InputError(f"Well {well} of group {group.name!r} {why} ({array.rows} x {array.columns}).")
            found[index] = place
    rest = [index for index in range(len(amounts.vials)) if index not in found]
    if design.layout.by == "random":
        random.Random(design.layout.seed).shuffle(rest)
    free = [place for place in every if place not in found.values()]
    found |= dict(zip(rest, free, strict=False))
    return tuple(found[index] for index in range(len(amounts.vials)))


def needs_caps(design: ExperimentDesign, amounts: Amounts) -> bool:
    """The person's word; else whether anything is heated, vortexed or volatile."""
    if design.cap is not None:
        return design.cap
    stirred = any(
        condition.kind == "heat" or condition.temperature is not None or _vortexed(condition.kind, condition.by)
        for condition in design.conditions
        if condition.kind != "cool"
    )
    used = {name for vial in amounts.vials for name in vial.additions}
    return stirred or any(amounts.cupboard.materials[name].volatile for name in used)


def _vortexed(kind: str, by: str | None) -> bool:
    return kind == "mix" and by != "stir"


def choose_array(
    vials: int, least: float, most: float, *, capped: bool, plates: int, vial: float | None = None
) -> tuple[Array, int]:
    """The array and how many plates of it, for vials that hold between `least` and `most` uL.

    Fewest plates first, then the smallest vial. Where no vial suits both the least and the most volume, the most
    decides, and the check of the fill says so.
    """
    tall = [array for array in ARRAYS if most <= MAX_FILL * array.vial and (array.cappable or not capped)]
    if vial is not None:
        tall = [array for array in ARRAYS if abs(array.vial - vial) < 1]
        if not tall:
            have = ", ".join(f"{array.vial / 1000:g}" for array in ARRAYS)
            raise InputError(f"There is no {vial / 1000:g} mL vial on this platform. It has: {have} mL.")
    fitting = [array for array in tall if -(-vials // array.size) <= plates]
    if not fitting:
        largest = max((array.size for array in tall), default=0) * plates
        raise InputError(
            f"{vials} vials of up to {most / 1000:g} mL do not fit: at most {largest} such"
            f"{' capped' if capped else ''} vials stand on {plates} plate(s). Ask for fewer vials or less volume."
        )
    full = [array for array in fitting if least >= MIN_FILL * array.vial]
    chosen = min(full or fitting, key=lambda array: (-(-vials // array.size), array.vial))
    return chosen, -(-vials // chosen.size)


def _twin(workup: Workup | None, array: Array, vials: int, timed: bool) -> Plate | None:
    if timed:
        return _plate("Plate 2", array)
    if workup is None:
        return None
    total = workup.total_volume.to("uL")
    return _plate("Plate 2", choose_array(vials, total, total, capped=True, plates=1)[0])


def _plate(name: str, array: Array) -> Plate:
    return Plate(name, array.rows, array.columns, array.vial, array.cappable)
