"""Energy of a molecule with electron correlation on Hartree-Fock orbitals: MP2, CCSD, CCSD(T), or exactly (FCI).

The electrons of `frozen` orbitals are not correlated. Full configuration interaction is exact within the basis and
possible for few electrons only.
Source: Helgaker, Jorgensen and Olsen, Molecular Electronic-Structure Theory (2000); Sun et al., J. Chem. Phys. 2020.
"""

import math
from typing import Literal

from pydantic import BaseModel, Field
from pyscf import cc, dft, fci, gto, mcscf, mp, scf
from pyscf.data import elements
from pyscf.solvent import smd


class CorrelatedEnergyInput(BaseModel, allow_inf_nan=False):
    """A molecule, its Hartree-Fock reference (`method` must be HF), and the treatment of correlation."""

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
    treatment: Literal["MP2", "CCSD", "CCSD(T)", "FCI"] = Field(description="How electrons are correlated.")
    frozen: int = Field(default=0, ge=0, description="Lowest orbitals that are not correlated (1).")


class CorrelatedEnergyOutput(BaseModel):
    """Energies."""

    energy: float = Field(description="Total energy with correlation (hartree).")
    reference_energy: float = Field(description="Hartree-Fock energy (hartree).")
    correlation_energy: float = Field(description="Their difference (hartree).")


def correlated_energy(given: CorrelatedEnergyInput) -> CorrelatedEnergyOutput:
    """Compute the correlated energy of `given`.

    Raises:
        ValueError: the reference is not HF, FCI is out of reach, or the level does not fit.
        RuntimeError: orbitals or amplitudes do not converge.
    """
    if given.method.upper() != "HF" or given.solvent_model != "none":
        raise ValueError(f"Correlation needs a gas-phase HF reference, not {given.method} in {given.solvent_model}.")
    field = _converged(_mean_field(given), given)
    alpha, beta = field.mol.nelec
    if given.frozen > beta:
        raise ValueError(f"{given.frozen} frozen orbitals are more than the {beta} filled ones.")
    energy = _full(field, given) if given.treatment == "FCI" else _perturbed_or_coupled(field, given)
    return CorrelatedEnergyOutput(energy=energy, reference_energy=field.e_tot, correlation_energy=energy - field.e_tot)


def _perturbed_or_coupled(field: scf.hf.SCF, given: CorrelatedEnergyInput) -> float:
    frozen = given.frozen or None
    if given.treatment == "MP2":
        return float(mp.MP2(field, frozen=frozen).run().e_tot)
    coupled = cc.CCSD(field, frozen=frozen)
    coupled.kernel()
    if not coupled.converged:
        raise RuntimeError(
            "The coupled-cluster amplitudes did not converge: the molecule may be far from one determinant."
        )
    return float(coupled.e_tot + (coupled.ccsd_t() if given.treatment == "CCSD(T)" else 0.0))


def _full(field: scf.hf.SCF, given: CorrelatedEnergyInput) -> float:
    alpha, beta = (count - given.frozen for count in field.mol.nelec)
    free = field.mol.nao - given.frozen
    determinants = math.comb(free, alpha) * math.comb(free, beta)
    if determinants > 5_000_000:
        raise ValueError(f"FCI would have {determinants} determinants, above 5000000: use CCSD(T), or a smaller basis.")
    if given.frozen:
        return _active(field, given)
    solver = fci.FCI(field)
    solver.conv_tol = 1e-10
    return float(solver.kernel()[0])


def _active(field: scf.hf.SCF, given: CorrelatedEnergyInput) -> float:
    """FCI of all but the frozen electrons."""
    alpha, beta = (count - given.frozen for count in field.mol.nelec)
    maker = mcscf.UCASCI if given.multiplicity > 1 else mcscf.CASCI
    space = maker(field, field.mol.nao - given.frozen, (alpha, beta))
    space.fcisolver.conv_tol = 1e-10
    return float(space.kernel()[0])


def _molecule(given: CorrelatedEnergyInput) -> gto.Mole:
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


def _mean_field(given: CorrelatedEnergyInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: CorrelatedEnergyInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: CorrelatedEnergyInput) -> scf.hf.SCF:
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
