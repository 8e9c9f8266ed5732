"""Stocks, and reagents that are sold as solutions: what a microlitre of each holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.chemistry.solutions import mass_concentration, reagent_density
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_lookup import Species, is_water, said
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.substances import ChemicalUse, Solute, Stock

ONE_FOLD = 1e-3  # mg/uL that stand for 1x; it cancels in every amount
# g/mL of a substance whose density is not known, for an estimate of the solvent's mass that no amount may depend on:
# the middle of what is usual among organic liquids, and among solids from organic ones to salts
USUAL_DENSITY = {"liquid": 1.0, "solid": 1.5, "gas": 1.0}


def solution_of(use: ChemicalUse) -> Stock:
    """The solution that a chemical with a strength is: a stock of its own name. A bare % is w/w."""
    assert use.strength is not None
    basis, solvent, density = use.strength.basis or "w/w", use.solvent or "water", use.density
    found = lookup(use.identity or use.name)
    if density is None and basis == "w/w" and is_water(solvent) and isinstance(found, Chemical):
        label = reagent_density(found.name, 100 * use.strength.to("")) if use.strength.measures == "fraction" else None
        density = Stated(value=label, unit="g/mL") if label else None
    strength = {"concentration": use.strength, "basis": basis, "density": density}
    return Stock.model_validate({"name": use.name, "solute": use.name, "solvent": solvent, **strength})


def solutions(design: ExperimentDesign) -> list[Stock]:
    """The stocks, and the reagents that are solutions as they are sold."""
    return [*design.stocks, *(solution_of(use) for use in design.chemicals if use.strength is not None)]


def strengths(design: ExperimentDesign) -> Iterator[tuple[str, str, Stated]]:
    """(solution, solute, strength) of every solute of every solution."""
    for stock in design.stocks:
        yield from ((stock.name, one.solute, one.concentration) for one in stock.solutes)
    yield from ((use.name, use.name, use.strength) for use in design.chemicals if use.strength is not None)


def composition(stock: Stock, species: dict[str, Species]) -> tuple[dict[str, float], tuple[str, ...]]:
    """mg of each species in 1 uL, and notes. The solvent is what the density leaves, or the volume that the solutes
    leave: an estimate where one of their densities is not known.

    Raises:
        InputError: a basis or a density is missing, or the parts are more than the whole.
    """
    density = said(stock.density, "g/mL")
    found: dict[str, float] = {}
    for one in stock.solutes:
        found[one.solute] = found.get(one.solute, 0.0) + _mass(one, density, species[one.solute])
    solvent = species.get(stock.solvent or "")
    if solvent is None:
        return found, ()
    rest, notes = _rest(found, density, species, solvent)
    return {**found, solvent.name: found.get(solvent.name, 0.0) + rest}, notes


def _mass(one: Solute, density: float | None, solute: Species) -> float:
    """mg of a solute in 1 uL of its stock."""
    value, basis = _value_and_basis(one)
    known = lookup(one.solute)
    if density is None and basis == "w/w" and isinstance(known, Chemical):
        density = reagent_density(known.name, 100 * value)
    return mass_concentration(
        value, basis, molar_mass=solute.molar_mass, solute_density=solute.density, solution_density=density
    )


def _rest(
    held: dict[str, float], density: float | None, species: dict[str, Species], solvent: Species
) -> tuple[float, tuple[str, ...]]:
    """mg of solvent in 1 uL of stock. Without a density, volumes are taken to add up, and the material says so."""
    mass = sum(held.values())
    if density is not None:
        if density < mass:
            raise InputError(f"its density {density:g} g/mL is below its own solute's {mass:g} g/mL.")
        return density - mass, ()
    taken = sum(_volume(mg, species[name]) for name, mg in held.items())
    mass = max(0.0, 1.0 - taken) * (solvent.density or USUAL_DENSITY[solvent.state])
    if any(species[name].assumed for name in held):
        return mass, ()  # as it is prepared
    if open_ := _without_density([*held, solvent.name], species):
        which = " and ".join(open_)
        return mass, (f"how much {solvent.name} fills it up is not known, as the density of {which} is not",)
    if taken > 1.0:
        raise InputError(f"its solutes alone would take {taken:.3g} mL of each mL. Give a lower concentration.")
    return mass, ("solvent mass assumes that volumes add up",)


def _volume(mg: float, one: Species) -> float:
    """uL, which is an estimate where the density is not known."""
    return mg / (one.density or USUAL_DENSITY[one.state])


def _without_density(names: Iterable[str], species: dict[str, Species]) -> list[str]:
    return [name for name in names if species[name].density is None and not species[name].assumed]


def estimated(stock: Stock, species: dict[str, Species]) -> float:
    """The part of a solution's volume of which nothing says how heavy it is: 0 where its own density is given."""
    solvent = species.get(stock.solvent or "")
    if stock.density is not None or solvent is None:
        return 0.0
    if _without_density([solvent.name], species):
        return 1.0
    held, _ = composition(stock, species)
    return sum(_volume(held[name], species[name]) for name in _without_density(held, species))


def lacks_basis(stock: Stock) -> bool:
    """Whether a bare percentage says nothing."""
    return any(
        one.concentration.measures == "fraction" and one.concentration.basis is None and one.basis in (None, "M")
        for one in stock.solutes
    )


def _value_and_basis(one: Solute) -> tuple[float, str]:
    stated = one.concentration
    if stated.measures == "fold":
        return stated.value * ONE_FOLD, "w/v"
    if stated.measures == "molarity":
        return stated.to("M"), "M"
    if stated.measures == "density":
        return stated.to("g/mL"), "w/v"
    basis = stated.basis or one.basis
    if stated.measures == "fraction" and basis is None:
        raise InputError(f"{stated} of what? Give its basis: w/w, w/v or v/v.")
    if stated.measures == "fraction" and basis != "M":
        return stated.to(""), str(basis)
    raise InputError(f"{stated} on the basis {basis} is no concentration; give %, M, mg/mL or x.")
