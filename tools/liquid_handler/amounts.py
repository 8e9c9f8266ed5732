"""From a design to what goes into every vial: masses in mg and volumes in uL, or why it cannot be.

Final volumes are taken to be additive. Where an amount does not fit into the total volume, the refusal names the
largest value that would.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from labwright.tools.chemistry.solutions import mass_concentration
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import Dose, ExperimentDesign, Group, OpenQuestion, Stated
from labwright.tools.liquid_handler.materials import Cupboard, Material, stock_cupboard
from labwright.tools.liquid_handler.platform import MAX_PLATES, MIN_DISPENSE, RESOLUTION
from labwright.tools.liquid_handler.recipes import Combination, combinations

ROUNDING = 0.5 * 10**-RESOLUTION


@dataclass(frozen=True, slots=True)
class Target:
    """A number of the text that the finished vial must show: moles/L, mg, uL, mmol or a fraction of a species."""

    species: str
    kind: str  # mass, volume, moles, molarity, fraction
    value: float  # mg, uL, mmol, mol/L, mg/uL (every fraction is kept as a mass per volume)
    stated: str


@dataclass(frozen=True, slots=True)
class VialRecipe:
    """One vial: what is added (material to mg or uL), what was asked, and its own times in min (time courses)."""

    group: str
    levels: dict[str, str]
    replicate: int
    additions: dict[str, float]
    targets: tuple[Target, ...]
    total: float | None  # uL, as stated
    times: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Amounts:
    """All vials in the design's order, and the materials they are made from."""

    vials: tuple[VialRecipe, ...]
    cupboard: Cupboard

    def liquid(self, vial: VialRecipe) -> float:
        """Volume of the liquids in a vial, uL."""
        return sum(value for name, value in vial.additions.items() if self.cupboard.materials[name].unit == "uL")


