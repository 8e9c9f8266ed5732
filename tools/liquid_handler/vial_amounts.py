"""From a design to what goes into every vial: masses in mg and volumes in uL, or why it cannot be.

Final volumes are taken to be additive. Where an amount does not fit into the total volume, the refusal names the
largest value that would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.deck_sources import Cupboard, Material, stock_cupboard
from labwright.tools.liquid_handler.dose_fitting import ROUNDING, Infeasible, largest, too_little, worst
from labwright.tools.liquid_handler.doses import (
    Open,
    Part,
    Target,
    Whole,
    ask,
    by_mass,
    liquid,
    material_of,
    part_of,
    stated_for,
    substance_of,
    summed,
    together,
    volume_of,
)
from labwright.tools.liquid_handler.experiment_design import Dose, ExperimentDesign, Group, OpenQuestion
from labwright.tools.liquid_handler.factor_combinations import Combination, combinations
from labwright.tools.liquid_handler.later_additions import MOST_TURNS, added_later
from labwright.tools.liquid_handler.pipetting_manner import Manner, Pipetting
from labwright.tools.liquid_handler.platform import MAX_PLATES, RESOLUTION
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.required_data import additions_to, sources_of
from labwright.tools.liquid_handler.vial_transfers import Flow, flows

SAME_MASS = 0.005  # mg; the amounts are rounded to 0.001


@dataclass(frozen=True, slots=True)
class VialRecipe:
    """One vial: what is added (material to mg or uL), what was asked, and its own times in min (time courses).

    Attributes:
        additions: before anything is done to the vials.
        total: uL, as stated, of these.
        later: what is added in between: number of the condition (from 0) to material to mg or uL.
        asked_later: material to what is asked of it, where one condition adds it.
        manners: material to how it is pipetted before anything is done to the vial, where that is said.
        weighed: solids that a person weighs in.
        origin: in a serial dilution: the vial, by its place in `Amounts.vials`, that gives it `portion` uL.
        poured: number of the condition to the vial that gives a portion then, and uL.
    """

    group: str
    levels: dict[str, str]
    replicate: int
    additions: dict[str, float]
    targets: tuple[Target, ...]
    total: float | None
    times: dict[str, float] = field(default_factory=dict)
    later: dict[int, dict[str, float]] = field(default_factory=dict)
    asked_later: dict[str, Target] = field(default_factory=dict)
    origin: int | None = None
    portion: float = 0.0
    manners: dict[str, Pipetting] = field(default_factory=dict)
    weighed: frozenset[str] = frozenset()
    poured: dict[int, tuple[int, float]] = field(default_factory=dict)

    def added(self, name: str) -> float:
        """All of a material that is ever added, mg or uL."""
        return self.additions.get(name, 0.0) + sum(one.get(name, 0.0) for one in self.later.values())

    def later_of(self, name: str) -> float:
        """What is added of a material in between."""
        return self.added(name) - self.additions.get(name, 0.0)

    @property
    def materials(self) -> list[str]:
        """Everything that is ever added, each once."""
        return list(dict.fromkeys((*self.additions, *(name for one in self.later.values() for name in one))))


@dataclass(frozen=True, slots=True)
class Amounts:
    """All vials in the design's order, and the materials they are made from."""

    vials: tuple[VialRecipe, ...]
    cupboard: Cupboard

    def liquid(self, vial: VialRecipe) -> float:
        """Volume of the liquids in a vial before anything is done to it, uL."""
        return liquid(vial.additions, self.cupboard) + vial.portion

    def fullest(self, vial: VialRecipe) -> float:
        """The same with all that is added later, uL."""
        poured = sum(volume for _, volume in vial.poured.values())
        return self.liquid(vial) + poured + sum(liquid(one, self.cupboard) for one in vial.later.values())


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no protocol can be made: questions to answer first, or doses that do not fit."""

    questions: tuple[OpenQuestion, ...] = ()
    infeasible: tuple[Infeasible, ...] = ()

    @property
    def message(self) -> str:
        """All reasons in sentences."""
        return " ".join([question.text for question in self.questions] + [item.reason for item in self.infeasible])


def calculate(design: ExperimentDesign) -> Amounts | Refusal:
    """What goes into every vial, or the questions and impossibilities that stand in the way.

    Raises:
        InputError: the design contradicts itself (a row or constraint with an unknown level).
    """
    cupboard = stock_cupboard(design)
    unsettled = [cupboard.problems[name] for name in _dispensed(design) if name in cupboard.problems]
    questions = {question.id: question for question in unsettled}
    vials: list[VialRecipe] = []
    short: list[Infeasible] = []
    between = flows(design)
    for group in design.groups:
        for combination in combinations(group):
            if len(vials) >= MAX_PLATES * 96:
                raise InputError(f"The design asks for more than {MAX_PLATES * 96} vials, which two plates hold.")
            try:
                flow = between.get(len(vials), Flow())
                if combination.step:
                    made = _diluted(design, group, combination, cupboard, vials, flow)
                else:
                    made = _vial(design, group, combination, cupboard, flow)
            except Open as open_:
                questions.setdefault(open_.question.id, open_.question)
                continue
            if isinstance(made, VialRecipe):
                vials.append(made)
            else:
                short.extend(made)
    if questions or short:
        return Refusal(tuple(questions.values()), worst(short))
    if not vials:
        raise InputError("The design's constraints leave no vial. Loosen one.")
    _counted(design, vials)
    return Amounts(tuple(vials), cupboard)


def _counted(design: ExperimentDesign, vials: list[VialRecipe]) -> None:
    """The numbers of vials that the design expects."""
    for group in design.groups:
        made = sum(vial.group == group.name for vial in vials)
        if group.expect is not None and made != group.expect:
            raise InputError(
                f"Group {group.name!r} has {made} vials, but {group.expect} are expected. Check its levels."
            )
    if design.expect is not None and len(vials) != design.expect:
        raise InputError(
            f"The groups have {len(vials)} vials together, but {design.expect} are expected."
            " Check levels, replicates, blanks and controls."
        )


def _dispensed(design: ExperimentDesign) -> list[str]:
    """Names of everything that the design takes from a source, each once."""
    found = [design.workup.diluent] if design.workup else []
    found += filter(None, [design.sampling.quench if design.sampling else None])
    second = design.workup or design.sampling
    found += [str(one.substance) for one in second.conditions if one.kind == "add"] if second else []
    for group in design.groups:
        found += chain.from_iterable(sources_of(dose, group) for dose in group.doses)
        found += chain.from_iterable(sources_of(one, group) for one in additions_to(group, design))
        found += [group.serial.diluent] if group.serial else []
    return list(dict.fromkeys(found))


def _vial(
    design: ExperimentDesign, group: Group, combination: Combination, cupboard: Cupboard, flow: Flow
) -> VialRecipe | list[Infeasible]:
    """One vial; parts by mass of a stated volume are found by turns, as the mass of the vial depends on them."""
    total = group.total_volume.to("uL") if group.total_volume else None
    whole = Whole(total, group.total_mass.to("mg") if group.total_mass else total)
    parts_by_mass = any(by_mass(dose, stated_for(dose, group, combination)) for dose in _measured(group))
    if parts_by_mass and group.total_is == "final" and flow.into:
        raise InputError(
            f"Group {group.name!r} has parts by mass of a final total, of which a part comes from other vials. Let the"
            " total be `filled`, or give volumes."
        )
    for _ in range(MOST_TURNS):
        found = _filled(design, group, combination, cupboard, whole, flow)
        if not isinstance(found, VialRecipe) or group.total_mass or total is None or not parts_by_mass:
            return found
        of = found.added if group.total_is == "final" else found.additions.__getitem__
        names = found.materials if group.total_is == "final" else found.additions
        mass = sum(of(name) * cupboard.materials[name].density for name in names)
        if abs(mass - (whole.mass or 0.0)) <= SAME_MASS:
            return found
        whole = Whole(total, mass)
    raise InputError(f"The parts by mass of group {group.name!r} cannot be found. Give a `total_mass`.")


def _measured(group: Group) -> list[Dose]:
    """All but what fills up; equivalents count another dose's moles, so they come last."""
    return sorted(
        (dose for dose in group.doses if dose.kind != "remainder"), key=lambda dose: dose.kind == "equivalents"
    )


