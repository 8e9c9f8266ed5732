"""Molecular weight from a formula, such as ``C10H8``, ``Ca(OH)2`` or ``CuSO4·5H2O``."""

from __future__ import annotations

import re
from collections import Counter

from labwright.tools.errors import InputError

# Conventional standard atomic weights, g/mol (IUPAC CIAAW 2021 abridged values).
ATOMIC_WEIGHTS = {
    "H": 1.008, "He": 4.0026, "Li": 6.94, "Be": 9.0122, "B": 10.81, "C": 12.011, "N": 14.007, "O": 15.999,
    "F": 18.998, "Ne": 20.180, "Na": 22.990, "Mg": 24.305, "Al": 26.982, "Si": 28.085, "P": 30.974, "S": 32.06,
    "Cl": 35.45, "Ar": 39.95, "K": 39.098, "Ca": 40.078, "Sc": 44.956, "Ti": 47.867, "V": 50.942, "Cr": 51.996,
    "Mn": 54.938, "Fe": 55.845, "Co": 58.933, "Ni": 58.693, "Cu": 63.546, "Zn": 65.38, "Ga": 69.723, "Ge": 72.630,
    "As": 74.922, "Se": 78.971, "Br": 79.904, "Kr": 83.798, "Rb": 85.468, "Sr": 87.62, "Y": 88.906, "Zr": 91.224,
    "Nb": 92.906, "Mo": 95.95, "Ru": 101.07, "Rh": 102.91, "Pd": 106.42, "Ag": 107.87, "Cd": 112.41, "In": 114.82,
    "Sn": 118.71, "Sb": 121.76, "Te": 127.60, "I": 126.90, "Xe": 131.29, "Cs": 132.91, "Ba": 137.33, "La": 138.91,
    "Ce": 140.12, "Pt": 195.08, "Au": 196.97, "Hg": 200.59, "Tl": 204.38, "Pb": 207.2, "Bi": 208.98,
}  # fmt: skip
_TOKEN = re.compile(r"([A-Z][a-z]?)(\d*)|(\()|(\))(\d*)")


def molecular_weight(formula: str) -> float:
    """Molecular weight in g/mol.

    Raises:
        InputError: the formula cannot be read or names an element without a weight here.
    """
    return sum(ATOMIC_WEIGHTS[element] * count for element, count in atoms(formula).items())


def atoms(formula: str) -> Counter[str]:
    """How many atoms of each element; parts joined by a dot, such as water of crystallisation, are summed."""
    total: Counter[str] = Counter()
    for part in re.split(r"[·.*]", formula):
        factor, body = re.fullmatch(r"(\d*)(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
        for element, count in _group(body, formula).items():
            total[element] += count * int(factor or 1)
    return total


def _group(body: str, formula: str) -> Counter[str]:
    stack: list[Counter[str]] = [Counter()]
    position = 0
    while position < len(body):
        token = _TOKEN.match(body, position)
        if token is None or (token[4] and len(stack) == 1):
            raise InputError(f"Formula {formula!r} cannot be read from {body[position:]!r} on. Write it like Ca(OH)2.")
        position = token.end()
        if token[1]:
            if token[1] not in ATOMIC_WEIGHTS:
                raise InputError(f"Formula {formula!r} names {token[1]!r}, which is no element of the table.")
            stack[-1][token[1]] += int(token[2] or 1)
        elif token[3]:
            stack.append(Counter())
        else:
            inner = stack.pop()
            for element, count in inner.items():
                stack[-1][element] += count * int(token[5] or 1)
    if len(stack) != 1 or not stack[0]:
        raise InputError(f"Formula {formula!r} is empty or leaves a bracket open. Write it like Ca(OH)2.")
    return stack[0]
