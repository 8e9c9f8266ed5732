"""A three-dimensional structure of a molecule from its SMILES.

Distance geometry with torsion knowledge (ETKDGv3), hydrogens added, then a force field (MMFF94, or UFF for what MMFF94
does not know); of several conformers the one of least force-field energy. Hypervalent atoms that SMILES rules refuse,
such as chlorine in ClF3, are taken as they are written. The structure is a start for a quantum-chemical optimisation,
not a result. The charge is that of the SMILES; the multiplicity counts written unpaired electrons as parallel.
Source: Riniker and Landrum, J. Chem. Inf. Model. 55, 2562 (2015); RDKit documentation.
"""

from typing import Literal

from pydantic import BaseModel, Field
from rdkit import Chem
from rdkit.Chem import rdDistGeom, rdForceFieldHelpers, rdMolDescriptors


class MoleculeFromSmilesInput(BaseModel):
    """A SMILES and how to embed it."""

    smiles: str = Field(min_length=1, description="SMILES of one molecule or ion.")
    seed: int = Field(ge=0, description="Seed of the embedding (1).")
    n_conformers: int = Field(default=1, ge=1, description="Conformers to choose the lowest from (1).")
    force_field: Literal["auto", "MMFF94", "UFF", "none"] = Field(
        default="auto", description="Force field; auto is MMFF94 where it knows all atoms, else UFF, else none."
    )


class MoleculeFromSmilesOutput(BaseModel):
    """The structure, and what was used to make it."""

    symbols: list[str] = Field(description="Element symbols, hydrogens included.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    charge: int = Field(description="Sum of the formal charges (elementary charges).")
    multiplicity: int = Field(description="Spin multiplicity 2S+1 that the SMILES implies (1).")
    formula: str = Field(description="Molecular formula, Hill order.")
    canonical_smiles: str = Field(description="Canonical SMILES.")
    force_field: str = Field(description="Force field that was used: MMFF94, UFF or none.")


def molecule_from_smiles(given: MoleculeFromSmilesInput) -> MoleculeFromSmilesOutput:
    """Embed the molecule of `given`.

    Raises:
        ValueError: the SMILES cannot be read, or the wanted force field does not know its atoms.
        RuntimeError: no structure was found.
    """
    molecule = _parsed(given.smiles)
    chosen, positions = "none", [[0.0, 0.0, 0.0]]
    if molecule.GetNumAtoms() > 1:
        chosen, positions = _embedded(molecule, given)
    unpaired = sum(atom.GetNumRadicalElectrons() for atom in molecule.GetAtoms())
    return MoleculeFromSmilesOutput(
        symbols=[atom.GetSymbol() for atom in molecule.GetAtoms()],
        positions=positions,
        charge=Chem.GetFormalCharge(molecule),
        multiplicity=unpaired + 1,
        formula=rdMolDescriptors.CalcMolFormula(molecule),
        canonical_smiles=Chem.MolToSmiles(Chem.RemoveHs(molecule, sanitize=False)),
        force_field=chosen,
    )


def _parsed(smiles: str) -> Chem.Mol:
    """The molecule with its hydrogens; unusual valences are kept."""
    molecule = Chem.MolFromSmiles(smiles, sanitize=False)
    if molecule is None:
        raise ValueError(f"{smiles!r} is no SMILES that RDKit can read: check brackets, ring numbers and charges.")
    molecule.UpdatePropertyCache(strict=False)
    failed = Chem.SanitizeMol(molecule, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES, catchErrors=True)
    if failed != Chem.SANITIZE_NONE:
        raise ValueError(f"{smiles!r} has no consistent bonds ({failed}): check its aromatic rings.")
    if len(Chem.GetMolFrags(molecule)) > 1:
        raise ValueError(f"{smiles!r} holds several molecules: give one at a time.")
    return Chem.AddHs(molecule)


def _embedded(molecule: Chem.Mol, given: MoleculeFromSmilesInput) -> tuple[str, list[list[float]]]:
    """The force field that was used, and the coordinates."""
    settings = rdDistGeom.ETKDGv3()
    settings.randomSeed = given.seed
    settings.useRandomCoords = True
    start = _within_valence(molecule, linear=False)
    conformers = list(rdDistGeom.EmbedMultipleConfs(start, given.n_conformers, settings))
    if not conformers:
        raise RuntimeError(f"No structure of {given.smiles!r} was found: try another seed, or give coordinates.")
    final = _within_valence(molecule, linear=True)
    for number in conformers:
        final.AddConformer(start.GetConformer(number), assignId=True)
    chosen = _force_field(molecule, final, given)
    energies = [0.0] * len(conformers)
    if chosen == "MMFF94":
        energies = [one for _, one in rdForceFieldHelpers.MMFFOptimizeMoleculeConfs(final, maxIters=2000)]
    elif chosen == "UFF":
        energies = [one for _, one in rdForceFieldHelpers.UFFOptimizeMoleculeConfs(final, maxIters=2000)]
    best = energies.index(min(energies))
    return chosen, final.GetConformers()[best].GetPositions().tolist()


def _within_valence(molecule: Chem.Mol, linear: bool) -> Chem.Mol:
    """A copy that RDKit's geometry will take: charges where valences are too high, single bonds at crowded centres.

    Distance geometry knows double bonds to at most four neighbours, and makes the centre linear otherwise. With
    `linear`, what such a centre holds by two double bonds in a row (M=C=O) is written M-C#O for the force field.
    """
    copy = Chem.RWMol(molecule)
    for atom in copy.GetAtoms():
        for bond in atom.GetBonds() if atom.GetDegree() > 4 else ():
            if bond.GetBondType() != Chem.BondType.DOUBLE:
                continue
            bond.SetBondType(Chem.BondType.SINGLE)
            for other in bond.GetOtherAtom(atom).GetBonds() if linear else ():
                if other.GetBondType() == Chem.BondType.DOUBLE:
                    other.SetBondType(Chem.BondType.TRIPLE)
    copy.UpdatePropertyCache(strict=False)
    for atom in copy.GetAtoms():
        while atom.HasValenceViolation():
            atom.SetFormalCharge(atom.GetFormalCharge() + 1)
            atom.UpdatePropertyCache(strict=False)
    Chem.SanitizeMol(copy, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES, catchErrors=True)
    return copy


def _force_field(molecule: Chem.Mol, copy: Chem.Mol, given: MoleculeFromSmilesInput) -> str:
    """The force field to use. None has terms for hypervalent atoms of the main groups."""
    usual = not any(atom.HasValenceViolation() for atom in molecule.GetAtoms())
    known = {
        "MMFF94": usual and rdForceFieldHelpers.MMFFHasAllMoleculeParams(copy),
        "UFF": usual and rdForceFieldHelpers.UFFHasAllMoleculeParams(copy),
        "none": True,
    }
    if given.force_field == "auto":
        return next(name for name, can in known.items() if can)
    if not known[given.force_field]:
        raise ValueError(f"{given.force_field} does not know all atoms of {given.smiles!r}: use auto.")
    return given.force_field
