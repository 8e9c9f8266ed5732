"""The molecule in an XYZ file.

First line: number of atoms. Second: a comment. Then one line an atom: element symbol or atomic number, and x, y, z in
angstrom. Columns behind these are left alone; a second frame is an error, not ignored.
Source: the XYZ format as Open Babel's documentation describes it (O'Boyle et al., J. Cheminform. 3, 33, 2011).
"""

import math

from pydantic import BaseModel, Field

_ELEMENTS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn"
).split()


class MoleculeFromXyzInput(BaseModel):
    """The file's text, and its name for messages."""

    text: str = Field(description="Content of the XYZ file.")
    source: str = Field(min_length=1, description="Name of the file, for messages.")


class MoleculeFromXyzOutput(BaseModel):
    """What stands in it."""

    symbols: list[str] = Field(description="Element symbols.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    comment: str = Field(description="The second line.")


def molecule_from_xyz(given: MoleculeFromXyzInput) -> MoleculeFromXyzOutput:
    """Read the text of `given`.

    Raises:
        ValueError: a line cannot be read; names file and line.
    """
    lines = given.text.splitlines()
    count = lines[0].strip() if lines else ""
    if not count.isdigit() or int(count) < 1:
        raise ValueError(f"{given.source}, line 1: {count!r} is no number of atoms.")
    end = int(count) + 2
    if len(lines) < end:
        raise ValueError(f"{given.source}, line {len(lines) + 1}: the file ends, but {count} atoms are announced.")
    atoms = [_atom(given.source, number, lines[number - 1]) for number in range(3, end + 1)]
    for number, line in enumerate(lines[end:], start=end + 1):
        if line.strip():
            raise ValueError(
                f"{given.source}, line {number}: there is more than the {count} atoms of line 1: {line!r}."
            )
    points = {tuple(position): number for number, (_, position) in enumerate(atoms, start=3)}
    for number, (_, position) in enumerate(atoms, start=3):
        if points[tuple(position)] != number:
            raise ValueError(f"{given.source}, line {number}: another atom lies at the same place.")
    return MoleculeFromXyzOutput(
        symbols=[symbol for symbol, _ in atoms],
        positions=[position for _, position in atoms],
        comment=lines[1].strip(),
    )


def _atom(source: str, number: int, line: str) -> tuple[str, list[float]]:
    words = line.split()
    if len(words) < 4:
        raise ValueError(f"{source}, line {number}: an element and three numbers are needed, not {line!r}.")
    name = words[0].capitalize()
    if name.isdigit() and 1 <= int(name) <= len(_ELEMENTS):
        name = _ELEMENTS[int(name) - 1]
    if name not in _ELEMENTS:
        raise ValueError(f"{source}, line {number}: {words[0]!r} is no element.")
    try:
        position = [float(word) for word in words[1:4]]
    except ValueError as wrong:
        raise ValueError(f"{source}, line {number}: coordinates must be three numbers, not {line!r}.") from wrong
    if not all(math.isfinite(value) for value in position):
        raise ValueError(f"{source}, line {number}: coordinates must be finite, not {line!r}.")
    return name, position
