"""Harmonic vibrations of a molecule from the analytic second derivatives of its energy.

Diagonalises the mass-weighted Hessian after projecting out translations and rotations (five for a linear molecule, six
otherwise). An imaginary frequency is given as a negative number: the structure is no minimum along that mode. Masses
are the averages of the natural isotopes. In a solvent the Hessian costs as the square of the cavity's points: use a
coarse cavity (`lebedev_order` 11) for the optimisation and for the Hessian, and say so.
Source: Wilson, Decius and Cross, Molecular Vibrations (1955), chapter 2; Sun et al., J. Chem. Phys. 153, 024109 (2020).
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, Field
from pyscf import dft, gto, scf
from pyscf.data import elements, nist
from pyscf.hessian import thermo
from pyscf.solvent import smd


class HarmonicFrequenciesInput(BaseModel, allow_inf_nan=False):
    """A molecule at a stationary point, and the level of theory that it is stationary at."""

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


class HarmonicFrequenciesOutput(BaseModel):
    """Frequencies and modes, in rising order of frequency."""

    frequencies: list[float] = Field(description="Wavenumbers of the vibrations; negative: imaginary (1/cm).")
    modes: list[list[list[float]]] = Field(
        description="Displacement of each mode, modes x atoms x 3, of length 1 over all atoms (1)."
    )
    reduced_masses: list[float] = Field(description="Reduced mass of each mode (u).")
    n_imaginary: int = Field(description="Imaginary frequencies (1).")
    zero_point_energy: float = Field(description="Half the sum of the real frequencies (hartree).")
    energy: float = Field(description="Electronic energy of the structure (hartree).")
    largest_gradient: float = Field(
        description="Largest component of the gradient; small if stationary (hartree/bohr)."
    )
    masses: list[float] = Field(description="Mass of each atom (u).")


def harmonic_frequencies(given: HarmonicFrequenciesInput) -> HarmonicFrequenciesOutput:
    """Compute the Hessian of `given` and its vibrations.

    Raises:
        ValueError: charge and multiplicity do not fit, or method, basis or solvent are unknown or incomplete.
        RuntimeError: the iterations do not converge.
    """
    field = _converged(_mean_field(given), given)
    molecule = field.mol
    masses = molecule.atom_mass_list(isotope_avg=True)
    gradient = field.nuc_grad_method().kernel()
    wavenumbers, shapes = np.zeros(0), np.zeros((0, molecule.natm, 3))
    if molecule.natm > 1 and min(molecule.nelec) == 0:
        raise ValueError(
            "A Hessian needs electrons of both spins: PySCF has none for a molecule without beta electrons."
        )
    if molecule.natm > 1:
        found = thermo.harmonic_analysis(molecule, field.Hessian().kernel(), imaginary_freq=False, mass=masses)
        wavenumbers, shapes = found["freq_wavenumber"], found["norm_mode"]
    lengths = np.sqrt((shapes**2).sum(axis=(1, 2), keepdims=True))
    joule = 100.0 * nist.PLANCK * nist.LIGHT_SPEED_SI * wavenumbers[wavenumbers > 0].sum() / 2
    return HarmonicFrequenciesOutput(
        frequencies=wavenumbers.tolist(),
        modes=(shapes / lengths).tolist(),
        reduced_masses=(1 / lengths.ravel() ** 2).tolist(),
        n_imaginary=int((wavenumbers < 0).sum()),
        zero_point_energy=float(joule / nist.HARTREE2J),
        energy=field.e_tot,
        largest_gradient=float(np.abs(gradient).max()),
        masses=masses.tolist(),
    )


def _molecule(given: HarmonicFrequenciesInput) -> gto.Mole:
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


def _mean_field(given: HarmonicFrequenciesInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: HarmonicFrequenciesInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: HarmonicFrequenciesInput) -> scf.hf.SCF:
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
