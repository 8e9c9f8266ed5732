"""Piecewise constant driving of an open spin-1/2 chain with nearest-neighbour couplings, by TEBD on a matrix product state.

A period consists of segments; in each the Hamiltonian is H = sum w P_i + sum v P_i Q_{i+1} with Pauli matrices P, Q
(spin operators S = sigma/2 are given through the weights). The time-ordered exponential of a segment is split by a
Suzuki-Trotter formula of second or fourth order; a segment is divided into equal steps not longer than `dt`.

Conventions: hbar = 1, times in the inverse unit of the weights; sites count from 0; entropies in nats for the cut
between sites `cut` and `cut` + 1; truncation errors are summed discarded weights. Source: Vidal, Phys. Rev. Lett. 93,
040502 (2004); White and Feiguin, Phys. Rev. Lett. 93, 076401 (2004); TenPy, arXiv:1805.00055.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from tenpy.algorithms.tebd import TEBDEngine
from tenpy.linalg import np_conserved as npc
from tenpy.models.lattice import Chain
from tenpy.models.model import NearestNeighborModel
from tenpy.networks.mps import MPS
from tenpy.networks.site import SpinHalfSite

_PAULI = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]),
}
_NAMES = {"X": "Sigmax", "Y": "Sigmay", "Z": "Sigmaz"}


class FloquetTebdInput(BaseModel, allow_inf_nan=False):
    """The driving, the initial product state, and the accuracy."""

    model_config = ConfigDict(extra="forbid")

    class Term(BaseModel, allow_inf_nan=False):
        """A Pauli matrix on a site, or two on neighbours."""

        model_config = ConfigDict(extra="forbid")
        letters: str = Field(pattern="^[XYZ]{1,2}$", description="One or two Pauli matrices, such as X or ZZ.")
        site: int = Field(ge=0, description="Site of the first letter, counted from 0; the second is on the next site.")
        weight: float = Field(description="Number in front (energy, hbar = 1).")

    class Segment(BaseModel, allow_inf_nan=False):
        """A stretch of constant Hamiltonian."""

        model_config = ConfigDict(extra="forbid")
        duration: float = Field(gt=0, description="Length of the segment (time).")
        terms: list["FloquetTebdInput.Term"] = Field(min_length=1, description="Its Hamiltonian.")

    n_sites: int = Field(ge=2, description="Number of spins (1).")
    segments: list[Segment] = Field(min_length=1, description="One period, in order.")
    periods: int = Field(ge=1, description="How many periods (1).")
    start: list[list[float]] = Field(description="Bloch vector (x, y, z) of length 1 of each site's initial state (1).")
    dt: float = Field(gt=0, description="Longest time step (time).")
    order: Literal[2, 4] = Field(description="Order of the Suzuki-Trotter formula (1).")
    chi_max: int = Field(ge=1, description="Largest bond dimension (1).")
    svd_min: float = Field(1e-10, gt=0, description="Schmidt values below it are dropped (1).")
    observables: list[Literal["X", "Y", "Z"]] = Field(min_length=1, description="Pauli matrices measured on all sites.")
    cuts: list[int] = Field(default_factory=list, description="Cuts whose entropy is taken, by the site left of them.")

    @model_validator(mode="after")
    def _consistent(self) -> "FloquetTebdInput":
        terms = [term for segment in self.segments for term in segment.terms]
        if any(term.site + len(term.letters) > self.n_sites for term in terms):
            raise ValueError(f"A term reaches beyond the last site {self.n_sites - 1}: the chain is open.")
        if len(self.start) != self.n_sites or any(len(one) != 3 for one in self.start):
            raise ValueError(f"`start` needs {self.n_sites} Bloch vectors of three numbers.")
        if any(abs(math.hypot(*one) - 1) > 1e-9 for one in self.start):
            raise ValueError("Bloch vectors of `start` must have length 1: the state is pure.")
        if any(not 0 <= cut < self.n_sites - 1 for cut in self.cuts):
            raise ValueError(f"Cuts must lie in 0..{self.n_sites - 2}.")
        return self


class FloquetTebdOutput(BaseModel):
    """What was measured at the beginning and after each period."""

    times: list[float] = Field(description="Times of the measurements, 0 first (time).")
    expectations: list[list[list[float]]] = Field(description="Of each observable, at each time, on each site (1).")
    entropies: list[list[float]] = Field(description="Entropy in nats at each time (rows) and asked cut (columns).")
    bond_dimensions: list[int] = Field(description="Largest bond dimension at each time (1).")
    truncation_errors: list[float] = Field(description="Discarded weight summed up to each time (1).")
    norms: list[float] = Field(description="Norm of the state at each time (1).")
    steps: list[int] = Field(description="Time steps in each segment (1).")


def floquet_tebd(given: FloquetTebdInput) -> FloquetTebdOutput:
    """Stroboscopic evolution by TEBD.

    Args:
        given: segments of a period, initial product state, step, order and bond dimension.

    Returns:
        Expectations, entropies and truncation after each period.
    """
    site = SpinHalfSite(conserve=None)
    chain = Chain(given.n_sites, site, bc="open", bc_MPS="finite")
    psi = MPS.from_product_state(
        chain.mps_sites(), [_spinor(one) for one in given.start], dtype=complex, unit_cell_width=given.n_sites
    )
    trunc = {"chi_max": given.chi_max, "svd_min": given.svd_min}
    engines = []
    steps = []
    for segment in given.segments:
        model = NearestNeighborModel(chain, _bonds(segment.terms, given.n_sites, site))
        engines.append(TEBDEngine(psi, model, {"order": given.order, "trunc_params": trunc}))
        steps.append(max(1, math.ceil(segment.duration / given.dt - 1e-9)))
    period = sum(segment.duration for segment in given.segments)
    found = FloquetTebdOutput(
        times=[], expectations=[[] for _ in given.observables], entropies=[], bond_dimensions=[],
        truncation_errors=[], norms=[], steps=steps,
    )  # fmt: skip
    _measure(found, given, psi, 0.0, 0.0)
    for number in range(1, given.periods + 1):
        for engine, segment, count in zip(engines, given.segments, steps, strict=True):
            # a unitary gate keeps the norm; what is cut away is renormalised and shows in the truncation error
            engine.calc_U(given.order, segment.duration / count, type_evo="real")
            engine.evolve(count, segment.duration / count)
        lost = sum(float(engine.trunc_err.eps) for engine in engines)
        _measure(found, given, psi, number * period, lost)
    return found


def _spinor(bloch: list[float]) -> Any:
    """Amplitudes (up, down) of the pure state with this Bloch vector."""
    x, y, z = bloch
    if z < -1 + 1e-12:
        return np.array([0.0, 1.0])
    up = math.sqrt((1 + z) / 2)
    return np.array([up, (x + 1j * y) / (2 * up)])


def _bonds(terms: list["FloquetTebdInput.Term"], n_sites: int, site: Any) -> list[Any]:
    """Hamiltonian of each bond as TenPy wants it: entry i acts on sites i-1 and i, the first is None.

    Fields are shared evenly by the two bonds of a site, and go whole to the one bond of an end.
    """
    bonds = np.zeros((n_sites - 1, 2, 2, 2, 2), dtype=complex)  # bond, out left, out right, in left, in right
    for term in terms:
        if len(term.letters) == 2:
            pair = np.kron(_PAULI[term.letters[0]], _PAULI[term.letters[1]])
            bonds[term.site] += term.weight * pair.reshape(2, 2, 2, 2)
            continue
        beside = [bond for bond in (term.site - 1, term.site) if 0 <= bond < n_sites - 1]
        for bond in beside:
            first, second = (term.letters, "I") if bond == term.site else ("I", term.letters)
            bonds[bond] += term.weight / len(beside) * np.kron(_PAULI[first], _PAULI[second]).reshape(2, 2, 2, 2)
    legs = [site.leg, site.leg, site.leg.conj(), site.leg.conj()]
    arrays = [npc.Array.from_ndarray(one, legs, labels=["p0", "p1", "p0*", "p1*"]) for one in bonds]
    return [None, *arrays]


def _measure(found: FloquetTebdOutput, given: FloquetTebdInput, psi: MPS, time: float, lost: float) -> None:
    found.times.append(time)
    for rows, letter in zip(found.expectations, given.observables, strict=True):
        rows.append([float(np.real(value)) for value in psi.expectation_value(_NAMES[letter])])
    entropies = psi.entanglement_entropy()
    found.entropies.append([float(entropies[cut]) for cut in given.cuts])
    found.bond_dimensions.append(int(max(psi.chi)))
    found.truncation_errors.append(lost)
    found.norms.append(float(abs(psi.norm)))
