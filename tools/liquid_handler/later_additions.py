"""What conditions add to vials in between: how much, from an amount, a volume to fill up to, or a concentration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.deck_sources import Cupboard
from labwright.tools.liquid_handler.dose_fitting import ROUNDING, too_little
from labwright.tools.liquid_handler.doses import Part, Target, Whole, liquid, part_of, summed
from labwright.tools.liquid_handler.experiment_design import Dose, ExperimentDesign, Group
from labwright.tools.liquid_handler.factor_combinations import Combination
from labwright.tools.liquid_handler.platform import RESOLUTION
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.vial_transfers import Flow, carried, demand_plain
from labwright.tools.liquid_handler.vial_treatments import ADDED, Condition

MOST_TURNS = 60  # of what depends on itself; each is nearer by about the share that is asked
MOST_VOLUME = 1e6  # uL; nothing on the deck holds more
CONCENTRATIONS = ("molarity", "fraction", "share")  # kinds of doses that count all of a substance in the vial


def added_later(
    design: ExperimentDesign,
    group: Group,
    combination: Combination,
    cupboard: Cupboard,
    parts: Sequence[Part],
    filled: float | None,
    sources: Iterable[str],
    flow: Flow,
) -> tuple[dict[int, dict[str, float]], dict[str, Target]]:
    """What the conditions add to a vial; equivalents count what it was filled with and what was added before.

    Args:
        filled: uL of liquids before; None where the total counts what is added, too.
        sources: names of everything that is in the vial before, also what fills it up.
        flow: what it gets from other vials and gives to them.

    Raises:
        InputError: a concentration cannot be reached, or would not be what is in the vial.
    """
    held, found, taken = list(parts), {}, group.serial is not None
    brought = carried(design, group)
    now, portion = filled, design.sampling.volume.to("uL") if design.sampling else 0.0
    for index, condition in enumerate(design.conditions):
        if now is not None and design.sampling is not None and design.sampling.concerns(group.name):
            now -= portion * len(condition.minutes)
        elif design.sampling is not None and design.sampling.concerns(group.name):
            taken = taken or bool(condition.minutes)
        taken = taken or index in flow.out
        now = None if now is None else now + flow.net(index)
        if condition.substance is None or not condition.concerns(group.name):
            continue
        demand_plain(condition, combination, brought, cupboard)
        part = _added(condition, group, combination, cupboard, held, now)
        if part.amount >= ROUNDING:
            held.append(part)
            if filled is None and taken and any(one.dose.kind in CONCENTRATIONS for one in held):
                raise InputError(
                    f"{part.material.name!r} is added to group {group.name!r} after portions were taken out, so its"
                    " final concentrations cannot be kept. Take `total_is: filled`, or add amounts or volumes only."
                )
            found[index] = summed([part])
            now = None if now is None else now + liquid(found[index], cupboard)
        elif part.amount > 0:
            raise InputError(f"{too_little(part).reason} It is added in between.")
    _alone(group, parts, held[len(parts) :], [*sources, *brought], brought, cupboard, final=filled is None)
    names = [part.material.name for part in held[len(parts) :]]
    once = {part.material.name: part.target for part in held[len(parts) :] if names.count(part.material.name) == 1}
    return found, once


def _alone(
    group: Group,
    parts: Sequence[Part],
    late: list[Part],
    sources: list[str],
    brought: list[str],
    cupboard: Cupboard,
    *,
    final: bool,
) -> None:
    """A concentration counts all of a substance in the vial, so nothing else may bring any of it.

    Raises:
        InputError: something else does; the message says what to give in its place.
    """
    names = [part.material.name for part in late]
    pairs = [(part, [*sources, *names[:at], *(names[at + 1 :] if final else [])]) for at, part in enumerate(late)]
    pairs += [(part, [*names, *brought]) for part in parts if final]
    for part, others in pairs:
        more = list(dict.fromkeys(name for name in others if _brings(name, part, cupboard)))
        if part.dose.kind in CONCENTRATIONS and more:
            raise InputError(
                f"{part.stated} of {part.target.species!r} counts all of it in the vials of group {group.name!r}, but"
                f" {', '.join(map(repr, more))} brings some of it, too. Where it is added later, give the amount to"
                " add as a volume, a mass or moles."
            )


def _brings(name: str, part: Part, cupboard: Cupboard) -> bool:
    """Whether a source holds what a part is asked for: the substance, or the solution itself."""
    if part.target.kind == "volume":
        return name == part.target.species
    return name in cupboard.materials and cupboard.materials[name].composition.get(part.target.species, 0.0) > 0


def _added(
    condition: Condition,
    group: Group,
    combination: Combination,
    cupboard: Cupboard,
    held: list[Part],
    now: float | None,
) -> Part:
    """One addition to a vial that holds `now` uL; a concentration is that of the vial with it, or of the final one."""
    dose = _dose(condition, combination, now)
    if dose.kind not in ("molarity", "fraction"):
        return part_of(dose, group, combination, cupboard, Whole(), held)
    volume = group.total_volume.to("uL") if group.total_volume and now is None else now or 0.0
    for _ in range(MOST_TURNS):
        part = part_of(dose, group, combination, cupboard, Whole(volume), held)
        brought = part.amount if part.material.unit == "uL" else 0.0
        if now is None or abs(now + brought - volume) <= ROUNDING:
            return _by_amount(part)
        volume = now + brought
        if volume > MOST_VOLUME:
            break
    raise InputError(
        f"The addition of {condition.substance!r} cannot bring the vial to {dose.amount}: it is no stronger itself."
    )


def _by_amount(part: Part) -> Part:
    """With how much comes in as what is checked, as its concentration is that of everything in the vial."""
    if part.target.kind == "volume":
        return part
    mass = part.amount * part.material.composition.get(part.target.species, 0.0)
    return replace(part, target=Target(part.target.species, "mass", mass, str(part.stated)))


def _dose(condition: Condition, combination: Combination, now: float | None) -> Dose:
    """An addition as the dose that it is for one vial, which holds `now` uL."""
    assert condition.substance is not None
    stated = condition.amount or combination.levels.get(str(condition.factor))
    if condition.up_to is not None:
        stated = _short_of(condition.up_to, str(condition.substance), now)
    assert isinstance(stated, Stated)
    fields = {name: getattr(condition, name) for name in ("substance", "via", "basis", "reference")}
    return Dose.model_validate({"kind": ADDED[stated.measures], "amount": stated, **fields})


def _short_of(up_to: Stated, substance: str, now: float | None) -> Stated:
    """What a vial lacks.

    Raises:
        InputError: it lacks nothing, or how much it holds depends on this.
    """
    if now is None:
        raise InputError(f"{substance!r} fills up to {up_to}, so the total of its group is `filled`, not `final`.")
    if up_to.to("uL") < now:
        raise InputError(f"{substance!r} shall fill up to {up_to}, but the vial holds {now:g} uL by then.")
    return Stated(value=round(up_to.to("uL") - now, RESOLUTION), unit="uL")
