"""Substances that the curated table does not hold, from the data of the package `chemicals` (Bell et al., MIT licence).

Names and CAS numbers are its own; state and density at 25 degC follow from its melting and boiling points and Perry's
table 2-32 (8th edition). What it does not know stays unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from labwright.tools.chemistry.substances import is_cas

AMBIENT = 298.15  # K
SOURCE = "package chemicals"


@dataclass(frozen=True, slots=True)
class Known:
    """One substance; g/mol, g/mL at 25 degC, degC."""

    name: str
    cas: str
    molar_mass: float
    state: Literal["solid", "liquid", "gas"] | None
    density: float | None
    boiling_point: float | None


@cache
def known(name: str) -> Known | None:
    """The substance of that very name or CAS number; None if the package has none, or is not installed.

    Names that it lists as synonyms only are not taken: among them are brands and codes ("buffer a" is an acid there).
    """
    try:
        from chemicals.identifiers import pubchem_db
        from chemicals.phase_change import Tb, Tm
    except ImportError:
        return None
    plain = name.strip().lower()
    found: Any = pubchem_db.search_CAS(int(name.replace("-", ""))) if is_cas(name) else pubchem_db.search_name(plain)
    if not found or not (is_cas(name) or plain in (found.common_name.lower(), found.iupac_name.lower())):
        return None
    cas = str(found.CASs)
    melts, boils = Tm(cas), Tb(cas)
    state = _state(melts, boils)
    return Known(
        name=str(found.common_name),
        cas=cas,
        molar_mass=float(found.MW),
        state=state,
        density=_density(cas, float(found.MW)) if state == "liquid" else None,
        boiling_point=None if boils is None else round(float(boils) - 273.15, 1),
    )


def _state(melts: float | None, boils: float | None) -> Literal["solid", "liquid", "gas"] | None:
    if boils is not None and boils < AMBIENT:
        return "gas"
    if melts is None:
        return None
    return "solid" if melts > AMBIENT else "liquid"


def _density(cas: str, molar_mass: float) -> float | None:
    """g/mL at 25 degC by DIPPR's equation 105; None outside its range."""
    from chemicals.dippr import EQ105
    from chemicals.volume import rho_data_Perry_8E_105_l as table

    if cas not in table.index:
        return None
    row = table.loc[cas]
    if not row["Tmin"] <= AMBIENT <= row["Tmax"]:
        return None
    moles = EQ105(AMBIENT, row["C1"], row["C2"], row["C3"], row["C4"])  # mol/m3
    return round(float(moles) * molar_mass * 1e-6, 4)
