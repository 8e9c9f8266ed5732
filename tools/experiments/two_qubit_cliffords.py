"""The two-qubit Clifford group as tables: random elements, products and inverses, decompositions with CZ.

An element is kept as its action on Paulis (a symplectic matrix with signs); its gates come from the usual four classes:
two single-qubit Cliffords, behind none, one, two or three CZ (11,520 elements, 1.5 CZ on average; Corcoles et al.,
PRA 87, 030301).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.cliffords import ROTATIONS, clifford_group, rotation

Matrix = NDArray[np.complex128]
CZ = "CZ"
SIZE = 11520
CZ_PER_CLIFFORD = 1.5


class Layer(NamedTuple):
    """One step of a two-qubit circuit: a CZ, or single-qubit gates in playing order on (first, second)."""

    gates: tuple[tuple[str, ...], tuple[str, ...]]
    cz: bool = False


CZ_LAYER = Layer(((), ()), True)
# Elements of the group that permute the axes X, Y, Z cyclically; behind a CZ they make a class's cosets.
AXIS_GATES = ((), ("X90", "Y90"), ("Y90m", "X90m"))


def unitary(layers: list[Layer]) -> Matrix:
    """(4, 4) of a circuit, first layer first."""
    total = np.eye(4, dtype=complex)
    for layer in layers:
        step = np.diag([1, 1, 1, -1]).astype(complex) if layer.cz else np.kron(*(single(g) for g in layer.gates))
        total = step @ total
    return total


def single(gates: tuple[str, ...]) -> Matrix:
    """(2, 2) of single-qubit gates in playing order."""
    total = np.eye(2, dtype=complex)
    for gate in gates:
        total = rotation(*ROTATIONS[gate]) @ total
    return total


def one(rng: np.random.Generator) -> tuple[str, ...]:
    """Gates of a random single-qubit Clifford."""
    return clifford_group().decompositions[int(rng.integers(24))]


def random_clifford(rng: np.random.Generator) -> list[Layer]:
    """Layers of a random element, uniform over the group."""
    return element_layers(int(rng.integers(SIZE)))


def element_layers(number: int) -> list[Layer]:
    """Layers of element `number`, 0 to 11519: 576 without CZ, 5184 with one, 5184 with two, 576 with three."""
    group = clifford_group().decompositions
    last, rest = number % 576, number // 576
    local = Layer((group[last % 24], group[last // 24]))
    if rest == 0:
        return [local]
    if rest <= 9:
        return [_axes(rest - 1), CZ_LAYER, local]
    if rest <= 18:
        return [_axes(rest - 10), CZ_LAYER, Layer((("Y90",), ("Y90m",))), CZ_LAYER, local]
    turn = Layer((("Y90",), ("Y90",)))
    return [CZ_LAYER, Layer((("Y90m",), ("Y90",))), CZ_LAYER, turn, CZ_LAYER, local]


def _axes(number: int) -> Layer:
    return Layer((AXIS_GATES[number % 3], AXIS_GATES[number // 3]))


@cache
def _cosets() -> tuple[list[list[Layer]], NDArray[np.complex128]]:
    """The 20 circuits that stand before the last single-qubit gates, and their unitaries."""
    circuits = [element_layers(576 * k)[:-1] for k in range(20)]
    return circuits, np.array([unitary(circuit) for circuit in circuits])


def inverse_layers(wanted: Matrix) -> list[Layer]:
    """Layers that undo the Clifford unitary `wanted` (4, 4), up to a global phase.

    Raises:
        ValueError: it is no Clifford.
    """
    return layers_of(wanted.conj().T)


def layers_of(target: Matrix) -> list[Layer]:
    """Layers of the Clifford unitary `target` (4, 4), up to a global phase.

    Raises:
        ValueError: it is no Clifford.
    """
    circuits, prefixes = _cosets()
    for circuit, prefix in zip(circuits, prefixes, strict=True):
        left = target @ prefix.conj().T
        parts = _factors(left)
        if parts is not None:
            return [*circuit, Layer(parts)]
    raise ValueError("The unitary is no two-qubit Clifford.")


def _factors(local: Matrix) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two single-qubit Cliffords whose product is `local`; None if it is none."""
    tensor = local.reshape(2, 2, 2, 2)
    place = np.unravel_index(np.abs(tensor).argmax(), tensor.shape)
    first = tensor[:, place[1], :, place[3]]
    second = tensor[place[0], :, place[2], :]
    found = [_named(first), _named(second)]
    if found[0] is None or found[1] is None:
        return None
    made = np.kron(single(found[0]), single(found[1]))
    return (found[0], found[1]) if abs(np.trace(made.conj().T @ local)) > 3.999 else None


def _named(matrix: Matrix) -> tuple[str, ...] | None:
    """Gates of the single-qubit Clifford proportional to `matrix`; None if there is none."""
    norm = np.sqrt(np.abs(np.linalg.det(matrix)))
    if norm < 1e-6:
        return None
    overlap = np.abs(np.einsum("kij,ij->k", clifford_group().unitaries.conj(), matrix / norm)) / 2
    best = int(overlap.argmax())
    return clifford_group().decompositions[best] if overlap[best] > 0.999 else None
