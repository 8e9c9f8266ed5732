"""What stands on the deck as a source: chemicals and stocks, with what a unit of each holds.

A material's composition is mg of each species in one dispensed unit (mg of a solid, uL of a liquid), so that
amounts, mass and moles in any vial are sums of products.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from labwright.tools.chemistry.chemicals import VOLATILE_BELOW, Ambiguous, Chemical, lookup
from labwright.tools.chemistry.databank import SOURCE as PACKAGE
from labwright.tools.chemistry.databank import Known, known
from labwright.tools.chemistry.solutions import Reagent, mass_concentration, reagent_density, reagents
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ChemicalUse, ExperimentDesign, OpenQuestion, Stock
from labwright.tools.liquid_handler.stated import Stated


@dataclass(frozen=True, slots=True)
class Species:
    """A substance as this design uses it; the person's own numbers overrule the table's. g/mol, g/mL, g/L, degC."""

    name: str
    molar_mass: float
    state: Literal["solid", "liquid", "gas"]
    density: float | None
    estimated: bool = False
    volatile: bool = False
    water: str = ""
    viscosity: str = "low"
    hazards: tuple[str, ...] = ()
    boiling_point: float | None = None
    solubility: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """A source. `composition`: species name to mg in one mg (solid) or one uL (liquid) of it."""

    name: str
    unit: Literal["mg", "uL"]
    composition: dict[str, float]
    molar_mass: float = 0.0
    volatile: bool = False
    viscous: bool = False
    water_miscible: bool = True
    is_water: bool = False
    notes: tuple[str, ...] = ()
    is_solution: bool = False

    @property
    def density(self) -> float:
        """mg/uL (g/mL) of a liquid, from its composition; 1 for a solid, which is counted in mg."""
        return sum(self.composition.values())


@dataclass(frozen=True, slots=True)
class Cupboard:
    """Everything the design can dispense. `materials` is by design name, `species` by design name of the chemical."""

    species: dict[str, Species]
    materials: dict[str, Material]
    problems: dict[str, OpenQuestion] = field(default_factory=dict)


def stock_cupboard(design: ExperimentDesign) -> Cupboard:
    """Looks every chemical and stock up; what is not known stands in `problems` by name, never as a default."""
    species: dict[str, Species] = {}
    materials: dict[str, Material] = {}
    problems: dict[str, OpenQuestion] = {}
    for use in design.chemicals:
        resolved = resolve(use)
        if isinstance(resolved, OpenQuestion) and not resolved.options and _by_volume_only(use, design):
            resolved = _counted(use)
        if isinstance(resolved, OpenQuestion):
            problems[use.name] = resolved
            continue
        species[use.name] = resolved
        material = _as_bought(use, resolved, species, design)
        if isinstance(material, OpenQuestion):
            problems[use.name] = material
        else:
            materials[use.name] = material
    for stock in design.stocks:
        unsettled = [name for name in filter(None, (stock.solute, stock.solvent)) if name not in species]
        if unsettled:
            # The root of the matter is asked, and once.
            problems[stock.name] = problems[unsettled[0]]
            continue
        try:
            materials[stock.name] = _stock(stock, species)
        except InputError as error:
            what = "basis" if _lacks_basis(stock) else "density"
            problems[stock.name] = OpenQuestion(id=f"stock {what}:{stock.name}", text=f"Stock {stock.name}: {error}")
    return Cupboard(species, materials, problems)


def _by_volume_only(use: ChemicalUse, design: ExperimentDesign) -> bool:
    """Whether nothing but volumes of it are asked, so that no data of it is needed."""
    if use.state == "solid" or any(use.name in (stock.solute, stock.solvent) for stock in design.stocks):
        return False
    for group in design.groups:
        factors = {factor.name for factor in group.factors if use.name in factor.chemicals}
        for dose in group.doses:
            if dose.reference in {use.name, *factors}:
                return False
            if dose.substance in {use.name, *factors} and dose.kind not in ("volume", "remainder"):
                return False
        for one in (one for one in design.conditions if one.kind == "add" and one.concerns(group.name)):
            levels = [level for factor in group.factors if factor.name == one.factor for level in factor.levels]
            weighed = any(level.measures != "volume" for level in [*filter(None, [one.amount]), *levels])
            if one.reference in {use.name, *factors} or (one.substance in {use.name, *factors} and weighed):
                return False
    return True


def _counted(use: ChemicalUse) -> Species:
    """A liquid of which only the name is known. Its density stands in the file, and no amount depends on it."""
    density = _said(use.density, "g/mL")
    return Species(
        name=use.name,
        molar_mass=_said(use.molar_mass, "g/mol") or 0.0,
        state="liquid",
        density=density or 1.0,
        source="assumed: counted by volume only",
    )


def resolve(use: ChemicalUse) -> Species | OpenQuestion:
    """What a chemical's name means, or the question that must be answered first."""
    found = lookup(use.identity or use.name)
    if isinstance(found, Ambiguous) and use.molar_mass is None:
        names = [candidate.name for candidate in found.candidates]
        return OpenQuestion(
            id=f"chemical:{use.name}",
            text=f"{use.name!r} names several substances. Which one?",
            options=names,
            consequence="Molecular weight and density, and so every volume of it, depend on the answer.",
        )
    if not isinstance(found, Chemical):
        listed = None if use.molar_mass and use.state else known(use.identity or use.name)
        return _from_person(use) if listed is None else _from_package(use, listed)
    return Species(
        name=use.name,
        molar_mass=_said(use.molar_mass, "g/mol") or found.molar_mass,
        state=use.state or found.state,
        density=(None if use.strength else _said(use.density, "g/mL")) or found.density,
        estimated=use.density is None and found.density_is_estimated,
        volatile=found.volatile,
        water=found.water,
        viscosity=found.viscosity or "low",
        hazards=found.hazards,
        boiling_point=found.boiling_point,
        solubility=found.solubility_in_water,
        source=(use.source or "stated") if use.density else _source(found),
    )


