"""Geometric difference and model complexity by their definitions, with every root and inverse written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import sqrtm
from sklearn.svm import SVC

from labwright.tools.datasets import load_dataset
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.classical import rbf, scale_gamma
from labwright.tools.feature_maps.geometry import (
    classical_kernels,
    engineered_labels,
    geometric_difference,
    geometry,
    model_complexity,
    pareto,
    spectrum,
    two_qubit_depth,
)
from labwright.tools.feature_maps.known_maps import ZZMap, zz_kernel


def gaussian(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(-1))


def two_kernels(seed, n=20):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return gaussian(X, 2.0), gaussian(X @ np.random.default_rng(seed + 1).normal(size=(3, 3)), 1.0)


@given(seed=st.integers(0, 10_000), regularisation=st.sampled_from([0.0, 1e-3, 0.1]))
def test_g_is_that_of_the_definition(seed, regularisation):
    classical, quantum = two_kernels(seed)
    shifted = np.linalg.inv(classical + regularisation * np.eye(20))
    root_q, root_c = sqrtm(quantum).real, sqrtm(classical).real
    g = np.sqrt(np.linalg.norm(root_q @ root_c @ shifted @ shifted @ root_c @ root_q, 2))
    training = regularisation * np.sqrt(np.linalg.norm(root_q @ shifted @ shifted @ root_q, 2))
    found = geometric_difference(spectrum(7.0 * classical), quantum, regularisation)  # its scale has no effect
    assert found == pytest.approx((g, training), rel=1e-6, abs=1e-9)


@given(seed=st.integers(0, 10_000))
def test_the_bound_of_the_paper_holds(seed):
    """``s_C <= g^2 s_Q`` for every labelling."""
    classical, quantum = two_kernels(seed)
    y = np.random.default_rng(seed).integers(0, 2, 20)
    y[:2] = 0, 1
    g, _ = geometric_difference(spectrum(classical), quantum, 0.0)
    assert model_complexity(spectrum(classical), y, 0.0)[0] <= g**2 * model_complexity(spectrum(quantum), y, 0.0)[0] * (
        1 + 1e-6
    )


def test_a_kernel_has_distance_one_from_itself():
    kernel, _ = two_kernels(3)
    assert geometric_difference(spectrum(kernel), kernel, 0.0)[0] == pytest.approx(1.0)
    assert geometric_difference(spectrum(kernel), np.eye(20), 0.0)[0] > 1.0


def test_complexity_by_its_definition():
    kernel, _ = two_kernels(5)
    y = np.arange(20) % 2
    signs = np.where(y == 1, 1.0, -1.0)
    assert model_complexity(spectrum(kernel), y, 0.0)[0] == pytest.approx(
        signs @ np.linalg.solve(kernel, signs) / 20, rel=1e-6
    )
    three = np.arange(20) % 3
    each = [np.where(three == k, 1.0, -1.0) for k in range(3)]
    assert model_complexity(spectrum(kernel), three, 0.0)[0] == pytest.approx(
        np.mean([s @ np.linalg.solve(kernel, s) / 20 for s in each]), rel=1e-6
    )


def test_engineered_labels_are_simple_for_one_kernel_and_hard_for_the_other():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 4))
    classical, quantum = gaussian(X, 0.3), gaussian(np.sin(5 * X) @ random.normal(size=(4, 4)), 0.5)
    y = engineered_labels(classical, quantum)
    assert np.bincount(y).tolist() == [60, 60]
    assert sum(model_complexity(spectrum(quantum), y)) < 0.2 * sum(model_complexity(spectrum(classical), y))
    chance = random.permutation(y)
    assert sum(model_complexity(spectrum(quantum), y)) < 0.2 * sum(model_complexity(spectrum(quantum), chance))


@pytest.mark.parametrize(
    ("name", "quantum", "classical"), [("digits-quantum", 0.9, 0.8), ("digits-observable", 0.92, 0.92)]
)
def test_labels_that_a_quantum_kernel_made_are_learnt_by_it_better_than_by_an_rbf(name, quantum, classical):
    data = load_dataset(name)
    assert data.X.shape == (600, 6)
    assert np.bincount(data.y).min() > 250
    gamma, fit, test = scale_gamma(data.X), slice(0, 400), slice(400, 600)
    kernels = [zz_kernel(ZZMap(6, 6, 0.5), data.X)]
    kernels += [rbf(data.X, data.X, gamma=factor * gamma) for factor in (0.3, 1, 4, 16)]
    machine, y = SVC(C=10, kernel="precomputed"), data.y
    right = [machine.fit(k[fit, fit], y[fit]).score(k[test, fit], y[test]) for k in kernels]
    assert right[0] > quantum
    assert max(right[1:]) < classical


def test_the_nearest_classical_kernel_counts():
    X = np.random.default_rng(2).random((60, 5))
    y = (X[:, 0] > 0.5).astype(int)
    kernels = classical_kernels(X)
    found = geometry(kernels["RBF, 4 gamma"].astype(np.float32), kernels, y)
    assert found.nearest == "RBF, 4 gamma"
    assert found.difference + found.training_difference == pytest.approx(1.0, abs=0.01)
    assert found.complexity >= found.classical_complexity
    assert found.samples == 60


def test_depth_counts_gates_on_two_wires_only():
    free = (Angle((), 0.3),)
    gates = [
        Gate("CNOT", (0, 1)),
        Gate("RX", (1,), free),
        Gate("CZ", (2, 3)),
        Gate("CNOT", (1, 2)),
        Gate("RX", (3,), free),
    ]
    assert two_qubit_depth(Circuit(4, 1, tuple(gates))) == 2
    assert two_qubit_depth(Circuit(2, 1, (Gate("RX", (0,), free),))) == 0


def test_only_points_that_no_other_beats_are_on_the_front():
    points = [(0.9, 2.0, 4), (0.9, 2.0, 3), (0.8, 5.0, 9), (0.7, 1.0, 0), (0.7, 1.0, 0), (0.6, 1.0, 1)]
    assert pareto(points) == [False, True, True, True, True, False]
    assert pareto([]) == []
