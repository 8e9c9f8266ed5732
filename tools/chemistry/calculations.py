"""Five calculations of a chemist at the bench. Whatever is not known is an error that says so, never a guess.

Masses in mg, volumes in uL, moles in mmol, concentrations in mol/L, densities in g/mL (mg/uL), as `docs/units.md` says.
"""

from __future__ import annotations

from labwright.tools.chemistry.chemicals import Ambiguous, Chemical, Unknown, lookup
from labwright.tools.chemistry.solutions import mass_concentration, molarity, reagent_density
from labwright.tools.errors import InputError


def volume_of_mass(chemical: str, mass: float) -> float:
    """uL that `mass` mg of a pure liquid take.

    Raises:
        InputError: the chemical is not known, is ambiguous, is no liquid, or has no density here.
    """
    return _demand_positive("mass", mass) / _density(_known(chemical))


def volume_of_moles(chemical: str, moles: float) -> float:
    """uL that `moles` mmol of a pure liquid take.

    Raises:
        InputError: as for `volume_of_mass`.
    """
    known = _known(chemical)
    return _demand_positive("moles", moles) * known.molar_mass / _density(known)


def concentration_of_percent_solution(solute: str, percent: float, basis: str, density: float | None = None) -> float:
    """mol/L of a `percent` % solution on its basis (w/w, w/v or v/v).

    Args:
        density: g/mL of the solution, for w/w; taken from the table of common reagents if left out.

    Raises:
        InputError: the solute is not known, the percentage impossible, or a density that it needs is missing.
    """
    known = _known(solute)
    if basis not in {"w/w", "w/v", "v/v"}:
        raise InputError(f"The basis of a percentage is w/w, w/v or v/v, not {basis!r}.")
    mass = mass_concentration(
        percent / 100,
        basis,
        molar_mass=known.molar_mass,
        solute_density=known.density,
        solution_density=density or reagent_density(known.name, percent),
    )
    return molarity(mass, known.molar_mass)


def amounts_of_pair(first: str, second: str, total: float, ratio: float, volume: float) -> dict[str, tuple[float, str]]:
    """What two chemicals come to in a mixture, each as (amount, unit): mg of a solid, uL of a liquid.

    With ``c1 + c2 = total`` and ``c1 / c2 = ratio``.

    Args:
        total: mol/L of both together.
        ratio: moles of `first` to one mole of `second`.
        volume: uL of the finished mixture.

    Raises:
        InputError: a chemical is not known, or a number is not above 0.
    """
    for name, value in (("total molarity", total), ("ratio", ratio), ("volume", volume)):
        _demand_positive(name, value)
    both = total * volume / 1000  # mmol
    parts = {first: both * ratio / (1 + ratio), second: both / (1 + ratio)}
    return {name: _dispensed(_known(name), moles) for name, moles in parts.items()}


def stock_volume(stock: float, wanted: float, volume: float) -> float:
    """uL of a stock that bring a mixture of `volume` uL to the `wanted` concentration; both in one unit.

    Raises:
        InputError: the stock is weaker than what is wanted, or a number is not above 0.
    """
    for name, value in (("stock concentration", stock), ("wanted concentration", wanted), ("volume", volume)):
        _demand_positive(name, value)
    if wanted > stock:
        raise InputError(f"A stock of {stock:g} cannot make {wanted:g}. The largest possible is the stock's own.")
    return wanted * volume / stock


def _dispensed(known: Chemical, moles: float) -> tuple[float, str]:
    mass = moles * known.molar_mass
    return (mass, "mg") if known.state == "solid" else (mass / _density(known), "uL")


def _known(name: str) -> Chemical:
    found = lookup(name)
    if isinstance(found, Ambiguous):
        candidates = ", ".join(one.name for one in found.candidates)
        raise InputError(f"{name!r} names several substances: {candidates}. Say which.")
    if isinstance(found, Unknown):
        raise InputError(f"{name!r} is not in the table of chemicals. Give a pure chemical's name, not a solution's.")
    return found


def _density(known: Chemical) -> float:
    if known.state != "liquid":
        raise InputError(f"{known.name!r} is a {known.state}; only a liquid is dispensed by volume.")
    if known.density is None:
        raise InputError(f"The density of {known.name!r} is not known. Ask for it.")
    return known.density


def _demand_positive(name: str, value: float) -> float:
    if not value > 0:
        raise InputError(f"The {name} must be above 0, but is {value:g}.")
    return value
