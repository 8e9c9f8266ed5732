"""Maps whose kernel is known to depend, or not to depend, on differences of the features only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.classicality_check import commutes, depends_on_differences
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.recipe import circuit_of

QUBITS, FEATURES = 4, 12
COMMUTING: list[dict[str, Any]] = [
    {"axes": ["RX"], "entangler": "CNOT"},  # X on a control becomes X on both wires
    {"axes": ["RX"], "entangler": "CNOT", "repeats": 2, "mixing": 0.4, "offset": 0.7, "pattern": "skip"},
    {"axes": ["RX"], "entangler": "IsingXX", "entangler_angle": 0.7},
    {"axes": ["RZ"], "start": "hadamard", "entangler": "CNOT"},
    {"axes": ["RZ"], "start": "hadamard", "entangler": "CZ"},
    {"axes": ["RZ"], "start": "hadamard", "entangler": "ISWAP"},
    {"axes": ["RY"], "entangler": "none"},
]
TURNING: list[dict[str, Any]] = [
    {"axes": ["RY"], "entangler": "CZ"},
    {"axes": ["RY"], "entangler": "CNOT"},
    {"axes": ["RX"], "entangler": "CZ"},
    {"axes": ["RX"], "entangler": "CRX", "entangler_angle": 0.7},
    {"axes": ["RX", "RZ"], "entangler": "CNOT"},
    {"axes": ["RY", "RZ"], "entangler": "none"},
    {"axes": ["RY"], "entangler": "CZ", "scale": 0.01, "decay": 1.0},  # small angles do not hide it
    {"axes": ["RY"], "entangler": "CZ", "scale": 12.0, "decay": 1.0},  # nor do overlaps near 0
]


@pytest.mark.parametrize("changes", COMMUTING, ids=str)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_generators_that_commute_leave_differences_only(changes: dict[str, Any], seed: int) -> None:
    circuit = circuit_of(plain_recipe(**changes), QUBITS, FEATURES)
    assert depends_on_differences(circuit, seed=seed)
    assert commutes(circuit, seed=seed)


@pytest.mark.parametrize("changes", TURNING, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_generators_that_do_not_commute_see_the_features_themselves(changes: dict[str, Any], seed: int) -> None:
    circuit = circuit_of(plain_recipe(**changes), QUBITS, FEATURES)
    assert not depends_on_differences(circuit, seed=seed)
    assert not commutes(circuit, seed=seed)


def test_a_kernel_of_differences_does_not_need_unitaries_that_commute() -> None:
    """RZ gives |0> a phase, which no kernel sees; on other states it does not commute with the RX behind it."""
    gates = (Gate("RZ", (0,), (Angle(((0, 2.0),), 0.0),)), Gate("RX", (0,), (Angle(((1, 2.0),), 0.3),)))
    assert depends_on_differences(Circuit(1, 2, gates))
    assert not commutes(Circuit(1, 2, gates))


@given(seed=st.integers(0, 10_000))
def test_diagonal_gates_commute_with_any_fixed_gates_around_them(seed: int) -> None:
    """Generators that are products of Z, seen through one random fixed circuit: the law by construction."""
    random = np.random.default_rng(seed)
    turns = [tuple(Angle((), float(angle)) for angle in random.uniform(0, 6, 3)) for _ in range(3)]
    fixed = (
        *(Gate("U3", (wire,), turn) for wire, turn in enumerate(turns)),
        Gate("CNOT", (0, 1)),
        Gate("ISWAP", (1, 2)),
    )
    data = tuple(
        Gate(name, wires, (Angle(((feature, float(random.normal(0, 3))),), float(random.normal())),))
        for feature, (name, wires) in enumerate([("RZ", (0,)), ("IsingZZ", (0, 2)), ("ControlledPhaseShift", (1, 2))])
    )
    assert commutes(Circuit(3, 3, (*fixed, *data, Gate("CZ", (0, 2)), *fixed)))
    assert not commutes(Circuit(3, 3, (*data, *fixed, *data)))


def test_one_feature_a_qubit_gives_the_textbook_product_of_cosines() -> None:
    circuit = circuit_of(plain_recipe(entangler="none", scale=3.0), 3, 3)
    x, y = np.random.default_rng(1).random((2, 5, 3))
    exact = np.prod(np.cos(1.5 * (x[:, None] - y[None])) ** 2, axis=2)
    assert np.allclose(kernel_matrix(circuit, x, y, precision="complex128"), exact, atol=1e-12)
    assert depends_on_differences(circuit)


def test_random_frequencies_give_the_kernel_of_x_rotations_with_cnots() -> None:
    """What the module says: every frequency is a sum of the weights with signs, and all signs are equally likely."""
    n_qubits, n_features = 3, 6
    circuit = circuit_of(plain_recipe(axes=["RX"], scale=3.0, decay=0.6), n_qubits, n_features)
    first, second = 3.0, 1.8
    x, y = np.random.default_rng(2).random((2, n_features))
    bits = np.array([[(k >> q) & 1 for q in range(n_qubits)] for k in range(2**n_qubits)])
    sent = bits.copy()  # in the eigenbasis of X a CNOT adds the target's bit to the control's
    for control, target in reversed([(0, 1), (1, 2), (2, 0)]):
        sent[:, control] ^= sent[:, target]
    frequencies = 0.5 * np.hstack([first * (1 - 2 * sent), second * (1 - 2 * bits)])
    exact = abs(np.exp(1j * frequencies @ (x - y)).mean()) ** 2
    assert kernel_matrix(circuit, x[None], y[None], precision="complex128")[0, 0] == pytest.approx(exact, abs=1e-12)
