"""Measures of a structure: bond lengths, angles, dihedrals, rotational constants."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from .task import Molecule, Plain, Task

FIELD = 1e-3  # hartree / (e bohr)
ROTOR = 505.3790046  # h / (8 pi^2) in u angstrom^2 GHz


def internal(task: Task, molecule: Molecule, labels: Plain) -> None:
    """Bond lengths, angles, dihedrals; those that differ by less than 1e-3 angstrom or 0.1 degree stand once."""
    from pyscf.data import elements, nist, radii

    points, symbols = np.array(molecule.positions), molecule.symbols
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    reach = [radii.COVALENT[elements.charge(one)] * nist.BOHR for one in symbols]
    atoms = range(len(symbols))
    near = [[j for j in atoms if j != i and apart[i, j] < 1.25 * (reach[i] + reach[j])] for i in atoms]
    bonds = [(i, j) for i in atoms for j in near[i] if i < j]
    angles = [(i, j, k) for j in atoms for i, k in itertools.combinations(near[j], 2)]
    twists = [(i, j, k, m) for j, k in bonds for i in near[j] for m in near[k] if len({i, j, k, m}) == 4]

    def angle(i: int, j: int, k: int) -> float:
        u, v = points[i] - points[j], points[k] - points[j]
        return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v)))

    def dihedral(i: int, j: int, k: int, m: int) -> float:
        a, b, c = points[j] - points[i], points[k] - points[j], points[m] - points[k]
        n, o = np.cross(a, b), np.cross(b, c)
        return abs(float(np.degrees(np.arctan2(np.linalg.norm(b) * (a @ o), n @ o))))

    straight = {frozenset(one) for one in angles if angle(*one) > 175}
    twists = [one for one in twists if not {frozenset(one[:3]), frozenset(one[1:])} & straight]
    kinds: tuple[tuple[str, list[tuple[int, ...]], Callable[..., float], str, float], ...] = (
        ("bond_length", [*bonds], lambda i, j: float(apart[i, j]), "angstrom", 1e-3),
        ("bond_angle", [*angles], angle, "degree", 0.1),
        ("dihedral_angle", [*twists], dihedral, "degree", 0.1),
    )
    for quantity, rows, measure, unit, same in kinds:
        found = defaultdict(list)
        for row in rows:
            names = tuple(symbols[k] for k in row)
            found[min(names, names[::-1])].append((measure(*row), row))
        for names, measured in found.items():
            values, told = [value for value, _ in measured], "-".join(names)
            if max(values) - min(values) < same:
                task.note(quantity, sum(values) / len(values), unit, labels, atoms=told)
                continue
            for value, row in measured:
                numbered = "-".join(f"{symbols[k]}{k + 1}" for k in row)
                task.note(quantity, value, unit, labels, atoms=told, numbered=numbered)


def polarisability(task: Task, molecule: Molecule, level: Plain, labels: Plain) -> None:
    """Static, bohr^3: how the dipole grows with a weak uniform field at fixed nuclei, the orbitals being relaxed."""
    from pyscf import dft, gto, scf

    many = molecule.species["multiplicity"] - 1
    atoms = [*zip(molecule.symbols, molecule.positions, strict=True)]
    mol = gto.M(atom=atoms, basis=level["basis"], charge=molecule.species["charge"], spin=many, verbose=0)
    if level["method"].upper() == "HF":
        field = scf.UHF(mol) if many else scf.RHF(mol)
    else:
        field = (dft.UKS if many else dft.RKS)(mol, xc=level["method"])
        field.grids.level = level["grid_level"]
    field.conv_tol, core, moments = 1e-12, field.get_hcore(), mol.intor_symmetric("int1e_r", comp=3)

    def dipole(strength: float, axis: int) -> Any:
        field.get_hcore = lambda *_: core + strength * moments[axis]
        field.kernel()
        return field.dip_moment(unit="AU", verbose=0)

    def tensor(h: float) -> Any:
        return np.array([(dipole(h, k) - dipole(-h, k)) / (2 * h) for k in range(3)])

    near, far = tensor(FIELD), tensor(2 * FIELD)
    found = (4 * near - far) / 3  # the cubic response to the field falls out
    found = (found + found.T) / 2
    error = float(np.abs(found - near).max())
    task.note("polarisability", float(np.trace(found) / 3), "bohr^3", labels, error=error)
    task.note("polarisability_principal", np.linalg.eigvalsh(found), "bohr^3", labels, error=error)
    task.note("polarisability_tensor", found, "bohr^3", labels, {"row": [0, 1, 2], "column": [0, 1, 2]}, error=error)


def rotation(task: Task, molecule: Molecule, labels: Plain) -> None:
    """Rotational constants of the rigid structure with the most common isotopes; a line or an atom has fewer."""
    from pyscf.data import elements

    mass = np.array([elements.COMMON_ISOTOPE_MASSES[elements.charge(one)] for one in molecule.symbols])
    points = np.array(molecule.positions)
    points = points - mass @ points / mass.sum()
    tensor = (mass * (points**2).sum(axis=1)).sum() * np.eye(3) - (points.T * mass) @ points
    constants = [ROTOR / float(one) for one in np.linalg.eigvalsh(tensor) if one > 1e-3]
    if constants:
        task.note("rotational_constants", constants, "GHz", labels)
