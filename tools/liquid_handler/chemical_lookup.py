"""What a chemical's name means: data of the person, of our table, of the package `chemicals`, or a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from labwright.tools.chemistry.chemical_table import VOLATILE_BELOW, Ambiguous, Chemical, lookup
from labwright.tools.chemistry.chemicals_package_data import SOURCE as PACKAGE
from labwright.tools.chemistry.chemicals_package_data import Known, known
from labwright.tools.liquid_handler.experiment_design import OpenQuestion
from labwright.tools.liquid_handler.quantity_fields import Stated
from labwright.tools.liquid_handler.substances import ChemicalUse

NOMINAL = 1.0  # g/mol, of a solute of which only moles are counted: it cancels in every amount


@dataclass(frozen=True, slots=True)
class Species:
    """A substance as this design uses it; the person's own numbers overrule the table's. g/mol, g/mL, g/L, degC.

    Attributes:
        hazards: None where they are not known.
        assumed: whether no amount depends on its data, which are then not known.
        bought: solid, liquid or gas, or "" if it is not known, where `state` only stands in for it.
    """

    name: str
    molar_mass: float
    state: Literal["solid", "liquid", "gas"]
    density: float | None
    estimated: bool = False
    volatile: bool = False
    water: str = ""
    viscosity: str = "low"
    hazards: tuple[str, ...] | None = None
    boiling_point: float | None = None
    solubility: float | None = None
    source: str = ""
    assumed: bool = False
    bought: str | None = None


def hazards_of(held: Iterable[Species]) -> str:
    """Words for what the table of chemicals lists; a substance that it does not hold is named as not known."""
    those = list(held)
    listed = ", ".join(dict.fromkeys(hazard for one in those for hazard in one.hazards or ()))
    unknown = ", ".join(one.name for one in those if one.hazards is None)
    return "; ".join(filter(None, (listed, unknown and f"not known of {unknown}"))) or "none listed"


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
        molar_mass=said(use.molar_mass, "g/mol") or found.molar_mass,
        state=use.state or found.state,
        density=(None if use.strength else said(use.density, "g/mL")) or found.density,
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
        molar_mass=said(use.molar_mass, "g/mol") or listed.molar_mass,
        state=state,
        density=(None if use.strength else said(use.density, "g/mL")) or listed.density,
        volatile=listed.boiling_point is not None and listed.boiling_point < VOLATILE_BELOW,
        boiling_point=listed.boiling_point,
        source=f"{PACKAGE}, {listed.name}, CAS {listed.cas}",
    )


def _from_person(use: ChemicalUse) -> Species | OpenQuestion:
    if use.molar_mass is None and (use.state == "solid" or use.density is not None):
        return OpenQuestion(
            id=f"molar_mass:{use.name}",
            text=f"{use.name!r} is not in the table of chemicals. What is its molar mass, in g/mol?",
            consequence="No moles of it can be computed without it.",
        )
    if use.molar_mass is None or (use.state is None and use.strength is None and use.density is None):
        return OpenQuestion(
            id=f"chemical:{use.name}",
            text=f"{use.name!r} is not in the table of chemicals. What is it (state, molecular weight, density)?",
            consequence="Without them no amount of it can be computed.",
        )
    return Species(
        name=use.name,
        molar_mass=use.molar_mass.to("g/mol"),
        state=use.state or "liquid",
        density=None if use.strength else said(use.density, "g/mL"),
        source=use.source or "stated",
    )


def weighed_only(use: ChemicalUse) -> Species | OpenQuestion:
    """A substance whose moles nothing counts: what it is dispensed as suffices."""
    if use.state is None and use.density is None:
        return OpenQuestion(
            id=f"state:{use.name}",
            text=f"{use.name!r} is not in the table of chemicals. Is it a solid, or a liquid of which density?",
            consequence="How it is dispensed depends on it.",
        )
    return Species(
        name=use.name,
        molar_mass=said(use.molar_mass, "g/mol") or 0.0,
        state=use.state or "liquid",
        density=said(use.density, "g/mL"),
        source=use.source or "stated",
    )


def counted(use: ChemicalUse, *, moles: bool) -> Species:
    """A substance of which only the name is known. Its data stand in the file, and no amount depends on them.

    Args:
        moles: of a solute that is counted in moles: `NOMINAL` stands for a molar mass that is not known. If it is
            known, nothing is assumed, as the solid or liquid itself is not dispensed.
    """
    listed = known(use.identity or use.name)
    molar_mass = said(use.molar_mass, "g/mol") or (listed.molar_mass if listed else 0.0)
    assumed = not (moles and molar_mass)
    source = (use.source or "stated") if use.molar_mass else f"{PACKAGE}, CAS {listed.cas}" if listed else ""
    if assumed:
        source = "assumed: counted by moles only" if moles else "assumed: counted by volume only"
    return Species(
        name=use.name,
        molar_mass=molar_mass or (NOMINAL if moles else 0.0),
        state=use.state or ("solid" if moles else "liquid"),
        density=said(use.density, "g/mL") or (None if moles else 1.0),
        source=source,
        assumed=assumed,
        bought=(listed.state if listed else None) or "" if moles and use.state is None else None,
    )


def said(stated: Stated | None, unit: str) -> float | None:
    """A number that was given, in a unit."""
    return None if stated is None else stated.to(unit)


def is_water(name: str) -> bool:
    """Whether a name means water."""
    found = lookup(name)
    return isinstance(found, Chemical) and found.name == "water"


def _source(found: Chemical) -> str:
    return f"{found.density_source}, {found.density_at:g} degC" if found.density_at is not None else ""
