"""Electron and spin density at the nuclei of a molecule or atom, and the hyperfine splitting that an s electron gives.

rho(R) = sum_ij D_ij phi_i(R) phi_j(R) in electrons per bohr cubed. Non-relativistic; Gaussians have no cusp, so a
density at a nucleus is low by a few per cent even in large bases, and heavy atoms miss the relativistic enhancement
(about 1.3 for rubidium). Electrons in an effective core potential are missing altogether: `core_electrons` counts them.
The Fermi contact splitting of an s1/2 ground state is A (I + 1/2) with A = (2/3) mu0 g_e mu_B g_I mu_N |psi(0)|^2 / (2S).
Source: Abragam and Bleaney, Electron Paramagnetic Resonance (1970), chapter 17; Kutzelnigg, Theor. Chim. Acta 1988.
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, Field
from pyscf import dft, gto, scf
from pyscf.data import elements
from pyscf.solvent import smd
from scipy import constants


class NuclearElectronDensityInput(BaseModel, allow_inf_nan=False):
    """A molecule, a level of theory, and, for a splitting, the nucleus."""

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
    nuclear_spin: float | None = Field(default=None, gt=0, description="Spin I of the first nucleus, such as 1.5 (1).")
    nuclear_moment: float | None = Field(
        default=None, description="Magnetic moment of the first nucleus, g_I I (nuclear magnetons)."
    )


class NuclearElectronDensityOutput(BaseModel):
    """Densities at each nucleus."""

    densities: list[float] = Field(description="Electron density at each nucleus (1/bohr^3).")
    spin_densities: list[float] = Field(description="Alpha minus beta density at each nucleus (1/bohr^3).")
    core_electrons: list[int] = Field(description="Electrons of each atom that a core potential replaces (1).")
    energy: float = Field(description="Total energy (hartree).")
    contact_splitting: float | None = Field(
        description="Fermi contact splitting of the first nucleus between F = I + 1/2 and I - 1/2, if asked for (GHz)."
    )


def nuclear_electron_density(given: NuclearElectronDensityInput) -> NuclearElectronDensityOutput:
    """Compute the densities of `given` at its nuclei.

    Raises:
        ValueError: the level does not fit, or a splitting is asked for without unpaired electron.
        RuntimeError: the iterations do not converge.
    """
    wants = given.nuclear_spin is not None and given.nuclear_moment is not None
    if wants and given.multiplicity != 2:
        raise ValueError(f"A hyperfine splitting needs one unpaired electron, not multiplicity {given.multiplicity}.")
    field = _converged(_mean_field(given), given)
    molecule = field.mol
    values = molecule.eval_gto("GTOval_sph", molecule.atom_coords())
    density = np.asarray(field.make_rdm1())
    spins = density if density.ndim == 3 else np.array([density / 2, density / 2])
    alpha, beta = np.einsum("ai,sij,aj->sa", values, spins, values)
    return NuclearElectronDensityOutput(
        densities=(alpha + beta).tolist(),
        spin_densities=(alpha - beta).tolist(),
        core_electrons=[molecule.atom_nelec_core(atom) for atom in range(molecule.natm)],
        energy=field.e_tot,
        contact_splitting=_splitting(float(alpha[0] - beta[0]), given) if wants else None,
    )


def _splitting(spin_density: float, given: NuclearElectronDensityInput) -> float:
    """A (I + 1/2) in GHz of one unpaired electron."""
    bohr = constants.physical_constants["Bohr radius"][0]
    magneton = constants.physical_constants["Bohr magneton"][0]
    nuclear = constants.physical_constants["nuclear magneton"][0]
    g = -constants.physical_constants["electron g factor"][0]
    per_spin = given.nuclear_moment / given.nuclear_spin
    coupling = 2 / 3 * constants.mu_0 * g * magneton * per_spin * nuclear * spin_density / bohr**3
    return coupling * (given.nuclear_spin + 0.5) / constants.h * 1e-9


def _molecule(given: NuclearElectronDensityInput) -> gto.Mole:
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


def _mean_field(given: NuclearElectronDensityInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: NuclearElectronDensityInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: NuclearElectronDensityInput) -> scf.hf.SCF:
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
