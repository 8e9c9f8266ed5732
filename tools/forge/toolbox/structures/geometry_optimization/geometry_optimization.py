"""The structure of least energy near a given one, by Hartree-Fock or density-functional theory.

geomeTRIC's quasi-Newton steps in translation-rotation internal coordinates on PySCF's analytic gradients, until its
five criteria hold (energy, gradient and displacement; GAU is 4.5e-4 hartree/bohr at the most). That a structure is a
minimum and not a saddle is for harmonic frequencies to show.
Source: Wang and Song, J. Chem. Phys. 144, 214108 (2016); Sun et al., J. Chem. Phys. 153, 024109 (2020).
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, Field
from pyscf import dft, gto, scf
from pyscf.data import elements
from pyscf.geomopt import geometric_solver
from pyscf.solvent import smd


class GeometryOptimizationInput(BaseModel, allow_inf_nan=False):
    """A molecule to start from, a level of theory, and when to stop."""

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
    max_steps: int = Field(default=150, ge=1, description="Steps of the optimisation at the most (1).")
    convergence: Literal["GAU_LOOSE", "GAU", "GAU_TIGHT"] = Field(
        default="GAU", description="geomeTRIC's set of convergence criteria."
    )


class GeometryOptimizationOutput(BaseModel):
    """The optimised structure."""

    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    energy: float = Field(description="Energy of the optimised structure (hartree).")
    energies: list[float] = Field(description="Energy at each step, the start first (hartree).")
    largest_gradient: float = Field(description="Largest component of the final gradient (hartree/bohr).")
    n_steps: int = Field(description="Gradients that were computed (1).")


def geometry_optimization(given: GeometryOptimizationInput) -> GeometryOptimizationOutput:
    """Optimise the geometry of `given`.

    Raises:
        ValueError: a single atom, or a level of theory that does not fit (see the message).
        RuntimeError: orbitals or geometry do not converge.
    """
    if len(given.symbols) < 2:
        raise ValueError("An atom has no geometry to optimise: give at least two atoms.")
    field = _converged(_mean_field(given), given)
    energies: list[float] = []
    gradients: list[np.ndarray] = []

    def note(step: dict) -> None:
        energies.append(float(step["energy"]))
        gradients.append(np.array(step["gradients"]))

    converged, molecule = geometric_solver.kernel(
        field, callback=note, maxsteps=given.max_steps, convergence_set=given.convergence
    )
    if not converged:
        raise RuntimeError(
            f"The geometry is not converged after {given.max_steps} steps: raise `max_steps`, or start elsewhere."
        )
    return GeometryOptimizationOutput(
        positions=molecule.atom_coords(unit="Angstrom").tolist(),
        energy=energies[-1],
        energies=energies,
        largest_gradient=float(np.abs(gradients[-1]).max()),
        n_steps=len(energies),
    )


def _molecule(given: GeometryOptimizationInput) -> gto.Mole:
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


def _mean_field(given: GeometryOptimizationInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: GeometryOptimizationInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: GeometryOptimizationInput) -> scf.hf.SCF:
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
