"""The state that gates prepare, for readers that want to know whether it is the one that a task means."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.families.circuits.spec import Gate

_X: NDArray[np.complex128] = np.array([[0, 1], [1, 0]], dtype=complex)
_Y: NDArray[np.complex128] = np.array([[0, -1j], [1j, 0]])
_Z: NDArray[np.complex128] = np.diag([1, -1]).astype(complex)


def prepared(gates: Sequence[Gate], n_qubits: int) -> NDArray[np.complex128]:
    """Amplitudes after the gates on |0...0>, leftmost bit is qubit 0, shape ``(2**n_qubits,)``."""
    state = np.zeros((2,) * n_qubits, dtype=complex)
    state[(0,) * n_qubits] = 1
    for gate in gates:
        k = len(gate.qubits)
        matrix = _matrix(gate.name, gate.value if gate.value is not None else 0.0).reshape((2,) * (2 * k))
        state = np.moveaxis(np.tensordot(matrix, state, axes=(range(k, 2 * k), gate.qubits)), range(k), gate.qubits)
    return state.reshape(-1)


def overlap(gates: Sequence[Gate], n_qubits: int, target: Sequence[complex]) -> float:
    """|<target|prepared>|^2."""
    return float(abs(np.vdot(np.asarray(target), prepared(gates, n_qubits))) ** 2)


def _matrix(name: str, angle: float) -> NDArray[np.complex128]:
    if name == "swap":
        return np.eye(4, dtype=complex)[[0, 2, 1, 3]]
    if name[0] == "c":
        inner = _matrix(name[1:], angle)
        made = np.eye(2 * len(inner), dtype=complex)
        made[len(inner) :, len(inner) :] = inner
        return made
    if name in {"rx", "ry", "rz"}:
        axis = {"rx": _X, "ry": _Y, "rz": _Z}[name]
        return np.asarray(math.cos(angle / 2) * np.eye(2) - 1j * math.sin(angle / 2) * axis)
    phases = {"s": math.pi / 2, "sdg": -math.pi / 2, "t": math.pi / 4, "tdg": -math.pi / 4, "p": angle}
    if name in phases:
        return np.diag([1, cmath.exp(1j * phases[name])])
    return {"x": _X, "y": _Y, "z": _Z, "h": (_X + _Z) / math.sqrt(2)}[name]
