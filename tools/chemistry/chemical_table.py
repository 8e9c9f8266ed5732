"""The curated table of chemicals: what a name means, and what is known of it.

A name is found, ambiguous or unknown; nothing is guessed. An unknown density is None and stays None.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from labwright.tools.chemistry.formulas import molecular_weight

# Words that name several substances; a person must say which. The first is the commonest in a laboratory.
SEVERAL = {
    "propanol": ("1-propanol", "2-propanol"),
    "propyl alcohol": ("1-propanol", "2-propanol"),
    "butanol": ("1-butanol", "2-butanol", "isobutanol"),
    "butyl alcohol": ("1-butanol", "2-butanol", "isobutanol"),
    "xylene": ("o-xylene", "m-xylene", "p-xylene"),
    "xylenes": ("o-xylene", "m-xylene", "p-xylene"),
    "bromobutene": ("3-bromobut-1-ene", "2-bromobut-2-ene"),
}
VOLATILE_BELOW = 70.0  # boiling point, degC; our choice: methanol and THF count, ethanol does not


@dataclass(frozen=True, slots=True)
class Chemical:
    """One substance. Units: g/mol, g/mL at `density_at` degC, degC, g/L in water at 25 degC."""

    name: str
    synonyms: tuple[str, ...]
    cas: str
    formula: str
    molar_mass: float
    state: Literal["solid", "liquid", "gas"]
    density: float | None
    density_at: float | None
    density_source: str
    boiling_point: float | None
    water: str
    viscosity: str
    hazards: tuple[str, ...]
    solubility_in_water: float | None

    @property
    def density_is_estimated(self) -> bool:
        """Whether the density is an estimate, which every protocol must say."""
        return self.density_source.startswith("estimate")

    @property
    def volatile(self) -> bool:
        """Whether an open vial of it loses substance at room temperature."""
        return self.boiling_point is not None and self.boiling_point < VOLATILE_BELOW


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A name that several substances share."""

    name: str
    candidates: tuple[Chemical, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that the table does not have."""

    name: str


def lookup(name: str) -> Chemical | Ambiguous | Unknown:
    """What a name, synonym, CAS number or formula stands for."""
    key = normal_name(name)
    if key in SEVERAL:
        return Ambiguous(name, tuple(table()[normal_name(candidate)] for candidate in SEVERAL[key]))
    return table().get(key, Unknown(name))


def normal_name(name: str) -> str:
    """A name with case, spacing and typographic hyphens evened out."""
    plain = re.sub(r"[‐‑–—−]", "-", name).casefold()
    return re.sub(r"\s*-\s*", "-", " ".join(plain.split()))


@cache
def table() -> dict[str, Chemical]:
    """Every chemical under its name, synonyms, CAS number and, where no isomer shares it, its formula."""
    found: dict[str, Chemical] = {}
    for row in data_rows("labwright.tools.chemistry", "chemicals.csv"):
        chemical = _from_row(row)
        for key in (chemical.name, chemical.cas, *chemical.synonyms):
            if found.setdefault(normal_name(key), chemical) is not chemical:
                raise RuntimeError(f"chemicals.csv gives {key!r} to two substances; fix the table.")
    return found


def data_rows(package: str, name: str) -> Iterator[dict[str, str]]:
    """The rows of a data file of a package; lines that begin with ``#`` are its comments."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    yield from csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter=";")


def _from_row(row: dict[str, str]) -> Chemical:
    def number(column: str) -> float | None:
        return float(row[column]) if row[column] else None

    return Chemical(
        name=row["name"],
        synonyms=tuple(filter(None, row["synonyms"].split("|"))),
        cas=row["cas"],
        formula=row["formula"],
        molar_mass=molecular_weight(row["formula"]),
        state=row["state"],  # type: ignore[arg-type]
        density=number("density"),
        density_at=number("at"),
        density_source=row["source"],
        boiling_point=number("bp"),
        water=row["water"],
        viscosity=row["viscosity"],
        hazards=tuple(filter(None, row["hazards"].split("|"))),
        solubility_in_water=number("solubility"),
    )
