"""Common molecules by name: what a chemist knows without looking it up.

Source: names and structures as in the IUPAC recommendations 2013 and the NIST Chemistry WebBook. A multiplicity stands
in the table where the ground state is no singlet, or SMILES says less than chemists know.
"""

from __future__ import annotations

import csv
from pathlib import Path

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
