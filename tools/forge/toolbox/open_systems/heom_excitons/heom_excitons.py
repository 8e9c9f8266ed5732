"""Exciton dynamics of coupled sites with Drude-Lorentz baths by the hierarchical equations of motion (HEOM).

Every site j couples with |j><j| to its own bath of spectral density J(w) = 2 lambda gamma w / (w^2 + gamma^2), where
lambda is the reorganization energy and 1/gamma the cutoff time. Bath correlation functions are expanded in
exponentials, one for the Drude pole and `terms` more of the Matsubara series (w_k = 2 pi k k_B T / hbar) or of the
Pade series; the `terminator` adds what is left of the series as Markovian dephasing. The hierarchy of auxiliary
density operators is cut at `depth`.

Conventions: energies in 1/cm, times in fs, temperatures in K; an energy E in 1/cm is the angular frequency
2 pi c E; the zero of energy is arbitrary. The reorganization energy is not added to the site energies.

Source: Tanimura and Kubo, J. Phys. Soc. Jpn. 58, 101 (1989); Ishizaki and Fleming, PNAS 106, 17255 (2009);
Lambert et al., Phys. Rev. Research 5, 013181 (2023) for QuTiP's solver.
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from qutip import Qobj, basis, liouvillian
from qutip.solver.heom import DrudeLorentzBath, DrudeLorentzPadeBath, HEOMSolver
from scipy import constants

# angular frequency in rad/fs of one 1/cm
_PER_FS = 2 * np.pi * constants.c * 100 * 1e-15
# Boltzmann constant in 1/cm per kelvin
_KELVIN = constants.k / (constants.h * constants.c * 100)


class HeomExcitonsInput(BaseModel, allow_inf_nan=False):
    """Sites, baths, temperature, hierarchy, and what to record."""

    model_config = ConfigDict(extra="forbid")

    hamiltonian: list[list[float]] = Field(description="Site energies and couplings, real symmetric (1/cm).")
    reorganization: list[float] = Field(description="Reorganization energy of each site's bath; 0 for no bath (1/cm).")
    cutoff_times: list[float] = Field(description="1/gamma of each site's bath (fs).")
    temperature: float = Field(gt=0, description="Temperature of all baths (K).")
    depth: int = Field(ge=1, description="Depth of the hierarchy (1).")
    terms: int = Field(ge=0, description="Exponentials beside the Drude pole (1).")
    expansion: Literal["matsubara", "pade"] = Field(description="Series of the bath correlation function.")
    terminator: bool = Field(description="Whether the rest of the series is kept as Markovian dephasing.")
    initial: list[list[list[float]]] = Field(description="Density matrix at time zero, [re, im] entries (1).")
    times: list[float] = Field(min_length=2, description="Rising times to record, from 0 (fs).")
    coherences: list[list[int]] = Field(default=[], description="Pairs of sites whose coherence is recorded.")
    relative_tolerance: float = Field(gt=0, description="Relative tolerance of the integration (1).")
    absolute_tolerance: float = Field(gt=0, description="Absolute tolerance of the integration (1).")
    method: Literal["adams", "bdf", "vern7", "dop853"] = Field(default="adams", description="Integration method.")

    @model_validator(mode="after")
    def _consistent(self) -> "HeomExcitonsInput":
        size = len(self.hamiltonian)
        matrix = np.array(self.hamiltonian) if len({len(row) for row in self.hamiltonian}) == 1 else np.empty(0)
        if matrix.shape != (size, size) or not np.allclose(matrix, matrix.T, atol=1e-9):
            raise ValueError("The Hamiltonian must be a real symmetric square matrix (1/cm).")
        if len(self.reorganization) != size or len(self.cutoff_times) != size:
            raise ValueError(f"`reorganization` and `cutoff_times` need {size} entries, one for each site.")
        if min(self.reorganization) < 0 or max(self.reorganization) == 0 or min(self.cutoff_times) <= 0:
            raise ValueError(
                "Reorganization energies must not be negative nor all zero, cutoff times must be positive."
            )
        if self.times[0] != 0 or any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("`times` must begin at 0 and rise.")
        rho = _density(self.initial)
        if rho.shape != (size, size) or abs(np.trace(rho) - 1) > 1e-9 or not np.allclose(rho, rho.conj().T):
            raise ValueError(f"The initial density matrix must be Hermitian, {size} x {size}, of trace 1.")
        if any(len(pair) != 2 or not 0 <= min(pair) <= max(pair) < size for pair in self.coherences):
            raise ValueError(f"Coherences are pairs of sites in 0..{size - 1}.")
        return self


class HeomExcitonsOutput(BaseModel):
    """Populations and coherences in time, and how large the hierarchy was."""

    times: list[float] = Field(description="As given (fs).")
    populations: list[list[float]] = Field(description="Occupation of each site (columns) at each time (rows) (1).")
    coherences: list[list[list[float]]] = Field(description="Of each pair, at each time, [re, im] of rho_ij (1).")
    purities: list[float] = Field(description="Tr rho^2 at each time (1).")
    final_state: list[list[list[float]]] = Field(description="Density matrix at the end, [re, im] entries (1).")
    trace_error: float = Field(description="Largest deviation of the trace from one (1).")
    lowest_eigenvalue: float = Field(description="Smallest eigenvalue of any recorded density matrix (1).")
    n_operators: int = Field(description="Auxiliary density operators in the hierarchy, the state itself included (1).")
    first_matsubara: float = Field(description="hbar times the first Matsubara frequency (1/cm).")


def heom_excitons(given: HeomExcitonsInput) -> HeomExcitonsOutput:
    """Propagate a density matrix of excitons with its hierarchy.

    Args:
        given: Hamiltonian in 1/cm, baths, temperature in K, hierarchy, times in fs.

    Returns:
        Populations and coherences of the sites.
    """
    size = len(given.hamiltonian)
    hamiltonian = Qobj(np.array(given.hamiltonian) * _PER_FS)
    kind = DrudeLorentzBath if given.expansion == "matsubara" else DrudeLorentzPadeBath
    thermal = _KELVIN * given.temperature * _PER_FS
    baths = [
        kind(basis(size, j).proj(), lam=strength * _PER_FS, gamma=1 / cutoff, T=thermal, Nk=given.terms)
        for j, (strength, cutoff) in enumerate(zip(given.reorganization, given.cutoff_times, strict=True))
        if strength > 0
    ]
    generator = hamiltonian
    if given.terminator:
        generator = liouvillian(hamiltonian) + sum(bath.terminator()[1] for bath in baths)
    options = {
        "method": given.method,
        "rtol": given.relative_tolerance,
        "atol": given.absolute_tolerance,
        "nsteps": 10_000_000,
        "progress_bar": "",
        "store_ados": False,
        "store_states": True,
    }
    solver = HEOMSolver(generator, baths, max_depth=given.depth, options=options)
    solved = solver.run(Qobj(_density(given.initial)), given.times)
    states = np.array([state.full() for state in solved.states])
    traces = np.einsum("tii->t", states)
    hermitian = (states + states.conj().transpose(0, 2, 1)) / 2
    return HeomExcitonsOutput(
        times=given.times,
        populations=np.einsum("tii->ti", states).real.tolist(),
        coherences=[_pairs(states[:, a, b]) for a, b in given.coherences],
        purities=np.einsum("tij,tji->t", states, states).real.tolist(),
        final_state=[_pairs(row) for row in states[-1]],
        trace_error=float(np.abs(traces - 1).max()),
        lowest_eigenvalue=float(np.linalg.eigvalsh(hermitian).min()),
        n_operators=len(solver.ados.labels),
        first_matsubara=float(2 * np.pi * _KELVIN * given.temperature),
    )


def _density(rows: list[list[list[float]]]) -> np.ndarray:
    """Rows of [re, im] pairs as a complex array."""
    if len({len(row) for row in rows}) != 1 or any(len(entry) != 2 for row in rows for entry in row):
        raise ValueError("Matrices must be rows of equal length with [re, im] entries.")
    return np.array([[complex(re, im) for re, im in row] for row in rows])


def _pairs(values: np.ndarray) -> list[list[float]]:
    return [[float(one.real), float(one.imag)] for one in values]
