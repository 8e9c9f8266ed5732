"""What stands on the deck as a source: chemicals and stocks, with what a unit of each holds.

A material's composition is mg of each species in one dispensed unit (mg of a solid, uL of a liquid), so that
amounts, mass and moles in any vial are sums of products.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.chemistry.solutions import Reagent, reagents
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_lookup import Species, counted, is_water, resolve, weighed_only
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign, OpenQuestion
from labwright.tools.liquid_handler.required_data import needed, weighed
from labwright.tools.liquid_handler.solutions import composition, estimated, lacks_basis, solution_of
from labwright.tools.liquid_handler.substances import ChemicalUse, Stock

NEGLIGIBLE = 0.02  # the part of a solution's volume that may be estimated where its mass counts


@dataclass(frozen=True, slots=True)
class Material:
    """A source. `composition`: species name to mg in one mg (solid) or one uL (liquid) of it.

    Attributes:
        solutes: of a solution; empty for a pure substance.
        molar_mass: of the substance or the first solute; 0 where none is known.
        fold: whether its strength is in x, so that its composition is nominal.
        estimated: the part of its volume of which no density is known; the solvent's mass is then an estimate.
        solvent: of a solution; empty for a pure substance.
    """

    name: str
    unit: Literal["mg", "uL"]
    composition: dict[str, float]
    molar_mass: float = 0.0
    volatile: bool = False
    viscous: bool = False
    water_miscible: bool = True
    is_water: bool = False
    notes: tuple[str, ...] = ()
    solutes: tuple[str, ...] = ()
    fold: bool = False
    estimated: float = 0.0
    solvent: str = ""

    @property
    def recipe(self) -> list[str]:
        """What a litre of a solution is made from; filled up to volume where the mass of the solvent is an estimate."""
        filled = self.solvent if self.estimated else ""
        masses = [f"{1000 * mass:.4g} g/L {name}" for name, mass in self.composition.items() if name != filled]
        return masses + [f"filled up to volume with {filled}"] * bool(filled)

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
    solids = {dose.substance for group in design.groups for dose in group.doses if dose.weighed}
    for use in design.chemicals:
        if use.name in solids and use.state is None:
            use = use.model_copy(update={"state": "solid"})  # a person weighs it in
        resolved = _resolved(use, design)
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
        named = [*(one.solute for one in stock.solutes), *filter(None, [stock.solvent])]
        unsettled = [name for name in named if name not in species]
        if unsettled:
            # The root of the matter is asked, and once.
            problems[stock.name] = problems[unsettled[0]]
            continue
        try:
            materials[stock.name] = _stock(stock, species)
        except InputError as error:
            what = "basis" if lacks_basis(stock) else "density"
            problems[stock.name] = OpenQuestion(id=f"stock {what}:{stock.name}", text=f"Stock {stock.name}: {error}")
            continue
        if stock.name in weighed(design) and _nominal(stock, species):
            problems[stock.name] = density_question("stock density", stock.name)
    return Cupboard(species, materials, problems)


def _nominal(stock: Stock, species: dict[str, Species]) -> bool:
    """Whether nothing that is known says how heavy a solution is."""
    held = [species.get(name) for name in (*(one.solute for one in stock.solutes), stock.solvent or "")]
    data = all(one is not None and not one.assumed for one in held)
    solvent = species.get(stock.solvent or "")
    known = data and stock.concentration.measures != "fold" and estimated(stock, species) <= NEGLIGIBLE
    return solvent is None or (stock.density is None and not known)


def density_question(key: str, name: str) -> OpenQuestion:
    """How heavy a solution is."""
    return OpenQuestion(
        id=f"{key}:{name}",
        text=f"How heavy {name!r} is, is not known. What are its solvent and its density, in g/mL?",
        consequence="An amount by mass depends on it.",
    )


def unknown(stock: Stock, cupboard: Cupboard) -> bool:
    """Whether the masses in a solution are nominal: data of a solute are not known, or its strength is in x."""
    return cupboard.materials[stock.name].fold or any(cupboard.species[one.solute].assumed for one in stock.solutes)


def _resolved(use: ChemicalUse, design: ExperimentDesign) -> Species | OpenQuestion:
    """The substance; what is not known of it is a question only where an amount depends on it."""
    found = resolve(use)
    if isinstance(found, OpenQuestion):
        wanted = "data" if found.options else needed(use.name, design)
        if wanted == "state":
            return weighed_only(use)
        own = counted(use, moles=wanted != "volume")
        return found if wanted == "data" or (wanted == "molar mass" and own.assumed) else own
    heavy = found.state != "liquid" or found.density is not None or use.strength is not None
    if heavy or needed(use.name, design) != "volume":
        return found
    return replace(found, density=1.0, source="assumed: counted by volume only", assumed=True)


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
        known[solvent] = counted(own, moles=False) if isinstance(resolved, OpenQuestion) else resolved
    solution = solution_of(use)
    if use.name in weighed(design) and _nominal(solution, {**known, use.name: species}):
        return density_question("density", use.name)
    try:
        return _stock(solution, known)
    except InputError as error:
        return OpenQuestion(
            id=f"density:{use.name}",
            text=f"{use.name!r}, {use.strength}: {error}",
            consequence="Its volumes cannot be computed without the density of the solution.",
        )


def _strength_of(use: ChemicalUse, sold: tuple[Reagent, ...]) -> OpenQuestion:
    return OpenQuestion(
        id=f"strength:{use.name}",
        text=f"{use.name!r} is sold as a solution. How strong is it?",
        options=[f"{one.percent:g} wt%" for one in sold],
        consequence="How much of the substance is in every volume depends on it.",
    )


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
        molar_mass=0.0 if species.assumed else species.molar_mass,
        volatile=species.volatile,
        viscous=species.viscosity in {"medium", "high"},
        water_miscible=species.water in {"miscible", ""},
        is_water=is_water(species.name),
        notes=("density is an estimate",) if species.estimated else (),
    )


def _stock(stock: Stock, species: dict[str, Species]) -> Material:
    """A solution as a source."""
    solute, solvent = species[stock.solute], species.get(stock.solvent or "")
    held, notes = composition(stock, species)
    return Material(
        name=stock.name,
        unit="uL",
        composition=held,
        molar_mass=0.0 if solute.assumed else solute.molar_mass,
        volatile=any(species[name].volatile for name in held),
        viscous=solvent is not None and solvent.viscosity in {"medium", "high"},
        water_miscible=solvent is None or solvent.water in {"miscible", ""},
        notes=notes,
        solutes=tuple(one.solute for one in stock.solutes),
        fold=stock.concentration.measures == "fold",
        estimated=estimated(stock, species),
        solvent=solvent.name if solvent else "",
    )
