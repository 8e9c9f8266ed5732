"""Kernels as a processor gives them: a finite number of shots, and gates with the errors that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.inverse import overlap_circuit
from labwright.tools.feature_maps.native_gates import X90, Native, native_gates

Real = NDArray[np.float64]
Density = NDArray[np.complex128]
MOST_QUBITS = 6  # of a density matrix for every pair of samples


@dataclass(frozen=True, slots=True)
class GateErrors:
    """Average gate errors (1 - average fidelity), as randomized benchmarking measures them.

    Attributes:
        single: of a quarter turn X90.
        pair: of a CZ.
    """

    single: float = 0.0
    pair: float = 0.0


def sampled_kernel(kernel: NDArray[np.floating[Any]], shots: int, seed: int = 0) -> tuple[Real, Real]:
    """A kernel whose entries are shares of `shots` that read all zeros, and the standard error of each.

    Each entry is drawn from its binomial distribution. A kernel of samples with themselves stays symmetric with a
    diagonal of 1, which needs no shots.

    Args:
        kernel: exact, shape (n, m).
        shots: of each entry.
        seed: of the draws.

    Raises:
        InputError: fewer than one shot.
    """
    if shots < 1:
        raise InputError(f"An entry needs one shot at least, but `shots` is {shots}.")
    exact = np.clip(np.asarray(kernel, dtype=np.float64), 0.0, 1.0)
    drawn = np.random.Generator(np.random.Philox(key=[seed, 7])).binomial(shots, exact) / shots
    error = np.sqrt(exact * (1 - exact) / shots)
    if exact.shape[0] == exact.shape[1] and np.array_equal(exact, exact.T):
        upper = np.triu(drawn, 1)
        return np.asarray(upper + upper.T + np.eye(len(drawn))), error
    return drawn, error


def noisy_kernel(
    circuit: Circuit,
    samples: Real,
    others: Real | None,
    errors: GateErrors,
    couplings: Sequence[tuple[int, int]] | None = None,
) -> Real:
    """What a processor with these gate errors would find with ever so many shots, shape (n_samples, n_others).

    ``U(y)^-1 U(x)`` in native gates, behind each of them depolarising noise of the measured average error, and the
    probability of all zeros. Without `others` the kernel of the samples with themselves; its diagonal is measured, too.

    Raises:
        InputError: more than `MOST_QUBITS` qubits, or wires that no couplings join.
    """
    if circuit.n_qubits > MOST_QUBITS:
        raise InputError(f"Noisy kernels are computed up to {MOST_QUBITS} qubits; this map has {circuit.n_qubits}.")
    both = overlap_circuit(circuit)
    columns = samples if others is None else others
    found = np.empty((len(samples), len(columns)))
    for i, x in enumerate(samples):
        for j in range(i if others is None else 0, len(columns)):
            gates = native_gates(both, np.concatenate([x, columns[j]]), couplings)
            found[i, j] = survival(gates, circuit.n_qubits, errors)
            if others is None:
                found[j, i] = found[i, j]
    return found


def survival(gates: Sequence[Native], n_qubits: int, errors: GateErrors) -> float:
    """The probability that all qubits read 0 behind the gates, each with its depolarising noise."""
    rho: Density = np.zeros((2,) * (2 * n_qubits), dtype=np.complex128)
    rho[(0,) * (2 * n_qubits)] = 1.0
    for gate in gates:
        rho = _played(rho, gate, n_qubits)
        error = {"turn": 0.0, "x90": errors.single, "cz": errors.pair}[gate.kind]
        if error:
            rho = _depolarised(rho, gate.wires, n_qubits, error)
    return float(rho[(0,) * (2 * n_qubits)].real)


def _played(rho: Density, gate: Native, n: int) -> Density:
    if gate.kind == "x90":
        (wire,) = gate.wires
        rho = np.moveaxis(np.tensordot(X90, rho, axes=(1, wire)), 0, wire)
        return np.asarray(np.moveaxis(np.tensordot(X90.conj(), rho, axes=(1, n + wire)), 0, n + wire))
    phases = np.ones((2,) * len(gate.wires), dtype=np.complex128)
    phases[(1,) * len(gate.wires)] = np.exp(1j * gate.angle) if gate.kind == "turn" else -1.0
    shape = [2 if axis in gate.wires else 1 for axis in range(n)]
    ket = phases.reshape(shape)  # a CZ is the same whichever wire comes first
    return np.asarray(rho * ket.reshape(*shape, *[1] * n) * ket.conj().reshape(*[1] * n, *shape))


def _depolarised(rho: Density, wires: tuple[int, ...], n: int, error: float) -> Density:
    """``(1 - p) rho + p Tr_w(rho) x 1 / d`` with ``p = error d / (d - 1)``."""
    d = 2 ** len(wires)
    p = error * d / (d - 1)
    mixed = rho
    for wire in wires:
        traced = np.trace(mixed, axis1=wire, axis2=n + wire)  # its two axes are gone
        spread = np.tensordot(np.eye(2) / 2, traced, axes=0)
        mixed = np.moveaxis(spread, (0, 1), (wire, n + wire))
    return np.asarray((1 - p) * rho + p * mixed)
