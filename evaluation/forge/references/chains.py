"""A driven spin chain as a state vector, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, identity, kron

Vector = NDArray[np.float64]
State = NDArray[np.complex128]


def _on(operator: NDArray[np.complex128], site: int, n: int) -> csr_matrix:
    return csr_matrix(kron(kron(identity(2**site), csr_matrix(operator)), identity(2 ** (n - 1 - site))))


def _sum_of(operator: NDArray[np.complex128], n: int) -> csr_matrix:
    return sum((_on(operator, site, n) for site in range(n)), csr_matrix((2**n, 2**n), dtype=complex))


SX = np.array([[0, 0.5], [0.5, 0]], dtype=complex)
SY = np.array([[0, -0.5j], [0.5j, 0]], dtype=complex)
SZ = np.diag([0.5, -0.5]).astype(complex)


def floquet_drive(
    disorder: Sequence[float],
    epsilon: float,
    periods: int,
    *,
    omega: float,
    tau: tuple[float, float],
) -> tuple[Vector, Vector]:
    """<Sx> of every site and the entropy of the middle cut after every period, from the +x product state.

    Returns:
        ``(periods + 1, n)`` and ``(periods + 1,)``; entropy with the natural logarithm.
    """
    n = len(disorder)
    shared = np.zeros((2**n, 2**n), dtype=complex)
    for i, j in pairwise(range(n)):
        for sign, s in ((1, SX), (1, SY), (-1, SZ)):
            shared += sign * (_on(s, i, n) @ _on(s, j, n)).toarray()
    for site, delta in enumerate(disorder):
        shared += delta * _on(SZ, site, n).toarray()
    fields = ((omega, SX, tau[0]), (omega * (1 - epsilon), SY, tau[1]))
    steps = [_propagator(shared + field * _sum_of(s, n).toarray(), time) for field, s, time in fields]
    x = [_on(SX, site, n) for site in range(n)]
    psi = np.full(2**n, 2 ** (-n / 2), dtype=complex)
    magnetisation, entropy = [], []
    for period in range(periods + 1):
        if period:
            psi = steps[1] @ (steps[0] @ psi)
        magnetisation.append([float(np.real(np.vdot(psi, operator @ psi))) for operator in x])
        entropy.append(middle_entropy(psi, n // 2, n))
    return np.array(magnetisation), np.array(entropy)


def _propagator(hamiltonian: NDArray[np.complex128], time: float) -> NDArray[np.complex128]:
    energies, vectors = np.linalg.eigh(hamiltonian)
    return np.asarray((vectors * np.exp(-1j * time * energies)) @ vectors.conj().T)


def middle_entropy(psi: State, cut: int, n: int) -> float:
    """Entropy of the first `cut` sites, natural logarithm."""
    weights = np.linalg.svd(psi.reshape(2**cut, 2 ** (n - cut)), compute_uv=False) ** 2
    weights = weights[weights > 1e-15]
    return float(-(weights * np.log(weights)).sum())
