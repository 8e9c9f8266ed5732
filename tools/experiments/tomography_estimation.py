"""Density matrices and channels from counts: maximum likelihood with the readout in the model, and resampled errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments.fits import Array
from labwright.tools.qpu.cliffords import rotation

Matrix = NDArray[np.complex128]
Counts = NDArray[np.int64]
AXES = ("X", "Y", "Z")
# What is played before readout so that Z reads the axis.
BEFORE = {"X": rotation(-np.pi / 2, np.pi / 2), "Y": rotation(0.0, np.pi / 2), "Z": np.eye(2, dtype=complex)}
PAULIS = {
    "I": np.eye(2, dtype=complex),
    "X": np.array([[0, 1], [1, 0]], dtype=complex),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]).astype(complex),
}


def kron(factors: Iterable[Matrix]) -> Matrix:
    """The tensor product, the first factor's index the slowest."""
    total = np.ones((1, 1), dtype=complex)
    for factor in factors:
        total = np.kron(total, factor)
    return total


def settings_of(n: int) -> list[str]:
    """The 3^n measurement settings, such as "XZY"."""
    return ["".join(axes) for axes in product(AXES, repeat=n)]


def effects(n: int, readout: Array) -> Matrix:
    """What every outcome of every setting measures, (3^n, 2^n, d, d): readout errors belong to the measurement.

    Args:
        n: number of qubits.
        readout: P(reads row | is column), (2^n, 2^n).
    """
    found = []
    for setting in settings_of(n):
        turn = kron(BEFORE[axis] for axis in setting)
        projectors = np.einsum("ka,kb->kab", turn.conj(), turn)
        found.append(np.einsum("rk,kab->rab", readout, projectors))
    return np.array(found)


def most_likely_state(
    counts: Counts, measured: Matrix, rounds: int = 3000, tolerance: float = 1e-7, start: Matrix | None = None
) -> Matrix:
    """Density matrix (d, d) of largest likelihood for counts (n_settings, n_outcomes), from `start` or the mixed state.

    Iterates rho <- N R rho R (Hradil et al., Lect. Notes Phys. 649, 59), which keeps rho a state. The effects sum to
    one for each setting, which the iteration asks for.
    """
    d = measured.shape[-1]
    flat = measured.reshape(-1, d * d)
    seen = counts.ravel() / counts.sum()
    rho = np.eye(d, dtype=complex) / d if start is None else 0.95 * start + 0.05 * np.eye(d) / d
    for _ in range(rounds):
        chance = np.clip((flat @ rho.T.ravel()).real, 1e-12, None)
        step = ((seen / chance) @ flat).reshape(d, d)
        new = step @ rho @ step
        new = new / np.trace(new).real
        moved = float(np.abs(new - rho).max())
        rho = new
        if moved < tolerance:
            break
    return np.asarray((rho + rho.conj().T) / 2)


def fidelity(rho: Matrix, psi: Matrix) -> float:
    """<psi| rho |psi>."""
    return float((psi.conj() @ rho @ psi).real)


def resampled(
    counts: Counts, estimate: Callable[[Counts], float], times: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Mean and standard deviation of `estimate` over counts drawn from the measured fractions (bootstrap)."""
    shots = counts.sum(axis=-1, keepdims=True)
    values = [estimate(rng.multinomial(shots[..., 0], counts / shots)) for _ in range(times)]
    return float(np.mean(values)), float(np.std(values, ddof=1))


def pauli_names(n: int) -> list[str]:
    """The 4^n Pauli strings in order."""
    return ["".join(letters) for letters in product("IXYZ", repeat=n)]


def pauli_strings(n: int) -> Matrix:
    """The 4^n Pauli matrices, (4^n, d, d)."""
    return np.array([kron(PAULIS[letter] for letter in name) for name in pauli_names(n)])


def transfer_matrix(counts: Counts, prepared: Sequence[Matrix], measured: Matrix) -> Array:
    """Pauli transfer matrix (4^n, 4^n) by least squares from counts (n_preparations, n_settings, n_outcomes)."""
    d = measured.shape[-1]
    paulis = pauli_strings(int(np.log2(d)))
    into = np.array([[np.trace(p @ rho).real for p in paulis] for rho in prepared])  # (n_preparations, 4^n)
    out = np.einsum("pab,srba->srp", paulis, measured).real.reshape(-1, len(paulis)) / d  # (effects, 4^n)
    seen = (counts / counts.sum(axis=-1, keepdims=True)).reshape(len(prepared), -1)
    # seen = into R^T out^T: solved on either side
    return np.asarray((np.linalg.pinv(into) @ seen @ np.linalg.pinv(out).T).T)


def choi_of(transfer: Array) -> Matrix:
    """Choi matrix (d^2, d^2) of a Pauli transfer matrix, trace 1."""
    n = int(np.log2(len(transfer)) / 2)
    paulis = pauli_strings(n)
    total = np.einsum("ij,jba,icd->acbd", transfer, paulis, paulis)
    d = 2**n
    return np.asarray(total.reshape(d * d, d * d) / d**2)


def physical(choi: Matrix, rounds: int = 200) -> Matrix:
    """The nearest completely positive, trace-preserving channel, by alternating projections (Dykstra)."""
    d = int(np.sqrt(len(choi)))
    x, p, q = choi, np.zeros_like(choi), np.zeros_like(choi)
    for _ in range(rounds):
        values, vectors = np.linalg.eigh(x + p)
        y = (vectors * np.clip(values, 0, None)) @ vectors.conj().T
        p = x + p - y
        z = y + q
        part = np.einsum("abcb->ac", z.reshape(d, d, d, d))
        new = z - np.kron(part - np.eye(d) / d, np.eye(d)) / d
        q = z - new
        x = new
    return np.asarray(x)


def chi_of(choi: Matrix) -> Matrix:
    """Chi matrix (4^n, 4^n) in the Pauli basis of a Choi matrix."""
    d = int(np.sqrt(len(choi)))
    vectors = np.array([p.T.ravel() for p in pauli_strings(int(np.log2(d)))]) / np.sqrt(d)
    return np.asarray(vectors.conj() @ choi @ vectors.T)


def unitary_transfer(unitary: Matrix) -> Array:
    """Pauli transfer matrix of a unitary."""
    paulis = pauli_strings(int(np.log2(len(unitary))))
    moved = unitary @ paulis @ unitary.conj().T
    return np.asarray(np.einsum("iab,jba->ij", paulis, moved).real / len(unitary))


def average_fidelity(transfer: Array, ideal: Array) -> float:
    """Average gate fidelity of a transfer matrix to an ideal one."""
    d = np.sqrt(len(ideal))
    entanglement = float((ideal * transfer).sum()) / len(ideal)
    return float((d * entanglement + 1) / (d + 1))
