"""Tests of quantum_subspace_expansion: exact where the expansion is the whole space."""

from functools import reduce

import numpy as np
import pytest
from tools.quantum_subspace_expansion import QuantumSubspaceExpansionInput, quantum_subspace_expansion

PAULI = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]),
}
# H2 in STO-3G at 0.7414 angstrom (Seeley, Richard and Love 2012, section VI, with the nuclear repulsion)
WORDS = ["IIII", "ZIII", "IZII", "IIZI", "IIIZ", "ZZII", "ZIZI", "ZIIZ", "IZZI", "IZIZ", "IIZZ"]
VALUES = [-0.0988, 0.1712, 0.1712, -0.2228, -0.2228, 0.1686, 0.1205, 0.1659, 0.1659, 0.1205, 0.1743]
WORDS += ["XXYY", "XYYX", "YXXY", "YYXX"]
VALUES += [-0.0453, 0.0453, 0.0453, -0.0453]


def _run(words=WORDS, values=VALUES, filled=(0, 1), roots=1, **changes):
    given = {"words": list(words), "coefficients": list(values), "filled": list(filled), "n_roots": roots, **changes}
    return quantum_subspace_expansion(QuantumSubspaceExpansionInput(**given))


def _sector(words, values, keep):
    matrix = sum(v * reduce(np.kron, [PAULI[k] for k in word]) for word, v in zip(words, values, strict=True))
    size = len(words[0])
    states = [
        k for k in range(2**size) if [sum(int(b) for b in f"{k:0{size}b}"[spin::2]) for spin in (0, 1)] == list(keep)
    ]
    return matrix[np.ix_(states, states)].real


def test_invariant_two_electrons_in_two_orbitals_are_exact():
    found = _run(roots=4)
    exact = np.linalg.eigvalsh(_sector(WORDS, VALUES, (1, 1)))
    assert found.energies == pytest.approx(exact.tolist(), abs=1e-7)
    assert found.excitation_energies[0] == 0.0
    assert found.excitation_energies[1] == pytest.approx((exact[1] - exact[0]) * 27.211386, rel=1e-6)
    assert found.dimension == 4
    assert found.n_expectations == 10
    assert found.energies[0] < found.reference_energy


def test_invariant_random_real_hamiltonians_in_three_orbitals():
    # two electrons in three orbitals: singles and doubles are the whole space of 9 determinants
    values = np.random.default_rng(2).normal(size=7).tolist()
    keeping = ["ZIZIII", "ZIIIIZ", "IIIIZI"]
    hops = [("XZXIII", "YZYIII"), ("IXZXII", "IYZYII"), ("IIXZXI", "IIYZYI"), ("IIIXZX", "IIIYZY")]
    words = keeping + [word for pair in hops for word in pair]
    values = values[:3] + [value for value in values[3:7] for _ in range(2)]
    found = _run(words, values, roots=9)
    assert found.dimension == 9
    assert found.energies == pytest.approx(np.linalg.eigvalsh(_sector(words, values, (1, 1))).tolist(), abs=1e-7)


def test_invariant_any_determinant_of_the_whole_space_may_be_the_reference():
    found, usual = _run(filled=(3, 2), roots=2), _run(roots=4)
    assert found.energies == pytest.approx(usual.energies[:2], abs=1e-7)
    assert found.dimension == 4
    assert found.reference_energy > usual.reference_energy


def test_singles_alone_are_a_smaller_space():
    found = _run(max_rank=1)
    assert found.dimension == 3
    assert found.energies[0] >= _run().energies[0] - 1e-9


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"values": [1.0]}, "one coefficient"),
        ({"words": ["ZZ", "Z"], "values": [1.0, 1.0]}, "same length"),
        ({"words": ["ZA"], "values": [1.0]}, "of I, X, Y, Z"),
        ({"words": ["XY"], "values": [1.0]}, "even number of Y"),
        ({"filled": (0, 0)}, "different qubits below 4"),
        ({"filled": (0, 4)}, "different qubits below 4"),
        ({"roots": 5}, "has 4 determinants"),
    ],
)
def test_error_names_what_does_not_fit(changes, words):
    with pytest.raises(ValueError, match=words):
        _run(**changes)
