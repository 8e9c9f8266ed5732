"""Known maps against what their papers say of them, and against PennyLane."""

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.known_maps import ZZMap, npqc, yzcx, zz_kernel
from labwright.tools.feature_maps.simulate import states


@pytest.mark.parametrize(("n_qubits", "n_features"), [(2, 4), (2, 6), (4, 16), (4, 20), (6, 30)])
def test_npqc_has_a_euclidean_metric_at_its_reference_point(n_qubits, n_features):
    # The quantum Fisher information 4 Re(<d_i psi|d_j psi> - <d_i psi|psi><psi|d_j psi>) is the identity:
    # the circuit's defining property, which fails for other entangling patterns.
    centre, step = np.full((1, n_features), 0.5), 1e-4
    moved = np.vstack([centre + step * np.eye(n_features), centre - step * np.eye(n_features)])
    found = states(npqc(n_qubits, n_features), np.vstack([centre, moved]), precision="complex128")
    psi, derivative = found[0], (found[1 : n_features + 1] - found[n_features + 1 :]) / (2 * step)
    along = derivative.conj() @ psi
    metric = 4 * np.real(derivative.conj() @ derivative.T - np.outer(along, along.conj()))
    assert np.abs(metric - np.eye(n_features)).max() < 1e-7


def test_npqc_is_an_rbf_kernel_for_small_angles():
    x = np.random.default_rng(0).random((20, 40))
    scale = 0.1
    K = kernel_matrix(npqc(6, 40, scale=scale), x, precision="complex128")
    distances = ((x[:, None] - x[None]) ** 2).sum(-1)
    assert np.abs(K - np.exp(-(scale**2) * distances / 4)).max() < 2e-3


def test_npqc_knows_its_limits():
    with pytest.raises(InputError, match="even number"):
        npqc(3, 6)
    assert npqc(4, 20).n_features == 20
    with pytest.raises(InputError, match="at most 20 angles, but there are 21 features"):
        npqc(4, 21)


@pytest.mark.parametrize("make", [npqc, yzcx])
@pytest.mark.parametrize("n_features", [1, 7, 8, 9, 23])
def test_every_feature_has_one_angle(make, n_features):
    weights, _ = make(6, n_features, scale=0.7).affine()
    assert (np.abs(weights) > 0).sum(axis=0).tolist() == [1] * n_features
    assert weights.max() == pytest.approx(0.7)


def test_yzcx_is_layers_of_rotations_with_shifted_pairs_of_cnots():
    circuit = yzcx(5, 20, seed=4)
    pairs = [gate.wires for gate in circuit.gates if gate.name == "CNOT"]
    assert pairs == [(0, 1), (2, 3), (1, 2), (3, 4)]
    assert [gate.name for gate in circuit.gates[:4]] == ["RY", "RZ", "RY", "RZ"]
    assert circuit == yzcx(5, 20, seed=4)
    assert circuit != yzcx(5, 20, seed=5)
    offsets = circuit.affine()[1]
    assert ((offsets >= 0) & (offsets < 2 * np.pi)).all()


def test_zz_of_havlicek_against_the_matrix_exponential():
    n, x = 3, np.array([[0.3, 0.9, 0.1], [0.5, 0.2, 0.8]])
    Z, one = np.diag([1.0, -1.0]), np.eye(2)

    def on(wires):
        found = np.eye(1)
        for wire in range(n):
            found = np.kron(found, Z if wire in wires else one)
        return np.diag(found)

    H = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    H3 = np.kron(np.kron(H, H), H)
    expected = []
    for row in x:
        phase = sum(row[i] * on((i,)) for i in range(n))
        phase = phase + sum((np.pi - row[i]) * (np.pi - row[j]) * on((i, j)) for i in range(n) for j in range(i + 1, n))
        D = np.diag(np.exp(1j * phase))
        expected.append((D @ H3 @ D @ H3)[:, 0])
    assert np.abs(ZZMap(n, n).states(x, np.complex128) - np.array(expected)).max() < 1e-12


def test_zz_uploads_more_features_block_after_block():
    x = np.random.default_rng(2).random((3, 5))
    whole = ZZMap(3, 5, repeats=1).states(x, np.complex128)
    first = ZZMap(3, 3, repeats=1).states(x[:, :3], np.complex128)
    # The second block holds two features; qubit 2 has only its Hadamard, so D acts on qubits 0 and 1.
    H = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    s0, s1 = np.array([1, 1, -1, -1.0]), np.array([1, -1, 1, -1.0])
    for row, start, end in zip(x, first, whole, strict=True):
        phase = row[3] * s0 + row[4] * s1 + (np.pi - row[3]) * (np.pi - row[4]) * s0 * s1
        moved = np.kron(np.kron(H, H), H) @ start
        assert np.abs(np.repeat(np.exp(1j * phase), 2) * moved - end).max() < 1e-12


def test_zz_kernels_are_kernels():
    random = np.random.default_rng(3)
    x, y = random.random((300, 7)), random.random((5, 7))  # more samples than one batch
    feature_map = ZZMap(4, 7, scale=0.6)
    K = zz_kernel(feature_map, x, dtype=np.complex128)
    assert np.abs(K - K.T).max() < 1e-12
    assert np.abs(np.diag(K) - 1).max() < 1e-12
    assert np.linalg.eigvalsh(K).min() > -1e-10
    assert np.abs(zz_kernel(feature_map, x, y) - zz_kernel(feature_map, x, y, dtype=np.complex128)).max() < 1e-5


def test_samples_of_another_length_are_refused():
    with pytest.raises(InputError, match="must have 4 features"):
        ZZMap(2, 4).states(np.ones((3, 5)), np.complex64)
    with pytest.raises(InputError, match="2 qubits and 1 feature at least"):
        ZZMap(1, 4)
