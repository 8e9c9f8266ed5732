"""Spin chains as state vectors: exact diagonalisation, product formulas and driven chains, in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, identity, kron

Vector = NDArray[np.float64]
State = NDArray[np.complex128]


def signs(n: int) -> NDArray[np.float64]:
    """Z of every site in every basis state, ``(n, 2**n)``; site 0 is the leftmost bit, 0 has Z = +1."""
    index = np.arange(2**n)
    return np.array([1.0 - 2.0 * ((index >> (n - 1 - site)) & 1) for site in range(n)])


def bonds(n: int, periodic: bool = False) -> list[tuple[int, int]]:
    """Nearest neighbours."""
    return [(i, (i + 1) % n) for i in range(n if periodic else n - 1)]


def rotated(psi: State, angle: float, n: int) -> State:
    """exp(-i angle X) on every site."""
    gate = np.array([[np.cos(angle), -1j * np.sin(angle)], [-1j * np.sin(angle), np.cos(angle)]])
    tensor = psi.reshape([2] * n)
    for site in range(n):
        tensor = np.moveaxis(np.tensordot(gate, tensor, axes=(1, site)), 0, site)
    return np.ascontiguousarray(tensor).reshape(-1)


def magnetisations(psi: State, n: int) -> Vector:
    """<Z> of every site."""
    return np.asarray(signs(n) @ np.abs(psi) ** 2)


def product_state(bits: str) -> State:
    """A computational basis state."""
    psi = np.zeros(2 ** len(bits), dtype=complex)
    psi[int(bits, 2)] = 1.0
    return psi


def haar(n: int, seed: int) -> State:
    """A Haar-random state."""
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=2**n) + 1j * rng.normal(size=2**n)
    return np.asarray(psi / np.linalg.norm(psi))


def ising_energies(n: int, coupling: float, longitudinal: float, periodic: bool) -> Vector:
    """The diagonal of -J sum ZZ - h sum Z."""
    z = signs(n)
    total = -longitudinal * z.sum(axis=0)
    for i, j in bonds(n, periodic):
        total = total - coupling * z[i] * z[j]
    return np.asarray(total)


def trotter_states(
    psi: State, n: int, diagonal: Vector, transverse: float, step: float, steps: int, transverse_first: bool = True
) -> State:
    """States of a second-order product formula for diagonal - g sum X, ``(steps + 1, 2**n)``."""
    states = [psi]
    for _ in range(steps):
        now = states[-1]
        if transverse_first:
            now = rotated(now, -transverse * step / 2, n) * np.exp(-1j * step * diagonal)
            now = rotated(now, -transverse * step / 2, n)
        else:
            now = rotated(now * np.exp(-0.5j * step * diagonal), -transverse * step, n)
            now = now * np.exp(-0.5j * step * diagonal)
        states.append(now)
    return np.array(states)


def _on(operator: NDArray[np.complex128], site: int, n: int) -> csr_matrix:
    return csr_matrix(kron(kron(identity(2**site), csr_matrix(operator)), identity(2 ** (n - 1 - site))))


def _sum_of(operator: NDArray[np.complex128], n: int) -> csr_matrix:
    return sum((_on(operator, site, n) for site in range(n)), csr_matrix((2**n, 2**n), dtype=complex))


def kicked_magnetisation(
    psi: State, n: int, coupling: float, kick: float, periods: int, kick_last: bool = True
) -> Vector:
    """<Z_i> after every period of exp(-i h sum X) exp(-i J sum ZZ) on an open chain, ``(periods + 1, n)``."""
    phase = np.exp(-1j * ising_energies(n, -coupling, 0.0, False))
    rows = [magnetisations(psi, n)]
    for _ in range(periods):
        psi = rotated(psi * phase, kick, n) if kick_last else rotated(psi, kick, n) * phase
        rows.append(magnetisations(psi, n))
    return np.array(rows)


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
    coupling: float = 1.0,
) -> tuple[Vector, Vector]:
    """<Sx> of every site and the entropy of the middle cut after every period, from the +x product state.

    Returns:
        ``(periods + 1, n)`` and ``(periods + 1,)``; entropy with the natural logarithm.
    """
    n = len(disorder)
    shared = np.zeros((2**n, 2**n), dtype=complex)
    for i, j in bonds(n):
        for sign, s in ((1, SX), (1, SY), (-1, SZ)):
            shared += sign * coupling * (_on(s, i, n) @ _on(s, j, n)).toarray()
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
