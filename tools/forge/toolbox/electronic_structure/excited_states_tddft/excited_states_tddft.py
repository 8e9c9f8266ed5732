"""Vertical excitation energies and oscillator strengths by time-dependent DFT or Hartree-Fock (linear response).

Solves the Casida equations (A B; B A)(X; Y) = w (1 0; 0 -1)(X; Y) for a closed-shell ground state, spin-adapted to
singlets and triplets; `tamm_dancoff` leaves B out. Oscillator strengths are in the length gauge, f = 2/3 w |mu|^2;
triplets have none without spin-orbit coupling. In a solvent the cavity answers with its optical permittivity.
Source: Casida, Recent Advances in Density Functional Methods I, 155 (1995); Hirata and Head-Gordon 1999.
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, Field
from pyscf import dft, gto, scf, tdscf
from pyscf.data import elements, nist
from pyscf.solvent import smd


_MORE = 5  # states


class ExcitedStatesTddftInput(BaseModel, allow_inf_nan=False):
    """A closed-shell molecule, a level of theory, and how many states."""

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
    n_singlets: int = Field(ge=0, description="Singlet states to find (1).")
    n_triplets: int = Field(ge=0, description="Triplet states to find (1).")
    tamm_dancoff: bool = Field(default=False, description="Whether de-excitations are left out.")


class ExcitedStatesTddftOutput(BaseModel):
    """Excited states in rising order of energy."""

    class Transition(BaseModel):
        """The largest part of an excited state."""

        from_orbital: int = Field(description="Filled orbital, counted from 0 (1).")
        to_orbital: int = Field(description="Empty orbital, counted from 0 (1).")
        weight: float = Field(description="Its share |X|^2 - |Y|^2 of the state (1).")

    ground_energy: float = Field(description="Energy of the ground state (hartree).")
    singlet_energies: list[float] = Field(description="Excitation energies of S1, S2, .. (eV).")
    oscillator_strengths: list[float] = Field(description="Oscillator strengths of S1, S2, .. (1).")
    singlet_transitions: list[Transition] = Field(description="Largest transition of S1, S2, ...")
    triplet_energies: list[float] = Field(description="Excitation energies of T1, T2, .. (eV).")
    triplet_transitions: list[Transition] = Field(description="Largest transition of T1, T2, ...")
    n_occupied: int = Field(description="Doubly filled orbitals; the HOMO is number n_occupied - 1 (1).")


def excited_states_tddft(given: ExcitedStatesTddftInput) -> ExcitedStatesTddftOutput:
    """Find the lowest singlets and triplets of `given`.

    Raises:
        ValueError: the ground state is no singlet, more states are asked for than there are, or the level does not fit.
        RuntimeError: orbitals or states do not converge.
    """
    if given.multiplicity != 1:
        raise ValueError(f"Singlets and triplets need a singlet ground state, not multiplicity {given.multiplicity}.")
    field = _converged(_mean_field(given), given)
    occupied = field.mol.nelectron // 2
    there_are = occupied * (field.mol.nao - occupied)
    if max(given.n_singlets, given.n_triplets) > there_are:
        raise ValueError(f"{given.basis} gives {there_are} single excitations: ask for at most so many states.")
    found = {}
    for singlet, count in ((True, given.n_singlets), (False, given.n_triplets)):
        states = tdscf.TDA(field) if given.tamm_dancoff else tdscf.TDDFT(field)
        states.singlet = singlet
        states.nstates = min(count + _MORE, there_are)  # with none to spare the search can pass over a low state
        found[singlet] = ([], [], [])
        if count:
            kind = "singlets" if singlet else "triplets"
            try:
                states.kernel()
            except (ValueError, np.linalg.LinAlgError) as failed:
                raise RuntimeError(
                    f"The {kind} cannot be solved ({failed}): the restricted ground state is unstable there."
                ) from failed
            order = np.argsort(states.e)[:count]
            sure = np.asarray(states.converged)[order]
            if not np.all(sure) or len(sure) < count:
                raise RuntimeError(
                    f"{int(np.sum(sure))} of {count} {kind} converged: an imaginary or nearly degenerate "
                    "excitation; ask for other numbers of states or look at the ground state's stability."
                )
            strengths = states.oscillator_strength(gauge="length") if singlet else np.zeros(len(states.e))
            found[singlet] = (
                (np.asarray(states.e)[order] * nist.HARTREE2EV).tolist(),
                np.asarray(strengths)[order].tolist(),
                [_largest(states.xy[state], occupied) for state in order],
            )
    return ExcitedStatesTddftOutput(
        ground_energy=field.e_tot,
        singlet_energies=found[True][0],
        oscillator_strengths=found[True][1],
        singlet_transitions=found[True][2],
        triplet_energies=found[False][0],
        triplet_transitions=found[False][2],
        n_occupied=occupied,
    )


def _largest(amplitudes: tuple, occupied: int) -> ExcitedStatesTddftOutput.Transition:
    """The transition with the largest share; PySCF normalises 2 (X X - Y Y) to 1 over both spins."""
    excite, relax = amplitudes
    share = 2 * np.asarray(excite) ** 2
    if isinstance(relax, np.ndarray):
        share = share - 2 * relax**2
    start, end = np.unravel_index(int(np.argmax(share)), share.shape)
    return ExcitedStatesTddftOutput.Transition(
        from_orbital=int(start), to_orbital=int(end) + occupied, weight=float(share[start, end])
    )


def _molecule(given: ExcitedStatesTddftInput) -> gto.Mole:
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


def _mean_field(given: ExcitedStatesTddftInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: ExcitedStatesTddftInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: ExcitedStatesTddftInput) -> scf.hf.SCF:
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
