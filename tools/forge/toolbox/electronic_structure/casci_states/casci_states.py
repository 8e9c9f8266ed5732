"""Lowest states of a molecule by complete-active-space configuration interaction on Hartree-Fock orbitals.

All ways to put `n_electrons` into `n_orbitals` are diagonalised; the other electrons stay in filled orbitals. The
states have spin projection zero (or that of the reference), so singlets and triplets both appear: `spin_square` tells
them apart (S(S+1): 0, 2). The active orbitals are those around the gap unless `active` lists others.
Source: Roos, Adv. Chem. Phys. 69, 399 (1987); Sun et al., J. Chem. Phys. 153, 024109 (2020).
"""

import math
from typing import Literal

import numpy as np
from pydantic import BaseModel, Field
from pyscf import dft, gto, mcscf, scf
from pyscf.data import elements, nist
from pyscf.solvent import smd


class CasciStatesInput(BaseModel, allow_inf_nan=False):
    """A molecule, its reference determinant, and an active space."""

    symbols: list[str] = Field(min_length=1, description="Element symbols, one for each atom.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    charge: int = Field(description="Charge of the molecule (elementary charges).")
    multiplicity: int = Field(ge=1, description="Spin multiplicity 2S+1; 1 is run restricted, more unrestricted (1).")
    method: str = Field(description="HF, or an exchange-correlation functional as PySCF names it: B3LYP, PBE0.")
    basis: str = Field(description="Basis set as PySCF names it, such as def2-SVP.")
    core_potential: str = Field(
        default="", description="Effective core potential, such as def2-SVP; empty: all electrons."
    )
    density_fitting: bool = Field(
        default=False, description="Whether Coulomb and exchange are density-fitted; False: conventional."
    )
    grid_level: int = Field(default=3, ge=0, le=9, description="Level of the integration grid, `mf.grids.level` (1).")
    dispersion: str = Field(default="", description="Dispersion correction: d3bj, d4, or empty for none.")
    solvent_model: Literal["none", "CPCM", "IEFPCM", "SMD"] = Field(
        default="none", description="Implicit solvent; none is the gas phase."
    )
    dielectric: float | None = Field(default=None, gt=1, description="Relative permittivity for C-PCM, IEF-PCM (1).")
    solvent: str = Field(default="", description="Name of the solvent for SMD, such as water.")
    lebedev_order: int = Field(
        default=29, description="Order of the cavity's grid: 29 is usual, 11 a coarse one for solvated Hessians (1)."
    )
    second_order: bool = Field(default=False, description="Whether a Newton solver converges the orbitals first.")
    max_cycles: int = Field(default=100, ge=1, description="Iterations that the self-consistent field may take (1).")
    n_electrons: int = Field(ge=1, description="Active electrons (1).")
    n_orbitals: int = Field(ge=1, description="Active orbitals (1).")
    n_roots: int = Field(ge=1, description="States to find (1).")
    active: list[int] = Field(
        default=[], description="Active orbitals by number, counted from 0; empty: those around the gap (1)."
    )


class CasciStatesOutput(BaseModel):
    """States in rising order of energy."""

    energies: list[float] = Field(description="Total energies (hartree).")
    excitation_energies: list[float] = Field(description="Energies above the lowest state (eV).")
    spin_square: list[float] = Field(description="Expectation value of S^2 of each state (1).")
    natural_occupations: list[float] = Field(description="Of the active orbitals in the lowest state (electrons).")
    reference_energy: float = Field(description="Energy of the reference determinant (hartree).")
    n_determinants: int = Field(description="Determinants in the active space (1).")


def casci_states(given: CasciStatesInput) -> CasciStatesOutput:
    """Diagonalise the Hamiltonian of `given` in its active space.

    Raises:
        ValueError: the active space does not fit the molecule, or is too large to be listed (above 2e6 determinants).
        RuntimeError: the orbitals do not converge.
    """
    field = _converged(_mean_field(given), given)
    unpaired = given.multiplicity - 1
    alpha, odd = divmod(given.n_electrons + unpaired, 2)
    beta = given.n_electrons - alpha
    core = field.mol.nelectron - given.n_electrons
    fits = odd == 0 and core >= 0 and beta >= 0 and alpha <= given.n_orbitals
    if not fits or core // 2 + given.n_orbitals > field.mol.nao:
        raise ValueError(
            f"{given.n_electrons} electrons in {given.n_orbitals} orbitals do not fit {field.mol.nelectron} electrons "
            f"of multiplicity {given.multiplicity} in {field.mol.nao} orbitals."
        )
    determinants = math.comb(given.n_orbitals, alpha) * math.comb(given.n_orbitals, beta)
    if determinants > 2_000_000 or given.n_roots > determinants:
        raise ValueError(f"The space has {determinants} determinants: at least `n_roots`, at most 2000000 can be done.")
    space = mcscf.CASCI(field, given.n_orbitals, (alpha, beta))
    space.fcisolver.nroots = given.n_roots
    space.fcisolver.conv_tol = 1e-10
    space.natorb = False
    orbitals = None
    if given.active:
        if sorted(set(given.active)) != sorted(given.active) or len(given.active) != given.n_orbitals:
            raise ValueError(f"`active` must list {given.n_orbitals} different orbitals, but is {given.active}.")
        orbitals = space.sort_mo([one + 1 for one in given.active])
    space.kernel(orbitals)
    energies = np.atleast_1d(space.e_tot)
    states = space.ci if given.n_roots > 1 else [space.ci]
    spins = [space.fcisolver.spin_square(one, given.n_orbitals, (alpha, beta))[0] for one in states]
    density = space.fcisolver.make_rdm1(states[0], given.n_orbitals, (alpha, beta))
    return CasciStatesOutput(
        energies=energies.tolist(),
        excitation_energies=((energies - energies[0]) * nist.HARTREE2EV).tolist(),
        spin_square=[float(one) for one in spins],
        natural_occupations=np.linalg.eigvalsh(density)[::-1].tolist(),
        reference_energy=field.e_tot,
        n_determinants=determinants,
    )


def _molecule(given: CasciStatesInput) -> gto.Mole:
    """The molecule with its basis; electrons, spin and basis are checked."""
    if len(given.symbols) != len(given.positions) or any(len(row) != 3 for row in given.positions):
        raise ValueError(
            f"{len(given.symbols)} symbols need as many rows of 3 coordinates, but there are {len(given.positions)} rows."
        )
    numbers = [elements.charge(symbol) for symbol in given.symbols]
    electrons = sum(numbers) - given.charge
    unpaired = given.multiplicity - 1
    if electrons < max(1, unpaired) or electrons % 2 != unpaired % 2:
        raise ValueError(
            f"Charge {given.charge} leaves {electrons} electrons, which cannot have multiplicity {given.multiplicity}: "
            f"change one of them."
        )
    if given.basis.lower().startswith("def2") and max(numbers) > 36 and not given.core_potential:
        raise ValueError(
            f"{given.basis} has no core functions beyond krypton: give `core_potential`, or an all-electron basis."
        )
    atoms = [(symbol, tuple(row)) for symbol, row in zip(given.symbols, given.positions, strict=True)]
    return gto.M(
        atom=atoms,
        unit="Angstrom",
        charge=given.charge,
        spin=unpaired,
        basis=given.basis,
        ecp=given.core_potential if given.core_potential else {},
        verbose=0,
    )


def _mean_field(given: CasciStatesInput) -> scf.hf.SCF:
    """The self-consistent field of `given`, not yet run."""
    molecule = _molecule(given)
    restricted = given.multiplicity == 1
    if given.method.upper() == "HF":
        field = scf.RHF(molecule) if restricted else scf.UHF(molecule)
    else:
        try:
            dft.libxc.parse_xc(given.method)
        except KeyError as unknown:
            raise ValueError(
                f"PySCF knows no functional {given.method!r} ({unknown}); say HF for Hartree-Fock."
            ) from unknown
        field = dft.RKS(molecule, xc=given.method) if restricted else dft.UKS(molecule, xc=given.method)
        field.grids.level = given.grid_level
    if given.dispersion:
        field.disp = given.dispersion
    field.max_cycle = given.max_cycles
    if given.density_fitting:
        field = field.density_fit()
    return _solvated(field, given)


def _solvated(field: scf.hf.SCF, given: CasciStatesInput) -> scf.hf.SCF:
    """`field` with the implicit solvent of `given` around it."""
    if given.solvent_model == "none":
        return field
    if given.solvent_model == "SMD":
        if not given.solvent or given.solvent not in smd.solvent_db:
            raise ValueError(f"SMD needs `solvent`, one of PySCF's names such as water, but got {given.solvent!r}.")
        field = field.SMD()
        field.with_solvent.solvent = given.solvent
    else:
        if given.dielectric is None:
            raise ValueError(f"{given.solvent_model} needs `dielectric`, such as 78.3553 for water at 298 K.")
        field = field.PCM()
        field.with_solvent.method = given.solvent_model
        field.with_solvent.eps = given.dielectric
    field.with_solvent.lebedev_order = given.lebedev_order
    return field


def _converged(field: scf.hf.SCF, given: CasciStatesInput) -> scf.hf.SCF:
    """`field` after it was run.

    Raises:
        RuntimeError: the iterations do not converge.
    """
    start = None
    if given.second_order:
        newton = field.newton()
        newton.kernel()
        start = newton.make_rdm1()
    field.kernel(dm0=start)
    if not field.converged:
        raise RuntimeError(
            f"{given.method}/{given.basis} did not converge in {given.max_cycles} iterations: set `second_order`, "
            "or look at charge, multiplicity and geometry."
        )
    return field
