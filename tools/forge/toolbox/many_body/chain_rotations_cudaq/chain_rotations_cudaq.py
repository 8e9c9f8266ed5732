"""Repeated Pauli rotations on a chain of qubits, simulated as gates with CUDA-Q on the target ``qpp-cpu``.

A step is a list of rotations exp(-i angle P), P a Pauli string, applied in the order of the list; it is repeated.
That covers product formulas, kicked chains and any circuit of Pauli rotations. Amplitudes and bitstrings have qubit 0
on the left. Entropies are von Neumann's of the first qubits, in nats. A rotation about one letter is rx, ry or rz of
twice the angle. A longer string is turned to Z by H (X) or rx(pi/2) (Y), its parity is gathered on its last qubit by
CNOTs, turned by rz, and all is undone. The kernel of a step is compiled once; after each step the state vector is the
next one's initial state, and expectation values are taken from it without sampling. Source: Nielsen and Chuang,
section 4.7.3; CUDA-Q documentation, "Using states".
"""

import math
from itertools import pairwise
from typing import Any

import cudaq
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

_State = NDArray[np.complex128]


class ChainRotationsCudaqInput(BaseModel, allow_inf_nan=False):
    """A step, an initial state and what to record."""

    class Term(BaseModel, allow_inf_nan=False):
        """A Pauli string with a coefficient."""

        coefficient: float = Field(description="Factor, in the observable's unit.")
        letters: str = Field(pattern=r"^[XYZ]+$", description="Pauli letters, one for each site.")
        sites: list[int] = Field(description="Different sites, from 0.")

    class Observable(BaseModel):
        """A sum of Pauli strings with a name."""

        label: str = Field(min_length=1, description="Name, unique.")
        terms: list["ChainRotationsCudaqInput.Term"] = Field(description="Terms to add up.")

    class Rotation(BaseModel, allow_inf_nan=False):
        """exp(-i angle P)."""

        letters: str = Field(pattern=r"^[XYZ]+$", description="Pauli letters, one for each site.")
        sites: list[int] = Field(description="Different sites, from 0.")
        angle: float = Field(description="Angle in radian; a gate of angle 2 * angle elsewhere.")

    n_qubits: int = Field(ge=1, le=20, description="Number of qubits in the chain.")
    initial_state: list[list[float]] = Field(description="Amplitudes [re, im], qubit 0 leftmost, normalised.")
    step: list["ChainRotationsCudaqInput.Rotation"] = Field(
        min_length=1, description="Rotations of one step, in order."
    )
    n_steps: int = Field(ge=1, description="How often the step is applied.")
    record_every: int = Field(default=1, ge=1, description="Record after every so many steps, and at the beginning.")
    observables: list["ChainRotationsCudaqInput.Observable"] = Field(description="What to take expectation values of.")
    cuts: list[int] = Field(default=[], description="Qubits left of each cut at which to take the entropy.")

    @model_validator(mode="after")
    def _sound(self) -> "ChainRotationsCudaqInput":
        if len(self.initial_state) != 2**self.n_qubits or any(len(pair) != 2 for pair in self.initial_state):
            raise ValueError(f"The initial state must have {2**self.n_qubits} amplitudes, each as [re, im].")
        if abs(sum(re * re + im * im for re, im in self.initial_state) - 1) > 1e-9:
            raise ValueError("The initial state is not normalised; divide its amplitudes by its norm.")
        if any(not 0 < cut < self.n_qubits for cut in self.cuts):
            raise ValueError(f"Cuts must lie between 1 and {self.n_qubits - 1}.")
        if len({one.label for one in self.observables}) != len(self.observables):
            raise ValueError("Two observables have one label; give each its own.")
        strings = [(term.letters, term.sites) for one in self.observables for term in one.terms]
        for letters, sites in [*strings, *[(one.letters, one.sites) for one in self.step]]:
            if len(letters) != len(sites) or len(set(sites)) != len(sites):
                raise ValueError(f"The string {letters} needs as many different sites, but has {sites}.")
            if min(sites) < 0 or max(sites) >= self.n_qubits:
                raise ValueError(f"The string {letters} on {sites} leaves the chain of {self.n_qubits} qubits.")
        return self


class ChainRotationsCudaqOutput(BaseModel):
    """What was recorded, one value for each record."""

    steps: list[int] = Field(description="Number of steps done at each record, from 0.")
    expectations: dict[str, list[float]] = Field(description="Label -> expectation values.")
    entropies: list[list[float]] = Field(description="One row for each record, one value for each cut, in nats.")
    return_probability: list[float] = Field(description="|<initial|state>|^2.")
    norm_error: float = Field(description="Largest deviation of the norm from one.")
    final_state: list[list[float]] = Field(description="Amplitudes [re, im] at the end, qubit 0 leftmost.")


