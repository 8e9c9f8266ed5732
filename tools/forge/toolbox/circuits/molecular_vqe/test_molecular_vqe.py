"""Two electrons in two orbitals, where unitary coupled cluster is exact; bounds; other circuits; refusals."""

import numpy as np
import pytest
from pydantic import ValidationError
from pyscf import ao2mo, fci, gto, scf

from tools.molecular_vqe import MolecularVqeInput, molecular_vqe

H2 = {"symbols": ["H", "H"], "positions": [[0, 0, 0], [0, 0, 0.9]]}


def _given(**more):
    fields = {"basis": "sto-3g", "mapping": "jordan_wigner", "ansatz": "uccsd", "seed": 0, "optimiser": "BFGS",
              "max_iterations": 100, "tolerance": 1e-8}  # fmt: skip
    return MolecularVqeInput(**(H2 | fields | more))


def _full(symbols, positions, charge=0):
    molecule = gto.M(atom=list(zip(symbols, positions)), basis="sto-3g", charge=charge, verbose=0)
    field = scf.RHF(molecule).run()
    return field.e_tot, fci.FCI(field).kernel()[0]


def test_invariant_two_electrons_are_exact():
    reference, exact = _full(H2["symbols"], H2["positions"])
    made = molecular_vqe(_given())
    assert made.energy == pytest.approx(exact, abs=1e-7)
    assert made.hartree_fock == pytest.approx(reference, abs=1e-8)
    assert abs(made.variance) < 1e-6
    assert made.n_qubits == 4
    assert made.n_electrons == 2
    assert made.n_terms == 15
    assert len(made.parameters) == len(made.names) == 2
    begun = molecular_vqe(_given(optimiser="COBYLA", max_iterations=1))
    assert begun.history[0] == pytest.approx(reference, abs=1e-7)
    assert made.history[-1] == pytest.approx(exact, abs=1e-7)


def test_invariant_a_cation_and_a_start():
    ion = {"symbols": ["He", "H"], "positions": [[0, 0, 0], [0, 0, 0.8]], "charge": 1}
    _, exact = _full(**ion)
    made = molecular_vqe(_given(**ion, mapping="bravyi_kitaev"))
    assert made.energy == pytest.approx(exact, abs=1e-7)
    again = molecular_vqe(_given(**ion, mapping="bravyi_kitaev", start=made.parameters, max_iterations=1))
    assert again.history[0] == pytest.approx(exact, abs=1e-7)


def test_hardware_efficient_lies_between_full_ci_and_its_start():
    _, exact = _full(H2["symbols"], H2["positions"])
    made = molecular_vqe(
        _given(ansatz="hardware_efficient", layers=1, start_scale=0.1, optimiser="COBYLA", max_iterations=8)
    )
    assert exact - 1e-9 < made.energy <= max(made.history) + 1e-9
    assert len(made.parameters) == 12
    assert made.variance > 1e-6
    other = molecular_vqe(
        _given(ansatz="hardware_efficient", layers=1, start_scale=0.1, optimiser="COBYLA", max_iterations=2, seed=1)
    )
    assert not np.allclose(other.parameters, made.parameters)


def test_layers_flip_and_pass_on():
    """Ry(pi) on the first qubit turns |1100> into |0100>, which the chain of CNOT makes |0111>: three electrons."""
    field = scf.RHF(gto.M(atom=list(zip(H2["symbols"], H2["positions"])), basis="sto-3g", verbose=0)).run()
    orbitals = field.mo_coeff
    one = orbitals.T @ field.get_hcore() @ orbitals
    two = ao2mo.restore(1, ao2mo.kernel(field.mol, orbitals), 2)
    energy = one[0, 0] + 2 * one[1, 1] + two[1, 1, 1, 1] + 2 * two[0, 0, 1, 1] - two[0, 1, 0, 1] + field.energy_nuc()
    circuit = {"ansatz": "hardware_efficient", "layers": 1, "optimiser": "COBYLA", "max_iterations": 1}
    names = molecular_vqe(_given(**circuit)).names
    made = molecular_vqe(_given(**circuit, start=[np.pi if name == "y0_0" else 0.0 for name in names]))
    assert made.history[0] == pytest.approx(energy, abs=1e-7)


def test_paired_circuit_and_active_orbitals():
    _, exact = _full(H2["symbols"], H2["positions"])
    assert molecular_vqe(_given(ansatz="upccgsd", start_scale=0.02, tolerance=1e-5)).energy == pytest.approx(
        exact, abs=1e-6
    )
    frozen = molecular_vqe(_given(symbols=["Li", "H"], positions=[[0, 0, 0], [0, 0, 1.6]], active_orbitals=[1, 2]))
    reference, whole = _full(["Li", "H"], [[0, 0, 0], [0, 0, 1.6]])
    assert frozen.n_qubits == 4
    assert whole < frozen.energy < reference


def test_error_open_shell_and_shapes():
    with pytest.raises(ValueError, match="Closed shells only: 1 electrons"):
        molecular_vqe(_given(charge=1))
    with pytest.raises(ValueError, match="Closed shells only: 0 electrons"):
        molecular_vqe(_given(charge=2))
    with pytest.raises(ValueError, match="`start` has 1 values, but the circuit has 2"):
        molecular_vqe(_given(start=[0.1]))
    with pytest.raises(ValidationError, match="as many rows of three coordinates"):
        _given(positions=[[0, 0, 0]])
    with pytest.raises(ValidationError, match="as many rows of three coordinates"):
        _given(positions=[[0, 0, 0], [0, 0]])
