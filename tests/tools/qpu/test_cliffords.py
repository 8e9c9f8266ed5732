"""The Clifford group is a group, and its gates multiply to what the tables say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labwright.tools.qpu.cliffords import GATES_PER_CLIFFORD, ROTATIONS, clifford_group, rotation
from labwright.tools.qpu.coherence_limit import coherence_limit

GROUP = clifford_group()


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return abs(np.trace(a.conj().T @ b)) / 2 == pytest.approx(1, abs=1e-9)


def test_mean_number_of_gates() -> None:
    assert sum(map(len, GROUP.decompositions)) / 24 == GATES_PER_CLIFFORD


def test_decompositions_make_the_unitaries() -> None:
    for gates, unitary in zip(GROUP.decompositions, GROUP.unitaries, strict=True):
        made = np.eye(2)
        for gate in gates:
            made = rotation(*ROTATIONS[gate]) @ made
        assert same(made, unitary)


def test_product_and_inverse_agree_with_matrices() -> None:
    for i in range(24):
        assert GROUP.product[i, GROUP.inverse[i]] == 0
        assert sorted(GROUP.product[i]) == list(range(24))
        for j in range(24):
            assert same(GROUP.unitaries[j] @ GROUP.unitaries[i], GROUP.unitaries[GROUP.product[i, j]])


def test_elements_permute_the_paulis() -> None:
    paulis = [np.array(p) for p in ([[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]])]
    for unitary in GROUP.unitaries:
        for p in paulis:
            turned = unitary @ p @ unitary.conj().T
            assert any(np.allclose(turned, sign * q) for q in paulis for sign in (1, -1))


def test_element_of_a_gate_sequence() -> None:
    assert GROUP.element("X90", "X90") == GROUP.element("X180")
    assert GROUP.element("X90", "X90m") == GROUP.element("I") == 0


def test_coherence_limit() -> None:
    assert coherence_limit(126, 124, 0.03) == pytest.approx(1.20e-4, rel=0.005)
    assert coherence_limit(50, 40, 0) == pytest.approx(0, abs=1e-15)
    assert coherence_limit(1, 1, math.inf) == 0.5
