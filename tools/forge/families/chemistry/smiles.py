"""What can be said of a SMILES without a chemistry package: its atoms, hydrogens, charge, spin and acidic sites.

Source: the OpenSMILES specification (opensmiles.org), sections 3 and 4.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

ELEMENTS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn"
).split()
_VALENCES = {
    "B": (3,),
    "C": (4,),
    "N": (3, 5),
    "O": (2,),
    "P": (3, 5),
    "S": (2, 4, 6),
    **dict.fromkeys(("F", "Cl", "Br", "I"), (1,)),
}
_BRACKET = re.compile(
    r"\[(?P<isotope>\d+)?(?P<symbol>[A-Z][a-z]?|[bcnops]|se|"
    r"as)(?P<chiral>@{1,2})?(?P<h>H\d?)?(?P<charge>[+-]\d|\++|-+)?(?::\d+)?\]"
)
_ORDERS = {"-": 1, "=": 2, "#": 3, "$": 4, ":": 1, "/": 1, "\\": 1}
_ORGANIC = re.compile(r"Cl|Br|[BCNOPSFI]|[bcnops]")


@dataclass
class Atom:
    """One heavy atom (or a bracketed hydrogen).

    Attributes:
        at: its span in the SMILES.
        bonds: index of a neighbour -> order.
        hydrogens: attached, written or implied.
    """

    symbol: str
    aromatic: bool
    charge: int
    at: tuple[int, int]
    bracket: bool
    hydrogens: int = 0
    bonds: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Smiles:
    """A parsed SMILES."""

    text: str
    atoms: tuple[Atom, ...]

    @property
    def counts(self) -> Counter[str]:
        """Element -> number of atoms, hydrogens included."""
        found = Counter(one.symbol for one in self.atoms)
        found["H"] += sum(one.hydrogens for one in self.atoms)
        return +found

    @property
    def charge(self) -> int:
        """Sum of the formal charges."""
        return sum(one.charge for one in self.atoms)


def hill(counts: Counter[str]) -> str:
    """Formula in Hill order: carbon, hydrogen, then the alphabet."""
    first = [one for one in ("C", "H") if counts["C"] and counts[one]]
    order = first + sorted(one for one in counts if one not in first)
    return "".join(f"{one}{counts[one] if counts[one] > 1 else ''}" for one in order)


def parse_smiles(text: str) -> Smiles | None:
    """`text` as a SMILES; None if it is none."""
    atoms: list[Atom] = []
    stack: list[int] = []
    rings: dict[str, tuple[int, int]] = {}
    previous, order, at = -1, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == "(" and previous >= 0:
            stack.append(previous)
        elif letter == ")" and stack:
            previous = stack.pop()
        elif letter in _ORDERS:
            order = _ORDERS[letter]
        elif letter == ".":
            previous, order = -1, 0
        elif letter.isdigit() or letter == "%":
            label = text[at + 1 : at + 3] if letter == "%" else letter
            if previous < 0 or not label.isdigit():
                return None
            if label in rings:
                other, before = rings.pop(label)
                if other == previous:
                    return None
                _bond(atoms, other, previous, order or before)
            else:
                rings[label] = (previous, order)
            order = 0
            at += len(label) if letter == "%" else 0
        else:
            one = _atom(text, at)
            if one is None:
                return None
            atoms.append(one)
            if previous >= 0:
                _bond(atoms, previous, len(atoms) - 1, order)
            previous, order = len(atoms) - 1, 0
            at = one.at[1] - 1
        at += 1
    if stack or rings or order or not atoms:
        return None
    for one in atoms:
        if not one.bracket:
            one.hydrogens = _implied(one)
    return Smiles(text, tuple(atoms))


def _atom(text: str, at: int) -> Atom | None:
    bracket = _BRACKET.match(text, at)
    if bracket:
        symbol = bracket["symbol"].capitalize()
        if symbol not in ELEMENTS:
            return None
        hydrogens = int(bracket["h"][1:] or 1) if bracket["h"] else 0
        sign = bracket["charge"] or ""
        charge = int(sign) if sign[1:].isdigit() else len(sign) * (-1 if "-" in sign else 1)
        return Atom(symbol, bracket["symbol"].islower(), charge, bracket.span(), True, hydrogens)
    plain = _ORGANIC.match(text, at)
    return Atom(plain[0].capitalize(), plain[0].islower(), 0, plain.span(), False) if plain else None


def _bond(atoms: list[Atom], a: int, b: int, order: int) -> None:
    atoms[a].bonds[b] = atoms[b].bonds[a] = order or 1


def _implied(atom: Atom) -> int:
    """Hydrogens that fill the lowest valence that is enough; an aromatic atom keeps one valence for the ring."""
    used = sum(atom.bonds.values()) + int(atom.aromatic and atom.symbol in ("C", "N", "B", "P"))
    if atom.aromatic and atom.symbol in ("O", "S"):
        return 0
    return max(0, next((valence - used for valence in _VALENCES[atom.symbol] if valence >= used), 0))


def acidic_sites(molecule: Smiles) -> list[tuple[str, list[int]]]:
    """Kinds of acidic X-H, the most acidic first, with the indices of X.

    Order after the usual ranges of pKa in water: sulfonic (below 0), carboxylic (0 to 5), thiophenol and phenol (6 to
    10), thiol (10), alcohol and water (15 and above).
    """
    kinds: dict[str, list[int]] = {}
    for index, atom in enumerate(molecule.atoms):
        if atom.hydrogens and atom.charge == 0 and atom.symbol in ("O", "S", "F", "Cl", "Br", "I"):
            kinds.setdefault(_kind(molecule, atom), []).append(index)
    order = ("oxoacid", "hydrogen halide", "carboxylic acid", "phenol", "thiol", "alcohol")
    return [(kind, kinds[kind]) for kind in order if kind in kinds]


def _kind(molecule: Smiles, atom: Atom) -> str:
    if atom.symbol in ("F", "Cl", "Br", "I"):
        return "hydrogen halide"
    for neighbour in atom.bonds:
        other = molecule.atoms[neighbour]
        double = any(order == 2 and molecule.atoms[k].symbol == "O" for k, order in other.bonds.items())
        if other.symbol in ("S", "P", "N", "Cl") and double:
            return "oxoacid"
        if other.symbol == "C" and double:
            return "carboxylic acid"
        if other.aromatic:
            return "phenol"
    return "thiol" if atom.symbol == "S" else "alcohol"


def deprotonated(molecule: Smiles, site: int) -> str:
    """The SMILES after the atom `site` lost a proton."""
    atom = molecule.atoms[site]
    left = atom.hydrogens - 1
    hydrogens = "" if left == 0 else "H" if left == 1 else f"H{left}"
    start, end = atom.at
    return f"{molecule.text[:start]}[{atom.symbol}{hydrogens}-]{molecule.text[end:]}"
