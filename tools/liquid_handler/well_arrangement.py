"""Vials into wells: the smallest legal vial, the fewest plates, one fixed layout (row by row, design order)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.platform import ARRAYS, MAX_FILL, MAX_PLATES, MIN_FILL, ROOM, SAFE_TO_OPEN, Array
from labwright.tools.liquid_handler.protocol_steps import Plate, Step, Well, set_wells
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.vial_amounts import Amounts
from labwright.tools.liquid_handler.vial_treatments import Condition, Sampling, SecondPlate


@dataclass(frozen=True, slots=True)
class Layout:
    """Where every vial stands. `wells[i]` is vial i's plate name and well; `twin` is the second plate, if one is used.

    Attributes:
        twin_for: ``dilution``, ``samples`` or ``timers``: what the second plate is for.
        twin_wells: its wells that hold vials.
        capped: whether caps are used at all.
        closed: whether the vials are capped where a condition says nothing else.
        order: sources that a person wants added first, in this order.
        base: what the plates are kept at where nothing else is said, degC.
        septa: of the caps, which liquids go through.
    """

    plates: tuple[Plate, ...]
    wells: tuple[tuple[str, Well], ...]
    twin: Plate | None = None
    twin_for: str = ""
    twin_wells: tuple[Well, ...] = ()
    capped: bool = False
    closed: bool = False
    order: tuple[str, ...] = ()
    base: float = ROOM
    septa: str = ""


def set_all(plate: Plate, parameter: str, value: float, layout: Layout, note: str = "") -> Step:
    """A parameter for all vials of a plate."""
    second = layout.twin is not None and plate.name == layout.twin.name
    wells = layout.twin_wells if second else [well for name, well in layout.wells if name == plate.name]
    return set_wells(parameter, plate.name, wells, value, note)


def arrange(design: ExperimentDesign, amounts: Amounts) -> Layout:
    """Chooses the array and gives every vial its well.

    Raises:
        InputError: no array holds these vials on two plates; the message says how many fit.
    """
    timed = any(condition.time_factor for condition in design.conditions)
    second = design.workup or design.sampling
    if timed and second is not None:
        raise InputError("A time course needs the second plate for heating, so it has no other second plate as well.")
    closed = needs_caps(design, amounts)
    capped = closed or any(one.cap for one in design.conditions)
    parts = _parts(design, amounts)
    free = MAX_PLATES - (1 if timed or second is not None else 0)
    if len(parts) > free:
        raise InputError(_too_many_parts(len(parts), free))
    # Vials that are treated otherwise, or of another size, have a plate of their own.
    plates: list[Plate] = []
    found: dict[int, tuple[str, Well]] = {}
    for stated, members in parts:
        alike = [amounts.vials[index] for size, others in parts if size == stated for index in others]
        least, most = min(map(amounts.liquid, alike)), max(map(amounts.fullest, alike))
        size = max(len(others) for volume, others in parts if volume == stated)
        array, count = choose_array(size, least, most, capped=capped, plates=free // len(parts), vial=stated)
        names = [f"Plate {len(plates) + index + 1}" for index in range(count)]
        plates += [_plate(name, array) for name in names]
        found |= _places(design, amounts, array, names, members)
    wells = tuple(found[index] for index in range(len(amounts.vials)))
    twin, twin_for, twin_wells = _twin(design, amounts, plates[0], wells)
    order, base, septa = tuple(design.order), design.base, design.septa or ""
    return Layout(tuple(plates), wells, twin, twin_for, twin_wells, capped, closed, order, base, septa)


def _parts(design: ExperimentDesign, amounts: Amounts) -> list[tuple[float | None, list[int]]]:
    """The vials by their stated size, uL, and how they are treated: vials of one part share their plates."""
    sizes = {group.name: group.vial_volume or design.vial_volume for group in design.groups}
    apart = [one for one in design.conditions if one.kind != "add" and (one.groups or one.temperature_factor)]
    found: dict[tuple[float | None, tuple[object, ...]], list[int]] = {}
    for index, vial in enumerate(amounts.vials):
        for one in apart:
            if one.temperature_factor and one.temperature_factor not in vial.levels:
                raise InputError(
                    f"The temperature goes by {one.temperature_factor!r}, but group {vial.group!r} lacks that factor."
                )
        treated = tuple((one.concerns(vial.group), vial.levels.get(one.temperature_factor or "")) for one in apart)
        stated = sizes[vial.group]
        found.setdefault((stated.to("uL") if stated else None, treated), []).append(index)
    return [(size, members) for (size, _), members in found.items()]


def _too_many_parts(parts: int, free: int) -> str:
    cure = (
        "Make a run of each."
        if free > 1
        else "Without samples, work-up or time course there are two; or make two runs."
    )
    return (
        f"The vials are of several sizes or treated in {parts} different ways, and a plate is heated, mixed and cooled"
        f" as a whole, but {free} plate(s) are free for them. {cure}"
    )


def plates_for(condition: Condition, amounts: Amounts, layout: Layout) -> list[tuple[Condition, tuple[Plate, ...]]]:
    """The condition with the plates that it is done to; a temperature_factor gives one for each temperature.

    Raises:
        InputError: a level of the temperature_factor is not a temperature.
    """
    pairs = list(zip(amounts.vials, layout.wells, strict=True))
    if condition.temperature_factor:
        levels = {name: vial.levels[condition.temperature_factor] for vial, (name, _) in pairs}
        return [
            (condition.model_copy(update={"temperature": _degrees(text), "temperature_factor": None}), plates)
            for text in dict.fromkeys(levels.values())
            if (plates := tuple(plate for plate in layout.plates if levels.get(plate.name) == text))
        ]
    names = {name for vial, (name, _) in pairs if condition.concerns(vial.group)}
    return [(condition, tuple(plate for plate in layout.plates if plate.name in names) or layout.plates)]


def _degrees(text: str) -> Stated:
    found = Stated.model_validate(text)
    if found.measures != "temperature":
        raise InputError(f"The temperature of a heating goes by a factor with the level {text}. Write it in degC.")
    return found


def _places(
    design: ExperimentDesign, amounts: Amounts, array: Array, names: list[str], part: list[int]
) -> dict[int, tuple[str, Well]]:
    """Given wells first; the other vials fill rows, columns, or rows in a drawn order.

    Raises:
        InputError: wells are given that the array lacks, twice, or not as many as there are vials.
    """
    every = [(name, divmod(index, array.columns)) for name in names for index in range(array.size)]
    if design.layout.by == "column":
        every.sort(key=lambda place: (place[0], place[1][1], place[1][0]))
    found: dict[int, tuple[str, Well]] = {}
    for group in design.groups:
        members = [index for index in part if amounts.vials[index].group == group.name]
        given = group.wells if members else []
        if given and len(given) != len(members):
            raise InputError(f"Group {group.name!r} has {len(members)} vials, but {len(given)} wells are given.")
        for index, well in zip(members if given else [], given, strict=True):
            place = (names[0], (ord(well[0]) - ord("A"), int(well[1:]) - 1))
            if place not in every or place in found.values():
                why = "is given twice" if place in found.values() else "is not on the plate"
                raise InputError(f"Well {well} of group {group.name!r} {why} ({array.rows} x {array.columns}).")
            found[index] = place
    rest = [index for index in part if index not in found]
    if design.layout.by == "random":
        random.Random(design.layout.seed).shuffle(rest)
    free = [place for place in every if place not in found.values()]
    return found | dict(zip(rest, free, strict=False))


def needs_caps(design: ExperimentDesign, amounts: Amounts) -> bool:
    """The person's word; else whether anything is heated, vortexed or volatile, and no sample is taken while hot.

    What a condition says of its own caps does not count. Vials of a stated size that take no caps stay open.

    Raises:
        InputError: samples shall be taken from capped vials that are too hot to open.
    """
    hot = [one for one in design.conditions if _sampled_hot(one) and one.cap is not False and design.septa != "slit"]
    shut = [one for one in hot if one.closed(bool(design.cap))]
    if shut:
        raise InputError(
            f"Samples at {shut[0].temperature} are taken from capped vials, which are not opened above"
            f" {SAFE_TO_OPEN:g} degC. Leave them open meanwhile (`cap: false` there), sample after cooling, or take"
            " caps with slit septa (`septa: slit`)."
        )
    if (
        design.cap is not None
        or hot
        or any(map(_uncappable, (design.vial_volume, *(g.vial_volume for g in design.groups))))
    ):
        return bool(design.cap)
    stirred = any(
        condition.kind == "heat" or condition.temperature is not None or _vortexed(condition.kind, condition.by)
        for condition in design.conditions
        if condition.kind not in {"cool", "add"} and condition.cap is not False
    )
    used = {name for vial in amounts.vials for name in vial.materials}
    return stirred or any(amounts.cupboard.materials[name].volatile for name in used)


def _uncappable(stated: Stated | None) -> bool:
    """Whether vials of that size are on the platform, and none of them takes a cap."""
    found = [array.cappable for array in ARRAYS if stated is not None and abs(array.vial - stated.to("uL")) < 1]
    return bool(found) and not any(found)


def _sampled_hot(condition: Condition) -> bool:
    """Whether samples are taken while it is too hot to open vials; those at 0 are taken before."""
    hot = condition.temperature is not None and condition.temperature.to("degC") > SAFE_TO_OPEN
    return any(condition.minutes) and (hot or bool(condition.temperature_factor))


def _vortexed(kind: str, by: str | None) -> bool:
    return kind == "mix" and by != "stir"


def choose_array(
    vials: int,
    least: float,
    most: float,
    *,
    capped: bool,
    plates: int,
    vial: float | None = None,
    fits: Callable[[Array], bool] = lambda _array: True,
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
    fitting = [array for array in tall if -(-vials // array.size) <= plates and fits(array)]
    if not fitting:
        largest = max((array.size for array in tall), default=0) * plates
        raise InputError(
            f"{vials} vials of up to {most / 1000:g} mL do not fit: at most {largest} such"
            f"{' capped' if capped else ''} vials stand on {plates} plate(s). Ask for fewer vials or less volume."
        )
    full = [array for array in fitting if least >= MIN_FILL * array.vial]
    chosen = min(full or fitting, key=lambda array: (-(-vials // array.size), array.vial))
    return chosen, -(-vials // chosen.size)


def _twin(
    design: ExperimentDesign, amounts: Amounts, first: Plate, wells: tuple[tuple[str, Well], ...]
) -> tuple[Plate | None, str, tuple[Well, ...]]:
    """The second plate, what it is for, and which of its wells are used."""
    if any(condition.time_factor for condition in design.conditions):
        return replace(first, name="Plate 2"), "timers", tuple(well for _, well in wells)
    second = design.workup or design.sampling
    if second is None:
        return None, "", ()
    origins, times = [well for _, well in wells], 1
    if isinstance(second, Sampling):
        pairs = zip(amounts.vials, origins, strict=True)
        origins = [well for vial, well in pairs if second.concerns(vial.group)]
        times = sum(len(one.minutes) for one in design.conditions)
    use = "samples" if isinstance(second, Sampling) else "dilution"
    total = second.ready[1] + second.portion + sum(volume for _, volume in second.added)
    if second.places == "same" and times > 1:
        raise InputError(f"Portions of {times} times cannot stand in the wells of their vials. Take rows or columns.")
    chosen = _second(second, origins, times, total, capped=(True, False) if use == "samples" else (True,))
    return _plate("Plate 2", chosen), use, second_wells(second.places, chosen, origins, times)


def second_wells(places: str, array: Array, origins: Sequence[Well], times: int) -> tuple[Well, ...]:
    """The wells of the second plate, time by time; some may lie beyond its edge."""
    if places == "same":
        return tuple(origins)
    if places == "in turn":
        return tuple(divmod(index, array.columns) for index in range(times * len(origins)))
    length = array.rows if places == "columns" else array.columns
    lines = -(-len(origins) // length)  # that each time takes
    pairs = [(time * lines + index // length, index % length) for time in range(times) for index in range(len(origins))]
    return tuple((along, line) if places == "columns" else (line, along) for line, along in pairs)


def _second(second: SecondPlate, origins: Sequence[Well], times: int, total: float, capped: Sequence[bool]) -> Array:
    """The array of the second plate: capped if it can be, for samples also the smaller vials without caps."""

    def fits(array: Array) -> bool:
        found = second_wells(second.places, array, origins, times)
        return all(row < array.rows and column < array.columns for row, column in found)

    stated = second.vial_volume.to("uL") if second.vial_volume else None
    for caps in capped if stated is None else (False,):
        try:
            vials = times * len(origins)
            return choose_array(vials, total, total, capped=caps, plates=1, vial=stated, fits=fits)[0]
        except InputError as unfit:
            why = unfit
    raise InputError(f"The second plate: {why}")


def _plate(name: str, array: Array) -> Plate:
    return Plate(name, array.rows, array.columns, array.vial, array.cappable)
