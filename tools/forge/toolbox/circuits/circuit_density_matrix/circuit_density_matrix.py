"""The exact density matrix after a circuit of gates and channels, and what it says.

Operations, in order. Gates: ``h x y z s sdg t tdg`` on one qubit; ``rx ry rz p`` on one qubit with an angle in radian
(rx = exp(-i angle X / 2), p = diag(1, exp(i angle))); ``cx cy cz ch`` and ``cp crx cry crz`` (with an angle) on
control and target; ``swap``; ``ccx`` on two controls and a target. Channels, whose value is a probability:
``depolarizing`` on one or two qubits, rho -> (1 - value) rho + value Tr(rho) I / d; ``bit_flip``, ``phase_flip``,
``bit_phase_flip``, rho -> (1 - value) rho + value P rho P with P = X, Z, Y; ``amplitude_damping``, |1> decays to |0>
with the value as probability; ``phase_damping``, off-diagonal elements shrink by sqrt(1 - value).

The state is a tensor with one row and one column index for each qubit; every operation acts by its Kraus operators,
rho -> sum_k K rho K^dagger. Qubit 0 is the leftmost factor of Pauli strings, bitstrings and target amplitudes. The
entropies are von Neumann's, -Tr rho log2 rho, in bits. Source: Nielsen and Chuang, sections 8.2 and 8.3.
"""

import cmath
import math
from itertools import product

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

_Array = NDArray[np.complex128]

# name -> (how many qubits, what its value is)
_OPERATIONS: dict[str, tuple[tuple[int, ...], str]] = {
    **dict.fromkeys(("h", "x", "y", "z", "s", "sdg", "t", "tdg"), ((1,), "gate")),
    **dict.fromkeys(("rx", "ry", "rz", "p"), ((1,), "angle")),
    **dict.fromkeys(("cx", "cy", "cz", "ch", "swap"), ((2,), "gate")),
    **dict.fromkeys(("cp", "crx", "cry", "crz"), ((2,), "angle")),
    "ccx": ((3,), "gate"),
    "depolarizing": ((1, 2), "channel"),
    **dict.fromkeys(
        ("bit_flip", "phase_flip", "bit_phase_flip", "amplitude_damping", "phase_damping"), ((1,), "channel")
    ),
}

_PAULIS: dict[str, _Array] = {
    "I": np.eye(2, dtype=complex),
    "X": np.array([[0, 1], [1, 0]], dtype=complex),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.array([[1, 0], [0, -1]], dtype=complex),
}


class CircuitDensityMatrixInput(BaseModel, allow_inf_nan=False):
    """A circuit from |0...0> and what to compute of its state."""

    class Operation(BaseModel):
        """A gate or a channel."""

        name: str = Field(description="Name of the gate or channel, as in the module's docstring.")
        qubits: list[int] = Field(min_length=1, max_length=3, description="Qubits it acts on, controls first, from 0.")
        value: float | None = Field(default=None, description="Angle in radian, or probability of a channel.")

        @model_validator(mode="after")
        def _sound(self) -> "CircuitDensityMatrixInput.Operation":
            if self.name not in _OPERATIONS:
                raise ValueError(f"Operation {self.name!r} is not known. Use one of: {', '.join(_OPERATIONS)}.")
            sizes, kind = _OPERATIONS[self.name]
            if len(self.qubits) not in sizes or len(set(self.qubits)) != len(self.qubits) or min(self.qubits) < 0:
                raise ValueError(f"Operation {self.name!r} cannot act on qubits {self.qubits}.")
            if (self.value is None) != (kind == "gate"):
                raise ValueError(f"Operation {self.name!r} must {'not ' if kind == 'gate' else ''}have a value.")
            if self.value is not None and not math.isfinite(self.value):
                raise ValueError(f"The value of {self.name!r} is not finite.")
            if kind == "channel" and self.value is not None and not 0 <= self.value <= 1:
                raise ValueError(f"The probability of {self.name!r} must lie in [0, 1], but is {self.value}.")
            return self

    n_qubits: int = Field(ge=1, le=10, description="Number of qubits, all in |0> at the beginning.")
    operations: list["CircuitDensityMatrixInput.Operation"] = Field(description="Gates and channels in order.")
    observables: list[str] = Field(default=[], description="Pauli strings, such as ZIZ; leftmost is qubit 0.")
    target: list[list[float]] = Field(default=[], description="Amplitudes [re, im] of a pure target state, or empty.")

    @model_validator(mode="after")
    def _sizes(self) -> "CircuitDensityMatrixInput":
        if any(qubit >= self.n_qubits for one in self.operations for qubit in one.qubits):
            raise ValueError(f"An operation acts on a qubit beyond the {self.n_qubits} of the circuit.")
        for one in self.observables:
            if len(one) != self.n_qubits or not set(one) <= set(_PAULIS):
                raise ValueError(f"Observable {one!r} must have one of I, X, Y, Z for each of {self.n_qubits} qubits.")
        if self.target and (len(self.target) != 2**self.n_qubits or any(len(pair) != 2 for pair in self.target)):
            raise ValueError(f"The target must have {2**self.n_qubits} amplitudes, each as [re, im].")
        if self.target and abs(sum(re * re + im * im for re, im in self.target) - 1) > 1e-6:
            raise ValueError("The target is not normalised; divide its amplitudes by its norm.")
        return self


