"""Vials into wells: the smallest legal vial, the fewest plates, one fixed layout (row by row, design order)."""

from __future__ import annotations

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
    """

    plates: tuple[Plate, ...]
    wells: tuple[tuple[str, Well], ...]
    twin: Plate | None = None
    twin_for: str = ""
    capped: bool = False


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
    wells = tuple(
        (names[index // array.size], divmod(index % array.size, array.columns)) for index in range(len(volumes))
    )
    twin = _twin(design.workup, array, len(volumes), timed)
    return Layout(plates, wells, twin, "timers" if timed else "dilution" if twin else "", capped)


def needs_caps(design: ExperimentDesign, amounts: Amounts) -> bool:
    """The person's word; else whether anything is heated, vortexed or volatile."""
    if design.cap is not None:
        return design.cap
    stirred = any(
        condition.kind == "heat" or _vortexed(condition.kind, condition.by) for condition in design.conditions
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
