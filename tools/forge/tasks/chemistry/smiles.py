"""What RDKit says of a SMILES: its atoms and charge, and the base that an acid leaves."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from labwright.tools.forge.tasks.expressions import ExpressionError

ELEMENTS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn"
).split()
# Acidic X-H, the most acidic first by the usual ranges of pKa in water: sulfonic and the like (below 0), hydrogen
# halides, carboxylic (0 to 5), thiophenol and phenol (6 to 10), thiol (10), alcohol and water (15 and above).
ACIDIC = (
    "[O,S;!H0;+0][S,P,N,Cl]=O", "[F,Cl,Br,I;!H0;+0]", "[O,S;!H0;+0]C=O", "[O,S;!H0;+0]c", "[S;!H0;+0]", "[O;!H0;+0]",
)  # fmt: skip


def parsed(smiles: str) -> Any:
    """RDKit's molecule.

    Raises:
        ExpressionError: it is no SMILES, or RDKit is not installed.
    """
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        raise ExpressionError("Molecules need RDKit and PySCF. Install them: pip install 'labwright[chem]'.") from None
    with rdBase.BlockLogs():  # what is wrong is said by the card
        molecule = Chem.MolFromSmiles(smiles) or Chem.MolFromSmiles(smiles, sanitize=False)  # ClF3 has too many bonds
    if molecule is not None:
        molecule.UpdatePropertyCache(strict=False)
    if molecule is None or not molecule.GetNumAtoms():
        raise ExpressionError(f"{smiles!r} is no SMILES. Look at brackets and ring numbers, or give a common name.")
    return molecule


def atoms(smiles: str) -> tuple[Counter[str], int]:
    """Element -> number of atoms, hydrogens included, and the charge.

    Raises:
        ExpressionError: as for `parsed`.
    """
    from rdkit import Chem

    molecule = parsed(smiles)
    if any(one.GetIsotope() for one in molecule.GetAtoms()):
        raise ExpressionError(f"{smiles!r} names isotopes. Write plain atoms: masses are those of natural mixtures.")
    found = Counter(one.GetSymbol() for one in Chem.AddHs(molecule).GetAtoms())
    return found, Chem.GetFormalCharge(molecule)


def counted(formula: str) -> tuple[Counter[str], int]:
    """Atoms and charge of a formula such as ``C2H6O`` or ``CH3+``; ``SO4 2-`` has two.

    Raises:
        ExpressionError: it is none.
    """
    found = re.fullmatch(r"((?:[A-Z][a-z]?\d*)+)(?: (\d*))?([+-]*)", formula)
    counts: Counter[str] = Counter()
    for symbol, count in re.findall(r"([A-Z][a-z]?)(\d*)", found[1]) if found else ():
        counts[symbol] += int(count or 1)
    if not found or not set(counts) <= set(ELEMENTS):
        raise ExpressionError(f"{formula!r} is no formula. Write such as C2H6O, with a charge CH3+.")
    return counts, (found[3].count("+") - found[3].count("-")) * int(found[2] or 1)


def symbols_in(structure: str) -> list[str]:
    """Symbols of the atoms of a structure in XYZ format; ``ghost-F`` has the basis functions of F, and nothing else.

    Raises:
        ExpressionError: it is no such structure; says in which line.
    """
    lines = structure.splitlines()
    first, rows = "".join(lines[:1]).strip(), [(k, line.split()) for k, line in enumerate(lines[2:], 3) if line.strip()]
    if first != str(len(rows)) or not rows:
        told = f"The structure begins with {first!r}, and {len(rows)} atoms follow from line 3 on"
        raise ExpressionError(f"{told}. Write their number in line 1, words of your own in line 2, one atom a line.")
    found = []
    for number, row in rows:
        ghost, name = re.fullmatch(r"(ghost-)?(.*)", row[0].lower()).groups()  # type: ignore[union-attr]
        symbol = ELEMENTS[int(name) - 1] if name in map(str, range(1, len(ELEMENTS) + 1)) else name.capitalize()
        if symbol not in ELEMENTS:
            cure = "Write a symbol such as F, or ghost-F for its basis functions alone."
            raise ExpressionError(f"Line {number} of the structure: {row[0]!r} is no element. {cure}")
        if len(row) < 4 or not all(re.fullmatch(r"[-+]?\d*\.?\d+\.?(e[-+]?\d+)?", one, re.I) for one in row[1:4]):
            raise ExpressionError(f"Line {number} of the structure is {' '.join(row)!r}. Write such as F 0 0 0.92.")
        found.append(f"{ghost or ''}{symbol}")
    return found


def hill(counts: Counter[str]) -> str:
    """Formula in Hill order: carbon, hydrogen, then the alphabet."""
    first = [one for one in ("C", "H") if counts["C"] and counts[one]]
    order = first + sorted(one for one in counts if one not in first)
    return "".join(f"{one}{counts[one] if counts[one] > 1 else ''}" for one in order)


def conjugate_base(smiles: str) -> str:
    """The SMILES after the most acidic proton is gone; empty if there is none.

    Raises:
        ExpressionError: as for `parsed`.
    """
    molecule = parsed(smiles)
    from rdkit import Chem

    for pattern in ACIDIC:
        if places := molecule.GetSubstructMatch(Chem.MolFromSmarts(pattern)):
            atom = molecule.GetAtomWithIdx(places[0])
            left = atom.GetTotalNumHs() - 1
            atom.SetFormalCharge(-1)
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(left)
            return str(Chem.MolToSmiles(molecule))
    return ""
