"""Gibbs states of open chains by imaginary-time evolution of a purification (ancilla method) with TEBD.

Each site is doubled by an ancilla; at infinite temperature site and ancilla are maximally entangled, and
exp(-tau H) applied to the sites gives exp(-2 tau H) for the sites alone, in steps of the second-order Suzuki-Trotter
formula. The state at inverse temperature beta is grand
canonical: rho = exp(-beta (H - mu N)) / Z for fermions, where mu couples to the number of particles; for spins
rho = exp(-beta H) / Z.

Models. ``hubbard``: H = -t sum_i,s (c^dag_is c_i+1,s + h.c.) + U sum_i n_up n_down, four states a site. ``xyz``: spin 1/2,
H = sum_i (Jx Sx Sx + Jy Sy Sy + Jz Sz Sz) on neighbours + sum_i (hx Sx_i + hz Sz_i), S = sigma/2. All energies given
back are of H alone, without the chemical potential; units with k_B = 1. At mu = U/2 the Hubbard chain is half filled.

Source: Verstraete, Garcia-Ripoll and Cirac, Phys. Rev. Lett. 93, 207204 (2004); Feiguin and White, Phys. Rev. B 72,
220401 (2005); TenPy, arXiv:1805.00055.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from tenpy.algorithms.purification import PurificationTEBD
from tenpy.linalg import np_conserved as npc
from tenpy.models.lattice import Chain
from tenpy.models.model import NearestNeighborModel
from tenpy.networks.purification_mps import PurificationMPS
from tenpy.networks.site import SpinHalfFermionSite, SpinHalfSite


class GibbsPurificationInput(BaseModel, allow_inf_nan=False):
    """The chain, the temperatures, and how accurately to work."""

    model_config = ConfigDict(extra="forbid")
    model: Literal["hubbard", "xyz"] = Field(description="Which Hamiltonian.")
    n_sites: int = Field(ge=2, description="Length of the open chain (1).")
    hopping: float = Field(default=0.0, description="t of the Hubbard model (energy).")
    interaction: float = Field(default=0.0, description="U of the Hubbard model (energy).")
    chemical_potential: float = Field(default=0.0, description="mu of the Hubbard model (energy).")
    exchange: list[float] = Field(default=[0.0, 0.0, 0.0], description="Jx, Jy, Jz of the spin chain (energy).")
    fields: list[float] = Field(default=[0.0, 0.0], description="hx, hz of the spin chain (energy).")
    betas: list[float] = Field(min_length=1, description="Rising inverse temperatures at which to measure (1/energy).")
    step: float = Field(gt=0, description="Longest step in beta; the error is of second order in it (1/energy).")
    chi_max: int = Field(ge=1, description="Largest bond dimension (1).")
    svd_min: float = Field(gt=0, description="Schmidt values below it are dropped (1).")

    @model_validator(mode="after")
    def _consistent(self) -> "GibbsPurificationInput":
        if self.betas[0] < 0 or any(b <= a for a, b in zip(self.betas, self.betas[1:], strict=False)):
            raise ValueError("`betas` must rise and not be negative.")
        if len(self.exchange) != 3 or len(self.fields) != 2:
            raise ValueError("`exchange` needs Jx, Jy, Jz and `fields` needs hx, hz.")
        return self


class GibbsPurificationOutput(BaseModel):
    """Thermal expectation values at each inverse temperature."""

    betas: list[float] = Field(description="As given (1/energy).")
    energies: list[float] = Field(description="<H> without the chemical potential (energy).")
    site_values: dict[str, list[list[float]]] = Field(
        description="Local operators, betas x sites: n_up, n_down, double (Hubbard; 1) or Sx, Sz (spins; hbar)."
    )
    bond_correlations: list[list[float]] = Field(
        description="<Sz_i Sz_i+1> of spins, or of the fermions' spins, betas x bonds (hbar squared)."
    )
    entropies: list[list[float]] = Field(description="Of the purification at each cut, betas x cuts (nat).")
    bond_dimensions: list[int] = Field(description="Largest bond dimension (1).")
    truncation_errors: list[float] = Field(description="Discarded weight summed up (1).")
    steps: list[float] = Field(description="Step in beta used before each measurement (1/energy).")


def gibbs_purification(given: GibbsPurificationInput) -> GibbsPurificationOutput:
    """Cool a purification from infinite temperature and measure on the way.

    Args:
        given: model, inverse temperatures, step, order and bond dimension.

    Returns:
        Energies, local expectation values and what tells how far they can be trusted.
    """
    site = _site(given)
    chain = Chain(given.n_sites, site, bc="open", bc_MPS="finite")
    bonds = _bond_matrices(given, site)
    evolving = NearestNeighborModel(chain, [None, *(_array(one, site) for one in bonds["grand"])])
    measured = NearestNeighborModel(chain, [None, *(_array(one, site) for one in bonds["plain"])])
    psi = PurificationMPS.from_infiniteT(chain.mps_sites(), "finite", dtype=float, unit_cell_width=given.n_sites)
    trunc = {"chi_max": given.chi_max, "svd_min": given.svd_min}
    engine = PurificationTEBD(psi, evolving, {"trunc_params": trunc})
    found = GibbsPurificationOutput(
        betas=[], energies=[], site_values={}, bond_correlations=[], entropies=[], bond_dimensions=[], truncation_errors=[], steps=[],
    )  # fmt: skip
    reached = 0.0
    for beta in given.betas:
        count = math.ceil((beta - reached) / given.step - 1e-9)
        step = (beta - reached) / count if count > 0 else 0.0
        if count > 0:
            # exp(-tau H) on the sites with tau = step / 2 raises their beta by `step`; sweeping keeps the state
            # canonical although these gates are not unitary
            engine.calc_U(2, step / 2, type_evo="imag")
            engine.update_imag(count)
        reached = beta
        _measure(found, given, psi, measured, site)
        found.betas.append(beta)
        found.steps.append(step)
        found.truncation_errors.append(float(engine.trunc_err.eps))
    return found


def _site(given: GibbsPurificationInput) -> Any:
    """A site whose conserved charges the model allows."""
    if given.model == "hubbard":
        return SpinHalfFermionSite(cons_N="N", cons_Sz="Sz")
    round_z = given.exchange[0] == given.exchange[1] and given.fields[0] == 0
    return SpinHalfSite(conserve="Sz" if round_z else ("parity" if given.fields[0] == 0 else None))


def _bond_matrices(given: GibbsPurificationInput, site: Any) -> dict[str, list[np.ndarray]]:
    """Hamiltonians of the bonds in the site's basis, with (grand) and without (plain) the chemical potential.

    What acts on one site is shared evenly by its two bonds and goes whole to the one bond of an end.
    """
    local = {name: site.get_op(name).to_ndarray() for name in _operators(given)}
    one = np.eye(site.dim)
    if given.model == "hubbard":
        hops = [(local["Cd" + s] @ local["JW"], local["C" + s]) for s in "ud"]
        pair = sum(-given.hopping * (np.kron(a, b) + np.kron(a, b).conj().T) for a, b in hops)
        single = given.interaction * local["NuNd"]
        number = local["Ntot"]
    else:
        raised = np.kron(local["Sp"], local["Sm"])
        twice = np.kron(local["Sp"], local["Sp"])
        jx, jy, jz = given.exchange
        flips = (jx + jy) / 4 * (raised + raised.T) + (jx - jy) / 4 * (twice + twice.T)
        pair = flips + jz * np.kron(local["Sz"], local["Sz"])
        single = given.fields[1] * local["Sz"] + given.fields[0] * (local["Sp"] + local["Sm"]) / 2
        number = 0.0 * one
    made: dict[str, list[np.ndarray]] = {"plain": [], "grand": []}
    for bond in range(given.n_sites - 1):
        left = 1.0 if bond == 0 else 0.5
        right = 1.0 if bond == given.n_sites - 2 else 0.5
        for kind, on_site in (("plain", single), ("grand", single - given.chemical_potential * number)):
            made[kind].append(pair + left * np.kron(on_site, one) + right * np.kron(one, on_site))
    return made


def _operators(given: GibbsPurificationInput) -> list[str]:
    if given.model == "hubbard":
        return ["Cdu", "Cu", "Cdd", "Cd", "JW", "NuNd", "Ntot"]
    return ["Sp", "Sm", "Sz"]


def _array(matrix: np.ndarray, site: Any) -> npc.Array:
    """A bond's Hamiltonian as TenPy wants it."""
    legs = [site.leg, site.leg, site.leg.conj(), site.leg.conj()]
    tensor = np.asarray(matrix, dtype=float).reshape([site.dim] * 4)
    return npc.Array.from_ndarray(tensor, legs, labels=["p0", "p1", "p0*", "p1*"], cutoff=1e-14)


def _measure(
    found: GibbsPurificationOutput,
    given: GibbsPurificationInput,
    psi: PurificationMPS,
    measured: NearestNeighborModel,
    site: Any,
) -> None:
    found.energies.append(float(np.sum(np.real(measured.bond_energies(psi)))))
    named = {"n_up": "Nu", "n_down": "Nd", "double": "NuNd"} if given.model == "hubbard" else {"Sz": "Sz"}
    for label, operator in named.items():
        values = np.real(psi.expectation_value(operator))
        found.site_values.setdefault(label, []).append([float(value) for value in values])
    if given.model == "xyz":
        across = np.real(psi.expectation_value("Sx")) if given.fields[0] != 0 else np.zeros(given.n_sites)
        found.site_values.setdefault("Sx", []).append([float(value) for value in across])
    pairs = [psi.expectation_value_term([("Sz", k), ("Sz", k + 1)]) for k in range(given.n_sites - 1)]
    found.bond_correlations.append([float(np.real(value)) for value in pairs])
    found.entropies.append([float(value) for value in psi.entanglement_entropy()])
    found.bond_dimensions.append(int(max(psi.chi)))
