"""Initial structures of the chemistry tasks that the paper does not print: made from SMILES, and labelled so.

``python -m labwright.evaluation.forge.smiles_geometries`` writes every `inputs/*.xyz` anew; needs the extra `chem`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parents[1] / "cases" / "forge" / "chemistry"
SEED = 20261122
ORGANIC = {
    "caffeine_openbabel": "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "theobromine_openbabel": "CN1C=NC2=C1C(=O)NC(=O)N2C",
    "aspirin_openbabel": "CC(=O)OC1=CC=CC=C1C(=O)O",
    "methyl_salicylate_openbabel": "COC(=O)c1ccccc1O",
    "diisopropylamide_anion_openbabel": "CC(C)[N-]C(C)C",
    "diisopropylammonium_cation_openbabel": "CC(C)[NH2+]C(C)C",
}
INORGANIC = {
    "fluorophosphoric_acid_singly_deprotonated_form": "[O-]P(F)(O)=O",
    "trifluoromethane_sulfonate": "[O-]S(=O)(=O)C(F)(F)F",
    "cyclohexyldimethylphosphine": "CP(C)C1CCCCC1",
    "t-butylisothiocyanate": "CC(C)(C)N=C=S",
}
PARENTS = {
    "methane": "C",
    "ethane": "CC",
    "propane": "CCC",
    "2-methylpropane": "CC(C)C",
    "toluene": "Cc1ccccc1",
    "benzene": "c1ccccc1",
    "dimethyl ether": "COC",
    "trimethylamine": "CN(C)C",
    "propene": "C=CC",
}
CATIONS = {
    "methane": "[CH3+]",
    "ethane": "[CH2+]C",
    "propane": "C[CH+]C",
    "2-methylpropane": "C[C+](C)C",
    "toluene": "c1c(cccc1)[CH2+]",
    "benzene": "c1[c+]cccc1",
    "dimethyl ether": "CO[CH2+]",
    "trimethylamine": "CN(C)[CH2+]",
    "propene": "[CH2+]C=C",
}
# The paper's chromophores 2, 3 and 5 are not printed; these are small ones whose S1 is n -> pi* or pi -> pi*.
CHROMOPHORES = {"2": "C=CC=O", "3": "c1cnccn1", "5": "c1ccoc1"}


def xyz(symbols: list[str], positions: list[tuple[float, float, float]], note: str) -> str:
    """An XYZ file's text; positions in angstrom."""
    atoms = [f"{symbol:<2} {x:12.6f} {y:12.6f} {z:12.6f}" for symbol, (x, y, z) in zip(symbols, positions, strict=True)]
    return "\n".join([str(len(symbols)), note, *atoms, ""])


def from_smiles(smiles: str) -> str:
    """A structure by ETKDG and UFF; a SMILES that one reads as a formula gives the geometry only roughly."""
    from rdkit import Chem
    from rdkit.Chem import rdDistGeom, rdForceFieldHelpers

    molecule = Chem.AddHs(Chem.MolFromSmiles(smiles))
    parameters: Any = rdDistGeom.ETKDGv3()
    parameters.randomSeed = SEED
    if rdDistGeom.EmbedMolecule(molecule, parameters) != 0:
        parameters.useRandomCoords = True
        if rdDistGeom.EmbedMolecule(molecule, parameters) != 0:
            raise RuntimeError(f"rdkit finds no structure of {smiles}.")
    if rdForceFieldHelpers.UFFHasAllMoleculeParams(molecule):
        rdForceFieldHelpers.UFFOptimizeMolecule(molecule, maxIters=2000)
    conformer = molecule.GetConformer()
    positions = [tuple(conformer.GetAtomPosition(i)) for i in range(molecule.GetNumAtoms())]
    symbols = [atom.GetSymbol() for atom in molecule.GetAtoms()]
    return xyz(symbols, positions, f"replaced: not printed in the paper; generated from SMILES {smiles} with rdkit")


def hexacarbonyl(metal: str = "Cr", metal_carbon: float = 1.92, carbon_oxygen: float = 1.14) -> str:
    """An octahedral M(CO)6; lengths in angstrom. A force field does not know this kind of bond."""
    symbols, positions = [metal], [(0.0, 0.0, 0.0)]
    for symbol, radius in (("C", metal_carbon), ("O", metal_carbon + carbon_oxygen)):
        for axis in range(3):
            for sign in (1.0, -1.0):
                symbols.append(symbol)
                positions.append(tuple(sign * radius if k == axis else 0.0 for k in range(3)))  # type: ignore[arg-type]
    return xyz(symbols, positions, "replaced: not printed in the paper; an octahedron with Cr-C 1.92, C-O 1.14")


def trifluoride() -> str:
    """A T-shaped ClF3 near the measured structure (1.698 and 1.598 angstrom, 87.5 degrees)."""
    symbols = ["Cl", "F", "F", "F"]
    positions = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.60), (0.0, 1.70, 0.07), (0.0, -1.70, 0.07)]
    return xyz(symbols, positions, "replaced: not printed in the paper; T-shaped, near the measured bond lengths")


def coordinates(name: str, smiles: str) -> str:
    """Atoms of a species as ``symbol x y z`` lines in angstrom: an XYZ file's, or one from its SMILES."""
    drawn = {"chromium_hexacarbonyl": hexacarbonyl, "chlorine_trifluoride": trifluoride}
    if smiles in ("[H-]", "[H][H]"):
        return "H 0 0 0" if smiles == "[H-]" else "H 0 0 0; H 0 0 0.75"
    text = drawn[name]() if name in drawn else from_smiles(smiles)
    return "\n".join(text.splitlines()[2:])


def files() -> Mapping[str, Mapping[str, str]]:
    """Task -> file name -> text."""
    carbocations = {f"{name.replace(' ', '_')}.xyz": from_smiles(smiles) for name, smiles in PARENTS.items()}
    carbocations |= {f"{name.replace(' ', '_')}_cation.xyz": from_smiles(smiles) for name, smiles in CATIONS.items()}
    carbocations["hydride.xyz"] = xyz(["H"], [(0.0, 0.0, 0.0)], "hydride, charge -1, multiplicity 1")
    inorganic = {"chromium_hexacarbonyl.xyz": hexacarbonyl(), "chlorine_trifluoride.xyz": trifluoride()}
    chromophores = {f"{name}.xyz": from_smiles(smiles) for name, smiles in CHROMOPHORES.items()}
    return {
        "03_organic_l2": {f"{name}.xyz": from_smiles(smiles) for name, smiles in ORGANIC.items()},
        "05_inorganic_l2": inorganic | {f"{name}.xyz": from_smiles(smiles) for name, smiles in INORGANIC.items()},
        "06_carbocation_l1": carbocations,
        "12_tddft_l1": chromophores,
        "13_tddft_l2": chromophores,
    }


def write() -> int:
    """Write all files; returns how many."""
    written = 0
    for task, inputs in files().items():
        folder = CASES / task / "inputs"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in inputs.items():
            (folder / name).write_text(text, encoding="utf-8")
            written += 1
    return written


if __name__ == "__main__":
    import sys

    sys.stderr.write(f"{write()} files\n")
