"""Substances that the curated table does not hold, from the data of the package `chemicals` (Bell et al., MIT licence).

Names and CAS numbers are its own; state and density at 25 degC follow from its melting and boiling points and Perry's
table 2-32 (8th edition). What it does not know stays unknown.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from labwright.tools.chemistry.stated_substance_data import is_cas

AMBIENT = 298.15  # K
SOURCE = "package chemicals"
CAS, FORMULA, NAMES = (1, 2), (2, 3), (7, 1000)  # columns of its tables; names: its own two, then synonyms


@dataclass(frozen=True, slots=True)
class Known:
    """One substance; g/mol, g/mL at 25 degC, degC."""

    name: str
    cas: str
    molar_mass: float
    state: Literal["solid", "liquid", "gas"] | None
    density: float | None
    boiling_point: float | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What the package lists of one substance; g/mol. The first two names are its own, the others synonyms."""

    cas: str
    molar_mass: float
    smiles: str
    names: tuple[str, ...]


@cache
def known(name: str) -> Known | None:
    """The substance of that very name or CAS number; None if the package has none, or is not installed.

    Names that it lists as synonyms only are not taken: among them are brands and codes ("buffer a" is an acid there).
    """
    table, plain = _table(), name.strip().lower()
    if table is None or not plain:
        return None
    small = table.search_CAS(plain) if is_cas(plain) else table.search_name(plain)
    found = _entry(small) if small else _looked_up(plain, CAS if is_cas(plain) else NAMES)
    if found is None or not (found.cas == plain or plain in (one.lower() for one in found.names[:2])):
        return None
    from chemicals.phase_change import Tb, Tm

    melts, boils = Tm(found.cas), Tb(found.cas)
    state = _state(melts, boils)
    return Known(
        name=found.names[1],
        cas=found.cas,
        molar_mass=found.molar_mass,
        state=state,
        density=liquid_density(found.cas, found.molar_mass) if state == "liquid" else None,
        boiling_point=None if boils is None else round(float(boils) - 273.15, 1),
    )


@cache
def listed(name: str) -> Entry | None:
    """The substance of that name, synonym, CAS number or, for common ones, formula; None if there is none."""
    if _table() is None or not name.strip():
        return None
    from chemicals.identifiers import search_chemical

    with suppress(ValueError):
        return _entry(search_chemical(name))
    plain = name.strip()
    places = [(plain, CAS if is_cas(plain) else FORMULA), (plain, NAMES)]
    places += [(plain.replace(" ", ""), NAMES), (re.sub("[ -]", "", plain), NAMES)]
    return next(filter(None, (_looked_up(*place) for place in dict.fromkeys(places))), None)


@cache
def _table() -> Any:
    """The package's smaller tables; None if it is not installed."""
    try:
        from chemicals.identifiers import pubchem_db
    except ImportError:
        return None
    pubchem_db.main_db = None  # the largest table takes 5 s and 1 GB as its objects: `_looked_up` reads it
    return pubchem_db


def _entry(found: Any) -> Entry:
    names = (found.iupac_name, found.common_name, *found.synonyms)
    return Entry(str(found.CASs), float(found.MW), str(found.smiles or ""), names)


@cache
def _largest() -> tuple[Path, dict[int, int]]:
    """The largest table, and where the last row with a CAS number, a formula or a name begins, by their hashes.

    Only numbers are kept: the table itself takes 5 s and 1 GB as the package's objects.
    """
    from chemicals import identifiers

    path, found, begins = Path(identifiers.folder, identifiers.PUBCHEM_LARGE_DB_NAME), dict[int, int](), 0
    with path.open("rb") as file:
        for line in file:
            _, cas, formula, *rest = line.rstrip(b"\n").split(b"\t")
            keys = [(CAS, cas), (FORMULA, formula), *((NAMES, name.lower()) for name in rest[4:])]
            found.update(dict.fromkeys(map(hash, keys), begins))
            begins += len(line)
    return path, found


@cache
def _looked_up(text: str, place: tuple[int, int]) -> Entry | None:
    """The last row of the largest table that has it between two columns; names in capitals or not."""
    if place == FORMULA:
        from chemicals.elements import serialize_formula

        with suppress(ValueError, IndexError, KeyError):  # it is none, and no formula of the table
            text = serialize_formula(text)
    path, found = _largest()
    if (begins := found.get(hash((place, text.encode().lower() if place == NAMES else text.encode())))) is None:
        return None
    with path.open("rb") as file:
        file.seek(begins)
        row = file.readline().decode().rstrip("\n").split("\t")
    return Entry(row[1], float(row[3]), row[4], tuple(row[7:]))


def _state(melts: float | None, boils: float | None) -> Literal["solid", "liquid", "gas"] | None:
    if boils is not None and boils < AMBIENT:
        return "gas"
    if melts is None:
        return None
    return "solid" if melts > AMBIENT else "liquid"


def liquid_density(cas: str, molar_mass: float, kelvin: float = AMBIENT) -> float | None:
    """g/mL by DIPPR's equation 105, with Perry's constants; None outside its range, or where there are none."""
    if _table() is None:
        return None
    from chemicals.dippr import EQ105
    from chemicals.volume import rho_data_Perry_8E_105_l as table

    if cas not in table.index:
        return None
    row = table.loc[cas]
    if not row["Tmin"] <= kelvin <= row["Tmax"]:
        return None
    moles = EQ105(kelvin, row["C1"], row["C2"], row["C3"], row["C4"])  # mol/m3
    return round(float(moles) * molar_mass * 1e-6, 4)
