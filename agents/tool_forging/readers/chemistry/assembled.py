"""A chemistry specification from what the parts of the reader have found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry import conditions, extras, scans, wishes
from labwright.agents.tool_forging.readers.chemistry.levels import chosen_levels, methods
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck
from labwright.agents.tool_forging.readers.chemistry.structures import at_distance
from labwright.agents.tool_forging.readers.chemistry.symmetry import symmetry_numbers
from labwright.agents.tool_forging.readers.language.units import kind
from labwright.tools.forge.families.chemistry.spec import Acid, ChemistrySpec, Level, Reaction, Species

LARGE = 9  # heavy atoms above which structures use density fitting
EQUILIBRIUM = (
    r"equilibrium constants?|\bK_?\{?(?:p|eq)\}?\b|\bK\(T\)|"
    r"(?:\band|,)\s+K\b(?=\s*(?:at|for|of|as a function|versus|[.;,]|$))"
)
DELTA = r"\b(?:d|[Dd]elta[ _]?)_?\{?r?\}?\s?"
HEAT = r"heat capacit\w+|specific heat|\bC_?\{?[pP]\}?\b(?!\w)"
_THERMAL = (
    r"heats? of (?:\w+ )?(?:combustion|reaction|formation|hydrogenation|isomer|neutrali|decompos)|"
    r"gibbs|free energ|enthalp|thermochem|thermodynamic (?:function|propert|quantit|data|table)|entrop|"
    r"zero[- ]point|\bZPV?E\b"
)


@dataclass(frozen=True, slots=True)
class Together:
    """Molecules and what they are put together to.

    Attributes:
        zero: ring size of zero strain.
        proton: free energy of the solvated proton (kcal/mol).
    """

    species: list[Species]
    reactions: list[Reaction]
    zero: int | None
    acids: list[Acid]
    proton: float | None


def assembled(page: Page, parts: Together, others: str) -> ChemistrySpec:
    """The specification.

    Args:
        others: pattern of words that tell that a sentence is another family's.

    Raises:
        Stuck: something is missing or beyond the recipes.
    """
    species = at_distance(page, symmetry_numbers(page, parts.species))
    density, nucleus = extras.nucleus(page)
    treatments = extras.treatments(page)
    levels, structural = _levels(page, density, bool(treatments), species[0].formula)
    excited, spaces = extras.excited(page), extras.active_spaces(page)
    scan = scans.scan(page, species)
    thermal = _thermal(page, parts)
    frequencies = not scan and (thermal or page.wants("frequencies") or _vibrations(page))
    optimise = not scan and wishes.optimises(page, species, frequencies)
    if density and all(not re.search(r"[a-z]?[A-Z].*[A-Z]|\d", one.formula) for one in species):
        optimise = frequencies = False
    wanted = wishes.wanted(page, thermal and not scan)
    if treatments and not methods(page):
        _correlated_only(treatments, structural, optimise or frequencies, (*wanted, *(("excited",) if excited else ())))
    warm = conditions.temperatures(page, others)
    air = conditions.pressure(page, others)
    _assume_conditions(page, frequencies and thermal, warm, air)
    return ChemistrySpec(
        species=tuple(species),
        levels=tuple(levels),
        structure_level=structural if optimise else None,
        optimise=optimise,
        frequencies=frequencies,
        fitted_structures=(optimise or frequencies) and _fitted(page, species, levels[0]),
        wanted=wanted,
        temperature=warm[0] if warm else conditions.ROOM,
        temperatures=tuple(warm) if len(warm) > 1 else (),
        pressure=conditions.ATMOSPHERE if air is None else air,
        equilibrium=bool(parts.reactions) and bool(page.says(EQUILIBRIUM)),
        inverted=_inverted(page) if parts.reactions else "",
        energy_unit=conditions.energy_unit(page) if parts.reactions and parts.zero is None else "kcal/mol",
        reactions=tuple(parts.reactions),
        strain_reference=parts.zero,
        acids=tuple(parts.acids),
        proton_free_energy=parts.proton,
        excited=excited,
        active_spaces=tuple(spaces),
        qse=tuple(extras.subspace_expansion(page, spaces)),
        treatments=treatments,
        frozen_core=bool(treatments) and extras.frozen_core(page),
        scan=scan,
        nucleus_density=density,
        nucleus=nucleus,
        figures=wishes.figures(page),
        drawn=wishes.drawn(page) if wishes.figures(page) else (),
        bars=bool(page.says(wishes.BARS)),
        spellings=extras.spellings(page),
    )


def _levels(page: Page, density: bool, correlated: bool, formula: str) -> tuple[list[Level], Level | None]:
    """Levels of properties, and the one of structures if it is another."""
    default = Level(method="B3LYP", basis="DZP") if density else None
    found, structural = chosen_levels(page, correlated, default)
    if default is not None and found == [default]:
        page.assume(
            f"No level of theory is given: B3LYP/DZP with all electrons for {formula}; a basis with a core potential "
            "(def2) has no density there. Spin densities at a nucleus depend on it by tens of per cent."
        )
    return found, structural


_OF_MEAN_FIELDS = {
    "dipole": "dipole moment",
    "mulliken_charges": "charges",
    "homo_lumo_gap": "orbital energies",
    "orbital_energies": "orbital energies",
    "frequencies": "vibrations",
    "enthalpy": "thermochemistry",
    "excited": "excited states",
}


def _correlated_only(treatments: Sequence[str], structural: Level | None, moves: bool, wanted: Sequence[str]) -> None:
    """No mean field is named: what only mean fields give is wanted of the correlated method.

    Raises:
        Stuck: structures, vibrations or properties are.
    """
    if moves and structural is None:
        raise Stuck(Unread(treatments[0], f"Structures and vibrations by {treatments[0]} are not among the recipes."))
    for name, words in _OF_MEAN_FIELDS.items():
        if name in wanted:
            raise Stuck(Unread(treatments[0], f"Of {treatments[0]} the recipes give energies, no {words}."))


def _thermal(page: Page, parts: Together) -> bool:
    together = bool(parts.reactions or parts.acids)
    if together and (parts.acids or page.says(rf"frequenc|strain|{DELTA}[GH]\b")):
        return True
    if parts.reactions and any(kind(one.unit) == "temperature" for one, *_ in conditions.quantities(page)):
        return True
    letters = r"(?<![\w-])[HGS](?:\s*,\s*|\s*,?\s+and\s+)(?:[HGS]|C_?p)(?![\w-])"
    if re.search(letters, page.body) and any(
        kind(one.unit) == "temperature" for one, *_ in conditions.quantities(page)
    ):
        return True
    named = any(page.wants(one) for one in ("reaction_enthalpy", "enthalpy", "gibbs"))
    return named or bool(page.asks(rf"{_THERMAL}|{HEAT}|{EQUILIBRIUM}|{DELTA}[GH]\b"))


def _inverted(page: Page) -> str:
    """What the text calls the energy of reaction with the opposite sign; empty if it turns none round.

    Raises:
        Stuck: it turns one round and gives it no name.
    """
    turned = page.says(
        r"\b(?:minus|negative of|opposite of) the (?:reaction |negative )?(?:enthalp\w*|energy|free energy)|"
        r"\bnegative (?:reaction )?(?:enthalpy|energy)\b"
    )
    if turned is None:
        return ""
    around = page.body[max(0, turned.start() - 160) : turned.end() + 160]
    name = re.search(
        r"\b([a-z]+ affinity|(?:ring[- ])?strain(?: energy)?|(?:binding|dissociation|stabili[sz]ation) energy)",
        around,
        re.I,
    )
    if name is None:
        raise Stuck(Unread(turned[0], "Reaction energies are given as products minus reactants."))
    return re.sub(r"[^a-z]+", "_", name[1].lower())


def _vibrations(page: Page) -> bool:
    return bool(
        page.asks(
            rf"{wishes.WAVES}|imaginary|true minimum|stable minimum|(?:is|it's) (?:indeed |really )?an? (?:true |real |"
            r"local )?minimum|are (?:true |real )?minima|saddle point"
        )
    )


def _fitted(page: Page, species: list[Species], level: Level) -> bool:
    """Whether structures and Hessians of large molecules use density fitting where the task says nothing of it."""
    size = max(
        sum(int(count or 1) for symbol, count in re.findall(r"([A-Z][a-z]?)(\d*)", one.formula) if symbol != "H")
        for one in species
    )
    if size <= LARGE or level.density_fitting or level.solvent_model != "none":
        return False
    page.assume(
        f"With {size} heavy atoms optimisation and Hessian use density fitting, energies and properties do not: "
        "conventional integrals would take several times as long, structures differ by about 1e-4 angstrom."
    )
    return True


def _assume_conditions(page: Page, thermal: bool, warm: list[float], air: float | None) -> None:
    if thermal and not warm:
        page.assume("The temperature is not given: 298.15 K.")
    if thermal and air is None:
        page.assume("The pressure is not given: 101325 Pa (one atmosphere).")
    if len(warm) > 1 and page.says(r"\bpK_?\{?a\b"):
        raise Stuck(Unread(f"{warm[1]:g} K", "A pKa is computed at one temperature a task."))


__all__ = ["EQUILIBRIUM", "HEAT", "Together", "assembled"]
