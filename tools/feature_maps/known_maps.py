"""Feature maps from the literature, as baselines: ZZ, NPQC and YZCX.

All were published with about as many features as rotations. Where a data set has more features than one pass of the
circuit takes, the features are uploaded block after block (ZZ) or in more layers (NPQC and YZCX).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate

States = NDArray[np.complexfloating[Any, Any]]

_BATCH = 256  # samples whose states are evolved at once; 4 MB at 10 qubits and double precision


@dataclass(frozen=True, slots=True)
class ZZMap:
    """The feature map of Havlicek et al., Nature 567, 209 (2019), arXiv:1804.11326.

    ``|psi(x)> = (prod_b D(x_b) H)^repeats |0>`` with Hadamards H on all qubits, blocks x_b of at most n features, and
    ``D(x) = exp(i sum_i z_i Z_i + i sum_{i<j} (pi - z_i)(pi - z_j) Z_i Z_j)`` with z = c x. All pairs interact. As the
    phases have products of features, this is no affine circuit and is computed here.

    Attributes:
        n_qubits: qubits, features in a block.
        n_features: length of x.
        scale: c.
        repeats: how often all blocks are applied.

    Raises:
        InputError: fewer than 2 qubits, or no feature.
    """

    n_qubits: int
    n_features: int
    scale: float = 1.0
    repeats: int = 2

    def __post_init__(self) -> None:
        _check(self.n_qubits, self.n_features)

    def states(self, samples: NDArray[np.floating[Any]], dtype: type[np.complexfloating[Any, Any]]) -> States:
        """``|psi(x)>`` of each sample, shape (n_samples, 2**n_qubits); wire 0 is the most significant bit.

        Args:
            samples: shape (n_samples, n_features).
            dtype: of the amplitudes.

        Raises:
            InputError: another number of features.
        """
        if samples.ndim != 2 or samples.shape[1] != self.n_features:
            raise InputError(f"The samples must have {self.n_features} features; their shape is {samples.shape}.")
        found = np.empty((len(samples), 2**self.n_qubits), dtype=dtype)
        for start in range(0, len(samples), _BATCH):
            found[start : start + _BATCH] = self._evolved(self.scale * samples[start : start + _BATCH], dtype)
        return found

    def _evolved(self, z: NDArray[np.floating[Any]], dtype: type[np.complexfloating[Any, Any]]) -> States:
        signs = _signs(self.n_qubits)
        state: States = np.zeros((len(z), 2**self.n_qubits), dtype=dtype)
        state[:, 0] = 1.0
        blocks = [z[:, start : start + self.n_qubits] for start in range(0, self.n_features, self.n_qubits)]
        phases = [np.exp(1j * self._phase(block, signs)).astype(dtype) for block in blocks]
        for _ in range(self.repeats):
            for phase in phases:
                state = _hadamards(state, self.n_qubits) * phase
        return state

    def _phase(self, block: NDArray[np.floating[Any]], signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exponent of D, shape (n_samples, 2**n_qubits), rad; a last block that is short leaves qubits idle."""
        width = block.shape[1]
        left, right = np.triu_indices(width, 1)
        found: NDArray[np.float64] = block @ signs[:width]
        return found + ((pi - block[:, left]) * (pi - block[:, right])) @ (signs[left] * signs[right])


def zz_kernel(
    feature_map: ZZMap,
    samples: NDArray[np.floating[Any]],
    others: NDArray[np.floating[Any]] | None = None,
    *,
    dtype: type[np.complexfloating[Any, Any]] = np.complex64,
) -> NDArray[np.floating[Any]]:
    """``|<psi(x)|psi(y)>|^2`` of a ZZ map, shape (n_samples, n_others)."""
    left = feature_map.states(samples, dtype)
    right = left if others is None else feature_map.states(others, dtype)
    overlaps = left @ right.conj().T
    kernel: NDArray[np.floating[Any]] = overlaps.real**2 + overlaps.imag**2
    return kernel


