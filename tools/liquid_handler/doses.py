"""One dose in one vial: which material brings it, how much of it, and the number of the text that it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from labwright.tools.chemistry.solutions import mass_concentration
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import Dose, Group, OpenQuestion
from labwright.tools.liquid_handler.materials import Cupboard, Material
from labwright.tools.liquid_handler.recipes import Combination
from labwright.tools.liquid_handler.stated import Stated


@dataclass(frozen=True, slots=True)
class Target:
    """A number of the text that the finished vial must show: moles/L, mg, uL, mmol or a fraction of a species."""

    species: str
    kind: str  # mass, volume, moles, molarity, fraction
    value: float  # mg, uL, mmol, mol/L, mg/uL (every fraction is kept as a mass per volume)
    stated: str


@dataclass(frozen=True, slots=True)
class Part:
    """One dose in one vial: `amount` of `material`; `stated` is the number it comes from."""

    dose: Dose
    material: Material
    amount: float
    stated: Stated
    target: Target


class Open(Exception):
    """A number cannot be computed before a person answers."""

    def __init__(self, question: OpenQuestion) -> None:
        self.question = question
        super().__init__(question.text)


def ask(what: str, name: str, sentence: str) -> OpenQuestion:
    return OpenQuestion(id=f"{what}:{name}", text=f"{name!r} {sentence}")


def material_of(name: str, cupboard: Cupboard) -> Material:
    if name in cupboard.materials:
        return cupboard.materials[name]
    raise Open(cupboard.problems[name])


def substance_of(dose: Dose, combination: Combination) -> str:
    level = combination.levels.get(dose.substance)
    return level if isinstance(level, str) else dose.substance


def stated_for(dose: Dose, group: Group, combination: Combination) -> Stated:
    level = dose.amount if dose.factor is None else combination.levels[dose.factor]
    if not isinstance(level, Stated):
        raise InputError(
            f"Factor {dose.factor!r} of group {group.name!r} has no amounts, but a dose takes them from it."
        )
    if level.value < 0:
        raise InputError(f"The dose {level} of {dose.substance!r} is negative; give a positive amount.")
    return level


def part_of(
    dose: Dose, group: Group, combination: Combination, cupboard: Cupboard, total: float | None, parts: list[Part]
) -> Part:
    name = substance_of(dose, combination)
    stated = stated_for(dose, group, combination)
    if name in cupboard.problems and dose.via is None:
        raise Open(cupboard.problems[name])
    material = material_of(dose.via or name, cupboard)
    solute = name if name in cupboard.species else next(iter(material.composition))
    if solute not in material.composition:
        raise InputError(f"Stock {material.name!r} does not hold {solute!r}. Name the stock that does.")
    if dose.kind == "volume":
        if material.unit == "mg":
            raise Open(ask("volume", name, f"is a solid, but {stated} of it is asked. What mass is meant?"))
        target = Target(material.name, "volume", stated.to("uL"), str(stated))
        return Part(dose, material, stated.to("uL"), stated, target)
    mass, target = _mass(dose, group, combination, cupboard, total, parts, solute, stated)
    if dose.kind == "mass" and dose.via is None and material.is_solution:  # a mass of a solution is of all of it
        return Part(
            dose,
            material,
            mass / material.density,
            stated,
            Target(name, "volume", mass / material.density, str(stated)),
        )
    return Part(dose, material, mass / material.composition[solute], stated, target)


def _mass(
    dose: Dose, group: Group, combination: Combination, cupboard: Cupboard, total: float | None, parts: list[Part],
    solute: str, stated: Stated,
) -> tuple[float, Target]:  # fmt: skip
    """mg of the solute that the dose asks for, and the target to check in the finished vial."""
    if solute not in cupboard.species:
        raise Open(cupboard.problems[solute])
    species = cupboard.species[solute]
    if dose.kind == "mass":
        return stated.to("mg"), Target(solute, "mass", stated.to("mg"), str(stated))
    if dose.kind in {"moles", "equivalents"}:
        mmol = stated.to("mmol") if dose.kind == "moles" else stated.to("") * _moles(dose, combination, cupboard, parts)
        return mmol * species.molar_mass, Target(solute, "moles", mmol, str(stated))
    if total is None:
        raise Open(ask("total", group.name, "states a final concentration but no total volume. What is it?"))
    if dose.kind in {"molarity", "share"}:
        molar = stated.to("M") * (_share(dose, group, combination) if dose.kind == "share" else 1.0)
        return molar * total * species.molar_mass / 1000, Target(solute, "molarity", molar, str(stated))
    per_volume = _fraction(dose, stated, group, solute, cupboard)
    return per_volume * total, Target(solute, "fraction", per_volume, str(stated))


def _moles(dose: Dose, combination: Combination, cupboard: Cupboard, parts: list[Part]) -> float:
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
        raise Open(ask("basis", solute, f"shall be {stated} of the mixture: w/v or v/v?"))
    if stated.value == 0:
        return 0.0
    species, bought = cupboard.species[solute], cupboard.materials.get(solute)
    if basis == "v/v" and bought is not None and bought.is_solution:  # parts of the solution as it is sold
        return stated.to("") * bought.composition[solute]
    try:
        return mass_concentration(
            stated.to(""),
            str(basis),
            molar_mass=species.molar_mass,
            solute_density=species.density,
            solution_density=None,
        )
    except InputError as error:
        raise Open(OpenQuestion(id=f"density:{solute}", text=f"{solute!r}: {error}")) from error


def volume_of(material: Material, amount: float, group: Group, cupboard: Cupboard) -> float:
    """uL that an addition takes of the total; a solid counts only where the total includes everything."""
    if material.unit == "uL":
        return amount
    if group.total_includes == "liquids":
        return 0.0
    density = cupboard.species[material.name].density
    if density is None:
        raise Open(
            ask("density", material.name, "counts in the total volume, but its density is not known. What is it?")
        )
    return amount / density
