"""From arranged vials to ordered steps: solids, liquids, caps, mixing, heat, timers, cooling, work-up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Amounts
from labwright.tools.liquid_handler.arrange import Layout
from labwright.tools.liquid_handler.design import Condition, ExperimentDesign, Stated, Workup
from labwright.tools.liquid_handler.materials import Material
from labwright.tools.liquid_handler.platform import (
    COOLED_WITHIN,
    COOLING_TIME_CONSTANT,
    DEFAULT_MIX_TIME,
    DEFAULT_STIR,
    DEFAULT_VORTEX,
    RESOLUTION,
    ROOM,
    SYRINGE_MIN,
    TIP_MAX,
    TIP_MIN,
    TIPS,
)
from labwright.tools.liquid_handler.steps import PARAMETERS, Plate, Step, Well


def additions(amounts: Amounts, layout: Layout) -> tuple[Step, ...]:
    """One Add per material and plate: solids, then liquids, water first, strong acids last."""
    order = _ordered(_order(amounts), layout.order)
    steps = []
    for name in order:
        material = amounts.cupboard.materials[name]
        for plate in layout.plates:
            wells = {
                well: vial.additions[name]
                for vial, (where, well) in zip(amounts.vials, layout.wells, strict=True)
                if where == plate.name and vial.additions.get(name, 0.0) > 0
            }
            if wells:
                steps.append(Step("Add", name, plate.name, material.unit, wells, dispense_tags(material, wells, plate)))
    return tuple(steps)


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
    return any({"acid", "corrosive"} <= set(species.hazards) for species in held)


def dispense_tags(material: Material, wells: dict[Well, float], plate: Plate) -> tuple[str, ...]:
    """How the platform dispenses it: powder, syringe pump, four tips, or a positive-displacement tip by volume."""
    if material.unit == "mg":
        return ("Powder", "Plate") if len(wells) > 2 else ("Powder",)
    least, most = min(wells.values()), max(wells.values())
    if material.viscous or not material.water_miscible or least < SYRINGE_MIN:
        return ("PDT", f"Tip{_tip(least, most):g}uL")
    if material.is_water:
        return ("SyringePump", "Backsolvent")
    return ("SyringePump", "4Tip") if plate.rows == 8 else ("SyringePump", "ExtSingleTip")


def _tip(least: float, most: float) -> float:
    """The smallest tip that holds the most and still doses the least; else the smallest that holds the most."""
    holding = [tip for tip in TIPS if most <= TIP_MAX * tip] or [TIPS[-1]]
    good = [tip for tip in holding if least >= TIP_MIN * tip]
    return (good or holding)[0]


def process(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> tuple[Step, ...]:
    """The steps after the additions: caps, conditions in order, and the cooling that opening needs."""
    steps: list[Step] = []
    if layout.capped:
        steps += [set_all(plate, "Cap", 1, amounts, layout) for plate in layout.plates]
    conditions = [moved(condition, amounts) for condition in design.conditions]
    if design.workup is not None and _still_hot(conditions):
        # The work-up opens the vials, so they must be cool whether or not the text says so.
        conditions.append(Condition(kind="cool"))
    for index, condition in enumerate(conditions):
        follows = conditions[index + 1] if index + 1 < len(conditions) else None
        if condition.time_factor:
            steps += _time_course(condition, amounts, layout)
        else:
            steps += _condition(condition, follows, layout.plates, amounts, layout, _hottest(conditions[:index]))
    return tuple(steps)


def moved(condition: Condition, amounts: Amounts) -> Condition:
    """The condition with how its vials are kept moving.

    A heated mixture is stirred unless the design says otherwise: unmixed layers neither react nor warm evenly.
    """
    condition = warmed(condition)
    if condition.kind != "heat" or condition.by in {"stir", "vortex"}:
        return condition
    mixture = any(len(vial.additions) > 1 for vial in amounts.vials)
    return condition.model_copy(update={"by": "stir" if mixture and condition.by is None else None})


def warmed(condition: Condition) -> Condition:
    """A mix or wait at a temperature as the heating that it is; at room temperature as it stands."""
    if condition.kind not in {"mix", "wait"} or condition.temperature is None:
        return condition
    if abs(condition.temperature.to("degC") - ROOM) < 0.5:
        return condition.model_copy(update={"temperature": None})
    by = (condition.by or "vortex") if condition.kind == "mix" else "none"
    time = condition.time or Stated(value=DEFAULT_MIX_TIME, unit="min")
    return condition.model_copy(update={"kind": "heat", "by": by, "time": time})


def _hottest(conditions: Sequence[Condition]) -> float:
    """The highest temperature among conditions, degC; room temperature if nothing is heated."""
    return max((one.temperature.to("degC") for one in conditions if one.temperature is not None), default=ROOM)


def _still_hot(conditions: Sequence[Condition]) -> bool:
    kinds = [one.kind for one in conditions if one.kind in {"heat", "cool"}]
    return bool(kinds) and kinds[-1] == "heat"


def finalise(design: ExperimentDesign, amounts: Amounts, layout: Layout) -> tuple[Step, ...]:
    """The work-up: open, put diluent, transfer a portion, close, treat."""
    if design.workup is None or layout.twin is None:
        return ()
    workup, twin = design.workup, layout.twin
    portion, rest = dilution(workup)
    diluent = amounts.cupboard.materials.get(workup.diluent)
    if diluent is None or diluent.unit != "uL":
        raise InputError(f"The diluent {workup.diluent!r} is not a liquid that can be dispensed. Name a solvent.")
    wells = [well for _, well in layout.wells]
    twin_wells = [divmod(index, twin.columns) for index in range(len(wells))]
    steps = [set_all(plate, "Cap", 0, amounts, layout) for plate in layout.plates] if layout.capped else []
    added = dict.fromkeys(twin_wells, rest)
    steps.append(Step("Add", diluent.name, twin.name, "uL", added, dispense_tags(diluent, added, twin)))
    portions = dict.fromkeys(twin_wells, portion)
    tip = _tip(portion, portion)
    origins = dict(zip(twin_wells, wells, strict=True))
    for plate in layout.plates:
        steps.append(
            Step("Transfer", plate.name, twin.name, "uL", portions, ("PDT", f"Tip{tip:g}uL", "NewTip"), origins)
        )
    if layout.capped:
        steps += [set_all(plate, "Cap", 1, amounts, layout) for plate in layout.plates]
    steps.append(Step("Set", "Cap", twin.name, "", dict.fromkeys(twin_wells, 1.0), ("Processing",)))
    conditions = [moved(condition, amounts) for condition in workup.conditions]
    for index, condition in enumerate(conditions):
        follows = conditions[index + 1] if index + 1 < len(conditions) else None
        steps += _condition(condition, follows, (twin,), amounts, layout, _hottest(conditions[:index]))
    return tuple(steps)


def dilution(workup: Workup) -> tuple[float, float]:
    """uL of sample and of diluent that make the stated total."""
    factor, total = workup.factor.to(""), workup.total_volume.to("uL")
    parts = factor if workup.convention == "total" else factor + 1
    if parts <= 1:
        raise InputError(f"A dilution factor of {factor:g} dilutes nothing; give one above 1.")
    portion = round(total / parts, RESOLUTION)
    return portion, round(total - portion, RESOLUTION)


def plate_wells(plate: Plate, layout: Layout) -> list[Well]:
    """The wells of a plate that hold vials; the twin mirrors the first plate's vials in their order."""
    if layout.twin is not None and plate.name == layout.twin.name:
        if layout.twin_for == "timers":
            return [well for _, well in layout.wells]
        return [divmod(index, plate.columns) for index in range(len(layout.wells))]
    return [well for name, well in layout.wells if name == plate.name]


