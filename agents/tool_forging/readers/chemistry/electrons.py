"""Species with their charges and spins, and what a text says of these."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.tools.forge.families.chemistry.molecules import MULTIPLICITIES
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, Smiles, hill, parse_smiles
from labwright.tools.forge.families.chemistry.spec import Species

# Ground-state multiplicities of the elements (NIST Atomic Spectra Database), and their names.
ATOMS = {
    "hydrogen": ("H", 2),
    "helium": ("He", 1),
    "lithium": ("Li", 2),
    "beryllium": ("Be", 1),
    "boron": ("B", 2),
    "carbon": ("C", 3),
    "nitrogen": ("N", 4),
    "oxygen": ("O", 3),
    "fluorine": ("F", 2),
    "neon": ("Ne", 1),
    "sodium": ("Na", 2),
    "magnesium": ("Mg", 1),
    "aluminium": ("Al", 2),
    "aluminum": ("Al", 2),
    "silicon": ("Si", 3),
    "phosphorus": ("P", 4),
    "sulfur": ("S", 3),
    "sulphur": ("S", 3),
    "chlorine": ("Cl", 2),
    "argon": ("Ar", 1),
    "potassium": ("K", 2),
    "calcium": ("Ca", 1),
    "bromine": ("Br", 2),
    "krypton": ("Kr", 1),
    "rubidium": ("Rb", 2),
    "strontium": ("Sr", 1),
    "iodine": ("I", 2),
    "xenon": ("Xe", 1),
    "caesium": ("Cs", 2),
    "cesium": ("Cs", 2),
}
ATOM_OF = {symbol: (name, multiplicity) for name, (symbol, multiplicity) in ATOMS.items()}
MULTIPLETS = {"singlet": 1, "doublet": 2, "triplet": 3, "quartet": 4, "quintet": 5}
_CHARGE = r"charge\s*(?:=|of|:|is|\|)?\s*(?P<charge>[+-]?\s*\d+|neutral)"
_MULTI = r"(?:spin\s+)?multiplicity\s*(?:=|of|:|is|\|)?\s*(?P<multi>\d+)"
_BOTH = (
    r"charge\s*(?:/|and|,|&)\s*(?:spin\s+)?multiplicity\s*[:=|]?\s*(?P<charge>[+-]?\d+)\s*(?:[/,|&]|and|"
    r"\s)\s*(?P<multi>\d)"
)


@dataclass
class Found:
    """Species in the order of the text.

    Attributes:
        rows: of tables with several SMILES a row: name of the row -> heading of the column -> species' name.
    """

    species: dict[str, Species] = field(default_factory=dict)
    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, one: Species) -> Species:
        """Keep a species; the first of a name wins."""
        return self.species.setdefault(one.name, one)


def species_of(name: str, smiles: str, charge: int | None = None, multiplicity: int | None = None) -> Species:
    """A species from its SMILES.

    Raises:
        Stuck: charge or multiplicity contradict the structure.
    """
    parsed = parse_smiles(smiles)
    if parsed is None:
        raise ask(f"{smiles!r} (for {name}) is no SMILES that can be read. What is the SMILES of {name}?")
    return checked(name, smiles, "", parsed.counts, parsed.charge, charge, multiplicity, _unpaired(parsed))


def _unpaired(parsed: Smiles) -> int:
    """The multiplicity that is meant if the text does not say it."""
    if parsed.text in MULTIPLICITIES:
        return MULTIPLICITIES[parsed.text]
    if len(parsed.atoms) == 1 and not parsed.atoms[0].hydrogens and not parsed.charge:
        return ATOM_OF.get(parsed.atoms[0].symbol, ("", 1 + parsed.electrons % 2))[1]
    return 1 + parsed.electrons % 2


def checked(
    name: str,
    smiles: str,
    file: str,
    counts: Counter[str],
    own: int,
    charge: int | None,
    multiplicity: int | None,
    usual: int,
) -> Species:
    if smiles and charge is not None and charge != own:
        raise ask(
            f"The SMILES {smiles} of {name} has charge {own}, but the text says {charge}. Which is meant?",
            str(own),
            str(charge),
        )
    total = own if charge is None else charge
    electrons = sum(count * (ELEMENTS.index(symbol) + 1) for symbol, count in counts.items()) - total
    spin = multiplicity if multiplicity is not None else usual if smiles else 1 + electrons % 2
    if spin < 1 or ((electrons - (spin - 1)) % 2 or electrons < spin - 1):
        possible = [str(k) for k in range(1, 5) if (electrons - k + 1) % 2 == 0][:2]
        raise ask(
            f"{name} with charge {total} has {electrons} electrons, which cannot have multiplicity {spin}. "
            f"Which multiplicity (or charge) is meant?", *possible,
        )  # fmt: skip
    return Species(name=name, smiles=smiles, file=file, formula=hill(counts), charge=total, multiplicity=spin)


def electrons_stated(words: str) -> tuple[int | None, int | None]:
    """Charge and multiplicity in some words."""
    if both := re.search(_BOTH, words, re.I):
        return int(both["charge"]), int(both["multi"])
    charge, multi = re.search(_CHARGE, words, re.I), re.search(_MULTI, words, re.I)
    spin = re.search(rf"\b({'|'.join(MULTIPLETS)})\b(?!s)(?:\s+(?:state|ground|spin|multiplicity))?", words, re.I)
    number = (
        None if not charge else 0 if charge["charge"].lower() == "neutral" else int(charge["charge"].replace(" ", ""))
    )
    if multi:
        return number, int(multi["multi"])
    return number, MULTIPLETS[spin[1].lower()] if spin and not re.search(r"singlet|triplet", spin[0], re.I) else None


def label_stated(words: str) -> tuple[int | None, int | None]:
    """Charge and multiplicity in a label of one molecule, where a singlet or triplet is its own state."""
    charge, multi = electrons_stated(words)
    spin = re.search(rf"\b({'|'.join(MULTIPLETS)})\b", words, re.I)
    if charge is None:
        ion = re.search(r"[A-Za-z\d)\]]\^?\{?(\d?)([+-])\}?(?=[\s,:;(]|$)", words)
        charge = (
            int(ion[1] or 1) * (1 if ion[2] == "+" else -1) if ion else 0 if re.search("neutral", words, re.I) else None
        )
    return charge, multi if multi is not None else MULTIPLETS[spin[1].lower()] if spin else None


def line_of(page: Page, at: int) -> str:
    start = page.body.rfind("\n", 0, at) + 1
    end = page.body.find("\n", at)
    return page.body[start : end if end >= 0 else None]