class CircuitDensityMatrixOutput(BaseModel):
    """What the exact state says."""

    expectations: list[float] = Field(description="One for each observable, in [-1, 1].")
    probabilities: dict[str, float] = Field(description="Of the computational outcomes that exceed 1e-12.")
    fidelity: float | None = Field(description="<target|rho|target>; null without a target.")
    purity: float = Field(description="Tr rho^2, between 1/d and 1.")
    entropy: float = Field(description="Von Neumann entropy of the whole state, in bits.")
    entanglement_entropy: float = Field(description="Von Neumann entropy of the first n // 2 qubits, in bits.")


def circuit_density_matrix(given: CircuitDensityMatrixInput) -> CircuitDensityMatrixOutput:
    """Apply the operations to |0...0><0...0| and evaluate the result."""
    n, size = given.n_qubits, 2**given.n_qubits
    state = np.zeros((size, size), dtype=complex)
    state[0, 0] = 1
    for one in given.operations:
        tensor = state.reshape((2,) * (2 * n))
        state = sum(_acted(tensor, kraus, one.qubits, n) for kraus in _kraus(one)).reshape(size, size)
    diagonal = state.diagonal().real
    target = np.array([complex(*pair) for pair in given.target])
    kept = state.reshape(2 ** (n // 2), 2 ** (n - n // 2), 2 ** (n // 2), 2 ** (n - n // 2))
    return CircuitDensityMatrixOutput(
        expectations=[_expectation(state, letters, n) for letters in given.observables],
        probabilities={f"{k:0{n}b}": float(value) for k, value in enumerate(diagonal) if value > 1e-12},
        fidelity=float((target.conj() @ state @ target).real) if given.target else None,
        purity=float(np.vdot(state, state).real),
        entropy=_entropy(state),
        entanglement_entropy=_entropy(np.einsum("ajbj->ab", kept)),
    )


def _entropy(state: _Array) -> float:
    weights = np.linalg.eigvalsh(state)
    weights = weights[weights > 1e-15]
    return float(abs(np.sum(weights * np.log2(weights))))


def _expectation(state: _Array, letters: str, n: int) -> float:
    tensor = state.reshape((2,) * (2 * n))
    for qubit, letter in enumerate(letters):
        tensor = _on_axes(tensor, _PAULIS[letter], [qubit])
    return float(np.trace(tensor.reshape(2**n, 2**n)).real)


def _acted(tensor: _Array, kraus: _Array, qubits: list[int], n: int) -> _Array:
    """K rho K^dagger."""
    half = _on_axes(tensor, kraus, qubits)
    columns = [qubit + n for qubit in qubits]
    return _on_axes(half, kraus.conj(), columns)


def _on_axes(tensor: _Array, matrix: _Array, axes: list[int]) -> _Array:
    """The matrix contracted with the given indices, which keep their places."""
    k = len(axes)
    contracted = np.tensordot(matrix.reshape((2,) * (2 * k)), tensor, axes=(list(range(k, 2 * k)), axes))
    return np.moveaxis(contracted, list(range(k)), axes)


def _kraus(one: CircuitDensityMatrixInput.Operation) -> list[_Array]:
    value = 0.0 if one.value is None else one.value
    if _OPERATIONS[one.name][1] != "channel":
        return [_gate(one.name, value)]
    if one.name == "depolarizing":
        words = list(product("IXYZ", repeat=len(one.qubits)))
        weights = [value / len(words)] * len(words)
        weights[0] += 1 - value
        return [math.sqrt(w) * _word(letters) for w, letters in zip(weights, words, strict=True)]
    keep, lose = math.sqrt(1 - value), math.sqrt(value)
    if one.name == "amplitude_damping":
        return [np.diag([1, keep]).astype(complex), np.array([[0, lose], [0, 0]], dtype=complex)]
    if one.name == "phase_damping":
        return [np.diag([1, keep]).astype(complex), np.diag([0, lose]).astype(complex)]
    letter = {"bit_flip": "X", "phase_flip": "Z", "bit_phase_flip": "Y"}[one.name]
    return [keep * _PAULIS["I"], lose * _PAULIS[letter]]


def _word(letters: tuple[str, ...]) -> _Array:
    made = np.eye(1, dtype=complex)
    for letter in letters:
        made = np.kron(made, _PAULIS[letter])
    return made


def _gate(name: str, angle: float) -> _Array:
    if name == "swap":
        return np.eye(4, dtype=complex)[[0, 2, 1, 3]]
    if name == "ccx":
        return np.eye(8, dtype=complex)[[0, 1, 2, 3, 4, 5, 7, 6]]
    if name in {"cx", "cy", "cz", "ch", "cp", "crx", "cry", "crz"}:
        made = np.eye(4, dtype=complex)
        made[2:, 2:] = _gate(name[1:], angle)
        return made
    if name in {"x", "y", "z"}:
        return _PAULIS[name.upper()]
    if name == "h":
        return (_PAULIS["X"] + _PAULIS["Z"]) / math.sqrt(2)
    if name in {"rx", "ry", "rz"}:
        return math.cos(angle / 2) * _PAULIS["I"] - 1j * math.sin(angle / 2) * _PAULIS[name[1].upper()]
    phases = {"s": math.pi / 2, "sdg": -math.pi / 2, "t": math.pi / 4, "tdg": -math.pi / 4, "p": angle}
    return np.diag([1, cmath.exp(1j * phases[name])])
