"""Lowest eigenstates of a spin-1/2 Hamiltonian by exact diagonalisation, with expectations and entanglement.

H = sum_t w_t O_t with strings O_t of Pauli matrices X, Y, Z on different sites (spin operators S = sigma/2 are given
through the weights). The matrix is diagonalised whole (dense), which gives all states of few sites, or by Lanczos on the
sparse matrix, which gives some of many sites.

Conventions: sites count from 0, site 0 is the leftmost factor, Z = +1 is the first basis state; entropies in nats for
the cut behind site k. States of one energy are not unique: expectations in them are those of the found vectors.
Source: Sandvik, AIP Conf. Proc. 1297, 135 (2010).
"""

import math

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from scipy.sparse import csr_matrix, identity, kron
from scipy.sparse.linalg import eigsh

_PAULI = {
    "X": np.array([[0, 1], [1, 0]], dtype=complex),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]).astype(complex),
}


class SpinChainExactStatesInput(BaseModel):
    """The Hamiltonian and what to compute of its lowest states."""

    model_config = ConfigDict(extra="forbid")

    class String(BaseModel, allow_inf_nan=False):
        """A product of Pauli matrices with a weight."""

        model_config = ConfigDict(extra="forbid")
        letters: str = Field(min_length=1, pattern="^[XYZ]+$", description="Pauli matrices, such as ZXZ.")
        sites: list[int] = Field(description="Site of each letter, counted from 0, all different.")
        weight: float = Field(default=1.0, description="Number in front of the product (energy, or 1).")

    n_sites: int = Field(ge=1, le=16, description="Number of spins (1).")
    hamiltonian: list[String] = Field(min_length=1, description="Its strings; weights are energies.")
    n_states: int = Field(ge=1, description="How many of the lowest states (1).")
    dense: bool = Field(description="Whether the whole matrix is diagonalised; else the sparse one by Lanczos.")
    observables: list[String] = Field(default=[], description="Strings whose expectations are taken.")
    cuts: list[int] = Field(default=[], description="Cuts whose entropy is taken, by the site left of them.")

    @model_validator(mode="after")
    def _consistent(self) -> "SpinChainExactStatesInput":
        for one in [*self.hamiltonian, *self.observables]:
            if len(one.letters) != len(one.sites) or len(set(one.sites)) != len(one.sites):
                raise ValueError(f"String {one.letters} needs as many different sites, but has {one.sites}.")
            if not 0 <= min(one.sites) <= max(one.sites) < self.n_sites:
                raise ValueError(f"Sites must lie in 0..{self.n_sites - 1}, but a string has {one.sites}.")
        most = 2**self.n_sites if self.dense else 2**self.n_sites - 2
        if self.n_states > most:
            raise ValueError(f"At most {most} states can be found so; ask for no more than that.")
        if self.dense and self.n_sites > 11:
            raise ValueError("A dense matrix of more than 11 sites does not fit; set `dense` to false.")
        if any(not 0 <= cut < self.n_sites - 1 for cut in self.cuts):
            raise ValueError(f"Cuts must lie in 0..{self.n_sites - 2}.")
        return self


class SpinChainExactStatesOutput(BaseModel):
    """Energies in rising order, and what was asked of each state."""

    energies: list[float] = Field(description="Of the lowest states; unit of the weights.")
    expectations: list[list[float]] = Field(description="Of each observable (columns) in each state (rows) (1).")
    entropies: list[list[float]] = Field(description="At each asked cut (columns) in each state (rows) (nat).")


def spin_chain_exact_states(given: SpinChainExactStatesInput) -> SpinChainExactStatesOutput:
    """Diagonalise a spin Hamiltonian and look at its lowest states.

    Args:
        given: strings of the Hamiltonian, number of states, observables, cuts.

    Returns:
        Energies, expectations and entropies.
    """
    size = 2**given.n_sites
    matrix = csr_matrix((size, size), dtype=complex)
    for one in given.hamiltonian:
        matrix = matrix + _string(one, given.n_sites)
    if given.dense:
        energies, vectors = np.linalg.eigh(matrix.toarray())
    else:
        # a fixed, structureless start makes Lanczos repeatable and overlaps every sector
        start = np.random.default_rng(0).normal(size=size)
        energies, vectors = eigsh(matrix, k=given.n_states, which="SA", v0=start)
    order = np.argsort(energies)[: given.n_states]
    states = vectors[:, order].T
    measured = [_string(one, given.n_sites) for one in given.observables]
    return SpinChainExactStatesOutput(
        energies=energies[order].tolist(),
        expectations=[[float(np.vdot(psi, one @ psi).real) for one in measured] for psi in states],
        entropies=[[_entropy(psi, cut) for cut in given.cuts] for psi in states],
    )


def _string(one: SpinChainExactStatesInput.String, n_sites: int) -> csr_matrix:
    """A string as a sparse matrix, from blocks of identities between its letters."""
    letters = dict(zip(one.sites, one.letters, strict=True))
    matrix = csr_matrix(np.array([[one.weight]], dtype=complex))
    idle = 0
    for site in range(n_sites):
        if site not in letters:
            idle += 1
            continue
        matrix = kron(kron(matrix, identity(2**idle)), csr_matrix(_PAULI[letters[site]]), format="csr")
        idle = 0
    return csr_matrix(kron(matrix, identity(2**idle), format="csr"))


def _entropy(state: np.ndarray, cut: int) -> float:
    weights = np.linalg.svd(state.reshape(2 ** (cut + 1), -1), compute_uv=False) ** 2
    return sum((-w * math.log(w) for w in weights.tolist() if w > 0), start=0.0)
