"""The card of quantum chemistry: molecules by SMILES, file or name, levels as METHOD/BASIS, reactions as equations."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from math import comb
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from labwright.tools.forge.tasks.chemistry.smiles import ELEMENTS, atoms, conjugate_base, counted, hill, symbols_in
from labwright.tools.forge.tasks.chemistry.spec import (
    Acid,
    ActiveSpace,
    EnergyUnit,
    Excited,
    Level,
    Reaction,
    SolventModel,
    Species,
    Treatment,
    Wanted,
)
from labwright.tools.forge.tasks.chemistry.theory_levels import check_basis, check_method, permittivity
from labwright.tools.forge.tasks.expressions import ExpressionError, Grid, at, grid
from labwright.tools.forge.tasks.task_type import Computed
from labwright.tools.specifications.base import Problem, SpecificationError

# Rings of n CH2 groups, and these with one methyl group, have names by the numeral alone.
_NUMERALS = {3: "prop", 4: "but", 5: "pent", 6: "hex", 7: "hept", 8: "oct", 9: "non", 10: "dec"}
with (Path(__file__).parent / "molecules.csv").open(encoding="utf-8", newline="") as _file:
    _ROWS = list(csv.DictReader(_file))


def cycloalkane(size: int) -> tuple[str, str]:
    """Name and SMILES of the ring of `size` CH2 groups."""
    return f"cyclo{_NUMERALS[size]}ane", f"C1{'C' * (size - 2)}C1"


def methylcycloalkane(size: int) -> tuple[str, str]:
    """Name and SMILES of the ring of `size` carbons with one methyl group."""
    return f"methylcyclo{_NUMERALS[size]}ane", f"CC1{'C' * (size - 2)}C1"


MOLECULES = {name: row["smiles"] for row in _ROWS for name in row["names"].split("|") if name}
MOLECULES |= dict(ring(size) for size in _NUMERALS for ring in (cycloalkane, methylcycloalkane))
MULTIPLICITIES = {row["smiles"]: int(row["multiplicity"]) for row in _ROWS if row["multiplicity"]}
# The measured solvation free energy of the proton in water, kcal/mol (Tissandier et al. 1998); with the free energy of
# the gaseous proton (-6.28) and the change of standard state (+1.89) it would be -270.3, every pKa 3.2 units lower.
PROTON = -265.9


class CardMolecule(BaseModel, extra="forbid"):
    """A molecule whose structure, charge or spin needs more than a SMILES."""

    smiles: str = ""
    file: str = Field(default="", description="An XYZ file among the inputs, such as inputs/2.xyz.")
    xyz: str = Field(default="", description="The structure in XYZ format, angstrom; ghost-F has basis functions only.")
    formula: str = Field(default="", description="Of a file or structure, without ghosts, with the charge: CH3+.")
    multiplicity: int | None = Field(default=None, ge=1, description="2S + 1; the lowest or the known one if left out.")
    optimise: bool = Field(default=True, description="Whether its geometry is optimised if the card optimises.")
    symmetry_number: int | None = Field(default=None, ge=1)


class CardScan(BaseModel, extra="forbid"):
    """Energies along a bond."""

    molecule: str
    bond: tuple[str, str] = Field(description="Elements of its two atoms; the shortest such bond is taken.")
    distances: Grid = Field(description="Angstrom.")
    relative: bool = Field(default=False, description="Curves relative to their lowest point, too.")


class ChemistryCard(BaseModel, extra="forbid"):
    """Quantum chemistry: structures, orbitals, vibrations, thermochemistry, reactions, pKa, excited states."""

    title: str = "Quantum chemistry"
    molecules: dict[str, str | CardMolecule | None] = Field(
        default_factory=dict,
        description="Name -> SMILES; or `inputs/x.xyz FORMULA` with the charge, such as inputs/a.xyz CH3+; or nothing,"
        " for a common name such as caffeine.",
    )
    levels: list[str] = Field(
        min_length=1, description="Such as HF/def2-SVP, B3LYP-D3BJ/def2-TZVP, HF/STO-3G in water."
    )
    structure_level: str = Field(default="", description="Of the structures, if it is another one.")
    solvent: str = Field(default="", description="Of all levels that name none; water, acetonitrile, ...")
    solvent_model: SolventModel = Field(default="CPCM", description="Where there is a solvent.")
    cartesian: bool = Field(default=False, description="Whether d and f functions are Cartesian: six d, ten f.")
    optimise: bool = Field(default=True, description="Whether geometries are optimised.")
    frequencies: bool = Field(default=True, description="Whether vibrations are computed, and minima confirmed.")
    fitted_structures: bool = Field(False, description="Density fitting of structures; worth it past 9 heavy atoms.")
    wanted: list[Wanted] = Field(default=["energy"], description="Properties of each molecule.")
    temperatures: Grid = Field(default=298.15, description="K.")
    pressure: float = Field(default=101325.0, gt=0, description="Pa.")
    reactions: dict[str, str] = Field(default_factory=dict, description="Name -> equation: N2 + 3 H2 -> 2 NH3.")
    hydride_affinities: list[str] = Field([], description="Molecules R: R -> `R cation` + hydride is wanted.")
    strain_ladder: list[int] = Field([], description="Ring sizes; against methylcycloalkanes one smaller.")
    equilibrium: bool = Field(default=False, description="Whether equilibrium constants are wanted.")
    energy_unit: EnergyUnit = Field(default="kcal/mol", description="Of energies of reaction.")
    acids: dict[str, float | None] = Field({}, description="Whose pKa is wanted; a measured one calibrates.")
    proton_free_energy: float = Field(PROTON, description="Of the solvated proton, kcal/mol, if not calibrated.")
    excited: Excited | None = Field(default=None, description="TD-DFT: {n_singlets: 5, n_triplets: 5}.")
    active_spaces: tuple[ActiveSpace, ...] = Field(default=(), description="CASCI.")
    treatments: tuple[Treatment, ...] = Field(default=(), description="Correlation.")
    frozen_core: bool = False
    scan: CardScan | None = None
    figures: bool = Field(default=False, description="Whether reactions are plotted.")
    seed: int = Field(default=7, ge=0, description="Of the embedding of SMILES.")

    def compiled(self) -> Computed:
        """Molecules, levels, reactions and acids as they are computed.

        Raises:
            ValidationError: a molecule, level, reaction or acid cannot be used; says which.
        """
        species: dict[str, Species] = {}
        for name, one in self.molecules.items():
            with at("molecules", name):
                species[name] = _species(name, one)
        reactions = self._ladder(species)
        for name, text in self.reactions.items():
            with at("reactions", name):
                reactions.append(_reaction(name, text, species))
        for place, name in enumerate(self.hydride_affinities):
            with at("hydride_affinities", place):
                if "hydride" not in species:
                    species["hydride"] = _species("hydride", CardMolecule(smiles="[H-]", optimise=False))
                reactions.append(_reaction(name, f"{name} -> {name} cation + hydride", species))
        acids = []
        for name, pka in self.acids.items():
            with at("acids", name):
                acids.append(_acid(name, pka, species))
        if not species:
            raise ValueError("There is no molecule. Name one under `molecules`.")
        with at("scan"):
            scan = self._scan(species)
        with at("temperatures"):
            temperatures = grid(self.temperatures)
            if min(temperatures, default=0.0) <= 0:
                raise ExpressionError("Temperatures must be positive. Write such as [298.15, 400], in K.")
        levels = []
        for place, level in enumerate(self.levels):
            with at("levels", place):
                levels.append(self._level(level))
        with at("structure_level"):
            structure = self._level(self.structure_level) if self.structure_level else None
        with at("wanted"):
            if "polarisability" in self.wanted and self.solvent:
                raise ExpressionError("A polarisability is of a free molecule. Leave `solvent` out.")
            if self.cartesian and "orbitals" in self.wanted:
                raise ExpressionError("Orbitals are drawn in spherical functions. Leave `orbitals` or `cartesian` out.")
        for each in species.values():
            with at("molecules", each.name):
                self._ghosts(each.xyz, levels)
        calibrated = any(pka is not None for pka in self.acids.values())
        together = bool(acids or reactions) and self.frequencies
        return Computed(self, {
            "species": list(species.values()), "levels": levels, "structure_level": structure, "reactions": reactions,
            "temperatures": temperatures, "acids": acids, "scan": scan,
            "active_spaces": [_space(one) for one in self.active_spaces],
            "strain_reference": 6 if self.strain_ladder else None,
            "proton_free_energy": self.proton_free_energy if acids and not calibrated else None,
            "thermochemistry": together or bool({"enthalpy", "gibbs"} & set(self.wanted)),
        })  # fmt: skip

    def _ghosts(self, structure: str, levels: list[Level]) -> None:
        """Refuse what has no meaning for atoms that are basis functions only."""
        if "ghost-" not in structure.lower():
            return
        left = [name for name in ("optimise", "frequencies", "scan") if getattr(self, name)]
        left += [name for name in ("geometry", "image", "orbitals") if name in self.wanted]
        left += [one.title for one in levels if one.dispersion or one.solvent_model != "none"]
        if left:
            cure = "Write `optimise: false`, `frequencies: false`, and levels in vacuum without dispersion."
            raise ExpressionError(f"Ghost atoms have basis functions only, and no {', '.join(left)}. {cure}")

    def check_inputs(self, files: Mapping[str, bytes]) -> None:
        """Read the structures among the input files, as those in the card.

        Raises:
            SpecificationError: one cannot be computed; says which.
        """
        levels = self.compiled().levels
        for one in self.compiled().species:
            if one.file in files:
                text = files[one.file].decode(errors="replace")
                try:
                    _same_atoms(text, one.formula)
                    self._ghosts(text, levels)
                except ExpressionError as wrong:
                    told, _, fix = str(wrong).rpartition(". ")
                    raise SpecificationError([Problem(("molecules", one.name), f"{one.file}: {told}.", fix)]) from None

    def _level(self, level: str) -> Level:
        method, _, basis = level.partition("/")
        if not method or not basis:
            raise ExpressionError(f"{level!r} is no level of theory. Write METHOD/BASIS, such as B3LYP/def2-SVP.")
        basis, _, solvent = (one.strip() for one in basis.partition(" in "))
        solvent = solvent or self.solvent
        check_basis(basis, ["H"])
        found = [one for one in ("D3BJ", "D4") if method.upper().endswith(f"-{one}")]
        method, dispersion = (method[: -len(found[0]) - 1], found[0]) if found else (method, "")
        check_method(method)
        wet: dict[str, Any] = {}
        if solvent not in ("", "vacuum"):
            wet = {"solvent": solvent, "solvent_model": self.solvent_model, "dielectric": permittivity(solvent)}
        return Level(method=method, basis=basis, dispersion=dispersion.lower(), **wet)

    def _ladder(self, species: dict[str, Species]) -> list[Reaction]:
        reactions = []
        for place, size in enumerate(self.strain_ladder):
            with at("strain_ladder", place):
                if not 4 <= size <= 9:
                    raise ExpressionError(f"Rings of 4 to 9 carbons make a ladder, not {size}. Leave it out.")
                for name, smiles in (cycloalkane(size), methylcycloalkane(size - 1)):
                    species[name] = _species(name, smiles)
                ring, smaller = cycloalkane(size)[0], methylcycloalkane(size - 1)[0]
                reactions.append(_reaction(f"n={size}", f"{ring} -> {smaller}", species))
        return reactions

    def _scan(self, species: dict[str, Species]) -> CardScan | None:
        if self.scan is None:
            return None
        _known(self.scan.molecule, species)
        beside = ("reactions", "hydride_affinities", "strain_ladder", "acids", "excited", "active_spaces")
        if left := [name for name in beside if getattr(self, name)] + [one for one in self.wanted if one != "energy"]:
            raise ExpressionError(f"A scan computes energies only, not {', '.join(left)}. Write these in another card.")
        distances = grid(self.scan.distances)
        if min(distances, default=0.0) <= 0.1:
            raise ExpressionError("Distances are in angstrom, beyond 0.1. Write such as linspace(0.5, 2.5, 21).")
        return self.scan.model_copy(update={"distances": distances})


def _space(one: ActiveSpace) -> dict[str, int]:
    """An active space with the states to look at: four, or all where there are fewer."""
    alpha = (one.electrons + one.electrons % 2) // 2
    every = comb(one.orbitals, alpha) * comb(one.orbitals, one.electrons - alpha)
    return {"electrons": one.electrons, "orbitals": one.orbitals, "roots": min(4, every)}


def _species(name: str, said: str | CardMolecule | None) -> Species:
    """A molecule with its formula, charge and a possible spin."""
    if said is None:
        if name not in MOLECULES:
            raise ExpressionError(f"The name {name!r} is not known. Give a SMILES or a file.")
        said = MOLECULES[name]
    if isinstance(said, str):
        path, _, formula = said.partition(" ")
        of_file = path.endswith(".xyz")
        said = CardMolecule(file=path, formula=formula.strip()) if of_file else CardMolecule(smiles=said)
    if sum(map(bool, (said.smiles, said.file, said.xyz))) != 1:
        raise ExpressionError("A molecule has one structure. Write `smiles`, `file` or `xyz`.")
    if said.smiles:
        counts, charge = atoms(said.smiles)
    else:
        counts, charge = counted(said.formula)
        if said.xyz:
            _same_atoms(said.xyz, hill(counts))
    electrons = sum(count * (ELEMENTS.index(one) + 1) for one, count in counts.items()) - charge
    multiplicity = said.multiplicity or MULTIPLICITIES.get(said.smiles) or 1 + electrons % 2
    if (electrons + multiplicity) % 2 == 0 or multiplicity > electrons + 1:
        told = f"{hill(counts)} with charge {charge} has {electrons} electrons"
        raise ExpressionError(f"{told}, which cannot have multiplicity {multiplicity}. Change one of the two.")
    return Species(
        name=name, smiles=said.smiles, file=said.file, xyz=said.xyz, formula=hill(counts), charge=charge,
        multiplicity=multiplicity, optimise=said.optimise, symmetry_number=said.symmetry_number,
    )  # fmt: skip


def _same_atoms(structure: str, formula: str) -> None:
    there = hill(Counter(one for one in symbols_in(structure) if not one.startswith("ghost-")))
    if there != formula:
        raise ExpressionError(f"The structure holds {there or 'ghosts only'}, the formula says {formula}. Change one.")


def _known(name: str, species: dict[str, Species]) -> Species:
    if name not in species and name in MOLECULES:
        species[name] = _species(name, None)
    if name not in species:
        raise ExpressionError(f"There is no molecule {name!r}. Molecules are: {', '.join(species) or 'none'}.")
    return species[name]


def _reaction(name: str, text: str, species: dict[str, Species]) -> Reaction:
    """An equation whose atoms and charges balance."""
    sides = text.split("->")
    if len(sides) != 2:
        raise ExpressionError(f"{text!r} is no equation. Write such as N2 + 3 H2 -> 2 NH3.")
    terms: dict[str, float] = {}
    for sign, side in zip((-1.0, 1.0), sides, strict=True):
        for part in side.split(" + "):
            head, _, rest = part.strip().partition(" ")
            count, label = (float(head), rest.strip()) if head.replace(".", "", 1).isdecimal() else (1.0, part.strip())
            terms[label] = terms.get(label, 0.0) + sign * count
    balance: Counter[str] = Counter()
    for label, count in terms.items():
        one = _known(label, species)
        counts, _ = counted(one.formula)
        for symbol, number in [*counts.items(), ("charge", one.charge)]:
            balance[symbol] += count * number  # type: ignore[assignment]
    if off := [symbol for symbol, rest in balance.items() if abs(rest) > 1e-9]:
        raise ExpressionError(f"{text!r} does not balance in {', '.join(off)}. Look at its coefficients and charges.")
    return Reaction(name, {key: n for key, n in terms.items() if n})


def _acid(name: str, pka: float | None, species: dict[str, Species]) -> Acid:
    """An acid and its base, which loses the most acidic proton unless it is named `NAME anion` among the molecules."""
    acid, base = _known(name, species), f"{name} anion"
    if base not in species:
        smiles = conjugate_base(acid.smiles) if acid.smiles else ""
        if not smiles:
            raise ExpressionError(f"The proton of {name} is not found. Name the molecule `{base}` as well.")
        species[base] = _species(base, smiles)
    return Acid(acid=name, base=base, pka=pka)
