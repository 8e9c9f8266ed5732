"""Chains that are free fermions (Jordan-Wigner), solved through their Majorana covariances in milliseconds.

Majoranas: a_j = X_1 ... X_{j-1} Z_j and b_j = X_1 ... X_{j-1} Y_j, so that X_j = -i b_j a_j,
Z_j Z_{j+1} = i b_j a_{j+1} and Z_{j-1} X_j Z_{j+1} = i b_{j-1} a_{j+1}. A Hamiltonian i sum_lm A_lm b_l a_m with
A = U s V^T has a ground state with <i b_l a_m> = -(U V^T)_lm and energy -sum s (Lieb, Schultz and Mattis,
Ann. Phys. 16, 407, 1961).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground state: its energy and G_lm = <i b_l a_m>."""

    energy: float
    correlations: Matrix


def _ground(couplings: Matrix, even: bool | None = None, boundary: float = 1.0) -> Ground:
    """Lowest state of i sum A_lm b_l a_m, of one parity prod X = +1 (`even`) or -1 if that is given."""
    u, s, vt = np.linalg.svd(couplings)
    energy = -float(s.sum())
    if even is not None:
        # prod_j X_j = prod_j (-i b_j a_j) = det(-G) on a Gaussian state, and G = -(U V^T)
        parity = float(np.sign(np.linalg.det(u @ vt)))
        if (parity > 0) != even:
            energy += 2 * float(s[-1])
            u = u.copy()
            u[:, -1] *= -1
    return Ground(energy, -(u @ vt))


@lru_cache(maxsize=512)
def cluster_ring(n: int, theta: float) -> Ground:
    """Ground state of -cos(theta) sum Z X Z - sin(theta) sum X on a ring of `n` qubits."""
    best = None
    for even in (True, False):
        sign = -1.0 if even else 1.0  # fermions see the opposite boundary condition of an even number
        couplings = np.zeros((n, n))
        for j in range(n):
            couplings[j, j] += np.sin(theta)  # -sin X_j = i sin b_j a_j
            wrap = sign if j + 2 >= n else 1.0
            couplings[j, (j + 2) % n] -= np.cos(theta) * wrap
        found = _ground(couplings, even)
        if best is None or found.energy < best.energy:
            best = found
    assert best is not None
    return best


def string_order(n: int, theta: float) -> float:
    """<Z_1 X_2 X_4 ... X_{N-1} Z_N> of `cluster_ring`: a product of (N-1)/2 stabilisers, hence a determinant."""
    correlations = cluster_ring(n, theta).correlations
    rows, columns = np.arange(0, n - 2, 2), np.arange(2, n, 2)
    return float(np.linalg.det(correlations[np.ix_(rows, columns)]))
