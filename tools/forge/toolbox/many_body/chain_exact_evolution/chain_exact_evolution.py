"""Exact evolution of a chain of qubits under a constant Hamiltonian that is a sum of Pauli strings.

|psi(t)> = exp(-i H t) |psi>, hbar = 1. Up to eleven qubits by diagonalisation of the dense Hamiltonian, so that the
error does not grow with time; beyond (or earlier if told so), by scipy's ``expm_multiply`` with the sparse
Hamiltonian from record to record. Amplitudes and bitstrings have qubit 0 on the left. Entropies are von Neumann's of
the first qubits, in nats. Source: Al-Mohy and Higham, SIAM J. Sci. Comput. 33, 488 (2011).
"""

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import expm_multiply

_State = NDArray[np.complex128]


class ChainExactEvolutionInput(BaseModel, allow_inf_nan=False):
    """A Hamiltonian, an initial state and what to record."""

    class Term(BaseModel, allow_inf_nan=False):
        """A Pauli string with a coefficient."""

        coefficient: float = Field(description="Factor, in the observable's unit.")
        letters: str = Field(pattern=r"^[XYZ]+$", description="Pauli letters, one for each site.")
        sites: list[int] = Field(description="Different sites, from 0.")

    class Observable(BaseModel):
        """A sum of Pauli strings with a name."""

        label: str = Field(min_length=1, description="Name, unique.")
        terms: list["ChainExactEvolutionInput.Term"] = Field(description="Terms to add up.")

    n_qubits: int = Field(ge=1, le=16, description="Number of qubits in the chain.")
    initial_state: list[list[float]] = Field(description="Amplitudes [re, im], qubit 0 leftmost, normalised.")
    hamiltonian: list["ChainExactEvolutionInput.Term"] = Field(
        min_length=1, description="Terms; coefficients are angular frequencies."
    )
    times: list[float] = Field(min_length=1, description="Rising times at which to record; the state is given at 0.")
    observables: list["ChainExactEvolutionInput.Observable"] = Field(description="What to take expectation values of.")
    dense_up_to: int = Field(default=11, ge=0, le=12, description="Diagonalise up to so many qubits.")
    cuts: list[int] = Field(default=[], description="Qubits left of each cut at which to take the entropy.")

    @model_validator(mode="after")
    def _sound(self) -> "ChainExactEvolutionInput":
        if len(self.initial_state) != 2**self.n_qubits or any(len(pair) != 2 for pair in self.initial_state):
            raise ValueError(f"The initial state must have {2**self.n_qubits} amplitudes, each as [re, im].")
        if abs(sum(re * re + im * im for re, im in self.initial_state) - 1) > 1e-9:
            raise ValueError("The initial state is not normalised; divide its amplitudes by its norm.")
        if any(not 0 < cut < self.n_qubits for cut in self.cuts):
            raise ValueError(f"Cuts must lie between 1 and {self.n_qubits - 1}.")
        if len({one.label for one in self.observables}) != len(self.observables):
            raise ValueError("Two observables have one label; give each its own.")
        strings = [(term.letters, term.sites) for one in self.observables for term in one.terms]
        for letters, sites in [*strings, *[(one.letters, one.sites) for one in self.hamiltonian]]:
            if len(letters) != len(sites) or len(set(sites)) != len(sites):
                raise ValueError(f"The string {letters} needs as many different sites, but has {sites}.")
            if min(sites) < 0 or max(sites) >= self.n_qubits:
                raise ValueError(f"The string {letters} on {sites} leaves the chain of {self.n_qubits} qubits.")
        if self.times[0] < 0 or any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("Times must rise and must not be negative.")
        return self


class ChainExactEvolutionOutput(BaseModel):
    """What was recorded, one value for each record."""

    times: list[float] = Field(description="As given.")
    expectations: dict[str, list[float]] = Field(description="Label -> expectation values.")
    entropies: list[list[float]] = Field(description="One row for each record, one value for each cut, in nats.")
    return_probability: list[float] = Field(description="|<initial|state>|^2.")
    norm_error: float = Field(description="Largest deviation of the norm from one.")
    final_state: list[list[float]] = Field(description="Amplitudes [re, im] at the end, qubit 0 leftmost.")


def chain_exact_evolution(given: ChainExactEvolutionInput) -> ChainExactEvolutionOutput:
    """Evolve exactly and record."""
    start: _State = np.array([complex(*pair) for pair in given.initial_state])
    recorder = _Recorder(given, start)
    psi = start
    for psi in _dense(given, start) if given.n_qubits <= given.dense_up_to else _sparse(given, start):
        recorder.show(psi)
    return ChainExactEvolutionOutput(
        times=given.times,
        expectations=recorder.expectations,
        entropies=recorder.entropies,
        return_probability=recorder.overlaps,
        norm_error=recorder.norm_error,
        final_state=[[float(one.real), float(one.imag)] for one in psi],
    )


def _matrix(given: ChainExactEvolutionInput) -> csr_matrix:
    size = 2**given.n_qubits
    total = csr_matrix((size, size), dtype=complex)
    for term in given.hamiltonian:
        flipped, phases = _string(term.letters, term.sites, given.n_qubits)
        total += csr_matrix((term.coefficient * phases, (np.arange(size), flipped)), shape=(size, size))
    return total


def _dense(given: ChainExactEvolutionInput, start: _State) -> list[_State]:
    energies, vectors = np.linalg.eigh(_matrix(given).toarray())
    weights = vectors.conj().T @ start
    return [vectors @ (np.exp(-1j * energies * time) * weights) for time in given.times]


def _sparse(given: ChainExactEvolutionInput, start: _State) -> list[_State]:
    generator = -1j * _matrix(given)
    states, psi, before = [], start, 0.0
    for time in given.times:
        psi = expm_multiply((time - before) * generator, psi) if time > before else psi
        states.append(psi)
        before = time
    return states


class _Recorder:
    """Takes expectation values, entropies and overlaps of the states it is shown."""

    def __init__(self, given: ChainExactEvolutionInput, start: _State) -> None:
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
