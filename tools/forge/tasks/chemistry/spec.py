"""What a task of quantum chemistry says: molecules, levels of theory, and what is wanted of them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Wanted = Literal[
    "energy", "coordinates", "point_group", "dipole", "orbital_energies", "homo_lumo_gap", "mulliken_charges",
    "frequencies", "enthalpy", "gibbs", "image", "orbitals", "geometry",
]  # fmt: skip
Treatment = Literal["MP2", "CCSD", "CCSD(T)", "FCI"]
SolventModel = Literal["none", "CPCM", "IEFPCM", "SMD"]
EnergyUnit = Literal["kcal/mol", "kJ/mol", "eV", "hartree", "1/cm"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Species(_Strict):
    """One molecule or ion."""

    name: str = Field(description="As the task calls it; the label `molecule` of its results.")
    smiles: str = Field(default="", description="SMILES; empty if the structure comes from a file.")
    file: str = Field(default="", description="Path of an XYZ file in the workspace, such as inputs/2.xyz.")
    xyz: str = Field(default="", description="The structure in XYZ format (angstrom) if the text gives coordinates.")
    formula: str = Field(description="Elements and counts, such as C2H6O.")
    charge: int = Field(description="Charge (elementary charges).")
    multiplicity: int = Field(ge=1, description="Spin multiplicity 2S+1 (1).")
    optimise: bool = Field(default=True, description="Whether its geometry is optimised if the task optimises.")
    symmetry_number: int | None = Field(default=None, description="As the task says it; None: of the point group (1).")


class Level(_Strict):
    """A level of theory, in the fields of the recipes."""

    method: str = Field(description="HF or a functional of PySCF.")
    basis: str = Field(description="Basis set of PySCF.")
    core_potential: str = Field(default="", description="Effective core potential; empty: all electrons.")
    density_fitting: bool = Field(default=False, description="Whether the task wants density fitting for everything.")
    grid_level: int = Field(default=3, description="mf.grids.level (1).")
    dispersion: str = Field(default="", description="d3bj, d4 or empty.")
    solvent_model: SolventModel = Field(default="none", description="Implicit solvent.")
    dielectric: float | None = Field(default=None, description="Relative permittivity (1).")
    solvent: str = Field(default="", description="Name of the solvent.")
    treatments: tuple[Treatment, ...] | None = Field(
        default=None, description="Correlation in this basis; None: every treatment of the task."
    )

    @property
    def title(self) -> str:
        """Such as B3LYP/def2-SVP, C-PCM (water)."""
        wet = "" if self.solvent_model == "none" else f", {self.solvent_model} ({self.solvent})"
        return f"{self.method}{'-' + self.dispersion.upper() if self.dispersion else ''}/{self.basis}{wet}"


class Term(_Strict):
    """One species of a reaction."""

    species: str = Field(description="Name of the species.")
    coefficient: float = Field(description="Negative for reactants (1).")


class Reaction(_Strict):
    """A reaction whose energies are wanted."""

    name: str = Field(description="The label `reaction` of its results.")
    terms: tuple[Term, ...] = Field(description="Reactants and products.")


class Acid(_Strict):
    """An acid and its conjugate base."""

    acid: str = Field(description="Name of the species HA.")
    base: str = Field(description="Name of the species A-.")
    pka: float | None = Field(default=None, description="Measured pKa if the acid is there for calibration (1).")


class Excited(_Strict):
    """Excited states by TD-DFT."""

    n_singlets: int = Field(description="Singlets to find (1).")
    n_triplets: int = Field(description="Triplets to find (1).")
    tamm_dancoff: bool = Field(default=False, description="Whether de-excitations are left out.")


class ActiveSpace(_Strict):
    """Electrons in orbitals around the gap."""

    electrons: int = Field(description="Active electrons (1).")
    orbitals: int = Field(description="Active orbitals (1).")


class Scan(_Strict):
    """Energies along a bond."""

    species: str = Field(description="Name of the species.")
    elements: tuple[str, str] = Field(description="Elements of the two atoms; the first such bond is taken.")
    distances: tuple[float, ...] = Field(description="Distances (angstrom).")
    relative: bool = Field(default=False, description="Whether curves are wanted relative to their lowest point.")


class Nucleus(_Strict):
    """For the hyperfine splitting of the first atom."""

    isotope: str = Field(description="Such as 87Rb.")
    spin: float = Field(description="Nuclear spin I (1).")
    moment: float = Field(description="Magnetic moment (nuclear magnetons).")
    measured: float | None = Field(default=None, description="Measured splitting that the task gives (GHz).")
    use_measured: bool = Field(default=False, description="Whether the task falls back to the measured splitting.")


class ChemistrySpec(_Strict):
    """A task of quantum chemistry."""

    species: tuple[Species, ...] = Field(description="All molecules and ions.")
    levels: tuple[Level, ...] = Field(description="Levels at which properties are wanted.")
    structure_level: Level | None = Field(default=None, description="Level of optimisation if it is another one.")
    optimise: bool = Field(description="Whether geometries are optimised.")
    frequencies: bool = Field(description="Whether vibrations are computed, and minima confirmed.")
    fitted_structures: bool = Field(
        default=False, description="Whether optimisation and Hessian use density fitting, and only these."
    )
    wanted: tuple[Wanted, ...] = Field(description="Properties of each molecule.")
    temperature: float = Field(default=298.15, description="Temperature (K).")
    temperatures: tuple[float, ...] = Field(default=(), description="All temperatures if there are several (K).")
    pressure: float = Field(default=101325.0, description="Pressure (Pa).")
    equilibrium: bool = Field(default=False, description="Whether equilibrium constants are wanted.")
    inverted: str = Field(default="", description="Name of the negative energy or enthalpy of reaction, if wanted.")
    energy_unit: EnergyUnit = Field(default="kcal/mol", description="Unit of the energies of reaction.")
    reactions: tuple[Reaction, ...] = Field(default=(), description="Reactions.")
    strain_reference: int | None = Field(default=None, description="Ring size of zero strain, if the task is a ladder.")
    acids: tuple[Acid, ...] = Field(default=(), description="Acids; those with a pKa calibrate the proton.")
    proton_free_energy: float | None = Field(default=None, description="Of the solvated proton (kcal/mol).")
    excited: Excited | None = Field(default=None, description="TD-DFT.")
    active_spaces: tuple[ActiveSpace, ...] = Field(default=(), description="CASCI.")
    qse: tuple[ActiveSpace, ...] = Field(default=(), description="Quantum subspace expansion in these spaces.")
    treatments: tuple[Treatment, ...] = Field(default=(), description="Correlation.")
    frozen_core: bool = Field(default=False, description="Whether core electrons are left uncorrelated.")
    scan: Scan | None = Field(default=None, description="Bond scan.")
    nucleus_density: bool = Field(default=False, description="Electron density at the nuclei.")
    nucleus: Nucleus | None = Field(default=None, description="Hyperfine splitting.")
    figures: bool = Field(default=False, description="Whether results are plotted.")
    drawn: tuple[str, ...] = Field(default=(), description="Quantities whose figures are wanted.")
    bars: bool = Field(default=False, description="Whether bars are wanted and no curves.")
    seed: int = Field(default=7, description="Of the embedding of SMILES (1).")
    spellings: dict[str, str] = Field(default={}, description="Labels that the task spells in its own way.")

    @property
    def thermochemistry(self) -> bool:
        """Whether enthalpies and free energies are needed."""
        together = bool(self.acids or self.reactions) and self.frequencies
        return together or bool({"enthalpy", "gibbs"} & set(self.wanted))

    @property
    def at(self) -> tuple[float, ...]:
        """The temperatures, one or several (K)."""
        return self.temperatures or (self.temperature,)

    def treated(self, level: Level) -> tuple[Treatment, ...]:
        """Correlation that is wanted in the basis of a level."""
        return self.treatments if level.treatments is None else level.treatments

    def named(self, name: str) -> Species:
        """The species called `name`."""
        return next(one for one in self.species if one.name == name)

    def spelt(self, label: str) -> str:
        """A label as the task spells it."""
        return self.spellings.get(label.lower(), label)
