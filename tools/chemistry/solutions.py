"""Solutions: what a millilitre of a stock holds, from its concentration and basis.

Reagents sold as solutions are listed with their density, because a w/w percentage says nothing about a volume without
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from labwright.tools.chemistry.chemical_table import data_rows, normal_name
from labwright.tools.errors import InputError


@dataclass(frozen=True, slots=True)
class Reagent:
    """A commercial aqueous solution. `percent` is w/w; density in g/mL at 20-25 degC."""

    solute: str
    percent: float
    density: float
    only: bool  # whether a bottle of that name holds a solution


@cache
def reagents(solute: str) -> tuple[Reagent, ...]:
    """The strengths in which a substance is sold as a solution, the commonest first (`reagents.csv`)."""
    name = normal_name(solute)
    rows = data_rows("labwright.tools.chemistry", "reagents.csv")
    made = (
        Reagent(row["solute"], float(row["percent"]), float(row["density"]), row["sold"] == "solution") for row in rows
    )
    return tuple(one for one in made if normal_name(one.solute) == name)


def reagent_density(solute: str, percent: float) -> float | None:
    """Density in g/mL of a listed aqueous reagent, else None."""
    return next((one.density for one in reagents(solute) if abs(one.percent - percent) < 1e-9), None)


def mass_concentration(
    value: float, basis: str, *, molar_mass: float, solute_density: float | None, solution_density: float | None
) -> float:
    """Mass of solute in a volume of solution, in mg/uL (the same number as g/mL).

    Args:
        value: a fraction (0.28 for 28 %) for w/w, w/v (g per mL) and v/v; mol/L for M.
        basis: ``w/w``, ``w/v``, ``v/v`` or ``M``.
        molar_mass: of the solute, g/mol.
        solute_density: g/mL, needed for v/v.
        solution_density: g/mL, needed for w/w.

    Raises:
        InputError: a density that the basis needs is not known, or the value is impossible.
    """
    if value <= 0 or (basis in {"w/w", "v/v"} and value > 1):
        raise InputError(f"A concentration of {value:g} on the basis {basis} is impossible; give one above 0, up to 1.")
    if basis == "M":
        return value * molar_mass / 1000
    if basis == "w/v":
        return value
    density, whose = (solution_density, "solution") if basis == "w/w" else (solute_density, "solute")
    if density is None:
        raise InputError(f"A {basis} concentration needs the density of the {whose}, which is not known. Give it.")
    return value * density
