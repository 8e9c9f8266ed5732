"""Units that a run may choose for itself: the factor from one to another of the same dimension."""

from __future__ import annotations

import re

HARTREE_EV, HARTREE_KCAL, HARTREE_KJ, HARTREE_CM = 27.211386245988, 627.5094740631, 2625.4996394799, 219474.6313632
DIMENSIONS: dict[str, dict[str, float]] = {
    "time": {"fs": 1e-15, "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "microseconds": 1e-6, "ms": 1e-3, "s": 1.0},
    "rate": {"1/fs": 1e15, "1/ps": 1e12, "1/ns": 1e9, "1/us": 1e6, "1/ms": 1e3, "1/s": 1.0,
             "rad/ps": 1e12, "rad/ns": 1e9, "rad/us": 1e6, "rad/s": 1.0},
    "frequency": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "thz": 1e12},
    "energy": {"hartree": 1.0, "ha": 1.0, "eh": 1.0, "au": 1.0, "mhartree": 1e-3, "mha": 1e-3,
               "millihartree": 1e-3, "ev": 1 / HARTREE_EV, "mev": 1e-3 / HARTREE_EV, "kcal/mol": 1 / HARTREE_KCAL,
               "kj/mol": 1 / HARTREE_KJ, "1/cm": 1 / HARTREE_CM},
    "length": {"angstrom": 1.0, "bohr": 0.529177210903, "pm": 0.01, "nm": 10.0},
    "temperature": {"k": 1.0, "mk": 1e-3},
    "dipole": {"debye": 1.0, "d": 1.0, "e*bohr": 2.541746473},
    "angle": {"rad": 1.0, "radian": 1.0, "deg": 0.017453292519943295, "degree": 0.017453292519943295,
              "degrees": 0.017453292519943295},
    "share": {"1": 1.0, "%": 0.01, "percent": 0.01},
}  # fmt: skip
_PLAIN = {"µs": "us", "μs": "us", "å": "angstrom", "e_h": "hartree", "a.u.": "au"}


def plain(unit: str) -> str:
    """One spelling of a unit."""
    text = unit.strip().lower()
    text = _PLAIN.get(text, text).replace(" ", "").replace("kcalmol-1", "kcal/mol").replace("kjmol-1", "kj/mol")
    inverse = re.fullmatch(r"([a-zµμ]+)\^?\{?-1\}?", text)
    return f"1/{_PLAIN.get(inverse[1], inverse[1])}" if inverse else text


def factor(have: str, wanted: str) -> float | None:
    """What turns numbers in `have` into numbers in `wanted`; None where they are of different dimensions.

    Without a unit, or with one that is not known, numbers are taken to be in the unit that was asked for.
    """
    one, other = plain(have), plain(wanted)
    if not one or one == other:
        return 1.0
    homes = [[name for name, units in DIMENSIONS.items() if unit in units] for unit in (one, other)]
    if not homes[0]:
        return 1.0
    if homes[0] != homes[1]:
        return 1.0 if one == "1" or (not other and homes[0] in (["energy"], ["share"], ["angle"])) else None
    units = DIMENSIONS[homes[0][0]]
    return units[one] / units[other]
