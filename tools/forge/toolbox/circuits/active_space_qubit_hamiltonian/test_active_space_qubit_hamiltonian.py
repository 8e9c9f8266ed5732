"""Tests of active_space_qubit_hamiltonian: its spectrum is that of configuration interaction."""

from functools import reduce

import numpy as np
import pytest
from pyscf import gto, mcscf, scf
from tools.active_space_qubit_hamiltonian import ActiveSpaceQubitHamiltonianInput, active_space_qubit_hamiltonian

LIH = {"symbols": ["Li", "H"], "positions": [[0.0, 0.0, 0.0], [0.0, 0.0, 1.6]]}
PAULI = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]),
}


def _run(electrons, orbitals, **changes):
    usual = {**LIH, "charge": 0, "multiplicity": 1, "method": "HF", "basis": "STO-3G"}
    return active_space_qubit_hamiltonian(
        ActiveSpaceQubitHamiltonianInput(**{**usual, "n_electrons": electrons, "n_orbitals": orbitals, **changes})
    )


def _matrix(found):
    return sum(
        value * reduce(np.kron, [PAULI[letter] for letter in word])
        for word, value in zip(found.words, found.coefficients, strict=True)
    )


@pytest.mark.parametrize(("electrons", "orbitals"), [(2, 2), (2, 3), (4, 3)])
def test_invariant_the_spectrum_is_that_of_configuration_interaction(electrons, orbitals):
    found = _run(electrons, orbitals)
    matrix = _matrix(found)
    filled = np.array([bin(k).count("1") for k in range(2**found.n_qubits)])
    assert np.abs(matrix[filled[:, None] != filled[None]]).max() < 1e-12  # electrons are kept
    sector = np.linalg.eigvalsh(matrix[np.ix_(filled == electrons, filled == electrons)])
    field = scf.RHF(gto.M(atom="Li 0 0 0; H 0 0 1.6", basis="STO-3G", verbose=0)).run()
    space = mcscf.CASCI(field, orbitals, electrons)
    space.fcisolver.nroots = 2
    exact = space.kernel()[0]
    assert sector[0] == pytest.approx(exact[0], abs=1e-7)
    assert np.abs(sector - exact[1]).min() < 1e-7


def test_the_reference_determinant_has_the_hartree_fock_energy():
    found = _run(2, 3)
    index = int("".join("1" if k in found.filled else "0" for k in range(found.n_qubits)), 2)
    assert _matrix(found)[index, index].real == pytest.approx(found.reference_energy, abs=1e-8)
    assert found.n_qubits == 6
    assert found.filled == [0, 1]


def test_words_are_real_and_counted():
    found = _run(2, 2)
    assert all(word.count("Y") % 2 == 0 and len(word) == 4 for word in found.words)
    assert len(found.words) == len(set(found.words)) == len(found.coefficients)
    assert min(abs(value) for value in found.coefficients) > 1e-12


@pytest.mark.parametrize(
    ("electrons", "orbitals", "changes", "words"),
    [
        (3, 3, {}, "even number of active electrons"),
        (2, 2, {"charge": 1, "multiplicity": 2}, "closed-shell HF reference"),
        (2, 2, {"method": "B3LYP"}, "closed-shell HF reference"),
        (6, 4, {}, "6 electrons in 4 orbitals do not fit 4 electrons"),
        (2, 6, {}, "do not fit 4 electrons in 6 orbitals"),
        (4, 1, {}, "4 electrons in 1 orbitals do not fit"),
        (2, 2, {"charge": 1}, "cannot have multiplicity 1"),
        (2, 2, {"charge": 4}, "leaves 0 electrons"),
        (2, 2, {"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
        (2, 2, {"solvent_model": "CPCM"}, "needs `dielectric`"),
        (2, 2, {"positions": [[0, 0, 0]]}, "2 symbols need"),
        (2, 2, {"symbols": ["Rb", "H"], "basis": "def2-SVP"}, "beyond krypton"),
    ],
)
def test_error_names_what_does_not_fit(electrons, orbitals, changes, words):
    with pytest.raises(ValueError, match=words):
        _run(electrons, orbitals, **changes)


def test_error_orbitals_that_do_not_converge():
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run(2, 2, max_cycles=1)
