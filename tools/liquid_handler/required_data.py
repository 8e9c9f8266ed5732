"""Which data of a substance the amounts depend on, so that no others are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from labwright.tools.liquid_handler.experiment_design import Dose, ExperimentDesign, Group
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.solutions import strengths
from labwright.tools.liquid_handler.vial_treatments import ADDED, Condition

# nothing; a molar mass that cancels, as all of it comes from solutions of so many moles a litre; a molar mass; whether
# it is a solid, and of a liquid its density; all
Needed = Literal["volume", "moles", "molar mass", "state", "data"]
Brought = Literal["neat", "solution", "reference"]
_BY_MOLES = {"moles", "molarity", "share", "equivalents"}


def needed(name: str, design: ExperimentDesign) -> Needed:
    """What must be known of a chemical."""
    measures = {stated.measures for _, solute, stated in strengths(design) if solute == name}
    demands = list(_demands(name, design))
    counts_moles = [brought for brought, kind in demands if kind in _BY_MOLES]
    neat = {kind for brought, kind in demands if brought == "neat"}
    solid = any(use.name == name and use.state == "solid" for use in design.chemicals)
    if name in weighed(design) or any(kind == "v/v" for _, kind in demands) or neat - {"volume"} or (neat and solid):
        plain = not counts_moles and measures <= {"density", "fold"} and neat <= {"mass", "fraction", "volume"}
        return "state" if plain and not any(kind == "v/v" for _, kind in demands) else "data"
    if neat and counts_moles:
        return "data"
    by_mass = any(kind in ("mass", "fraction") for _, kind in demands)
    if (counts_moles and measures != {"molarity"}) or (by_mass and not measures <= {"density", "fold"}):
        return "molar mass" if measures <= {"molarity", "density"} else "data"
    return "moles" if measures == {"molarity"} else "volume"


def sources_of(one: Dose | Condition, group: Group) -> list[str]:
    """Names of what a dose or an addition may be taken from."""
    chosen = {factor.name: factor.chemicals for factor in group.factors}
    return [one.via] if one.via else chosen.get(str(one.substance)) or [str(one.substance)]


def additions_to(group: Group, design: ExperimentDesign) -> list[Condition]:
    """What conditions add to a group."""
    return [one for one in design.conditions if one.kind == "add" and one.substance and one.concerns(group.name)]


def weighed(design: ExperimentDesign) -> frozenset[str]:
    """Names of the sources whose density an amount depends on: by their own mass, or by that of the whole vial."""
    found: set[str] = set()
    for group in design.groups:
        later = additions_to(group, design)
        parts_by_mass = any(_part_by_mass(dose, group) for dose in group.doses)
        for dose in group.doses:
            by_mass = group.total_mass or parts_by_mass or (dose.kind == "mass" and not dose.via)
            found.update(sources_of(dose, group) if by_mass else ())
        for added in later:
            stated = [added.amount, *_levels(added.factor, group)]
            by_mass = (parts_by_mass and group.total_is == "final") or any(
                one and one.measures == "mass" and not added.via for one in stated
            )
            found.update(sources_of(added, group) if by_mass else ())
    return frozenset(found)


def _levels(factor: str | None, group: Group) -> list[Stated]:
    return [level for each in group.factors if each.name == factor for level in each.levels]


def _part_by_mass(dose: Dose, group: Group) -> bool:
    stated = filter(None, [dose.amount, *_levels(dose.factor, group)])
    parts = [(one.basis or dose.basis) == "w/w" for one in stated if one.measures == "fraction"]
    return dose.kind == "fraction" and any(parts)


def _demands(name: str, design: ExperimentDesign) -> Iterator[tuple[Brought, str]]:
    """How it comes, and the kind of a dose, of everything that is asked of it."""
    own = {solution for solution, solute, _ in strengths(design) if solute == name}

    def brought(substance: str, via: str | None) -> Brought:
        return "solution" if via in own or substance in own else "neat"

    for group in design.groups:
        chosen = {factor.name: set(factor.chemicals) & {name, *own} for factor in group.factors}
        meant = {each: names for each, names in chosen.items() if names} | {each: {each} for each in (name, *own)}
        for dose in group.doses:
            if name in meant.get(dose.reference or "", ()):
                yield "reference", "equivalents"
            for one in meant.get(dose.substance, ()):
                yield brought(one, dose.via), _kind(dose, group)
        for added in (one for one in design.conditions if one.kind == "add" and one.concerns(group.name)):
            if name in meant.get(added.reference or "", ()):
                yield "reference", "equivalents"
            for one in meant.get(str(added.substance), ()):
                levels = _levels(added.factor, group)
                kinds = {ADDED[stated.measures] for stated in filter(None, [added.amount, *levels])} or {"volume"}
                yield from ((brought(one, added.via), kind) for kind in kinds)


def _kind(dose: Dose, group: Group) -> str:
    """What a dose counts; what fills up, and parts by volume of a liquid itself, are volumes."""
    stated = filter(None, [dose.amount, *_levels(dose.factor, group)])
    parts = [(one.basis or dose.basis) == "v/v" for one in stated]
    if dose.kind == "fraction" and all(parts):
        return "volume" if dose.via is None else "v/v"
    return "volume" if dose.kind == "remainder" else dose.kind