@dataclass(frozen=True, slots=True)
class Infeasible:
    """A dose that does not fit, with the largest value that does (in the dose's own unit; None if none does)."""

    substance: str
    asked: str
    largest: float | None
    unit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no protocol can be made: questions to answer first, or doses that do not fit."""

    questions: tuple[OpenQuestion, ...] = ()
    infeasible: tuple[Infeasible, ...] = ()

    @property
    def message(self) -> str:
        """All reasons in sentences."""
        return " ".join([question.text for question in self.questions] + [item.reason for item in self.infeasible])


@dataclass(frozen=True, slots=True)
class _Part:
    """One dose in one vial: `amount` of `material`; `stated` is the number it comes from."""

    dose: Dose
    material: Material
    amount: float
    stated: Stated
    target: Target


class _Open(Exception):
    """A number cannot be computed before a person answers."""

    def __init__(self, question: OpenQuestion) -> None:
        self.question = question
        super().__init__(question.text)


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
    for group in design.groups:
        for combination in combinations(group):
            if len(vials) >= MAX_PLATES * 96:
                raise InputError(f"The design asks for more than {MAX_PLATES * 96} vials, which two plates hold.")
            try:
                made = _vial(design, group, combination, cupboard)
            except _Open as open_:
                questions.setdefault(open_.question.id, open_.question)
                continue
            if isinstance(made, VialRecipe):
                vials.append(made)
            else:
                short.extend(made)
    if questions or short:
        return Refusal(tuple(questions.values()), _worst(short))
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
    for group in design.groups:
        chosen = {factor.name: factor.chemicals for factor in group.factors}
        for dose in group.doses:
            found += [dose.via] if dose.via else chosen.get(dose.substance) or [dose.substance]
    return list(dict.fromkeys(found))


def _vial(
    design: ExperimentDesign, group: Group, combination: Combination, cupboard: Cupboard
) -> VialRecipe | list[Infeasible]:
    total = group.total_volume.to("uL") if group.total_volume else None
    parts: list[_Part] = []
    # Equivalents count another dose's moles, so they come after it.
    for dose in sorted(group.doses, key=lambda dose: dose.kind == "equivalents"):
        if dose.kind != "remainder":
            part = _part(dose, group, combination, cupboard, total, parts)
            if part.amount > 0:
                parts.append(part)
    if lost := [part for part in parts if part.amount < ROUNDING]:
        return [_too_little(part) for part in lost]
    additions: dict[str, float] = {}
    for part in parts:
        additions[part.material.name] = additions.get(part.material.name, 0.0) + part.amount
    additions = {name: round(value, RESOLUTION) for name, value in additions.items()}
    occupied = sum(_volume(cupboard.materials[name], value, group, cupboard) for name, value in additions.items())
    filler = next((dose for dose in group.doses if dose.kind == "remainder"), None)
    if total is not None and occupied > total + ROUNDING * (len(additions) + 1):
        return _largest(parts, total, group, cupboard)
    if filler is not None:
        if total is None:
            raise _Open(_ask("total", group.name, "fills up to a total volume that is not given. What is it?"))
        material = _material(_substance(filler, combination), cupboard)
        rest = round(total - occupied, RESOLUTION)
        if material.unit != "uL":
            raise _Open(_ask("remainder", material.name, "shall fill up, but it is a solid. What solvent is meant?"))
        if rest > 0:
            additions[material.name] = additions.get(material.name, 0.0) + rest
    return VialRecipe(
        group=group.name,
        levels=combination.label,
        replicate=combination.replicate,
        additions=additions,
        targets=tuple(part.target for part in parts),
        total=total,
        times=_times(design, combination),
    )


def _times(design: ExperimentDesign, combination: Combination) -> dict[str, float]:
    factors = {condition.time_factor for condition in design.conditions if condition.time_factor}
    found = {name: level for name, level in combination.levels.items() if name in factors}
    for name in factors - set(found):
        raise InputError(f"The conditions take their time from {name!r}, but group {combination.group!r} lacks it.")
    return {name: level.to("min") for name, level in found.items() if isinstance(level, Stated)}


def _ask(what: str, name: str, sentence: str) -> OpenQuestion:
    return OpenQuestion(id=f"{what}:{name}", text=f"{name!r} {sentence}")


def _material(name: str, cupboard: Cupboard) -> Material:
    if name in cupboard.materials:
        return cupboard.materials[name]
    raise _Open(cupboard.problems[name])


def _substance(dose: Dose, combination: Combination) -> str:
    level = combination.levels.get(dose.substance)
    return level if isinstance(level, str) else dose.substance


def _stated(dose: Dose, group: Group, combination: Combination) -> Stated:
    level = dose.amount if dose.factor is None else combination.levels[dose.factor]
    if not isinstance(level, Stated):
        raise InputError(
            f"Factor {dose.factor!r} of group {group.name!r} has no amounts, but a dose takes them from it."
        )
    if level.value < 0:
        raise InputError(f"The dose {level} of {dose.substance!r} is negative; give a positive amount.")
    return level


def _part(
    dose: Dose, group: Group, combination: Combination, cupboard: Cupboard, total: float | None, parts: list[_Part]
) -> _Part:
    name = _substance(dose, combination)
    stated = _stated(dose, group, combination)
    if name in cupboard.problems and dose.via is None:
        raise _Open(cupboard.problems[name])
    material = _material(dose.via or name, cupboard)
    solute = name if name in cupboard.species else next(iter(material.composition))
    if solute not in material.composition:
        raise InputError(f"Stock {material.name!r} does not hold {solute!r}. Name the stock that does.")
    if dose.kind == "volume":
        if material.unit == "mg":
            raise _Open(_ask("volume", name, f"is a solid, but {stated} of it is asked. What mass is meant?"))
        target = Target(material.name, "volume", stated.to("uL"), str(stated))
        return _Part(dose, material, stated.to("uL"), stated, target)
    mass, target = _mass(dose, group, combination, cupboard, total, parts, solute, stated)
    if dose.kind == "mass" and name not in cupboard.species:  # a mass of a stock is of the whole solution
        return _Part(
            dose,
            material,
            mass / material.density,
            stated,
            Target(name, "volume", mass / material.density, str(stated)),
        )
    return _Part(dose, material, mass / material.composition[solute], stated, target)


def _mass(
    dose: Dose, group: Group, combination: Combination, cupboard: Cupboard, total: float | None, parts: list[_Part],
    solute: str, stated: Stated,
) -> tuple[float, Target]:  # fmt: skip
    """mg of the solute that the dose asks for, and the target to check in the finished vial."""
    if solute not in cupboard.species:
        raise _Open(cupboard.problems[solute])
    species = cupboard.species[solute]
    if dose.kind == "mass":
        return stated.to("mg"), Target(solute, "mass", stated.to("mg"), str(stated))
    if dose.kind in {"moles", "equivalents"}:
        mmol = stated.to("mmol") if dose.kind == "moles" else stated.to("") * _moles(dose, combination, cupboard, parts)
        return mmol * species.molar_mass, Target(solute, "moles", mmol, str(stated))
    if total is None:
        raise _Open(_ask("total", group.name, "states a final concentration but no total volume. What is it?"))
    if dose.kind in {"molarity", "share"}:
        molar = stated.to("M") * (_share(dose, group, combination) if dose.kind == "share" else 1.0)
        return molar * total * species.molar_mass / 1000, Target(solute, "molarity", molar, str(stated))
    per_volume = _fraction(dose, stated, group, solute, cupboard)
    return per_volume * total, Target(solute, "fraction", per_volume, str(stated))


def _moles(dose: Dose, combination: Combination, cupboard: Cupboard, parts: list[_Part]) -> float:
    """mmol of the reference substance that the vial already holds."""
    level = combination.levels.get(dose.reference or "")
    reference = level if isinstance(level, str) else dose.reference or ""
    if reference not in cupboard.species:
        raise InputError(f"{dose.substance!r} counts equivalents of {reference!r}, which is no chemical of the design.")
    mass = sum(part.amount * part.material.composition.get(reference, 0.0) for part in parts)
    if mass == 0:
        raise InputError(f"{dose.substance!r} counts equivalents of {reference!r}, of which the vial has none.")
    return mass / cupboard.species[reference].molar_mass


def _share(dose: Dose, group: Group, combination: Combination) -> float:
    """This dose's part of all shares of the group."""

    def parts(one: Dose) -> float:
        level = combination.levels[one.parts_factor] if one.parts_factor else one.parts
        if not isinstance(level, Stated):
            raise InputError(f"The parts of {one.substance!r} are not numbers.")
        return level.to("")

    whole = sum(parts(one) for one in group.doses if one.kind == "share")
    if whole <= 0:
        raise InputError(f"The shares of group {group.name!r} add up to nothing; give at least one part.")
    return parts(dose) / whole


