"""Which data of a substance the amounts depend on, so that no others are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from labwright.tools.liquid_handler.conditions import ADDED
from labwright.tools.liquid_handler.design import Dose, ExperimentDesign, Group
from labwright.tools.liquid_handler.solutions import strengths

# nothing; a molar mass that cancels, as all of it comes from solutions of so many moles a litre; a molar mass; all
Needed = Literal["volume", "moles", "molar mass", "data"]
Brought = Literal["neat", "solution", "reference"]
_BY_MOLES = {"moles", "molarity", "share", "equivalents"}


def needed(name: str, design: ExperimentDesign) -> Needed:
    """What must be known of a chemical."""
    measures = {stated.measures for _, solute, stated in strengths(design) if solute == name}
    demands = list(_demands(name, design))
    counts_moles = [brought for brought, kind in demands if kind in _BY_MOLES]
    if any(brought == "neat" for brought, _ in demands):
        solid = any(use.name == name and use.state == "solid" for use in design.chemicals)
        if counts_moles or solid or any(brought == "neat" and kind != "volume" for brought, kind in demands):
            return "data"
    by_mass = any(kind in ("mass", "fraction") for _, kind in demands)
    if (counts_moles and measures != {"molarity"}) or (by_mass and not measures <= {"density", "fold"}):
        return "molar mass" if measures <= {"molarity", "density"} else "data"
    return "moles" if measures == {"molarity"} else "volume"


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
                levels = [level for each in group.factors if each.name == added.factor for level in each.levels]
                kinds = {ADDED[stated.measures] for stated in filter(None, [added.amount, *levels])} or {"volume"}
                yield from ((brought(one, added.via), kind) for kind in kinds)


def _kind(dose: Dose, group: Group) -> str:
    """What a dose counts; what fills up, and parts by volume of a liquid itself, are volumes."""
    levels = [level for each in group.factors if each.name == dose.factor for level in each.levels]
    parts = [(stated.basis or dose.basis) == "v/v" for stated in filter(None, [dose.amount, *levels])]
    by_volume = dose.kind == "fraction" and dose.via is None and all(parts)
    return "volume" if by_volume or dose.kind == "remainder" else dose.kind