def set_all(plate: Plate, parameter: str, value: float, amounts: Amounts, layout: Layout, note: str = "") -> Step:
    """A parameter for all vials of a plate."""
    wells = dict.fromkeys(plate_wells(plate, layout), round(float(value), RESOLUTION))
    return Step("Set", parameter, plate.name, PARAMETERS[parameter][1], wells, ("Processing",), note=note)


def _value(stated: Stated | None, unit: str, default: float) -> float:
    return default if stated is None else stated.to(unit)


def _condition(
    condition: Condition,
    follows: Condition | None,
    plates: tuple[Plate, ...],
    amounts: Amounts,
    layout: Layout,
    hottest: float = ROOM,
) -> Iterator[Step]:
    def everywhere(parameter: str, value: float, note: str = "") -> list[Step]:
        return [set_all(plate, parameter, value, amounts, layout, note) for plate in plates]

    def once(minutes: float, note: str = "") -> Step:
        # A delay holds the whole deck, so it is set once, on the first of the plates.
        return set_all(plates[0], "Delay", minutes, amounts, layout, note)

    if condition.kind == "wait":
        yield once(_value(condition.time, "min", DEFAULT_MIX_TIME))
    elif condition.kind == "mix":
        rate, speed = _rate(condition)
        yield from everywhere(rate, speed)
        yield once(_value(condition.time, "min", DEFAULT_MIX_TIME))
        yield from everywhere(rate, 0)
    elif condition.kind == "heat":
        yield from _heat(condition, everywhere, once, hottest)
        # Left hot, a plate would go on reacting; a cool that follows sets the temperature itself.
        if follows is None or follows.kind not in {"cool", "heat"}:
            yield from everywhere("HeatingTemp", ROOM)
    else:
        target = _value(condition.temperature, "degC", ROOM)
        yield from everywhere("HeatingTemp", target)
        yield once(_value(condition.time, "min", cooling_time(hottest - target)), "cools to within 2 degC")


