"""One dose in one vial: which material brings it, how much of it, and the number of the text that it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from labwright.tools.chemistry.solutions import mass_concentration
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.deck_sources import NEGLIGIBLE, Cupboard, Material, density_question
from labwright.tools.liquid_handler.experiment_design import Dose, Group, OpenQuestion
from labwright.tools.liquid_handler.factor_combinations import Combination
from labwright.tools.liquid_handler.platform import RESOLUTION
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.solutions import ONE_FOLD

TWICE = 0.05  # two numbers for one amount contradict each other from here on
ROUNDING_OF_MASS = 1e-6  # mg


@dataclass(frozen=True, slots=True)
class Target:
    """A number of the text that the finished vial must show: moles/L, mg, uL, mmol or a fraction of a species."""

    species: str
    kind: str  # mass, volume, moles, molarity, fraction, mass fraction
    value: float  # mg, uL, mmol, mol/L, mg/uL (a fraction is kept as a mass per volume), mg/mg
    stated: str


@dataclass(frozen=True, slots=True)
class Part:
    """One dose in one vial: `amount` of `material`; `stated` is the number it comes from.

    Attributes:
        counts: what equivalents count, where moles were stated beside what is dispensed; else the amount.
    """

    dose: Dose
    material: Material
    amount: float
    stated: Stated
    target: Target
    counts: float | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """What concentrations are of: uL and mg of the vial, where they are known."""

    volume: float | None = None
    mass: float | None = None


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
    dose: Dose, group: Group, combination: Combination, cupboard: Cupboard, whole: Whole, parts: list[Part]
) -> Part:
    name = substance_of(dose, combination)
    stated = stated_for(dose, group, combination)
    if name in cupboard.problems and dose.via is None:
        raise Open(cupboard.problems[name])
    material = material_of(dose.via or name, cupboard)
    solute = name if name in cupboard.species else next(iter(material.composition))
    if solute not in material.composition:
        raise InputError(f"Stock {material.name!r} does not hold {solute!r}. Name the stock that does.")
    if dose.kind == "volume" and material.unit == "mg":
        raise Open(ask("volume", name, f"is a solid, but {stated} of it is asked. What mass is meant?"))
    volume = _volume(dose, stated, group, material, whole)
    if volume is not None:
        part = Part(dose, material, volume, stated, Target(material.name, "volume", volume, str(stated)))
        return _checked(part, solute, cupboard)
    mass, target = _mass(dose, group, combination, cupboard, whole, parts, solute, stated)
    _demand_known(solute, material)
    if dose.kind == "mass" and dose.via is None and material.solutes:  # a mass of a solution is of all of it
        volume = mass / material.density
        return Part(dose, material, volume, stated, Target(name, "volume", volume, str(stated)))
    return _checked(Part(dose, material, mass / material.composition[solute], stated, target), solute, cupboard)


def _demand_known(name: str, material: Material) -> None:
    """Moles and masses of a solvent are not counted by an estimate.

    Raises:
        Open: how much of it is in a solution is not known.
    """
    if name == material.solvent and material.estimated > NEGLIGIBLE:
        raise Open(density_question("stock density", material.name))


def _checked(part: Part, solute: str, cupboard: Cupboard) -> Part:
    """The part as it is dispensed, where the words give it twice: the volume or mass goes in, equivalents count moles.

    Raises:
        InputError: the two differ by more than `TWICE`.
    """
    twice = part.dose.comes_to
    if twice is None or part.amount == 0:
        return part
    holds, molar_mass = part.material.composition[solute], cupboard.species[solute].molar_mass
    if twice.measures == "volume" and part.material.unit == "uL":
        same, unit = twice.to("uL"), "uL"
    elif twice.measures == "mass":
        same, unit = twice.to("mg") / holds, "mg"
    elif twice.measures == "moles" and molar_mass and not cupboard.species[solute].assumed:
        same, unit = twice.to("mmol") * molar_mass / holds, "mmol"
    else:
        return part  # nothing that could be compared
    if abs(same - part.amount) > TWICE * part.amount:
        comes = part.amount * twice.to(unit) / same
        raise InputError(
            f"{part.stated} of {part.dose.substance!r} comes to {comes:.4g} {unit}, but the words give {twice}, too."
            " Ask which of the two counts."
        )
    if part.dose.kind in ("volume", "mass"):
        return replace(part, counts=same) if unit == "mmol" else part
    if unit == "mmol" or (unit == "mg" and part.material.unit == "uL"):
        return part
    target = Target(part.material.name, "volume", same, str(twice))
    if unit == "mg":
        target = Target(solute, "mass", same * holds, str(twice))
    return replace(part, amount=same, target=target, counts=part.amount)


def _volume(dose: Dose, stated: Stated, group: Group, material: Material, whole: Whole) -> float | None:
    """uL of the source, where they are asked: as they are, or as parts of the vial of a solution itself."""
    if dose.kind == "volume":
        return stated.to("uL")
    parts = dose.kind == "fraction" and (stated.basis or dose.basis) == "v/v" and stated.measures == "fraction"
    if not parts or dose.via is not None or not material.solutes:
        return None
    return stated.to("") * _of(whole.volume, "volume", group)


def _of(value: float | None, what: str, group: Group) -> float:
    """A total that a concentration needs."""
    if value is None:
        raise Open(ask("total", group.name, f"states a final concentration but no total {what}. What is it?"))
    return value


def _mass(
    dose: Dose, group: Group, combination: Combination, cupboard: Cupboard, whole: Whole, parts: list[Part],
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
    if by_mass(dose, stated):
        share = stated.to("")
        return share * _of(whole.mass, "volume or mass", group), Target(solute, "mass fraction", share, str(stated))
    total = _of(whole.volume, "volume", group)
    if dose.kind in {"molarity", "share"}:
        molar = stated.to("M") * (_share(dose, group, combination) if dose.kind == "share" else 1.0)
        return molar * total * species.molar_mass / 1000, Target(solute, "molarity", molar, str(stated))
    per_volume = _fraction(dose, stated, solute, cupboard)
    return per_volume * total, Target(solute, "fraction", per_volume, str(stated))


def by_mass(dose: Dose, stated: Stated) -> bool:
    """Whether it is a part of the vial's mass."""
    return dose.kind == "fraction" and stated.measures == "fraction" and (stated.basis or dose.basis) == "w/w"


