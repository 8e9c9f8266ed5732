"""The Hamiltonian of a molecule's active space as a sum of Pauli words (Jordan-Wigner).

H = E_core + sum h_pq a+_p a_q + 1/2 sum g_pqrs a+_p a+_r a_s a_q in Hartree-Fock orbitals. Qubit 2k holds the alpha and
qubit 2k + 1 the beta spin orbital of the active orbital k, in rising order of energy; |1> is filled. Words have qubit 0
on the left. The Hamiltonian of a real basis is real: each word has an even number of Y.
Source: Seeley, Richard and Love, J. Chem. Phys. 137, 224109 (2012); Sun et al., J. Chem. Phys. 153, 024109 (2020).
"""

from typing import Literal

from pydantic import BaseModel, Field
from pyscf import ao2mo, dft, gto, mcscf, scf
from pyscf.data import elements
from pyscf.solvent import smd


class ActiveSpaceQubitHamiltonianInput(BaseModel, allow_inf_nan=False):
    """A closed-shell molecule, its reference determinant, and an active space around the gap."""

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
    n_electrons: int = Field(ge=2, description="Active electrons, an even number (1).")
    n_orbitals: int = Field(ge=1, le=6, description="Active orbitals (1).")


class ActiveSpaceQubitHamiltonianOutput(BaseModel):
    """The Hamiltonian on 2 n_orbitals qubits."""

    words: list[str] = Field(description="Pauli words over I, X, Y, Z.")
    coefficients: list[float] = Field(description="Coefficient of each word (hartree).")
    n_qubits: int = Field(description="Qubits (1).")
    filled: list[int] = Field(description="Qubits that are |1> in the Hartree-Fock determinant.")
    reference_energy: float = Field(description="Hartree-Fock energy (hartree).")


def active_space_qubit_hamiltonian(given: ActiveSpaceQubitHamiltonianInput) -> ActiveSpaceQubitHamiltonianOutput:
    """Map the active space of `given` to qubits.

    Raises:
        ValueError: the molecule is no singlet, or the active space does not fit it.
        RuntimeError: the orbitals do not converge.
    """
    if given.multiplicity != 1 or given.n_electrons % 2 or given.method.upper() != "HF":
        raise ValueError("A closed-shell HF reference and an even number of active electrons are needed.")
    field = _converged(_mean_field(given), given)
    core = (field.mol.nelectron - given.n_electrons) // 2
    if core < 0 or core + given.n_orbitals > field.mol.nao or given.n_electrons > 2 * given.n_orbitals:
        raise ValueError(
            f"{given.n_electrons} electrons in {given.n_orbitals} orbitals do not fit {field.mol.nelectron} electrons in "
            f"{field.mol.nao} orbitals."
        )
    space = mcscf.CASCI(field, given.n_orbitals, given.n_electrons)
    one, constant = space.get_h1eff()
    two = ao2mo.restore(1, space.get_h2eff(), given.n_orbitals)
    total: dict[tuple[int, int], complex] = {(0, 0): complex(constant)}
    orbitals = range(given.n_orbitals)
    for p in orbitals:
        for q in orbitals:
            for spin in (0, 1):
                _add(total, one[p, q], [(2 * p + spin, True), (2 * q + spin, False)])
    for p in orbitals:
        for q in orbitals:
            for r in orbitals:
                for s in orbitals:
                    for a in (0, 1):
                        for b in (0, 1):
                            ladder = [(2 * p + a, True), (2 * r + b, True), (2 * s + b, False), (2 * q + a, False)]
                            _add(total, two[p, q, r, s] / 2, ladder)
    kept = sorted((key, value.real) for key, value in total.items() if abs(value) > 1e-12)
    size = 2 * given.n_orbitals
    return ActiveSpaceQubitHamiltonianOutput(
        words=[_word(key, size) for key, _ in kept],
        coefficients=[value for _, value in kept],
        n_qubits=size,
        filled=list(range(given.n_electrons)),
        reference_energy=field.e_tot,
    )


def _add(total: dict[tuple[int, int], complex], factor: float, ladder: list[tuple[int, bool]]) -> None:
    """Add a product of ladder operators; a word is a pair of bit masks (x, z), and Y is i X Z."""
    if abs(factor) < 1e-14:
        return
    words = {(0, 0): complex(factor)}
    for site, creates in ladder:
        string, bit = (1 << site) - 1, 1 << site
        # a = Z..Z (X + i Y)/2 and its adjoint with |1> filled; i Y = -X Z in the order X then Z
        parts = (((bit, string), 0.5), ((bit, string | bit), 0.5 if creates else -0.5))
        new: dict[tuple[int, int], complex] = {}
        for (x, z), value in words.items():
            for (other_x, other_z), half in parts:
                sign = -1 if (z & other_x).bit_count() % 2 else 1
                key = (x ^ other_x, z ^ other_z)
                new[key] = new.get(key, 0) + value * half * sign
        words = new
    for key, value in words.items():
        # X Z = -i Y on each site that has both
        phase = (-1j) ** (key[0] & key[1]).bit_count()
        total[key] = total.get(key, 0) + value * phase


def _word(key: tuple[int, int], size: int) -> str:
    x, z = key
    return "".join("IXZY"[(x >> site & 1) + 2 * (z >> site & 1)] for site in range(size))


def _molecule(given: ActiveSpaceQubitHamiltonianInput) -> gto.Mole:
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


def _mean_field(given: ActiveSpaceQubitHamiltonianInput) -> scf.hf.SCF:
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


def _solvated(field: scf.hf.SCF, given: ActiveSpaceQubitHamiltonianInput) -> scf.hf.SCF:
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


def _converged(field: scf.hf.SCF, given: ActiveSpaceQubitHamiltonianInput) -> scf.hf.SCF:
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
