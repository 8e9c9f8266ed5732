"""What a person says about a substance, as data: ``solid, 180.16 g/mol``; a CAS number names it."""

from __future__ import annotations

from dataclasses import dataclass

from labwright.tools.chemistry.quantities import dimension, parse_quantity
from labwright.tools.errors import InputError

STATES = ("solid", "liquid", "gas")


@dataclass(frozen=True, slots=True)
class Facts:
    """Data of one substance, as texts with units; empty where nothing was said."""

    state: str = ""
    molar_mass: str = ""
    density: str = ""
    cas: str = ""
    strength: str = ""


def facts_in(text: str) -> Facts:
    """The data of a text with commas or semicolons between them.

    Raises:
        InputError: a part is none of state, molar mass, density and CAS number, or two say the same.
    """
    found: dict[str, str] = {}
    for part in filter(None, (each.strip(" .") for each in text.replace(";", ",").replace("\n", ",").split(","))):
        field = _field(part)
        if not field:
            raise InputError(
                f"{part!r} is not a state (solid, liquid, gas), a molar mass, a density, a strength or a CAS number."
            )
        if field in found:
            raise InputError(f"{found[field]!r} and {part!r} say the same thing twice.")
        found[field] = part.lower() if field == "state" else part
    if not found:
        raise InputError("Nothing is said about it.")
    if not {"cas", "state", "strength"} & set(found) and "density" in found:
        found["state"] = "liquid"
    return Facts(**found)


def is_cas(text: str) -> bool:
    """Whether it is a CAS number with a right check digit."""
    digits = text.replace("-", "")
    if [len(each) for each in text.split("-")[1:]] != [2, 1] or not (digits.isascii() and digits.isdigit()):
        return False
    total = sum(place * int(digit) for place, digit in enumerate(reversed(digits[:-1]), 1))
    return 5 <= len(digits) <= 10 and total % 10 == int(digits[-1])


def _field(part: str) -> str:
    if part.lower() in STATES:
        return "state"
    if is_cas(part):
        return "cas"
    try:
        kind = dimension(parse_quantity(part).unit)
    except InputError:
        return ""
    fields = {"molar mass": "molar_mass", "density": "density", "fraction": "strength", "molarity": "strength"}
    return fields.get(kind, "")
