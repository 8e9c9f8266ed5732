"""Feature maps in the gates of a processor: quarter turns X90, virtual Z and CZ between coupled qubits.

Gates on one qubit between two CZ become one: ``Z(a) X90 Z(b) X90 Z(c)``. Gates on two are taken apart into as few CZ as
there can be (Vidal and Dawson, PRA 69, 010301, by PennyLane); larger ones by PennyLane's own decompositions. A gate on
two qubits that are not coupled is brought together by SWAP.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Circuit

Matrix = NDArray[np.complex128]
EYE: Matrix = np.eye(2, dtype=np.complex128)
HADAMARD: Matrix = np.sqrt(0.5) * np.array([[1, 1], [1, -1]], dtype=np.complex128)
X90: Matrix = np.sqrt(0.5) * np.array([[1, -1j], [-1j, 1]], dtype=np.complex128)
SMALL = 1e-12


@dataclass(frozen=True, slots=True)
class Native:
    """One gate of a processor: ``turn`` is diag(1, e^(i angle)) on one qubit, ``x90`` a quarter turn, ``cz`` on two."""

    kind: Literal["turn", "x90", "cz"]
    wires: tuple[int, ...]
    angle: float = 0.0


def native_gates(
    circuit: Circuit, sample: NDArray[np.float64], couplings: Sequence[tuple[int, int]] | None = None
) -> list[Native]:
    """The circuit for one sample in native gates; the state is the same up to a phase.

    Args:
        circuit: what to play.
        sample: shape (n_features,).
        couplings: pairs of wires between which there is a CZ; None: all.

    Raises:
        InputError: two wires of a gate are joined by no chain of couplings.
    """
    n = circuit.n_qubits
    joined = {frozenset(pair) for pair in couplings} if couplings is not None else None
    pending = [EYE for _ in range(n)]
    gates: list[Native] = []
    for wires, matrix in _taken_apart(circuit, sample):
        if matrix is not None:
            pending[wires[0]] = matrix @ pending[wires[0]]
            continue
        for step in _routed(wires, joined, n):
            if isinstance(step, int):
                pending[step] = HADAMARD @ pending[step]
                continue
            for wire in step:
                gates += _turned(wire, pending[wire])
                pending[wire] = EYE
            gates.append(Native("cz", step))
    return [*gates, *(one for wire in range(n) for one in _turned(wire, pending[wire]))]


def _taken_apart(circuit: Circuit, sample: NDArray[np.float64]) -> Iterator[tuple[tuple[int, ...], Matrix | None]]:
    """Matrices on one wire, and None for a CZ on two."""
    import pennylane as qml

    angles, row = circuit.angles(np.asarray(sample, dtype=np.float64)[None])[:, 0], 0
    for gate in circuit.gates:
        values = [float(angle) for angle in angles[row : row + len(gate.angles)]]
        row += len(gate.angles)
        yield from _small(getattr(qml, gate.name)(*values, wires=list(gate.wires)))


def _small(operation: Any) -> Iterator[tuple[tuple[int, ...], Matrix | None]]:
    wires = tuple(int(wire) for wire in operation.wires)
    if operation.name == "CZ":
        yield wires, None
    elif operation.name == "CNOT":
        yield (wires[1],), HADAMARD
        yield wires, None
        yield (wires[1],), HADAMARD
    elif len(wires) == 1:
        yield wires, np.asarray(operation.matrix(), dtype=np.complex128)
    elif len(wires) == 2:
        matrix = np.asarray(operation.matrix(), dtype=np.complex128)
        for inner, unitary in _pair(matrix.tobytes()):
            yield tuple(wires[place] for place in inner), unitary
    elif wires:
        for part in operation.decomposition():
            yield from _small(part)


@lru_cache(maxsize=4096)
def _pair(content: bytes) -> tuple[tuple[tuple[int, ...], Matrix | None], ...]:
    """A gate on wires 0 and 1 by its matrix."""
    import pennylane as qml

    matrix = np.frombuffer(content, dtype=np.complex128).reshape(4, 4)
    parts = qml.ops.two_qubit_decomposition(matrix, wires=[0, 1])
    return tuple(one for part in parts for one in _small(part))


def _routed(wires: tuple[int, ...], joined: set[frozenset[int]] | None, n: int) -> Iterator[tuple[int, ...] | int]:
    """A CZ as CZ of coupled wires and Hadamards (a wire): one end is swapped along the chain, and back."""
    first, second = wires
    if joined is None or frozenset(wires) in joined:
        yield first, second
        return
    path = _path(first, second, joined, n)
    swaps = list(pairwise(path[:-1]))
    for here, there in swaps:
        yield from _swap(here, there)
    yield path[-2], path[-1]
    for here, there in reversed(swaps):
        yield from _swap(here, there)


def _swap(one: int, other: int) -> Iterator[tuple[int, ...] | int]:
    for target in (other, one, other):
        yield target
        yield one, other
        yield target


def _path(first: int, second: int, joined: set[frozenset[int]], n: int) -> list[int]:
    """The shortest chain of coupled wires."""
    chains = [[first]]
    seen = {first}
    while chains:
        chain = chains.pop(0)
        if chain[-1] == second:
            return chain
        for wire in range(n):
            if wire not in seen and frozenset((chain[-1], wire)) in joined:
                seen.add(wire)
                chains.append([*chain, wire])
    raise InputError(f"No couplings join wires {first} and {second}, so no gate acts on both. Choose other qubits.")


def _turned(wire: int, unitary: Matrix) -> list[Native]:
    """``unitary`` as two quarter turns between three virtual Z, or as one virtual Z if it is diagonal."""
    if abs(unitary[0, 1]) < SMALL:
        turn = float(np.angle(unitary[1, 1] / unitary[0, 0]))
        return [] if abs(turn) < SMALL else [Native("turn", (wire,), turn)]
    # U3(theta, phi, lam) = Z(phi + pi) X90 Z(theta + pi) X90 Z(lam), McKay et al., PRA 96, 022330
    theta = 2 * np.arctan2(abs(unitary[1, 0]), abs(unitary[0, 0]))
    flipped = abs(unitary[0, 0]) < SMALL  # then only the sum of phi and lam matters
    lam = 0.0 if flipped else np.angle(-unitary[0, 1]) - np.angle(unitary[0, 0])
    phi = np.angle(unitary[1, 0]) - np.angle(-unitary[0, 1] if flipped else unitary[0, 0])
    angles = (lam, theta + np.pi, phi + np.pi)
    turns = [Native("turn", (wire,), float(angle)) for angle in angles]
    pulse = Native("x90", (wire,))
    return [turns[0], pulse, turns[1], pulse, turns[2]]
