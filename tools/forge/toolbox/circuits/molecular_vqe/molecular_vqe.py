"""Variational quantum eigensolver (VQE) for a molecule, on an exact simulator of the state vector.

The electronic Hamiltonian in Hartree-Fock orbitals is mapped to qubits and the energy of a parametrised circuit is
minimised. Ansaetze: ``uccsd``, unitary coupled cluster with singles and doubles, first-order Trotter, from the
Hartree-Fock determinant (exact for two electrons in two orbitals); ``upccgsd``, paired generalised doubles and singles,
one layer; ``hardware_efficient``, layers of Ry and Rz rotations with chains of CNOT on the Hartree-Fock determinant.
Without `active_orbitals` all orbitals take part. Gradients are analytic, by parameter shift.

Source: Peruzzo et al., Nat. Commun. 5, 4213 (2014); Kandala et al., Nature 549, 242 (2017); tequila (arXiv:2011.03057)
with Qulacs; integrals by PySCF.
"""

from typing import Any, Literal

import numpy as np
import tequila as tq
from openfermion import get_sparse_operator
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pyscf.data.elements import charge as nuclear_charge


class MolecularVqeInput(BaseModel, allow_inf_nan=False):
    """The molecule, the circuit, and how to optimise."""

    model_config = ConfigDict(extra="forbid")
    symbols: list[str] = Field(min_length=1, description="Element symbols, one for each atom.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    charge: int = Field(default=0, description="Charge of the molecule (elementary charges).")
    basis: str = Field(description="Basis set as PySCF names it, such as sto-3g.")
    active_orbitals: list[int] = Field(
        default=[], description="Hartree-Fock orbitals that take part, counted from 0; empty: all (1)."
    )
    mapping: Literal["jordan_wigner", "bravyi_kitaev"] = Field(description="Fermions to qubits.")
    ansatz: Literal["uccsd", "upccgsd", "hardware_efficient"] = Field(description="Which circuit.")
    layers: int = Field(default=1, ge=1, description="Layers of the hardware-efficient circuit (1).")
    start: list[float] = Field(
        default=[], description="Starting parameters in the order of the output's `names`; empty: drawn (rad)."
    )
    start_scale: float = Field(default=0.0, ge=0, description="Standard deviation of drawn starting parameters (rad).")
    seed: int = Field(ge=0, description="Seed of drawn starting parameters (1).")
    optimiser: Literal["BFGS", "COBYLA", "SLSQP"] = Field(description="Classical optimiser of SciPy.")
    max_iterations: int = Field(ge=1, description="Most iterations of the optimiser (1).")
    tolerance: float = Field(gt=0, description="Tolerance of the optimiser (hartree).")

    @model_validator(mode="after")
    def _consistent(self) -> "MolecularVqeInput":
        if len(self.positions) != len(self.symbols) or any(len(one) != 3 for one in self.positions):
            raise ValueError(f"{len(self.symbols)} atoms need as many rows of three coordinates.")
        return self


class MolecularVqeOutput(BaseModel):
    """The energy that was reached, with its references."""

    energy: float = Field(description="Lowest energy found (hartree).")
    hartree_fock: float = Field(description="Energy of the Hartree-Fock determinant (hartree).")
    parameters: list[float] = Field(description="Parameters at the minimum, in the order of `names` (rad).")
    names: list[str] = Field(description="Names of the parameters.")
    n_electrons: int = Field(description="Electrons in the active orbitals (1).")
    n_qubits: int = Field(description="Qubits of the Hamiltonian (1).")
    n_terms: int = Field(description="Pauli strings of the Hamiltonian (1).")
    history: list[float] = Field(description="Energy at each iteration (hartree).")
    variance: float = Field(description="<H^2> - <H>^2 of the state found; zero for an eigenstate (hartree squared).")


def molecular_vqe(given: MolecularVqeInput) -> MolecularVqeOutput:
    """Minimise the energy of a molecule over the parameters of a circuit.

    Args:
        given: geometry in angstrom, basis, orbitals, ansatz and optimiser.

    Returns:
        VQE, Hartree-Fock and exact energy of the same qubit Hamiltonian.

    Raises:
        ValueError: an open-shell molecule, or starting parameters of another number than the circuit has.
    """
    molecule = _molecule(given)
    hamiltonian = molecule.make_hamiltonian()
    circuit = _circuit(given, molecule)
    variables = circuit.extract_variables()
    if given.start and len(given.start) != len(variables):
        raise ValueError(f"`start` has {len(given.start)} values, but the circuit has {len(variables)} parameters.")
    drawn = np.random.default_rng(given.seed).normal(0, given.start_scale, len(variables))
    start = dict(zip(variables, given.start if given.start else drawn.tolist(), strict=True))
    expectation = tq.ExpectationValue(H=hamiltonian, U=circuit)
    found = tq.minimize(
        expectation,
        method=given.optimiser,
        initial_values=start,
        maxiter=given.max_iterations,
        tol=given.tolerance,
        backend="qulacs",
        silent=True,
    )
    wave = tq.simulate(circuit, variables=found.variables, backend="qulacs").to_array()
    moved = get_sparse_operator(hamiltonian.to_openfermion(), n_qubits=hamiltonian.n_qubits) @ wave
    determinant = tq.simulate(tq.ExpectationValue(H=hamiltonian, U=molecule.prepare_reference()), backend="qulacs")
    return MolecularVqeOutput(
        energy=float(found.energy),
        hartree_fock=float(np.real(determinant)),
        parameters=[float(np.real(found.variables[one])) for one in variables],
        names=[str(one) for one in variables],
        n_electrons=int(molecule.n_electrons),
        n_qubits=int(hamiltonian.n_qubits),
        n_terms=len(hamiltonian.paulistrings),
        history=[float(one) for one in found.history.energies],
        variance=float(np.vdot(moved, moved).real - np.vdot(wave, moved).real ** 2),
    )


def _molecule(given: MolecularVqeInput) -> Any:
    """The molecule with integrals in Hartree-Fock orbitals."""
    electrons = sum(nuclear_charge(symbol) for symbol in given.symbols) - given.charge
    if electrons % 2 or electrons < 2:
        raise ValueError(
            f"Closed shells only: {electrons} electrons are odd or too few. Change the charge or use an open-shell tool."
        )
    rows = zip(given.symbols, given.positions, strict=True)
    more = {"active_orbitals": given.active_orbitals} if given.active_orbitals else {}
    return tq.Molecule(
        geometry="\n".join(f"{symbol} {x:.10f} {y:.10f} {z:.10f}" for symbol, (x, y, z) in rows),
        units="angstrom",
        basis_set=given.basis,
        charge=given.charge,
        transformation=given.mapping.replace("_", "-"),
        backend="pyscf",
        **more,
    )


def _circuit(given: MolecularVqeInput, molecule: Any) -> Any:
    if given.ansatz == "uccsd":
        # amplitudes as parameters in a fixed order; screening would drop some at symmetric geometries
        return molecule.make_uccsd_ansatz(initial_amplitudes="mp2", add_singles=True)
    if given.ansatz == "upccgsd":
        return molecule.make_upccgsd_ansatz()
    circuit = molecule.prepare_reference()
    qubits = range(2 * molecule.n_orbitals)
    for layer in range(given.layers):
        for qubit in qubits:
            circuit += tq.gates.Ry(angle=f"y{layer}_{qubit}", target=qubit)
            circuit += tq.gates.Rz(angle=f"z{layer}_{qubit}", target=qubit)
        for qubit in qubits[:-1]:
            circuit += tq.gates.CNOT(qubit, qubit + 1)
    for qubit in qubits:
        circuit += tq.gates.Ry(angle=f"y{given.layers}_{qubit}", target=qubit)
    return circuit
