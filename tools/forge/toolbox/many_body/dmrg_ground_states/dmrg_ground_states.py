"""Ground states of spin-1/2 Hamiltonians along a sweep of couplings, by DMRG with matrix product states.

At point p the Hamiltonian is H_p = sum_g c[p][g] sum_t w_t O_t: groups g of operator strings O_t with weights w_t, and
one coupling c[p][g] for each point and group. Strings are products of Pauli matrices X, Y, Z on different sites
(spin operators S = sigma/2 are given through the weights). Two-site DMRG starts each point from the state of the
point before, the first one from a product state. Sites may be laid out along the matrix product state in their own
order or folded (0, N-1, 1, N-2, ...), which makes the closing bond of a ring a short one.

Conventions: sites count from 0; entropies are von Neumann entropies in nats for cuts of the layout; the variance is
<H^2> - <H>^2, an error bar of the energy: some exact energy lies within its root. Source: White, Phys. Rev. Lett. 69, 2863 (1992); Schollwoeck,
Ann. Phys. 326, 96 (2011); TenPy, arXiv:1805.00055.
"""

from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from tenpy.algorithms.dmrg import TwoSiteDMRGEngine
from tenpy.models.lattice import Chain
from tenpy.models.model import MPOModel
from tenpy.networks.mpo import MPO, MPOGraph
from tenpy.networks.mps import MPS
from tenpy.networks.site import SpinHalfSite
from tenpy.networks.terms import TermList

_PAULI = {"X": "Sigmax", "Z": "Sigmaz"}
_STATES = {"up": [1, 0], "down": [0, 1], "+x": [1, 1], "-x": [1, -1]}


class DmrgGroundStatesInput(BaseModel, allow_inf_nan=False):
    """Operator strings, couplings of the sweep, and how accurately to work."""

    model_config = ConfigDict(extra="forbid")

    class String(BaseModel, allow_inf_nan=False):
        """A product of Pauli matrices with a weight."""

        model_config = ConfigDict(extra="forbid")
        letters: str = Field(min_length=1, pattern="^[XYZ]+$", description="Pauli matrices, such as ZXZ.")
        sites: list[int] = Field(description="Site of each letter, counted from 0, all different.")
        weight: float = Field(1.0, description="Number in front of the product (in units of its group's coupling).")

        @model_validator(mode="after")
        def _one_site_each(self) -> "DmrgGroundStatesInput.String":
            if len(self.letters) != len(self.sites) or len(set(self.sites)) != len(self.sites):
                raise ValueError(
                    f"String {self.letters} needs {len(self.letters)} different sites, but has {self.sites}."
                )
            return self

    n_sites: int = Field(ge=3, description="Number of spins (1).")
    groups: list[list[String]] = Field(min_length=1, description="Operator strings that share a coupling.")
    couplings: list[list[float]] = Field(
        min_length=1, description="Coupling of each group (columns) at each point of the sweep (rows); unit of energy."
    )
    observables: list[String] = Field(
        default_factory=list, description="Strings whose expectation is taken in each state."
    )
    chi_max: int = Field(ge=2, description="Largest bond dimension (1).")
    layout: Literal["natural", "folded"] = Field(description="Order of the sites along the state; folded for rings.")
    conserve: Literal["none", "parity_z", "parity_x", "sz"] = Field(
        description="Symmetry used: none, product of all Z, product of all X, or the sum of all Z."
    )
    starts: list[list[Literal["up", "down", "+x", "-x"]]] = Field(
        min_length=1, description="Product states of the first point, one entry a site; one state for each sector."
    )
    svd_min: float = Field(1e-10, gt=0, description="Schmidt values below it are dropped (1).")
    max_sweeps: int = Field(40, ge=2, description="Most sweeps at a point (1).")
    energy_tolerance: float = Field(
        1e-10, gt=0, description="Change of energy in two sweeps that ends a point (energy)."
    )
    with_variance: bool = Field(True, description="Whether the energy variance is computed.")

    @model_validator(mode="after")
    def _consistent(self) -> "DmrgGroundStatesInput":
        if any(len(row) != len(self.groups) for row in self.couplings):
            raise ValueError(f"Each row of `couplings` needs {len(self.groups)} numbers, one for each group.")
        if any(len(one) != self.n_sites for one in self.starts):
            raise ValueError(f"Each state in `starts` needs {self.n_sites} entries.")
        strings = [one for group in self.groups for one in group] + self.observables
        if any(not 0 <= site < self.n_sites for one in strings for site in one.sites):
            raise ValueError(f"Sites of operator strings must lie in 0..{self.n_sites - 1}.")
        kinds = {"up", "down"} if self.conserve in {"parity_z", "sz"} else {"+x", "-x"}
        if self.conserve != "none" and not {one for row in self.starts for one in row} <= kinds:
            raise ValueError(f"With `conserve` = {self.conserve} start states may hold {sorted(kinds)} only.")
        return self