def npqc(n_qubits: int, n_features: int, *, scale: float = 1.0) -> Circuit:
    """The natural parametrised quantum circuit of Haug, Self and Kim, arXiv:2108.01039 and arXiv:2107.14063.

    The first layer is ``RZ(t_z) RY(t_y)`` on every qubit; each further layer l = 1, 2, ... acts on qubits 0, 2, 4, ...
    with ``RY(pi/2)``, then CZ with qubit k + 1 + 2 a_l (mod n), then ``RZ(t_z) RY(t_y)``; a_l is how often 2 divides
    l. At ``t_y = pi/2, t_z = 0`` the quantum Fisher information metric is Euclidean, so that for small angles
    ``K(x, y) = 1 - c^2 |x - y|^2 / 4``, the start of an RBF kernel. Angles are that point plus ``c (x - 1/2)``, which
    keeps prepared features about it. There are as many layers as the features need, one angle each.

    Args:
        n_qubits: even.
        n_features: length of x.
        scale: c, rad.

    Raises:
        InputError: an odd number of qubits, or more features than the angles of the largest such circuit.
    """
    _check(n_qubits, n_features)
    if n_qubits % 2:
        raise InputError(f"NPQC pairs its qubits and needs an even number of them, but has {n_qubits}.")
    layers = max(0, ceil((n_features - 2 * n_qubits) / n_qubits))
    if layers >= 2 ** (n_qubits // 2):
        raise InputError(
            f"NPQC of {n_qubits} qubits has at most {n_qubits * (2 ** (n_qubits // 2) + 1)} angles, but there are"
            f" {n_features} features. Use more qubits."
        )
    data = _Data(n_features, scale, centre=0.5)
    gates = [gate for wire in range(n_qubits) for gate in data.rotations(wire, pi / 2, 0.0)]
    for layer in range(1, layers + 1):
        even = range(0, n_qubits, 2)
        gates += [_fixed("RY", wire, pi / 2) for wire in even]
        gates += [Gate("CZ", (wire, (wire + 1 + 2 * _twos(layer)) % n_qubits)) for wire in even]
        gates += [gate for wire in even for gate in data.rotations(wire, pi / 2, 0.0)]
    return Circuit(n_qubits, n_features, tuple(gates))


def yzcx(n_qubits: int, n_features: int, *, scale: float = 1.0, seed: int = 0) -> Circuit:
    """The YZ-CX circuit of Haug, Self and Kim, arXiv:2108.01039.

    Each layer is ``RZ(c x_j + r_j) RY(c x_i + r_i)`` on every qubit with the next two features, then CNOTs along a
    line, between qubits (0, 1), (2, 3), ... in even layers and (1, 2), (3, 4), ... in odd ones. The reference angles r
    are drawn uniformly from 0 .. 2 pi. There are as many layers as the features need.

    Args:
        n_qubits: qubits.
        n_features: length of x.
        scale: c, rad.
        seed: of the reference angles.
    """
    _check(n_qubits, n_features)
    random = np.random.Generator(np.random.Philox(key=[seed, 3]))
    data = _Data(n_features, scale, centre=0.0)
    gates = []
    for layer in range(ceil(n_features / (2 * n_qubits))):
        for wire in range(n_qubits):
            gates += data.rotations(wire, *random.uniform(0, 2 * pi, 2).tolist())
        gates += [Gate("CNOT", (wire, wire + 1)) for wire in range(layer % 2, n_qubits - 1, 2)]
    return Circuit(n_qubits, n_features, tuple(gates))


class _Data:
    """Hands out the features in their order, one a rotation; when they are used up, rotations keep their offset."""

    def __init__(self, n_features: int, scale: float, centre: float) -> None:
        self._left = iter(range(n_features))
        self._scale = scale
        self._centre = centre

    def rotations(self, wire: int, y: float, z: float) -> list[Gate]:
        return [Gate("RY", (wire,), (self._angle(y),)), Gate("RZ", (wire,), (self._angle(z),))]

    def _angle(self, offset: float) -> Angle:
        feature = next(self._left, None)
        if feature is None:
            return Angle((), offset)
        return Angle(((feature, self._scale),), offset - self._scale * self._centre)


def _fixed(name: str, wire: int, angle: float) -> Gate:
    return Gate(name, (wire,), (Angle((), angle),))


def _twos(number: int) -> int:
    """How often 2 divides a number."""
    return (number & -number).bit_length() - 1


def _signs(n_qubits: int) -> NDArray[np.float64]:
    """Eigenvalue of Z on each wire for each basis state, shape (n_qubits, 2**n_qubits)."""
    basis = np.arange(2**n_qubits)
    return np.array([1.0 - 2.0 * ((basis >> (n_qubits - 1 - wire)) & 1) for wire in range(n_qubits)])


def _hadamards(state: States, n_qubits: int) -> States:
    """A Hadamard on every qubit, as two matrix products: on the first half of the wires, then on the rest."""
    first, rest = n_qubits // 2, n_qubits - n_qubits // 2
    grid = state.reshape(len(state), 2**first, 2**rest)
    left, right = ((hadamard(2**wires) / 2 ** (wires / 2)).astype(state.dtype) for wires in (first, rest))
    found: States = (left @ grid @ right).reshape(state.shape)
    return found


def _check(n_qubits: int, n_features: int) -> None:
    if n_qubits < 2 or n_features < 1:
        raise InputError(f"A known map needs 2 qubits and 1 feature at least; asked for {n_qubits} and {n_features}.")
