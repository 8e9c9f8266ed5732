"""The gates that a feature map may use, with their matrices in PennyLane's conventions.

Wire 0 of a gate is the most significant bit, controls come first, angles are in radians. Every matrix function takes
angles of any one shape and returns an array of shape (2^k, 2^k, *shape), so that all samples are done at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

Matrix = NDArray[np.complex128]
AngleLike = float | NDArray[np.float64]
ROOT_HALF = float(np.sqrt(0.5))


@dataclass(frozen=True, slots=True)
class GateSpec:
    """One allowed gate.

    Attributes:
        name: as PennyLane spells it.
        wires: how many it acts on; None for any number (MultiRZ).
        parameters: how many angles it takes.
        controls: how many of its wires, from the first, only switch `core` on.
        core: matrix on the other wires, from the angles; shape (2^k, 2^k, *shape of the angles).
        diagonal: the matrix is diagonal at every angle.
    """

    name: str
    wires: int | None
    parameters: int
    controls: int
    core: Callable[..., Matrix]
    diagonal: bool

    def matrix(self, *angles: AngleLike, n_wires: int | None = None) -> Matrix:
        """The whole matrix, shape (2^n_wires, 2^n_wires, *shape of the angles).

        Args:
            angles: one a parameter, rad; numbers, or arrays of one shape.
            n_wires: number of wires; needed by a gate on any number of wires.

        Raises:
            InputError: another number of angles or wires.
        """
        count = self.wires if self.wires is not None else n_wires
        if count is None or len(angles) != self.parameters or (n_wires or count) != count:
            raise InputError(
                f"Gate {self.name} takes {self.parameters} angles on {self.wires or 'n_wires'} wires, but was given"
                f" {len(angles)} angles and n_wires={n_wires}. Give what it takes."
            )
        if self.wires is None:
            return parity_rotation(angles[0], count)
        core = self.core(*angles)
        size, inner = 2**count, core.shape[0]
        whole = np.zeros((size, size, *core.shape[2:]), dtype=np.complex128)
        for row in range(size - inner):
            whole[row, row] = 1.0
        whole[size - inner :, size - inner :] = core
        return whole


def _array(rows: list[list[Any]]) -> Matrix:
    """Rows of numbers and arrays as one array of shape (2^k, 2^k, *shape)."""
    entries = np.broadcast_arrays(*[np.asarray(entry, dtype=np.complex128) for row in rows for entry in row])
    return np.stack(entries).reshape(len(rows), len(rows), *entries[0].shape)


def _fixed(rows: list[list[complex]]) -> Callable[[], Matrix]:
    matrix = np.array(rows, dtype=np.complex128)
    return lambda: matrix


def _rx(theta: AngleLike) -> Matrix:
    c, s = np.cos(np.multiply(theta, 0.5)), np.sin(np.multiply(theta, 0.5))
    return _array([[c, -1j * s], [-1j * s, c]])


def _ry(theta: AngleLike) -> Matrix:
    c, s = np.cos(np.multiply(theta, 0.5)), np.sin(np.multiply(theta, 0.5))
    return _array([[c, -s], [s, c]])


def _rz(theta: AngleLike) -> Matrix:
    return _array([[np.exp(np.multiply(theta, -0.5j)), 0], [0, np.exp(np.multiply(theta, 0.5j))]])


def _phase(phi: AngleLike) -> Matrix:
    return _array([[1, 0], [0, np.exp(np.multiply(phi, 1j))]])


def _rot(phi: AngleLike, theta: AngleLike, omega: AngleLike) -> Matrix:
    """``RZ(omega) RY(theta) RZ(phi)``."""
    c, s = np.cos(np.multiply(theta, 0.5)), np.sin(np.multiply(theta, 0.5))
    plus = np.exp(0.5j * np.add(phi, omega))
    minus = np.exp(0.5j * np.subtract(phi, omega))
    return _array([[np.conj(plus) * c, -minus * s], [np.conj(minus) * s, plus * c]])


def _u3(theta: AngleLike, phi: AngleLike, delta: AngleLike) -> Matrix:
    c, s = np.cos(np.multiply(theta, 0.5)), np.sin(np.multiply(theta, 0.5))
    up, along = np.exp(np.multiply(phi, 1j)), np.exp(np.multiply(delta, 1j))
    return _array([[c, -s * along], [s * up, c * up * along]])


def _u2(phi: AngleLike, delta: AngleLike) -> Matrix:
    up, along = np.exp(np.multiply(phi, 1j)), np.exp(np.multiply(delta, 1j))
    matrix: Matrix = ROOT_HALF * _array([[1, -along], [up, up * along]])
    return matrix


def _ising_xx(phi: AngleLike) -> Matrix:
    c, s = np.cos(np.multiply(phi, 0.5)), -1j * np.sin(np.multiply(phi, 0.5))
    return _array([[c, 0, 0, s], [0, c, s, 0], [0, s, c, 0], [s, 0, 0, c]])


def _ising_yy(phi: AngleLike) -> Matrix:
    c, s = np.cos(np.multiply(phi, 0.5)), 1j * np.sin(np.multiply(phi, 0.5))
    return _array([[c, 0, 0, s], [0, c, -s, 0], [0, -s, c, 0], [s, 0, 0, c]])


def _ising_xy(phi: AngleLike) -> Matrix:
    c, s = np.cos(np.multiply(phi, 0.5)), 1j * np.sin(np.multiply(phi, 0.5))
    return _array([[1, 0, 0, 0], [0, c, s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def parity_rotation(theta: AngleLike, n_wires: int) -> Matrix:
    """``exp(-i theta/2 Z x Z x ... x Z)`` on `n_wires` wires."""
    signs = parity_signs(n_wires)
    size = len(signs)
    shape = np.shape(theta)
    matrix = np.zeros((size, size, *shape), dtype=np.complex128)
    matrix[np.arange(size), np.arange(size)] = np.exp(np.multiply.outer(-0.5j * signs, theta))
    return matrix


def parity_signs(n_wires: int) -> NDArray[np.float64]:
    """+1 where an even number of the bits is set, else -1; shape (2^n_wires,)."""
    signs = np.ones(1)
    for _ in range(n_wires):
        signs = np.concatenate([signs, -signs])
    return signs


_X: list[list[complex]] = [[0, 1], [1, 0]]
_Y: list[list[complex]] = [[0, -1j], [1j, 0]]
_Z: list[list[complex]] = [[1, 0], [0, -1]]
_H: list[list[complex]] = [[ROOT_HALF, ROOT_HALF], [ROOT_HALF, -ROOT_HALF]]
_SX: list[list[complex]] = [[0.5 + 0.5j, 0.5 - 0.5j], [0.5 - 0.5j, 0.5 + 0.5j]]
_R, _J = ROOT_HALF, 1j * ROOT_HALF
_SWAP: list[list[complex]] = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
_ISWAP: list[list[complex]] = [[1, 0, 0, 0], [0, 0, 1j, 0], [0, 1j, 0, 0], [0, 0, 0, 1]]
_SISWAP: list[list[complex]] = [[1, 0, 0, 0], [0, _R, _J, 0], [0, _J, _R, 0], [0, 0, 0, 1]]
_ECR: list[list[complex]] = [[0, 0, _R, _J], [0, 0, _J, _R], [_R, -_J, 0, 0], [-_J, _R, 0, 0]]

_TABLE: tuple[tuple[str, int | None, int, int, Callable[..., Matrix], bool], ...] = (
    # name, wires, parameters, controls, core, diagonal
    ("Hadamard", 1, 0, 0, _fixed(_H), False),
    ("PauliX", 1, 0, 0, _fixed(_X), False),
    ("PauliY", 1, 0, 0, _fixed(_Y), False),
    ("PauliZ", 1, 0, 0, _fixed(_Z), True),
    ("S", 1, 0, 0, _fixed([[1, 0], [0, 1j]]), True),
    ("T", 1, 0, 0, _fixed([[1, 0], [0, ROOT_HALF * (1 + 1j)]]), True),
    ("SX", 1, 0, 0, _fixed(_SX), False),
    ("RX", 1, 1, 0, _rx, False),
    ("RY", 1, 1, 0, _ry, False),
    ("RZ", 1, 1, 0, _rz, True),
    ("PhaseShift", 1, 1, 0, _phase, True),
    ("Rot", 1, 3, 0, _rot, False),
    ("U1", 1, 1, 0, _phase, True),
    ("U2", 1, 2, 0, _u2, False),
    ("U3", 1, 3, 0, _u3, False),
    ("CNOT", 2, 0, 1, _fixed(_X), False),
    ("CY", 2, 0, 1, _fixed(_Y), False),
    ("CZ", 2, 0, 1, _fixed(_Z), True),
    ("CH", 2, 0, 1, _fixed(_H), False),
    ("SWAP", 2, 0, 0, _fixed(_SWAP), False),
    ("ISWAP", 2, 0, 0, _fixed(_ISWAP), False),
    ("SISWAP", 2, 0, 0, _fixed(_SISWAP), False),
    ("ECR", 2, 0, 0, _fixed(_ECR), False),
    ("CSWAP", 3, 0, 1, _fixed(_SWAP), False),
    ("Toffoli", 3, 0, 2, _fixed(_X), False),
    ("CCZ", 3, 0, 2, _fixed(_Z), True),
    ("CRX", 2, 1, 1, _rx, False),
    ("CRY", 2, 1, 1, _ry, False),
    ("CRZ", 2, 1, 1, _rz, True),
    ("CRot", 2, 3, 1, _rot, False),
    ("ControlledPhaseShift", 2, 1, 1, _phase, True),
    ("IsingXX", 2, 1, 0, _ising_xx, False),
    ("IsingYY", 2, 1, 0, _ising_yy, False),
    ("IsingZZ", 2, 1, 0, lambda phi: parity_rotation(phi, 2), True),
    ("IsingXY", 2, 1, 0, _ising_xy, False),
    ("MultiRZ", None, 1, 0, parity_rotation, True),
)

GATES: dict[str, GateSpec] = {row[0]: GateSpec(*row) for row in _TABLE}
"""Every gate that a feature map may use, by PennyLane's name."""