def _filled(
    design: ExperimentDesign, group: Group, combination: Combination, cupboard: Cupboard, whole: Whole, flow: Flow
) -> VialRecipe | list[Infeasible]:
    parts: list[Part] = []
    final = group.total_is == "final"
    for dose in _measured(group):
        part = part_of(dose, group, combination, cupboard, whole, parts)
        if part.amount > 0:
            parts.append(part)
    if lost := [part for part in parts if part.amount < ROUNDING]:
        return [too_little(part) for part in lost]
    additions, total = summed(parts), whole.volume
    filler = next((dose for dose in group.doses if dose.kind == "remainder"), None)
    later: dict[int, dict[str, float]] = {}
    asked_later: dict[str, Target] = {}
    if total is not None and final:
        sources = [*additions, *([material_of(substance_of(filler, combination), cupboard).name] if filler else [])]
        later, asked_later = added_later(design, group, combination, cupboard, parts, None, sources, flow)
        total -= sum(liquid(one, cupboard) for one in later.values()) + flow.volume
    occupied = sum(volume_of(cupboard.materials[name], value, group, cupboard) for name, value in additions.items())
    if total is not None and occupied > total + ROUNDING * (len(additions) + 1):
        return largest(parts, total, group, cupboard)
    if filler is not None:
        material = material_of(substance_of(filler, combination), cupboard)
        if material.unit != "uL":
            raise Open(ask("remainder", material.name, "shall fill up, but it is a solid. What solvent is meant?"))
        rest = _rest(group, additions, occupied, total, material, cupboard)
        if rest > 0:
            additions[material.name] = additions.get(material.name, 0.0) + rest
    if not final:
        filled = liquid(additions, cupboard) - _given(group, combination)
        later, asked_later = added_later(design, group, combination, cupboard, parts, filled, additions, flow)
    used = [(part.dose, part.material) for part in parts]
    used += [(filler, cupboard.materials[substance_of(filler, combination)])] if filler else []
    return VialRecipe(
        group=group.name,
        levels=combination.label,
        replicate=combination.replicate,
        additions=additions,
        targets=together(parts, additions, cupboard),
        manners=_manners(group, used, design.manner),
        weighed=_weighed(group, used),
        total=None if total is None else round(total, RESOLUTION),
        times=_times(design, combination),
        later=later,
        asked_later=asked_later,
        poured=flow.into,
    )


