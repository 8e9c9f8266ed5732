"""What goes into the vials before anything is done to them: order, way of dispensing, and series of dilutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.deck_sources import Material
from labwright.tools.liquid_handler.pipetting_manner import PLAIN, Manner, Pipetting
from labwright.tools.liquid_handler.platform import (
    DEFAULT_STIR,
    RESOLUTION,
    SERIES_MIX_TIME,
    SYRINGE_MIN,
    TIP_MAX,
    TIP_MIN,
    TIPS,
)
from labwright.tools.liquid_handler.protocol_steps import BETWEEN, BY_HAND, Plate, Step, Well
from labwright.tools.liquid_handler.simulate import minutes_of
from labwright.tools.liquid_handler.vial_amounts import Amounts, VialRecipe
from labwright.tools.liquid_handler.vial_treatments import Condition
from labwright.tools.liquid_handler.well_arrangement import Layout, set_all


def additions(amounts: Amounts, layout: Layout) -> tuple[Step, ...]:
    """One Add per material and plate: solids, then liquids, water first, strong acids last."""
    order = _ordered(_order(amounts), layout.order)
    found = (_added(name, _first, amounts, layout) for name in order)
    return tuple(step for steps in found for step in steps)


def _first(vial: VialRecipe, name: str) -> tuple[float, Pipetting, bool]:
    """How much of a source a vial is filled with, how, and whether a person does it."""
    return vial.additions.get(name, 0.0), vial.manners.get(name, PLAIN), name in vial.weighed


def additions_between(
    index: int, condition: Condition, otherwise: Manner | None, amounts: Amounts, layout: Layout
) -> Iterator[Step]:
    """The steps of an addition, the condition `index` (from 0): at once, or in portions that begin at their times.

    Args:
        otherwise: how it is pipetted where the condition does not say it.

    Raises:
        InputError: a portion takes longer by our estimate than the time until the next.
    """
    if condition.from_vials:
        given = [vial.poured.get(index) for vial in amounts.vials]
        how = condition.manner or otherwise
        yield from between(given, layout, how.pipetting if how else PLAIN)
        return
    names = dict.fromkeys(name for vial in amounts.vials for name in vial.later.get(index, {}))
    asked = condition.manner or otherwise

    def later(vial: VialRecipe, name: str) -> tuple[float, Pipetting, bool]:
        liquid = asked is not None and amounts.cupboard.materials[name].unit == "uL"
        return vial.later.get(index, {}).get(name, 0.0), asked.pipetting if asked and liquid else PLAIN, False

    found = (_added(name, later, amounts, layout) for name in names)
    whole = tuple(step for steps in found for step in steps)
    if condition.portions == 1:
        yield from whole
        return
    pause, count = _pause(condition, whole), condition.portions
    often = f"{count} times, " + (f"one every {condition.every}" if condition.every else "one after the other")
    for number in range(count):
        last = number == count - 1
        for step in whole:
            yield _portion(step, count, amounts, layout, last=last, note=BETWEEN if number else often)
        if pause and whole and not last:
            yield set_all(layout.plates[0], "Delay", pause, layout, BETWEEN)


def _pause(condition: Condition, whole: tuple[Step, ...]) -> float:
    """Minutes from the end of one portion to the next."""
    takes = sum(minutes_of(step) for step in whole)
    pause = condition.every.to("min") - takes if condition.every else 0.0
    if pause < 0:
        raise InputError(
            f"A portion of {condition.substance!r} takes about {takes:.3g} min by our estimate, so one every"
            f" {condition.every} is too fast. Take fewer vials, or a longer time."
        )
    return pause


def _portion(step: Step, count: int, amounts: Amounts, layout: Layout, *, last: bool, note: str) -> Step:
    """One of `count` portions of a step; the last one brings what rounding left over."""
    each = {well: round(amount / count, RESOLUTION) for well, amount in step.amounts.items()}
    if last:
        each = {well: round(a - (count - 1) * each[well], RESOLUTION) for well, a in step.amounts.items()}
    plate = next(one for one in layout.plates if one.name == step.plate)
    tags = dispense_tags(amounts.cupboard.materials[step.subject], each, plate)
    return replace(step, amounts=each, tags=tags, note=note)


def _added(
    name: str, of: Callable[[VialRecipe, str], tuple[float, Pipetting, bool]], amounts: Amounts, layout: Layout
) -> Iterator[Step]:
    """One material into every vial that gets some, a step for each plate and way of doing it."""
    material = amounts.cupboard.materials[name]
    for plate in layout.plates:
        alike: dict[tuple[Pipetting, bool], dict[Well, float]] = {}
        for vial, (where, well) in zip(amounts.vials, layout.wells, strict=True):
            amount, manner, by_hand = of(vial, name)
            if where == plate.name and amount > 0:
                alike.setdefault((manner, by_hand), {})[well] = amount
        for (manner, by_hand), wells in alike.items():
            tags = ("Powder", BY_HAND) if by_hand else dispense_tags(material, wells, plate)
            note = "weighed in by a person, not by the robot" if by_hand else ""
            yield Step("Add", name, plate.name, material.unit, wells, tags, note=note, manner=manner)


def depth(vial: VialRecipe, amounts: Amounts) -> int:
    """How many portions lie between a vial of a series and its first; 0 for every other vial."""
    return 0 if vial.origin is None else 1 + depth(amounts.vials[vial.origin], amounts)


def series(amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """Serial dilutions: every vial is mixed before it gives a portion to the next, the last one as well."""
    depths = [depth(vial, amounts) for vial in amounts.vials]
    for step in range(1, max(depths) + 1):
        yield from _mixed(layout)
        pairs = zip(amounts.vials, depths, strict=True)
        yield from between(
            [(vial.origin, vial.portion) if deep == step and vial.origin is not None else None for vial, deep in pairs],
            layout,
        )
    if any(depths):
        yield from _mixed(layout)


def between(given: Sequence[tuple[int, float] | None], layout: Layout, manner: Pipetting = PLAIN) -> Iterator[Step]:
    """Portions of vials into others, one step for each two plates.

    Args:
        given: for every vial: which vial gives it a portion (its place in the design's order), and uL.
    """
    found: dict[tuple[str, str], dict[Well, tuple[Well, float]]] = {}
    for one, (plate, well) in zip(given, layout.wells, strict=True):
        if one is not None:
            before, origin = layout.wells[one[0]]
            found.setdefault((before, plate), {})[well] = (origin, round(one[1], RESOLUTION))
    for (before, plate), wells in found.items():
        portions = {well: volume for well, (_, volume) in wells.items()}
        yield portioned(before, plate, portions, {well: origin for well, (origin, _) in wells.items()}, manner=manner)


def _mixed(layout: Layout) -> Iterator[Step]:
    """All vials stirred for a moment."""
    yield from (set_all(plate, "StirRate", DEFAULT_STIR, layout) for plate in layout.plates)
    yield set_all(layout.plates[0], "Delay", SERIES_MIX_TIME, layout)
    yield from (set_all(plate, "StirRate", 0.0, layout) for plate in layout.plates)


def portioned(
    before: str,
    plate: str,
    portions: dict[Well, float],
    origins: dict[Well, Well],
    note: str = "",
    manner: Pipetting = PLAIN,
) -> Step:
    """Portions of vials into others, each with a tip of its own."""
    tags = ("PDT", f"Tip{tip(min(portions.values()), max(portions.values())):g}uL", "NewTip")
    return Step("Transfer", before, plate, "uL", portions, tags, origins, note, manner)


def _ordered(names: list[str], order: tuple[str, ...]) -> list[str]:
    """The platform's order, or a person's: what they name first, in their order."""
    first = [name for name in order if name in names]
    return [*first, *(name for name in names if name not in first)]


def _order(amounts: Amounts) -> list[str]:
    """Materials in the order of addition: solids, water (acid goes into water), other liquids, volatiles, acids."""
    used = dict.fromkeys(name for vial in amounts.vials for name in vial.additions)

    def rank(name: str) -> tuple[int, int]:
        material = amounts.cupboard.materials[name]
        if material.unit == "mg":
            return (0, 0)
        if material.is_water:
            return (1, 0)
        # Volatiles late: they stand open the shortest before the caps come.
        return (3 if is_strong_acid(material, amounts) else 2, int(material.volatile))

    return sorted(used, key=rank)


def is_strong_acid(material: Material, amounts: Amounts) -> bool:
    """Whether a liquid is an acid that must go into the water, not the water onto it."""
    held = [amounts.cupboard.species[name] for name in material.composition if name in amounts.cupboard.species]
    return any({"acid", "corrosive"} <= set(species.hazards or ()) for species in held)


def dispense_tags(material: Material, wells: dict[Well, float], plate: Plate) -> tuple[str, ...]:
    """How the platform dispenses it: powder, syringe pump, four tips, or a positive-displacement tip by volume."""
    if material.unit == "mg":
        return ("Powder", "Plate") if len(wells) > 2 else ("Powder",)
    least, most = min(wells.values()), max(wells.values())
    if material.viscous or not material.water_miscible or least < SYRINGE_MIN:
        return ("PDT", f"Tip{tip(least, most):g}uL")
    if material.is_water:
        return ("SyringePump", "Backsolvent")
    return ("SyringePump", "4Tip") if plate.rows == 8 else ("SyringePump", "ExtSingleTip")


def tip(least: float, most: float) -> float:
    """The smallest tip that holds the most and still doses the least; else the smallest that holds the most."""
    holding = [tip for tip in TIPS if most <= TIP_MAX * tip] or [TIPS[-1]]
    good = [tip for tip in holding if least >= TIP_MIN * tip]
    return (good or holding)[0]
