"""Energy, dipole moment, charges and orbitals of a molecule by Hartree-Fock or density-functional theory.

Solves the Roothaan-Hall (or Pople-Nesbet) equations F C = S C e in a Gaussian basis. One determinant: restricted for
singlets, unrestricted for every other multiplicity. Conventions: the dipole moment has its origin at the centre of
nuclear charge, so that a charged molecule's does not depend on where it lies; the gap is that of the lowest empty and
highest filled orbital over both spins; B3LYP is PySCF's, with the VWN-RPA correlation of Stephens et al. 1994.
Source: Szabo and Ostlund, Modern Quantum Chemistry (1989), chapter 3; Sun et al., J. Chem. Phys. 153, 024109 (2020).
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, Field
from pyscf import dft, gto, scf
from pyscf.data import elements, nist
from pyscf.solvent import smd


class MeanFieldEnergyInput(BaseModel, allow_inf_nan=False):
    """A molecule and a level of theory."""

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


class MeanFieldEnergyOutput(BaseModel):
    """What one self-consistent field tells."""

    energy: float = Field(description="Total energy with solvent and dispersion (hartree).")
    nuclear_repulsion: float = Field(description="Energy of the nuclei among themselves (hartree).")
    dipole: list[float] = Field(
        description="Dipole moment along x, y, z, origin at the centre of nuclear charge (debye)."
    )
    dipole_magnitude: float = Field(description="Length of the dipole moment (debye).")
    mulliken_charges: list[float] = Field(description="Mulliken charge of each atom (elementary charges).")
    orbital_energies: list[float] = Field(description="Energies of the alpha (or doubly filled) orbitals (hartree).")
    orbital_energies_beta: list[float] = Field(
        description="Energies of the beta orbitals; empty if restricted (hartree)."
    )
    n_alpha: int = Field(description="Filled alpha orbitals (1).")
    n_beta: int = Field(description="Filled beta orbitals (1).")
    homo: float = Field(description="Energy of the highest filled orbital (hartree).")
    lumo: float | None = Field(description="Energy of the lowest empty orbital; null if the basis has none (hartree).")
    homo_lumo_gap: float | None = Field(description="Lumo minus homo; null if there is no empty orbital (hartree).")
    spin_square: float = Field(description="Expectation value of S^2 of the determinant (1).")
    n_basis: int = Field(description="Basis functions (1).")


def mean_field_energy(given: MeanFieldEnergyInput) -> MeanFieldEnergyOutput:
    """Run the self-consistent field of `given` and read everything that it gives at no further cost.

    Raises:
        ValueError: charge and multiplicity do not fit, or method, basis or solvent are unknown or incomplete.
        RuntimeError: the iterations do not converge.
    """
    field = _converged(_mean_field(given), given)
    molecule = field.mol
    alpha, beta = molecule.nelec
    energies = np.atleast_2d(field.mo_energy)
    spins = [(energies[0], alpha), (energies[-1], beta)]
    homo = max(levels[filled - 1] for levels, filled in spins if filled)
    empty = [levels[filled] for levels, filled in spins if filled < len(levels)]
    lumo = float(min(empty)) if empty else None
    density = np.asarray(field.make_rdm1())
    total = density if density.ndim == 2 else density.sum(axis=0)
    charges = molecule.atom_charges()
    centre = charges @ molecule.atom_coords() / charges.sum()
    with molecule.with_common_origin(centre):
        moments = molecule.intor_symmetric("int1e_r", comp=3)
    nuclear = charges @ (molecule.atom_coords() - centre)
    dipole = (nuclear - np.einsum("xij,ji->x", moments, total)) * nist.AU2DEBYE
    gross = np.einsum("ij,ji->i", total, field.get_ovlp())
    mulliken = charges.astype(float)
    for function, (atom, *_rest) in enumerate(molecule.ao_labels(fmt=None)):
        mulliken[atom] -= gross[function]
    restricted = given.multiplicity == 1
    return MeanFieldEnergyOutput(
        energy=field.e_tot,
        nuclear_repulsion=molecule.energy_nuc(),
        dipole=dipole.tolist(),
        dipole_magnitude=float(np.linalg.norm(dipole)),
        mulliken_charges=mulliken.tolist(),
        orbital_energies=energies[0].tolist(),
        orbital_energies_beta=[] if restricted else energies[1].tolist(),
        n_alpha=alpha,
        n_beta=beta,
        homo=float(homo),
        lumo=lumo,
        homo_lumo_gap=None if lumo is None else lumo - float(homo),
        spin_square=float(field.spin_square()[0]),
        n_basis=molecule.nao,
    )


def _molecule(given: MeanFieldEnergyInput) -> gto.Mole:
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


def _mean_field(given: MeanFieldEnergyInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: MeanFieldEnergyInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: MeanFieldEnergyInput) -> scf.hf.SCF:
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
