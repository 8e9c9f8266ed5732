"""Exact probabilities of small noisy circuits, by density matrices and Kraus operators in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.complex128]
I2 = np.eye(2, dtype=complex)
X = np.array([[0, 1], [1, 0]], dtype=complex)
Y = np.array([[0, -1j], [1j, 0]], dtype=complex)
Z = np.diag([1.0, -1.0]).astype(complex)
HADAMARD = (X + Z) / np.sqrt(2)
TO_Z = {"Z": I2, "X": HADAMARD, "Y": HADAMARD @ np.diag([1, -1j])}  # rotation before a measurement along Z
PAULIS = {"I": I2, "X": X, "Y": Y, "Z": Z}


def kron(parts: Sequence[Matrix]) -> Matrix:
    """Kronecker product, qubit 0 leftmost."""
    return reduce(lambda left, right: np.asarray(np.kron(left, right)), parts)


def on(operator: Matrix, qubits: Sequence[int], n: int) -> Matrix:
    """`operator` on some of `n` qubits, ``(2**n, 2**n)``."""
    k, rest = len(qubits), [q for q in range(n) if q not in qubits]
    full = np.kron(operator, np.eye(2 ** (n - k))).reshape([2] * (2 * n))
    order = np.argsort([*qubits, *rest])
    return np.transpose(full, [*order, *(order + n)]).reshape(2**n, 2**n)


def cnot(control: int, target: int, n: int) -> Matrix:
    """Controlled NOT on `n` qubits."""
    gate = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=complex)
    return on(gate, [control, target], n)


def zero(n: int) -> Matrix:
    """|0...0><0...0|."""
    rho = np.zeros((2**n, 2**n), dtype=complex)
    rho[0, 0] = 1.0
    return rho


def depolarized(rho: Matrix, p: float, qubits: Sequence[int], n: int) -> Matrix:
    """(1 - p) rho + p (1/2**k on the qubits), the sum over all Paulis with weight p / 4**k."""
    mixed = np.zeros_like(rho)
    for word in product("IXYZ", repeat=len(qubits)):
        operator = on(kron([PAULIS[letter] for letter in word]), qubits, n)
        mixed += operator @ rho @ operator.conj().T
    return np.asarray((1 - p) * rho + p * mixed / 4 ** len(qubits))


def probabilities(rho: Matrix, basis: str) -> dict[str, float]:
    """Bitstring (qubit 0 left) -> probability, every qubit measured along its letter of `basis`."""
    turn = kron([TO_Z[letter] for letter in basis])
    diagonal = np.real(np.diag(turn @ rho @ turn.conj().T))
    return {format(i, f"0{len(basis)}b"): float(value) for i, value in enumerate(diagonal)}


def correlator(rho: Matrix, word: str) -> float:
    """<P> of a Pauli word such as ``ZZI``."""
    return float(np.real(np.trace(rho @ kron([PAULIS[letter] for letter in word]))))


def parity(counts: Mapping[str, float], word: str) -> float:
    """Estimate of a Pauli word from counts in its own basis; ``I`` is traced out."""
    places = [k for k, letter in enumerate(word) if letter != "I"]
    total = sum(counts.values())
    odd = sum(n for bits, n in counts.items() if sum(bits[k] == "1" for k in places) % 2)
    return 1 - 2 * odd / total


NOISY_BELL = ("all gates", "cnot", "preparation", "state")


def noisy_bell(p: float, noise_on: str, form: str = "mixing") -> dict[str, float]:
    """<ZZ> and <XX> of a Bell pair under depolarising noise.

    Args:
        noise_on: ``all gates`` (also those that change the basis), ``preparation`` (Hadamard and CNOT), ``cnot``
            (one two-qubit channel), ``state`` (one single-qubit channel on each qubit once the state is there).
        form: ``mixing`` (p is the weight of the fully mixed state, Qiskit's form) or ``pauli`` (p is the probability
            of any error other than the identity).
    """

    def noise(rho: Matrix, qubits: Sequence[int]) -> Matrix:
        weight = p if form == "mixing" else p * 4 ** len(qubits) / (4 ** len(qubits) - 1)
        return depolarized(rho, weight, qubits, 2)

    rho, h0 = zero(2), on(HADAMARD, [0], 2)
    rho = h0 @ rho @ h0.conj().T
    if noise_on in ("all gates", "preparation"):
        rho = noise(rho, [0])
    c = cnot(0, 1, 2)
    rho = c @ rho @ c.conj().T
    rho = noise(noise(rho, [0]), [1]) if noise_on == "state" else noise(rho, [0, 1])
    zz = correlator(rho, "ZZ")
    if noise_on == "all gates":
        for qubit in (0, 1):
            h = on(HADAMARD, [qubit], 2)
            rho = noise(h @ rho @ h.conj().T, [qubit])
        return {"ZZ": zz, "XX": correlator(rho, "ZZ")}
    return {"ZZ": zz, "XX": correlator(rho, "XX")}