def _manners(group: Group, used: Sequence[tuple[Dose, Material]], otherwise: Manner | None) -> dict[str, Pipetting]:
    """How each liquid is pipetted into a vial; a solid is not pipetted.

    Raises:
        InputError: two doses of one source say it differently.
    """
    found: dict[str, Pipetting] = {}
    for dose, material in used:
        asked = dose.manner.pipetting if dose.manner and material.unit == "uL" else None
        if asked is not None and found.setdefault(material.name, asked) != asked:
            raise InputError(
                f"Two doses of {material.name!r} in group {group.name!r} have two manners; it goes in at once."
                " Give both the same, or `add` one of them."
            )
    if otherwise is not None:
        found = {material.name: otherwise.pipetting for _, material in used if material.unit == "uL"} | found
    return found


def _weighed(group: Group, used: Sequence[tuple[Dose, Material]]) -> frozenset[str]:
    """The solids that a person weighs in.

    Raises:
        InputError: a liquid shall be weighed in, or one solid in part.
    """
    found = {material.name for dose, material in used if dose.weighed}
    for dose, material in used:
        if material.name in found and (material.unit == "uL" or not dose.weighed):
            what = "a liquid" if material.unit == "uL" else "weighed in by two doses and by one of them only"
            raise InputError(
                f"{dose.substance!r} of group {group.name!r} is {what}, so it cannot be `weighed`. Leave that out."
            )
    return frozenset(found)