def _fraction(dose: Dose, stated: Stated, group: Group, solute: str, cupboard: Cupboard) -> float:
    """mg of solute in 1 uL of the finished mixture."""
    if stated.measures == "density":
        return stated.to("g/mL")
    basis = stated.basis or dose.basis
    if basis in {None, "w/w", "M"}:
        raise _Open(_ask("basis", solute, f"shall be {stated} of the mixture: w/v or v/v?"))
    if stated.value == 0:
        return 0.0
    species = cupboard.species[solute]
    try:
        return mass_concentration(
            stated.to(""),
            str(basis),
            molar_mass=species.molar_mass,
            solute_density=species.density,
            solution_density=None,
        )
    except InputError as error:
        raise _Open(OpenQuestion(id=f"density:{solute}", text=f"{solute!r}: {error}")) from error


def _volume(material: Material, amount: float, group: Group, cupboard: Cupboard) -> float:
    """uL that an addition takes of the total; a solid counts only where the total includes everything."""
    if material.unit == "uL":
        return amount
    if group.total_includes == "liquids":
        return 0.0
    density = cupboard.species[material.name].density
    if density is None:
        raise _Open(
            _ask("density", material.name, "counts in the total volume, but its density is not known. What is it?")
        )
    return amount / density


def _largest(parts: list[_Part], total: float, group: Group, cupboard: Cupboard) -> list[Infeasible]:
    """The dose to lessen and the value at which the vial is just full, all others kept.

    Chosen is the one that takes most volume, varied doses before fixed ones.
    """
    volumes = [_volume(part.material, part.amount, group, cupboard) for part in parts]
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


def _too_much(part: _Part, volume: float, left: float, total: float, filled: bool, of: str = "") -> Infeasible:
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


def _too_little(part: _Part) -> Infeasible:
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


def _worst(short: Iterable[Infeasible]) -> tuple[Infeasible, ...]:
    """One entry a substance and asked value: the tightest vial decides."""
    found: dict[tuple[str, str], Infeasible] = {}
    for item in short:
        key = (item.substance, item.asked)
        before = found.get(key)
        if before is None or (item.largest or 0.0) < (before.largest or 0.0):
            found[key] = item
    return tuple(found.values())
