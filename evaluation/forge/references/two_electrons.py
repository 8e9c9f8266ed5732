"""H2 and HeH+ in STO-3G from our own integrals: s-type Gaussians need no quantum-chemistry package.

Two electrons in two orbitals: the singlet space has three states, so full configuration interaction is a 3 x 3 matrix.
Formulas: Szabo and Ostlund, Modern Quantum Chemistry, appendix A; basis: Hehre, Stewart and Pople, J. Chem. Phys. 51,
2657 (1969).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

BOHR = 0.529177210903  # angstrom, CODATA 2018
EXPONENTS = {"H": (3.425250914, 0.6239137298, 0.1688554040), "He": (6.362421394, 1.158922999, 0.3136497915)}
COEFFICIENTS = (0.1543289673, 0.5353281423, 0.4446345422)
CHARGES = {"H": 1, "He": 2}
Primitive = tuple[float, float, float]  # exponent, coefficient with norm, place on the axis


def _contracted(symbol: str, place: float) -> list[Primitive]:
    return [(a, c * (2 * a / np.pi) ** 0.75, place) for a, c in zip(EXPONENTS[symbol], COEFFICIENTS, strict=True)]


def _boys(x: float) -> float:
    return 1 - x / 3 if x < 1e-8 else float(0.5 * np.sqrt(np.pi / x) * erf(np.sqrt(x)))


def _pair(one: Primitive, other: Primitive) -> tuple[float, float, float]:
    """Sum of exponents, centre and prefactor of a product of two Gaussians."""
    (a, ca, x), (b, cb, y) = one, other
    return a + b, (a * x + b * y) / (a + b), ca * cb * float(np.exp(-a * b / (a + b) * (x - y) ** 2))


def _one_electron(one: Primitive, other: Primitive, nuclei: list[tuple[int, float]]) -> tuple[float, float]:
    """Overlap, and kinetic energy with nuclear attraction."""
    p, centre, factor = _pair(one, other)
    a, b, distance = one[0], other[0], one[2] - other[2]
    overlap = factor * (np.pi / p) ** 1.5
    kinetic = a * b / p * (3 - 2 * a * b / p * distance**2) * overlap
    attraction = sum(-2 * np.pi / p * z * factor * _boys(p * (centre - place) ** 2) for z, place in nuclei)
    return float(overlap), float(kinetic + attraction)


def _repulsion(a: Primitive, b: Primitive, c: Primitive, d: Primitive) -> float:
    p, first, left = _pair(a, b)
    q, second, right = _pair(c, d)
    prefactor = 2 * np.pi**2.5 / (p * q * np.sqrt(p + q))
    return float(prefactor * left * right * _boys(p * q / (p + q) * (first - second) ** 2))


@lru_cache(maxsize=256)
def exact_energy(symbols: tuple[str, str], distance: float) -> float:
    """Lowest singlet energy of two nuclei and two electrons in hartree; `distance` in angstrom."""
    place = distance / BOHR
    functions = [_contracted(symbols[0], 0.0), _contracted(symbols[1], place)]
    nuclei = [(CHARGES[symbols[0]], 0.0), (CHARGES[symbols[1]], place)]
    overlap, core = np.zeros((2, 2)), np.zeros((2, 2))
    for i, j in product(range(2), repeat=2):
        parts = [_one_electron(x, y, nuclei) for x in functions[i] for y in functions[j]]
        overlap[i, j], core[i, j] = sum(s for s, _ in parts), sum(h for _, h in parts)
    two = np.zeros((2, 2, 2, 2))
    for index in product(range(2), repeat=4):
        two[index] = sum(_repulsion(*four) for four in product(*(functions[k] for k in index)))
    values, vectors = np.linalg.eigh(overlap)
    orbitals = vectors / np.sqrt(values)
    h = orbitals.T @ core @ orbitals
    g = np.einsum("abcd,ai,bj,ck,dl->ijkl", two, orbitals, orbitals, orbitals, orbitals)
    return float(np.linalg.eigvalsh(_singlets(h, g))[0]) + CHARGES[symbols[0]] * CHARGES[symbols[1]] / place


def _singlets(h: NDArray[np.float64], g: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Hamiltonian among |11>, |22> and (|12> + |21>)/sqrt(2); integrals in chemists' order."""
    root = np.sqrt(2.0)
    mixed1 = root * (h[0, 1] + g[0, 0, 0, 1])
    mixed2 = root * (h[0, 1] + g[1, 1, 0, 1])
    return np.array(
        [
            [2 * h[0, 0] + g[0, 0, 0, 0], g[0, 1, 0, 1], mixed1],
            [g[0, 1, 0, 1], 2 * h[1, 1] + g[1, 1, 1, 1], mixed2],
            [mixed1, mixed2, h[0, 0] + h[1, 1] + g[0, 0, 1, 1] + g[0, 1, 0, 1]],
        ]
    )
