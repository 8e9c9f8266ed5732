"""A register of coupled transmons with its drift frozen: dressed states, and drive operators between them.

Everything is written in the dressed basis: the eigenstates of the coupled but undriven register, each named by the
bare levels that it grows from. In it, waiting is a phase. A transmon's `truth.frequency` is the dressed one, with all
neighbours in level 0: what a one-qubit experiment measures. The bare frequencies follow from it. Noise acts on the
dressed levels of each qubit as it does on those of a single one; the difference is of the order (J / detuning)^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from labwright.tools.qpu.dynamics import LEVELS, LOWER, NUMBER, Matrix, Transmon

Real = NDArray[np.float64]
Coupling = tuple[int, int, float]  # places of two qubits, and the exchange rate J in MHz


@dataclass(frozen=True, slots=True, eq=False)
class Register:
    """Coupled transmons, d = 4^n dressed levels, the last qubit's level running fastest.

    Attributes:
        transmons: one a qubit; `detuning` is qubit minus frame, the frame being the calibrated drive frequency.
        frames: MHz, (n,).
        energies: MHz, (d,), dressed, in the frame: minus the sum of frames times levels.
        lowering: (n, d, d), real: the lowering operator of each transmon between dressed levels.
    """

    transmons: tuple[Transmon, ...]
    frames: tuple[float, ...]
    energies: Real
    lowering: Real

    @property
    def dimension(self) -> int:
        return len(self.energies)

    @property
    def mixing(self) -> Real:
        """What the coupling adds to the energies of separate transmons, (d,) in MHz: mostly the static ZZ."""
        alone = [t.detuning * NUMBER + t.truth.anharmonicity / 2 * NUMBER * (NUMBER - 1) for t in self.transmons]
        return self.energies - sum_of(alone)

    def in_frame(self, frequency: float) -> Real:
        """Dressed energies (d,) in a frame that turns with `frequency` for every quantum, MHz."""
        return self.energies + sum_of([NUMBER * (frame - frequency) for frame in self.frames])


def sum_of(parts: Sequence[NDArray[np.floating[Any]]]) -> Real:
    """Sum over a product basis: parts[0][a] + parts[1][b] + ..., flattened."""
    total: Real = np.zeros(1)
    for part in parts:
        total = np.asarray(total[:, None] + part[None, :], dtype=float).ravel()
    return total


def register(transmons: Sequence[Transmon], frames: Sequence[float], couplings: Sequence[Coupling]) -> Register:
    """Diagonalise. The bare frequencies are those whose dressed ones are the transmons' own."""
    wanted = [frame + transmon.detuning for frame, transmon in zip(frames, transmons, strict=True)]
    bends = [transmon.truth.anharmonicity for transmon in transmons]
    energies, lowering = dressed(tuple(wanted), tuple(bends), tuple(couplings))
    turning = sum_of([NUMBER * float(frame) for frame in frames])
    return Register(tuple(transmons), tuple(map(float, frames)), energies - turning, lowering)


@lru_cache(maxsize=16)
def dressed(
    frequencies: tuple[float, ...], anharmonicities: tuple[float, ...], couplings: tuple[Coupling, ...]
) -> tuple[Real, Real]:
    """Energies (d,) and lowering operators (n, d, d) of a register whose dressed frequencies (MHz) are given."""
    operators = lowering_operators(len(frequencies))
    exchange = np.zeros(operators.shape[1:])
    for first, second, rate in couplings:
        hop = operators[first].T @ operators[second]
        exchange += rate * (hop + hop.T)
    bare = np.array(frequencies)
    single = [LEVELS ** (len(bare) - 1 - q) for q in range(len(bare))]
    for _ in range(20):
        ladder = sum_of(
            [w * NUMBER + a / 2 * NUMBER * (NUMBER - 1) for w, a in zip(bare, anharmonicities, strict=True)]
        )
        energies, vectors = named_states(np.diag(ladder) + exchange)
        missing = np.array(frequencies) - (energies[single] - energies[0])
        bare = bare + missing
        if np.abs(missing).max() < 1e-9:
            break
    transformed = np.array([vectors.T @ operator @ vectors for operator in operators])
    for array in (energies, transformed):
        array.setflags(write=False)
    return energies, transformed


def named_states(hamiltonian: Real) -> tuple[Real, Real]:
    """Eigenvalues and eigenvectors (columns) in the order of the bare states that they most resemble, signs fixed."""
    values, vectors = np.linalg.eigh(hamiltonian)
    _, order = linear_sum_assignment(-(vectors**2))
    vectors = vectors[:, order]
    return values[order], vectors * np.where(np.diag(vectors) < 0, -1.0, 1.0)


def lowering_operators(n: int) -> Real:
    """Bare lowering operators of n transmons, (n, d, d)."""
    return np.array([np.kron(np.kron(np.eye(LEVELS**q), LOWER), np.eye(LEVELS ** (n - 1 - q))) for q in range(n)])


def drive(lowering: Real, rabi: Matrix) -> Matrix:
    """Hamiltonian (..., d, d) in MHz of complex Rabi rates (..., n): sum of (conj(E) a + E a^+) / 2."""
    half = np.einsum("...q,qij->...ij", np.conj(rabi), lowering) / 2
    return np.asarray(half + np.conj(np.swapaxes(half, -1, -2)))
