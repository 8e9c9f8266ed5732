"""Doses that do not fit into a vial: which one to lessen, and the largest value that fits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from labwright.tools.liquid_handler.deck_sources import Cupboard
from labwright.tools.liquid_handler.doses import Part, volume_of
from labwright.tools.liquid_handler.experiment_design import Group
from labwright.tools.liquid_handler.platform import MIN_DISPENSE, RESOLUTION

ROUNDING = 0.5 * 10**-RESOLUTION


@dataclass(frozen=True, slots=True)
class Infeasible:
    """A dose that does not fit, with the largest value that does (in the dose's own unit; None if none does)."""

    substance: str
    asked: str
    largest: float | None
    unit: str
    reason: str


def largest(parts: list[Part], total: float, group: Group, cupboard: Cupboard) -> list[Infeasible]:
    """The dose to lessen and the value at which the vial is just full, all others kept.

    Chosen is the one that takes most volume, varied doses before fixed ones.
    """
    volumes = [volume_of(part.material, part.amount, group, cupboard) for part in parts]
    filled = any(dose.kind == "remainder" for dose in group.doses)
    ranked = sorted(zip(parts, volumes, strict=True), key=lambda pair: (pair[0].dose.factor is None, -pair[1]))
    for part, volume in ranked:
        left = total - (sum(volumes) - volume)
        # Shares move together, so they are weighed together below, unless a varied dose is to blame.
        varied = part.dose.factor is not None or not any(one.dose.kind == "share" for one in parts)
        if volume > 0 and left > 0 and part.dose.kind != "share" and varied:
            return [_too_much(part, volume, left, total, filled)]
    shared = sum(volume for part, volume in ranked if part.dose.kind == "share")
    left = total - (sum(volumes) - shared)
    if shared > 0 and left > 0:
        part = next(part for part, _ in ranked if part.dose.kind == "share")
        return [_too_much(part, shared, left, total, filled, "all shares together")]
    reason = (
        f"The doses of group {group.name!r} take {sum(volumes):.0f} uL, more than the total of {total:.0f} uL."
        " Raise the total volume or lower the doses."
    )
    return [Infeasible(parts[0].dose.substance, str(parts[0].stated), None, "", reason)]


def _too_much(part: Part, volume: float, left: float, total: float, filled: bool, of: str = "") -> Infeasible:
    per_volume = part.stated.value / volume
    unit, name = part.stated.unit, part.target.species
    source = f" from {part.material.name!r}" if part.material.name != name else ""
    reason = (
        f"{part.stated} of {of or repr(name)} needs {volume:.0f} uL{source}, but beside the other doses only"
        f" {left:.0f} of {total:.0f} uL are free. The largest workable value is"
        f" {_workable(per_volume, left, filled):g} {unit}."
    )
    return Infeasible(name, str(part.stated), per_volume * left, unit, reason)


def _workable(per_volume: float, left: float, filled: bool) -> float:
    """The largest dose that `left` uL hold, rounded down; what fills up is either not needed or can be dispensed."""
    largest = _down(per_volume * left)
    rest = left - largest / per_volume
    if filled and ROUNDING < rest < MIN_DISPENSE < left:
        return _down(per_volume * (left - MIN_DISPENSE))
    return largest


def too_little(part: Part) -> Infeasible:
    name = part.target.species
    reason = (
        f"{part.stated} of {name!r} is {part.amount:.2g} {part.material.unit} a vial, less than the file can say."
        " Take a more dilute stock or a larger total volume."
    )
    return Infeasible(name, str(part.stated), None, part.stated.unit, reason)


def _down(value: float) -> float:
    """Three significant digits, rounded down, so that what is offered does fit."""
    digits = int(2 - math.floor(math.log10(abs(value))))
    return float(round(math.floor(value * 10.0**digits + 1e-9) / 10.0**digits, max(0, digits)))


def worst(short: Iterable[Infeasible]) -> tuple[Infeasible, ...]:
    """One entry a substance and asked value: the tightest vial decides."""
    found: dict[tuple[str, str], Infeasible] = {}
    for item in short:
        key = (item.substance, item.asked)
        before = found.get(key)
        if before is None or (item.largest or 0.0) < (before.largest or 0.0):
            found[key] = item
    return tuple(found.values())
