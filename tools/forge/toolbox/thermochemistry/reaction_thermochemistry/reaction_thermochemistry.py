"""Energies of reaction from those of the species, after atoms and charge are balanced.

X(reaction) = sum over products of n X - sum over reactants of n X, for any additive quantity. A free proton has no
electrons and is a species like any other; give it its own energies.
Source: McQuarrie, Statistical Mechanics (1976), chapter 9; CODATA 2018 for the conversion.
"""

import math
import re
from collections import Counter

from pydantic import BaseModel, Field
from scipy import constants


class ReactionThermochemistryInput(BaseModel):
    """A reaction and the values of its species."""

    class Species(BaseModel, allow_inf_nan=False):
        """One species."""

        formula: str = Field(description="Molecular formula, such as C2H5; a charge sign behind it is not counted.")
        charge: int = Field(description="Charge (elementary charges).")
        coefficient: float = Field(description="How many take part: negative for reactants (1).")
        values: dict[str, float] = Field(description="Quantity -> value, such as enthalpy and gibbs (hartree).")

    species: list[Species] = Field(min_length=2, description="Reactants and products.")


class ReactionThermochemistryOutput(BaseModel):
    """Quantities of reaction."""

    hartree: dict[str, float] = Field(description="Quantity -> value of the reaction (hartree).")
    kcal_per_mol: dict[str, float] = Field(description="Quantity -> value of the reaction (kcal/mol).")
    kj_per_mol: dict[str, float] = Field(description="Quantity -> value of the reaction (kJ/mol).")


def reaction_thermochemistry(given: ReactionThermochemistryInput) -> ReactionThermochemistryOutput:
    """Sum up the reaction of `given`.

    Raises:
        ValueError: atoms or charge are not balanced, or a species lacks a quantity that another has.
    """
    balance: Counter[str] = Counter()
    for one in given.species:
        for element, count in _atoms(one.formula).items():
            balance[element] += one.coefficient * count
        balance["charge"] += one.coefficient * one.charge
    wrong = {name: left for name, left in balance.items() if not math.isclose(left, 0.0, abs_tol=1e-9)}
    if wrong:
        raise ValueError(f"The reaction is not balanced: products minus reactants leave {wrong}.")
    names = set(given.species[0].values)
    for one in given.species:
        if set(one.values) != names:
            raise ValueError(f"{one.formula} has {sorted(one.values)}, but others have {sorted(names)}.")
    sums = {name: sum(one.coefficient * one.values[name] for one in given.species) for name in sorted(names)}
    joule = constants.physical_constants["Hartree energy"][0] * constants.N_A
    return ReactionThermochemistryOutput(
        hartree=sums,
        kcal_per_mol={name: value * joule / constants.calorie / 1000 for name, value in sums.items()},
        kj_per_mol={name: value * joule / 1000 for name, value in sums.items()},
    )


def _atoms(formula: str) -> Counter[str]:
    """Atoms of a formula such as C2H4O2."""
    bare = re.sub(r"[+-]\d*$", "", formula)
    if not re.fullmatch(r"(?:[A-Z][a-z]?\d*)+", bare):
        raise ValueError(f"{formula!r} is no molecular formula such as C2H6O.")
    found: Counter[str] = Counter()
    for element, count in re.findall(r"([A-Z][a-z]?)(\d*)", bare):
        found[element] += int(count) if count else 1
    return found