class DmrgGroundStatesOutput(BaseModel):
    """What was found at each point of the sweep."""

    energies: list[float] = Field(description="Ground-state energy at each point; unit of the couplings.")
    expectations: list[list[float]] = Field(description="Of each observable (columns) at each point (rows); 1.")
    entropies: list[list[float]] = Field(description="Entropy in nats at each cut of the layout (columns); 1.")
    cuts: list[list[int]] = Field(description="Sites on the left of each cut, in the layout's order.")
    variances: list[float] = Field(description="<H^2> - <H>^2 at each point, empty if not asked; couplings squared.")
    bond_dimensions: list[int] = Field(description="Largest bond dimension at each point (1).")
    truncation_errors: list[float] = Field(description="Largest discarded weight of the last sweep at each point (1).")
    sweeps: list[int] = Field(description="Sweeps made at each point (1).")
    converged: list[bool] = Field(
        description="Whether the energy settled before `max_sweeps`, to its tolerance or to a tenth of what truncation"
        " changes it."
    )
    sectors: list[int] = Field(description="Which of `starts` led to the lowest energy at each point.")
    sector_energies: list[list[float]] = Field(description="Energy of each start (columns) at each point (rows).")


class _Engine(TwoSiteDMRGEngine):
    """Ends, too, where sweeps move the energy far less than cutting Schmidt values does: more of them add nothing."""

    def is_converged(self) -> bool:
        """Part of the engine; the mixer's own noise must be gone before truncation is looked at."""
        *_, moved = self.sweep_stats["Delta_E"]
        *_, cut = self.sweep_stats["max_E_trunc"]
        return bool(super().is_converged() or (self.mixer is None and abs(moved) < 0.1 * cut))


def dmrg_ground_states(given: DmrgGroundStatesInput) -> DmrgGroundStatesOutput:
    """Ground states by two-site DMRG along a sweep of couplings.

    Args:
        given: operator strings in groups, couplings of each group at each point, and the accuracy.

    Returns:
        Energies, expectations, entropies and what tells how far they can be trusted.

    Raises:
        RuntimeError: the conserved charge does not commute with a string of the Hamiltonian.
    """
    order = _layout(given.n_sites, given.layout)
    place = {site: position for position, site in enumerate(order)}
    site = SpinHalfSite(conserve={"sz": "Sz", "parity_z": "parity", "parity_x": "parity", "none": None}[given.conserve])
    chain = Chain(given.n_sites, site, bc="open", bc_MPS="finite")
    states = [_product(given, start, order, chain) for start in given.starts]
    found = DmrgGroundStatesOutput(
        energies=[], expectations=[], entropies=[], variances=[], bond_dimensions=[], truncation_errors=[], sweeps=[],
        converged=[], sectors=[], sector_energies=[], cuts=[order[: k + 1] for k in range(given.n_sites - 1)],
    )  # fmt: skip
    for row in given.couplings:
        operator = _operator(given, row, place, chain.mps_sites())
        engines = [_Engine(psi, MPOModel(chain, operator), _options(given)) for psi in states]
        ends = [engine.run() for engine in engines]
        states = [psi for _, psi in ends]
        energies = [float(np.real(energy)) for energy, _ in ends]
        best = int(np.argmin(energies))
        found.sectors.append(best)
        found.sector_energies.append(energies)
        found.energies.append(energies[best])
        _record(found, given, states[best], engines[best], place)
        if given.with_variance:
            found.variances.append(float(np.real(operator.variance(states[best]))))
    return found


def _product(given: DmrgGroundStatesInput, start: list[str], order: list[int], chain: Chain) -> MPS:
    # a Hamiltonian with an odd number of Y turns the state complex on the way; all others stay real, which is faster
    local = [_local(start[site], given.conserve) for site in order]
    return MPS.from_product_state(chain.mps_sites(), local, dtype=float, unit_cell_width=given.n_sites)


def _record(
    found: DmrgGroundStatesOutput,
    given: DmrgGroundStatesInput,
    psi: MPS,
    engine: "_Engine",
    place: dict[int, int],
) -> None:
    sweeps = int(engine.sweep_stats["sweep"][-1])
    found.expectations.append([_expectation(psi, one, place, given.conserve) for one in given.observables])
    found.entropies.append([float(value) for value in psi.entanglement_entropy()])
    found.bond_dimensions.append(int(max(psi.chi)))
    *_, last = engine.sweep_stats["max_trunc_err"]
    found.truncation_errors.append(float(last))
    found.sweeps.append(sweeps)
    found.converged.append(sweeps < given.max_sweeps)