def _rest(
    group: Group,
    additions: dict[str, float],
    occupied: float,
    total: float | None,
    filler: Material,
    cupboard: Cupboard,
) -> float:
    """uL of what fills up.

    Raises:
        Open: to what is not said.
        InputError: the other doses are heavier than the total.
    """
    if group.total_mass is not None:
        held = sum(amount * cupboard.materials[name].density for name, amount in additions.items())
        left = group.total_mass.to("mg") - held
        if left < 0:
            raise InputError(f"The doses of group {group.name!r} weigh {held:g} mg, more than {group.total_mass}.")
        return round(left / filler.density, RESOLUTION)
    if total is None:
        raise Open(ask("total", group.name, "fills up to a total volume that is not given. What is it?"))
    return round(total - occupied, RESOLUTION)


def _diluted(
    design: ExperimentDesign,
    group: Group,
    combination: Combination,
    cupboard: Cupboard,
    before: Sequence[VialRecipe],
    flow: Flow,
) -> VialRecipe | list[Infeasible]:
    """A further vial of a serial dilution: the diluent, and which vial gives it a portion.

    Raises:
        InputError: the vial before does not hold the portion, or the diluent is no liquid.
    """
    serial = group.serial
    assert serial is not None
    if not before or before[-1].group != group.name:
        return []  # the first vial of the series cannot be made, which is said of that one
    diluent, portion = material_of(serial.diluent, cupboard), round(serial.portion, RESOLUTION)
    if diluent.unit != "uL":
        raise InputError(f"The diluent {serial.diluent!r} of group {group.name!r} is a solid. Name a solvent.")
    holds = Amounts((), cupboard).liquid(before[-1])
    if portion > holds + ROUNDING:
        raise InputError(
            f"The first vial of the series in group {group.name!r} holds {holds:g} uL, but {portion:g} uL of it shall"
            " go to the next. Transfer less, or make more of it."
        )
    additions = {diluent.name: round(portion * (serial.factor.to("") - 1), RESOLUTION)}
    filled = sum(additions.values()) + portion - _given(group, combination)
    sources = [*additions, *_chain(before)]
    later, asked_later = added_later(design, group, combination, cupboard, (), filled, sources, flow)
    fills = [(Dose(substance=serial.diluent, kind="remainder"), diluent)]
    return VialRecipe(
        group.name, combination.label, combination.replicate, additions, (), None, _times(design, combination), later,
        asked_later, len(before) - 1, portion, _manners(group, fills, design.manner), poured=flow.into,
    )  # fmt: skip


def _chain(before: Sequence[VialRecipe]) -> list[str]:
    """Names of what the last vial holds, also from the vials of its series before it."""
    last = before[-1]
    return [*last.additions, *(_chain(before[: last.origin + 1]) if last.origin is not None else [])]


def _given(group: Group, combination: Combination) -> float:
    """uL that a vial of a series gives to the next."""
    serial = group.serial
    return serial.portion if serial is not None and combination.step < serial.steps else 0.0


def _times(design: ExperimentDesign, combination: Combination) -> dict[str, float]:
    factors = {condition.time_factor for condition in design.conditions if condition.time_factor}
    found = {name: level for name, level in combination.levels.items() if name in factors}
    for name in factors - set(found):
        raise InputError(f"The conditions take their time from {name!r}, but group {combination.group!r} lacks it.")
    return {name: level.to("min") for name, level in found.items() if isinstance(level, Stated)}