def _heat(
    condition: Condition,
    everywhere: Callable[[str, float], list[Step]],
    once: Callable[[float, str], Step],
    before: float,
) -> Iterator[Step]:
    if condition.temperature is None or condition.time is None:
        raise InputError("A heating condition needs a temperature and a time.")
    if condition.by is not None:
        rate, speed = _rate(condition)
        yield from everywhere(rate, speed)
    target = condition.temperature.to("degC")
    if condition.ramp is not None:
        yield from everywhere("HeatingRamp", condition.ramp.to("degC/min"))
    yield from everywhere("HeatingTemp", target)
    if condition.ramp is not None and target > before:
        yield once(round((target - before) / condition.ramp.to("degC/min"), RESOLUTION), f"warms to {target:g} degC")
    yield once(condition.time.to("min"), "")
    if condition.by is not None:
        yield from everywhere(rate, 0)


def _rate(condition: Condition) -> tuple[str, float]:
    if condition.by == "stir":
        return "StirRate", _value(condition.speed, "rpm", DEFAULT_STIR)
    return "VortexRate", _value(condition.speed, "rpm", DEFAULT_VORTEX)


def cooling_time(excess: float) -> float:
    """Minutes until a plate that is `excess` degC too warm is within `COOLED_WITHIN`, rounded up to 5."""
    if excess <= COOLED_WITHIN:
        return 0.0
    return 5.0 * math.ceil(COOLING_TIME_CONSTANT * math.log(excess / COOLED_WITHIN) / 5.0)


def _time_course(condition: Condition, amounts: Amounts, layout: Layout) -> Iterator[Step]:
    """Vials move to the hot second plate, each with its own timer, and come back when it rings."""
    if condition.temperature is None or condition.time_factor is None or layout.twin is None:
        raise InputError("A time course needs a temperature and a factor of times.")
    hot, home = layout.twin, layout.plates[0]
    wells = [well for _, well in layout.wells]
    timers = {
        well: round(vial.times[condition.time_factor], RESOLUTION)
        for well, vial in zip(wells, amounts.vials, strict=True)
    }
    ones = dict.fromkeys(wells, 1.0)
    yield set_all(hot, "HeatingTemp", condition.temperature.to("degC"), amounts, layout)
    if condition.by is not None:
        rate, speed = _rate(condition)
        yield set_all(hot, rate, speed, amounts, layout)
    yield Step("Set", "VialTimers", hot.name, "min", timers, ("Processing",))
    same = {well: well for well in wells}
    yield Step("Transfer", home.name, hot.name, "", ones, ("MoveVial", "StartVialTimer"), same)
    yield Step("Transfer", hot.name, home.name, "", ones, ("MoveVial", "WaitVialTimer"), same)
    if condition.by is not None:
        yield set_all(hot, rate, 0, amounts, layout)
    yield set_all(hot, "HeatingTemp", ROOM, amounts, layout)