def _layout(n_sites: int, layout: str) -> list[int]:
    """Site at each position of the state."""
    if layout == "natural":
        return list(range(n_sites))
    half = [[k, n_sites - 1 - k] for k in range((n_sites + 1) // 2)]
    return [site for pair in half for site in dict.fromkeys(pair)]


def _local(state: str, conserve: str) -> Any:
    """A state of one site as TenPy wants it: by name where a charge is conserved, else by amplitudes."""
    if conserve == "none":
        return np.array(_STATES[state]) / np.linalg.norm(_STATES[state])
    return {"up": "up", "down": "down", "+x": "up", "-x": "down"}[state]


def _turned(letters: str, conserve: str) -> str:
    """Letters in the frame where the conserved parity is that of Z: X and Z change places for parity_x.

    Y may stay as it is: what its sign would undo is a complex conjugation, which no expectation value notices.
    """
    return letters.translate(str.maketrans("XZ", "ZX")) if conserve == "parity_x" else letters


def _ladder(letters: str, conserve: str) -> list[tuple[complex, list[str]]]:
    """A Pauli string as sums of operators of the site: Y (and with a charge X) by raising and lowering."""
    sums: list[tuple[complex, list[str]]] = [(1.0, [])]
    for letter in letters:
        if letter == "Z" or (letter == "X" and conserve != "sz"):
            options: list[tuple[complex, str]] = [(1.0, _PAULI[letter])]
        elif letter == "X":
            options = [(1.0, "Sp"), (1.0, "Sm")]
        else:  # real matrices with an imaginary factor: pairs of Y then leave the Hamiltonian real
            options = [(-1j, "Sp"), (1j, "Sm")]
        sums = [(c * d, [*ops, op]) for c, ops in sums for d, op in options]
    return sums


def _operator(given: DmrgGroundStatesInput, row: list[float], place: dict[int, int], sites: list[Any]) -> MPO:
    """The Hamiltonian of one point as a matrix product operator."""
    amounts: dict[tuple[tuple[str, int], ...], complex] = {}
    for coupling, group in zip(row, given.groups, strict=True):
        for one in group:
            letters = _turned(one.letters, given.conserve)
            _check_charge(letters, given.conserve, one.letters)
            for factor, ops in _ladder(letters, given.conserve):
                term = tuple(zip(ops, (place[k] for k in one.sites), strict=True))
                amounts[term] = amounts.get(term, 0.0) + coupling * one.weight * factor
    kept = {term: amount for term, amount in amounts.items() if abs(amount) > 1e-14}
    charged = [term for term in kept if given.conserve == "sz" and _raised(term) != 0]
    if charged:
        raise RuntimeError(
            f"The sum of all Z is not conserved: {charged[0]} changes it. Set `conserve` to none or a parity."
        )
    if not kept:
        raise ValueError("All couplings of a point are zero: there is no Hamiltonian.")
    real = all(amount.imag == 0 for amount in kept.values())  # products of i and its powers are exact
    strengths = [amount.real if real else amount for amount in kept.values()]
    terms = TermList([list(term) for term in kept], strengths)
    return MPOGraph.from_term_list(terms, sites, "finite", unit_cell_width=len(sites)).build_MPO()


def _raised(term: tuple[tuple[str, int], ...]) -> int:
    return sum((op == "Sp") - (op == "Sm") for op, _ in term)


def _check_charge(letters: str, conserve: str, written: str) -> None:
    if conserve.startswith("parity") and sum(letter in "XY" for letter in letters) % 2:
        raise RuntimeError(f"The string {written} changes {conserve}. Set `conserve` to none.")


def _options(given: DmrgGroundStatesInput) -> dict[str, Any]:
    trunc = {"chi_max": given.chi_max, "svd_min": given.svd_min}
    return {
        "trunc_params": trunc,
        # with charges, a two-site update alone cannot reach blocks that the start does not have
        "mixer": True,
        "mixer_params": {"amplitude": 1e-4, "decay": 3.0, "disable_after": 6},
        "diag_method": "lanczos",
        "max_E_err": given.energy_tolerance,
        "max_S_err": 1e-4,
        "max_sweeps": given.max_sweeps,
        # a large discarded weight is told in the output; it is the caller who judges it
        "max_trunc_err": 1.0,
        "N_sweeps_check": 2,
    }


def _expectation(psi: MPS, one: DmrgGroundStatesInput.String, place: dict[int, int], conserve: str) -> float:
    letters = _turned(one.letters, conserve)
    total = 0.0
    for factor, ops in _ladder(letters, conserve):
        term = sorted(zip(ops, (place[k] for k in one.sites), strict=True), key=lambda op: op[1])
        # what changes the charge has no expectation in a state of that charge
        if conserve == "sz" and _raised(tuple(term)) != 0:
            continue
        if conserve.startswith("parity") and sum(op != "Sigmaz" for op in ops) % 2:
            continue
        total += float(np.real(factor * psi.expectation_value_term(term)))
    return one.weight * total
