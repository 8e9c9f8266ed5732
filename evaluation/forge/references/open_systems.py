"""Open systems by dense linear algebra: exponentials of the Liouvillian, our own hierarchy for Drude-Lorentz baths."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import expm, null_space

Matrix = NDArray[np.complex128]
Vector = NDArray[np.float64]
KB_CM = 0.6950348004  # 1/cm per K, CODATA 2018
CM_RAD_FS = 1.8836515673088536e-4  # 2 pi c in rad/fs per 1/cm


def liouvillian(hamiltonian: Matrix, jumps: Sequence[Matrix]) -> Matrix:
    """Generator on row-major vectors of the density matrix, hbar = 1, ``(n*n, n*n)``."""
    one = np.eye(len(hamiltonian))
    total: Matrix = np.asarray(-1j * (np.kron(hamiltonian, one) - np.kron(one, hamiltonian.T)))
    for jump in jumps:
        square = jump.conj().T @ jump
        total += np.kron(jump, jump.conj()) - (np.kron(square, one) + np.kron(one, square.T)) / 2
    return np.asarray(total)


def evolved(hamiltonian: Matrix, jumps: Sequence[Matrix], rho: Matrix, times: Vector) -> NDArray[np.complex128]:
    """States at `times`, ``(n_times, n, n)``."""
    generator, n = liouvillian(hamiltonian, jumps), len(hamiltonian)
    states = [expm(generator * times[0]) @ rho.reshape(-1)]
    steps = np.diff(times)
    propagators = {}  # equally spaced times share one
    for step in steps:
        key = round(float(step), 9)
        if key not in propagators:
            propagators[key] = expm(generator * step)
        states.append(propagators[key] @ states[-1])
    return np.array(states).reshape(len(times), n, n)


def steady(hamiltonian: Matrix, jumps: Sequence[Matrix]) -> Matrix:
    """The steady state.

    Raises:
        ValueError: there are several.
    """
    space = null_space(liouvillian(hamiltonian, jumps), rcond=1e-10)
    if space.shape[1] != 1:
        raise ValueError(f"There are {space.shape[1]} steady states.")
    rho = space[:, 0].reshape(len(hamiltonian), -1)
    return np.asarray(rho / np.trace(rho))


def drude_lorentz(reorganization: float, rate: float, temperature: float, terms: int) -> tuple[Any, Any, float]:
    """Bath correlation as exponentials, everything in 1/cm.

    Returns:
        coefficients of the correlation function, their decay rates, and the strength of what is left out as a delta
        function (the terminator; Ishizaki and Tanimura, J. Phys. Soc. Jpn. 74, 3131, 2005).
    """
    kt = KB_CM * temperature
    first = reorganization * rate * (1 / np.tan(rate / (2 * kt)) - 1j)
    matsubara = [2 * np.pi * k * kt for k in range(1, terms + 1)]
    rest = [4 * reorganization * rate * kt * nu / (nu**2 - rate**2) for nu in matsubara]
    coefficients, rates = [first, *rest], [rate, *matsubara]
    total = 2 * reorganization * kt / rate - 1j * reorganization
    left = float(np.real(total - sum(c / r for c, r in zip(coefficients, rates, strict=True))))
    return np.array(coefficients), np.array(rates), left


def heom_populations(
    hamiltonian: Sequence[Sequence[float]],
    reorganization: float,
    correlation_time: float,
    temperature: float,
    depth: int,
    terms: int,
    times: Vector,
    initial: int = 0,
    terminator: bool = False,
) -> Vector:
    """Site populations, ``(n_times, n_sites)``, one bath a site, coupled through the site's projector.

    Args:
        hamiltonian: site basis, 1/cm.
        reorganization: 1/cm.
        correlation_time: fs, the inverse of the bath's rate.
        temperature: K.
        times: fs.
    """
    h = np.asarray(hamiltonian, dtype=complex)
    sites = len(h)
    rate = 1 / (correlation_time * CM_RAD_FS)
    coefficients, rates, left = drude_lorentz(reorganization, rate, temperature, terms)
    modes = [(site, k) for site in range(sites) for k in range(len(rates))]
    labels = [c for level in range(depth + 1) for c in combinations_with_replacement(range(len(modes)), level)]
    place = {label: i for i, label in enumerate(labels)}
    decay = np.array([sum(rates[modes[m][1]] for m in label) for label in labels])
    up, down, weights = [], [], []
    for label, i in place.items():
        for m in set(label):
            lower = list(label)
            lower.remove(m)
            up.append(place[tuple(lower)])  # the one with one quantum less
            down.append(i)
            weights.append((m, label.count(m)))
    up_index, down_index = np.array(up, dtype=int), np.array(down, dtype=int)
    site_of = np.array([modes[m][0] for m, _ in weights], dtype=int)
    c_of = np.array([coefficients[modes[m][1]] * count for m, count in weights])
    links = np.arange(len(weights))

    def flow(_: float, flat: Matrix) -> Matrix:
        rho = flat.reshape(len(labels), sites, sites)
        change = -1j * (h @ rho - rho @ h) - decay[:, None, None] * rho
        if terminator:
            off = ~np.eye(sites, dtype=bool)
            change[:, off] -= 2 * left * rho[:, off]
        # -i [Q, rho_up] into the lower one; -i (c Q rho - c* rho Q) of the lower one into the upper one
        high, low = rho[down_index], rho[up_index]
        to_low = np.zeros_like(high)
        to_low[links, site_of, :] += high[links, site_of, :]
        to_low[links, :, site_of] -= high[links, :, site_of]
        to_high = np.zeros_like(low)
        to_high[links, site_of, :] += c_of[:, None] * low[links, site_of, :]
        to_high[links, :, site_of] -= np.conj(c_of)[:, None] * low[links, :, site_of]
        np.add.at(change, up_index, -1j * to_low)
        np.add.at(change, down_index, -1j * to_high)
        return np.asarray(change.reshape(-1))

    start = np.zeros((len(labels), sites, sites), dtype=complex)
    start[0, initial, initial] = 1.0
    scaled = np.asarray(times) * CM_RAD_FS
    found = solve_ivp(flow, (0.0, float(scaled[-1])), start.reshape(-1), "DOP853", scaled, rtol=1e-6, atol=1e-8)
    if not found.success:
        raise RuntimeError(f"The hierarchy was not integrated: {found.message}")
    states = found.y.T.reshape(len(scaled), len(labels), sites, sites)[:, 0]
    return np.asarray(np.real(np.einsum("tii->ti", states)))


FMO = (
    (240.0, -87.7, 5.5, -5.9, 6.7, -13.7, -9.9),
    (-87.7, 315.0, 30.8, 8.2, 0.7, 11.8, 4.3),
    (5.5, 30.8, 0.0, -53.5, -2.2, -9.6, 6.0),
    (-5.9, 8.2, -53.5, 130.0, -70.7, -17.0, -63.3),
    (6.7, 0.7, -2.2, -70.7, 285.0, 81.1, -1.3),
    (-13.7, 11.8, -9.6, -17.0, 81.1, 435.0, 39.7),
    (-9.9, 4.3, 6.0, -63.3, -1.3, 39.7, 245.0),
)


def pulse_states(drift: Matrix, controls: Sequence[Matrix], amplitudes: Vector, step: float, psi: Matrix) -> Matrix:
    """States after every slot of piecewise constant pulses, the initial one first, ``(n_slots + 1, n)``.

    Args:
        amplitudes: ``(n_slots, n_controls)``.
        step: length of a slot.
    """
    total = drift + np.einsum("sc,cij->sij", amplitudes, np.array(controls))
    energies, vectors = np.linalg.eigh(total)
    states = [np.asarray(psi, dtype=complex)]
    for energy, basis in zip(energies, vectors, strict=True):
        states.append(basis @ (np.exp(-1j * energy * step) * (basis.conj().T @ states[-1])))
    return np.array(states)