def _moles(dose: Dose, combination: Combination, cupboard: Cupboard, parts: list[Part]) -> float:
    """mmol of the reference substance that the vial already holds."""
    level = combination.levels.get(dose.reference or "")
    reference = level if isinstance(level, str) else dose.reference or ""
    if reference not in cupboard.species:
        raise InputError(f"{dose.substance!r} counts equivalents of {reference!r}, which is no chemical of the design.")
    for part in parts:
        _demand_known(reference, part.material)
    mass = sum(
        (part.amount if part.counts is None else part.counts) * part.material.composition.get(reference, 0.0)
        for part in parts
    )
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


def _fraction(dose: Dose, stated: Stated, solute: str, cupboard: Cupboard) -> float:
    """mg of solute in 1 uL of the finished mixture."""
    source = cupboard.materials.get(dose.via or dose.substance)
    if (stated.measures == "fold") != (source is not None and source.fold):
        what = "is not a solution of so many x" if stated.measures == "fold" else "has a strength in x"
        raise InputError(f"{stated} of {dose.substance!r} is asked, but what brings it {what}. Write both alike.")
    if stated.measures == "fold":
        return stated.value * ONE_FOLD
    if stated.measures == "density":
        return stated.to("g/mL")
    basis = stated.basis or dose.basis
    if basis in {None, "M"}:
        raise Open(ask("basis", solute, f"shall be {stated} of the mixture: w/w, w/v or v/v?"))
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


def together(parts: Sequence[Part], additions: dict[str, float], cupboard: Cupboard) -> tuple[Target, ...]:
    """What the finished vial must show; a mass or moles are those of all doses, and of what else brings the substance.

    Args:
        additions: everything that goes into the vial, mg or uL of each source.
    """
    found: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        found.setdefault((part.target.species, part.target.kind), []).append(part)
    return tuple(target for alike in found.values() for target in _together(alike, additions, cupboard))


def _together(alike: list[Part], additions: dict[str, float], cupboard: Cupboard) -> Iterator[Target]:
    """One target of the parts that ask for the same of one substance; concentrations count all of it anyway."""
    target = alike[0].target
    if target.kind not in ("mass", "moles", "volume"):
        yield from (part.target for part in alike)
        return
    value = sum(part.target.value for part in alike)
    if target.kind != "volume":
        there = sum(amount * cupboard.materials[name].composition.get(target.species, 0.0)
                    for name, amount in additions.items())  # fmt: skip
        beside = there - sum(part.amount * part.material.composition[target.species] for part in alike)
        by_moles = cupboard.species[target.species].molar_mass if target.kind == "moles" else 1.0
        value += beside / by_moles if beside > ROUNDING_OF_MASS else 0.0
    yield replace(target, value=value, stated=" + ".join(part.target.stated for part in alike))


def summed(parts: Sequence[Part]) -> dict[str, float]:
    """How much of each material the parts take together, mg or uL."""
    found: dict[str, float] = {}
    for part in parts:
        found[part.material.name] = found.get(part.material.name, 0.0) + part.amount
    return {name: round(value, RESOLUTION) for name, value in found.items()}


def liquid(held: dict[str, float], cupboard: Cupboard) -> float:
    """uL of the liquids among amounts."""
    return sum(value for name, value in held.items() if cupboard.materials[name].unit == "uL")
