"""What a card of quantum chemistry is made of, and what its molecules, reactions and acids come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

Wanted = Literal[
    "energy", "coordinates", "point_group", "dipole", "orbital_energies", "homo_lumo_gap", "mulliken_charges",
    "frequencies", "enthalpy", "gibbs", "image", "orbitals", "geometry", "polarisability",
]  # fmt: skip
Treatment = Literal["MP2", "CCSD", "CCSD(T)", "FCI"]
SolventModel = Literal["none", "CPCM", "IEFPCM", "SMD"]
EnergyUnit = Literal["kcal/mol", "kJ/mol", "eV", "hartree", "1/cm"]
PER_HARTREE: dict[str, float] = {
    "kcal/mol": 627.5094740631, "kJ/mol": 2625.4996394799, "eV": 27.211386245988, "hartree": 1.0,
    "1/cm": 219474.6313632,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    """A level of theory, in the fields of the tools.

    Attributes:
        dispersion: d3bj, d4 or empty.
        dielectric: relative permittivity.
    """

    method: str
    basis: str
    dispersion: str = ""
    solvent_model: SolventModel = "none"
    dielectric: float | None = None
    solvent: str = ""
    grid_level: int = 3

    @property
    def title(self) -> str:
        """Such as B3LYP/def2-SVP, C-PCM (water)."""
        wet = "" if self.solvent_model == "none" else f", {self.solvent_model} ({self.solvent})"
        return f"{self.method}{'-' + self.dispersion.upper() if self.dispersion else ''}/{self.basis}{wet}"


class Excited(BaseModel, extra="forbid", frozen=True):
    """Excited states by TD-DFT."""

    n_singlets: int = Field(description="Singlets to find (1).")
    n_triplets: int = Field(description="Triplets to find (1).")
    tamm_dancoff: bool = Field(default=False, description="Whether de-excitations are left out.")


class ActiveSpace(BaseModel, extra="forbid", frozen=True):
    """Electrons in orbitals around the gap."""

    electrons: int = Field(description="Active electrons (1).")
    orbitals: int = Field(description="Active orbitals (1).")


@dataclass(frozen=True, slots=True)
class Species:
    """One molecule or ion, from a SMILES, a file, or a text in XYZ format (angstrom).

    Attributes:
        name: as the task calls it; the label `molecule` of its results.
        formula: elements and counts, such as C2H6O.
        multiplicity: 2S + 1.
        optimise: whether its geometry is optimised if the task optimises.
        symmetry_number: as the task says it; None: of the point group.
    """

    name: str
    smiles: str
    file: str
    xyz: str
    formula: str
    charge: int
    multiplicity: int
    optimise: bool = True
    symmetry_number: int | None = None

    @property
    def bare(self) -> bool:
        """Whether it is a proton, which has no electrons."""
        return self.formula == "H" and self.charge == 1


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction whose energies are wanted; species -> coefficient, negative for reactants."""

    name: str
    terms: dict[str, float]


@dataclass(frozen=True, slots=True)
class Acid:
    """An acid HA and its conjugate base A-, by name; a measured pKa calibrates the proton."""

    acid: str
    base: str
    pka: float | None = None
