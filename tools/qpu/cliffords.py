"""The single-qubit Clifford group, written in X and Y pulses.

Gates are played left to right. The decomposition is the shortest one, 45 gates for the 24 elements: 1.875 a
Clifford, where the identity counts as one idle (Epstein et al., PRA 89, 062321).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# name -> (rotation axis in the xy plane / rad, rotation angle / rad)
ROTATIONS: dict[str, tuple[float, float]] = {
    "I": (0.0, 0.0),
    "X90": (0.0, np.pi / 2),
    "X90m": (np.pi, np.pi / 2),
    "Y90": (np.pi / 2, np.pi / 2),
    "Y90m": (-np.pi / 2, np.pi / 2),
    "X180": (0.0, np.pi),
    "Y180": (np.pi / 2, np.pi),
}
GATES: tuple[str, ...] = tuple(ROTATIONS)
GATES_PER_CLIFFORD = 1.875


class CliffordGroup(NamedTuple):
    """The group as tables.

    Attributes:
        decompositions: 24 gate sequences, in playing order; element 0 is the identity, one idle.
        product: (24, 24); ``product[i, j]`` is the element of "first i, then j".
        inverse: (24,) element that undoes each element.
        unitaries: (24, 2, 2), up to a global phase.
    """

    decompositions: tuple[tuple[str, ...], ...]
    product: NDArray[np.intp]
    inverse: NDArray[np.intp]
    unitaries: NDArray[np.complex128]

    def element(self, *gates: str) -> int:
        """Element that the gate sequence makes."""
        unitary = np.eye(2, dtype=complex)
        for gate in gates:
            unitary = rotation(*ROTATIONS[gate]) @ unitary
        return _find(self.unitaries, unitary)


def rotation(axis: float, angle: float) -> NDArray[np.complex128]:
    """Unitary (2, 2) that turns by `angle` about the axis (cos axis, sin axis, 0) of the Bloch sphere; rad."""
    off = -1j * np.sin(angle / 2) * np.exp(-1j * axis)
    return np.array([[np.cos(angle / 2), off], [-np.conj(off), np.cos(angle / 2)]])


@cache
def clifford_group() -> CliffordGroup:
    """The 24 elements with decompositions, products and inverses; computed once."""
    decompositions, unitaries = _shortest()
    stack = np.array(unitaries)
    product = np.array([[_find(stack, later @ first) for later in stack] for first in stack], dtype=np.intp)
    return CliffordGroup(tuple(decompositions), product, np.argmin(product, axis=1).astype(np.intp), stack)


def _shortest() -> tuple[list[tuple[str, ...]], list[NDArray[np.complex128]]]:
    """Breadth first over gate sequences, so that every element is met by its shortest sequence."""
    decompositions: list[tuple[str, ...]] = [("I",)]
    unitaries = [np.eye(2, dtype=complex)]
    frontier: list[tuple[tuple[str, ...], NDArray[np.complex128]]] = [((), unitaries[0])]
    while len(unitaries) < 24:
        longer = []
        for gates, unitary in frontier:
            for gate in GATES[1:]:
                reached = rotation(*ROTATIONS[gate]) @ unitary
                if _find(np.array(unitaries), reached) < 0:
                    decompositions.append((*gates, gate))
                    unitaries.append(reached)
                    longer.append((decompositions[-1], reached))
        frontier = longer
    return decompositions, unitaries


def _find(stack: NDArray[np.complex128], unitary: NDArray[np.complex128]) -> int:
    """Index in `stack` of `unitary` up to a global phase; -1 if it is not there."""
    overlap = np.abs(np.einsum("kij,ij->k", stack.conj(), unitary)) / 2
    best = int(np.argmax(overlap))
    return best if overlap[best] > 0.999 else -1
