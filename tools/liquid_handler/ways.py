"""In which ways the platform can dispense an addition: what each is for, and the amounts that it does well."""

from __future__ import annotations

import math
from dataclasses import dataclass

from labwright.tools.liquid_handler.materials import Material
from labwright.tools.liquid_handler.platform import (
    MIN_DISPENSE,
    MIN_WEIGHABLE,
    RESOLUTION,
    SYRINGE_MIN,
    TIP_MAX,
    TIP_MIN,
    TIPS,
)
from labwright.tools.liquid_handler.steps import Step

POWDER, PUMP, TIP = "Powder", "SyringePump", "PDT"
_PURPOSES = {
    (POWDER, "Plate"): "powder dispenser, for more than two vials of a plate",
    (POWDER,): "powder dispenser, for one or two vials",
    (PUMP, "Backsolvent"): "syringe pump with the water that fills its lines; water only",
    (PUMP, "4Tip"): "syringe pump, four vials at a time on an 8 x 12 plate; thin liquids that mix with water",
    (PUMP, "ExtSingleTip"): "syringe pump, one vial at a time; thin liquids that mix with water",
}
_DISPLACES = (
    "positive displacement, one vial at a time; viscous liquids, liquids that do not mix with water, small volumes"
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way of dispensing.

    Attributes:
        tags: as the robot's file has them.
        purpose: what it is and what it is for.
        least: smallest amount of one vial that it does well, uL or mg.
        most: largest amount that it does in one go; infinite where there is no such limit.
    """

    tags: tuple[str, ...]
    purpose: str
    least: float
    most: float

    def suits(self, least: float, most: float) -> bool:
        """Whether it does all amounts from `least` to `most` well."""
        return self.least <= least and most <= self.most


def way_of(tags: tuple[str, ...]) -> Way:
    """What the platform says about a way; a combination that it does not know has no limits."""
    if tags[:1] == (TIP,):
        return _tip(tags)
    limits = {POWDER: MIN_WEIGHABLE, PUMP: SYRINGE_MIN}
    return Way(tags, _PURPOSES.get(tags, " ".join(tags)), limits.get(tags[0] if tags else "", 0.0), math.inf)


def ways_for(step: Step, material: Material) -> tuple[Way, ...]:
    """The step's own way, then the others that suit the substance and hold the step's largest amount at once."""
    own = [step.tags]
    if step.unit == "mg":
        return (way_of(step.tags),)
    least, most = min(step.amounts.values()), max(step.amounts.values())
    if not material.viscous and material.water_miscible and least >= SYRINGE_MIN:
        own.append((PUMP, "ExtSingleTip"))
    own += [(TIP, f"Tip{size:g}uL") for size in TIPS if most <= TIP_MAX * size]
    return tuple(way_of(tags) for tags in dict.fromkeys(own))


def _tip(tags: tuple[str, ...]) -> Way:
    size = next((one for one in TIPS if f"Tip{one:g}uL" in tags), None)
    if size is None:
        return Way(tags, _DISPLACES, MIN_DISPENSE, TIP_MAX * TIPS[-1])
    return Way(tags, f"{_DISPLACES}; a tip of {size:g} uL", _round(TIP_MIN * size), _round(TIP_MAX * size))


def _round(value: float) -> float:
    return round(value, RESOLUTION)