def chain_rotations_cudaq(given: ChainRotationsCudaqInput) -> ChainRotationsCudaqOutput:
    """Apply the step again and again and record."""
    cudaq.set_target("qpp-cpu")
    kernel, register = cudaq.make_kernel(cudaq.State)
    qubits = kernel.qalloc(register)
    for one in given.step:
        _rotate(kernel, [qubits[site] for site in one.sites], one.letters, one.angle)
    start = np.array([complex(*pair) for pair in given.initial_state])
    recorder = _Recorder(given, start)
    recorder.show(start)
    state = cudaq.State.from_data(_reversed(start, given.n_qubits))
    steps = [0]
    for number in range(1, given.n_steps + 1):
        state = cudaq.get_state(kernel, state)
        if number % given.record_every == 0:
            recorder.show(_reversed(np.array(state), given.n_qubits))
            steps.append(number)
    final = _reversed(np.array(state), given.n_qubits)
    return ChainRotationsCudaqOutput(
        steps=steps,
        expectations=recorder.expectations,
        entropies=recorder.entropies,
        return_probability=recorder.overlaps,
        norm_error=recorder.norm_error,
        final_state=[[float(one.real), float(one.imag)] for one in final],
    )


def _reversed(psi: _State, n: int) -> _State:
    """Amplitudes with the order of the qubits reversed: CUDA-Q counts with qubit 0 as the lowest bit."""
    return np.ascontiguousarray(psi.reshape((2,) * n).transpose(range(n - 1, -1, -1)).reshape(-1))


def _rotate(kernel: Any, qubits: list[Any], letters: str, angle: float) -> None:
    if len(letters) == 1:
        {"X": kernel.rx, "Y": kernel.ry, "Z": kernel.rz}[letters](2 * angle, qubits[0])
        return
    for qubit, letter in zip(qubits, letters, strict=True):
        if letter == "X":
            kernel.h(qubit)
        if letter == "Y":
            kernel.rx(math.pi / 2, qubit)
    for one, other in pairwise(qubits):
        kernel.cx(one, other)
    kernel.rz(2 * angle, qubits[-1])
    for one, other in reversed(list(pairwise(qubits))):
        kernel.cx(one, other)
    for qubit, letter in zip(qubits, letters, strict=True):
        if letter == "X":
            kernel.h(qubit)
        if letter == "Y":
            kernel.rx(-math.pi / 2, qubit)


class _Recorder:
    """Takes expectation values, entropies and overlaps of the states it is shown."""

    def __init__(self, given: ChainRotationsCudaqInput, start: _State) -> None:
        self.n, self.start, self.cuts = given.n_qubits, start, given.cuts
        self.observables = {
            one.label: [(term.coefficient, *_string(term.letters, term.sites, self.n)) for term in one.terms]
            for one in given.observables
        }
        self.expectations: dict[str, list[float]] = {label: [] for label in self.observables}
        self.entropies: list[list[float]] = []
        self.overlaps: list[float] = []
        self.norm_error = 0.0

    def show(self, psi: _State) -> None:
        for label, terms in self.observables.items():
            value = sum(c * float(np.vdot(psi, phases * psi[flipped]).real) for c, flipped, phases in terms)
            self.expectations[label].append(value)
        self.entropies.append([_entropy(psi, cut) for cut in self.cuts])
        self.overlaps.append(float(abs(np.vdot(self.start, psi)) ** 2))
        self.norm_error = max(self.norm_error, abs(float(np.linalg.norm(psi)) - 1))


def _string(letters: str, sites: list[int], n: int) -> tuple[NDArray[np.int64], _State]:
    """Where a Pauli string takes each amplitude from, with which phase: (P psi)[k] = phases[k] psi[flipped[k]]."""
    index = np.arange(2**n)
    phases = np.ones(2**n, dtype=complex)
    mask = 0
    for letter, site in zip(letters, sites, strict=True):
        bit = n - 1 - site
        signs = 1 - 2 * (index >> bit & 1)
        if letter in "XY":
            mask |= 1 << bit
        if letter == "Z":
            phases = phases * signs
        if letter == "Y":
            phases = phases * (-1j * signs)
    return index ^ mask, phases


def _entropy(psi: _State, cut: int) -> float:
    """Von Neumann entropy of the first `cut` qubits, in nats."""
    weights = np.linalg.svd(psi.reshape(2**cut, -1), compute_uv=False) ** 2
    weights = weights[weights > 1e-15]
    return float(abs(np.sum(weights * np.log(weights))))