def _from_package(use: ChemicalUse, listed: Known) -> Species | OpenQuestion:
    """A substance of the package `chemicals`; what the person says of it goes before."""
    state = use.state or listed.state or ("liquid" if use.strength else None)
    if state is None:
        return OpenQuestion(
            id=f"chemical:{use.name}",
            text=f"Is {use.name!r} ({listed.name}, CAS {listed.cas}) a solid or a liquid?",
            consequence="How it is dispensed depends on it.",
        )
    return Species(
        name=use.name,
        molar_mass=_said(use.molar_mass, "g/mol") or listed.molar_mass,
        state=state,
        density=(None if use.strength else _said(use.density, "g/mL")) or listed.density,
        volatile=listed.boiling_point is not None and listed.boiling_point < VOLATILE_BELOW,
        boiling_point=listed.boiling_point,
        source=f"{PACKAGE}, {listed.name}, CAS {listed.cas}",
    )


def _from_person(use: ChemicalUse) -> Species | OpenQuestion:
    if use.molar_mass is None or (use.state is None and use.strength is None):
        return OpenQuestion(
            id=f"chemical:{use.name}",
            text=f"{use.name!r} is not in the table of chemicals. What is it (state, molecular weight, density)?",
            consequence="Without them no amount of it can be computed.",
        )
    return Species(
        name=use.name,
        molar_mass=use.molar_mass.to("g/mol"),
        state=use.state or "liquid",
        density=None if use.strength else _said(use.density, "g/mL"),
        source=use.source or "stated",
    )


def _as_bought(
    use: ChemicalUse, species: Species, known: dict[str, Species], design: ExperimentDesign
) -> Material | OpenQuestion:
    """What is dispensed under a chemical's name: the substance itself, or the solution that it is sold as."""
    if use.strength is None:
        found = lookup(use.identity or use.name)
        sold = reagents(found.name) if isinstance(found, Chemical) else ()
        stated = use.state is not None or use.density is not None  # the person says what there is
        return _strength_of(use, sold) if any(one.only for one in sold) and not stated else _neat(species)
    if use.strength.basis == "v/v" and species.density is None:
        return _strength_of(use, ())
    solvent = use.solvent or "water"
    if solvent not in known:
        own = next((one for one in design.chemicals if one.name == solvent), ChemicalUse(name=solvent))
        resolved = resolve(own)
        if isinstance(resolved, OpenQuestion):
            text = f"The solvent of {use.name!r}, {solvent!r}, is not in the table of chemicals. Which solvent is it?"
            return OpenQuestion(id=f"solvent:{use.name}", text=text, consequence=resolved.consequence)
        known[solvent] = resolved
    try:
        return _stock(solution_of(use), known)
    except InputError as error:
        return OpenQuestion(
            id=f"density:{use.name}",
            text=f"{use.name!r}, {use.strength}: {error}",
            consequence="Its volumes cannot be computed without the density of the solution.",
        )


def solution_of(use: ChemicalUse) -> Stock:
    """The solution that a chemical with a strength is: a stock of its own name. A bare % is w/w."""
    assert use.strength is not None
    basis, solvent, density = use.strength.basis or "w/w", use.solvent or "water", use.density
    found = lookup(use.identity or use.name)
    if density is None and basis == "w/w" and _is_water(solvent) and isinstance(found, Chemical):
        label = reagent_density(found.name, 100 * use.strength.to(""))
        density = Stated(value=label, unit="g/mL") if label else None
    strength = {"concentration": use.strength, "basis": basis, "density": density}
    return Stock.model_validate({"name": use.name, "solute": use.name, "solvent": solvent, **strength})


