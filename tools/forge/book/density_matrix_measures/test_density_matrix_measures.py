"""Known states have known measures."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.density_matrix_measures import DensityMatrixMeasuresInput, density_matrix_measures

HALF = math.sqrt(0.5)


def _pairs(matrix):
    array = np.asarray(matrix, dtype=complex)
    return np.stack([array.real, array.imag], axis=-1).tolist()


def _pure(*amplitudes):
    psi = np.array(amplitudes, dtype=complex)
    return np.outer(psi, psi.conj())


def _made(states, dims, target=()):
    given = {
        "states": [_pairs(one) for one in states],
        "dims": dims,
        "target": [[a.real, a.imag] for a in map(complex, target)],
    }
    return density_matrix_measures(DensityMatrixMeasuresInput(**given))


def test_invariant_pure_and_mixed_qubits():
    made = _made([_pure(HALF, HALF * 1j), np.eye(2) / 2, np.diag([0.9, 0.1])], [2], [HALF, HALF * 1j])
    assert made.purity == pytest.approx([1, 0.5, 0.82])
    assert made.entropy == pytest.approx([0, 1, -0.9 * math.log2(0.9) - 0.1 * math.log2(0.1)], abs=1e-9)
    assert made.coherence == pytest.approx([0.5, 0, 0])
    assert made.fidelity == pytest.approx([1, 0.5, 0.5])
    assert np.allclose(made.populations, [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]])
    assert made.concurrence == []
    assert made.reduced_entropy == []


def test_invariant_entanglement_of_two_qubits():
    theta = 0.3
    bell = _pure(HALF, 0, 0, HALF)
    partly = _pure(0, math.cos(theta), 1j * math.sin(theta), 0)
    product = _pure(0.5, 0.5, 0.5, 0.5)
    werner = 0.8 * bell + 0.2 * np.eye(4) / 4
    weak = 0.3 * bell + 0.7 * np.eye(4) / 4
    made = _made([bell, partly, product, werner, weak], [2, 2])
    assert made.concurrence == pytest.approx([1, math.sin(2 * theta), 0, 0.7, 0], abs=1e-6)
    weights = math.cos(theta) ** 2, math.sin(theta) ** 2
    assert made.reduced_entropy[:3] == pytest.approx([1, -sum(w * math.log2(w) for w in weights), 0], abs=1e-9)
    assert made.coherence[2] == pytest.approx(12 * 0.25 / 2)
    assert made.fidelity == []


def test_the_first_subsystem_is_the_leftmost():
    state = np.kron(np.diag([0.5, 0.5]), np.diag([1.0, 0.0, 0.0]))
    assert _made([state], [2, 3]).reduced_entropy == pytest.approx([1])
    swapped = np.kron(np.diag([1.0, 0.0, 0.0]), np.diag([0.5, 0.5]))
    made = _made([swapped], [3, 2])
    assert made.reduced_entropy == pytest.approx([0], abs=1e-9)
    assert made.concurrence == []


def test_error_no_density_matrix():
    for wrong, why in (([[1, 1], [0, 0]], "not Hermitian"), (np.eye(2), "trace is not one")):
        with pytest.raises(ValidationError, match=why):
            _made([wrong], [2])


def test_error_shapes():
    with pytest.raises(ValidationError, match="4 x 4 entries"):
        _made([np.eye(2) / 2], [2, 2])
    with pytest.raises(ValidationError, match="2 x 2 entries"):
        DensityMatrixMeasuresInput(states=[[[[1], [0]], [[0], [0]]]], dims=[2])
    with pytest.raises(ValidationError, match="2 amplitudes"):
        _made([np.eye(2) / 2], [2], [1.0])
    with pytest.raises(ValidationError, match="not normalised"):
        _made([np.eye(2) / 2], [2], [1.0, 1.0])