def solutions(design: ExperimentDesign) -> list[Stock]:
    """The stocks, and the reagents that are solutions as they are sold."""
    return [*design.stocks, *(solution_of(use) for use in design.chemicals if use.strength is not None)]


def _strength_of(use: ChemicalUse, sold: tuple[Reagent, ...]) -> OpenQuestion:
    return OpenQuestion(
        id=f"strength:{use.name}",
        text=f"{use.name!r} is sold as a solution. How strong is it?",
        options=[f"{one.percent:g} wt%" for one in sold],
        consequence="How much of the substance is in every volume depends on it.",
    )


def _said(stated: Stated | None, unit: str) -> float | None:
    return None if stated is None else stated.to(unit)


def _source(found: Chemical) -> str:
    return f"{found.density_source}, {found.density_at:g} degC" if found.density_at is not None else ""


def _neat(species: Species) -> Material | OpenQuestion:
    if species.state == "gas":
        return OpenQuestion(
            id=f"strength:{species.name}",
            text=f"{species.name!r} is a gas. How strong is the solution of it that is dispensed?",
        )
    if species.state == "liquid" and species.density is None:
        return OpenQuestion(
            id=f"density:{species.name}",
            text=f"The density of {species.name!r} is not known. What is it, in g/mL?",
            consequence="Its volumes cannot be computed from masses or moles without it.",
        )
    solid = species.state == "solid"
    return Material(
        name=species.name,
        unit="mg" if solid else "uL",
        composition={species.name: 1.0 if solid else species.density or 0.0},
        molar_mass=species.molar_mass,
        volatile=species.volatile,
        viscous=species.viscosity in {"medium", "high"},
        water_miscible=species.water in {"miscible", ""},
        is_water=_is_water(species.name),
        notes=("density is an estimate",) if species.estimated else (),
    )


def _is_water(name: str) -> bool:
    found = lookup(name)
    return isinstance(found, Chemical) and found.name == "water"


def _stock(stock: Stock, species: dict[str, Species]) -> Material:
    """The stock's composition; its solvent is what the density leaves, or its volume where no density is known."""
    solute = species[stock.solute]
    solvent = species.get(stock.solvent or "")
    value, basis = _value_and_basis(stock)
    density = _said(stock.density, "g/mL")
    found = lookup(stock.solute)
    if density is None and basis == "w/w" and isinstance(found, Chemical):
        density = reagent_density(found.name, 100 * value)
    mass = mass_concentration(
        value,
        basis,
        molar_mass=solute.molar_mass,
        solute_density=solute.density,
        solution_density=density,
    )
    composition: dict[str, float] = {stock.solute: mass}
    notes: tuple[str, ...] = ()
    if solvent is not None:
        rest, notes = _rest(mass, density, solute, solvent)
        composition[solvent.name] = composition.get(solvent.name, 0.0) + rest
    return Material(
        name=stock.name,
        unit="uL",
        composition=composition,
        molar_mass=solute.molar_mass,
        volatile=solute.volatile or (solvent is not None and solvent.volatile),
        viscous=solvent is not None and solvent.viscosity in {"medium", "high"},
        water_miscible=solvent is None or solvent.water in {"miscible", ""},
        notes=notes,
        is_solution=True,
    )


def _rest(mass: float, density: float | None, solute: Species, solvent: Species) -> tuple[float, tuple[str, ...]]:
    """mg of solvent in 1 uL of stock. Without a density, volumes are taken to add up, and the material says so."""
    if density is not None:
        if density < mass:
            raise InputError(f"its density {density:g} g/mL is below its own solute's {mass:g} g/mL.")
        return density - mass, ()
    if solvent.density is None:
        return 0.0, ("solvent mass not known",)
    taken = mass / solute.density if solute.density else 0.0
    return max(0.0, 1.0 - taken) * solvent.density, ("solvent mass assumes that volumes add up",)


def _lacks_basis(stock: Stock) -> bool:
    bare = stock.concentration.measures == "fraction" and stock.concentration.basis is None
    return bare and stock.basis in (None, "M")


def _value_and_basis(stock: Stock) -> tuple[float, str]:
    stated = stock.concentration
    if stated.measures == "molarity":
        return stated.to("M"), "M"
    if stated.measures == "density":
        return stated.to("g/mL"), "w/v"
    basis = stated.basis or stock.basis
    if stated.measures == "fraction" and basis is None:
        raise InputError(f"{stated} of what? Give its basis: w/w, w/v or v/v.")
    if stated.measures == "fraction" and basis != "M":
        return stated.to(""), str(basis)
    raise InputError(f"{stated} on the basis {basis} is no concentration; give %, M or mg/mL.")
