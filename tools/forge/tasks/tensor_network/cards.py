"""The cards of tensor networks: ground states, Gibbs states and driven chains."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.tools.forge.tasks.expressions import (
    Expression,
    ExpressionError,
    Grid,
    Varied,
    at,
    grid,
    number,
    pauli,
)
from labwright.tools.forge.tasks.tensor_network.driven_spec import DrivenSpec
from labwright.tools.forge.tasks.tensor_network.ground_spec import GroundSpec, Observable, Pattern, symmetry
from labwright.tools.forge.tasks.tensor_network.thermal_spec import ThermalSpec


def _sum(terms: dict[str, Any]) -> str:
    return " + ".join(f"({one}) sum {text}" for text, one in terms.items())


class GroundCard(Varied):
    """Ground states of spin-1/2 chains and rings by DMRG: energies, correlators, string order, entropies, criticality."""

    title: str = "Ground states of a chain"
    sizes: list[Annotated[int, Field(ge=3, le=1000)]] = Field(min_length=1, description="Numbers of sites.")
    boundary: Literal["open", "periodic"] = "open"
    hamiltonian: dict[str, Expression] = Field(
        min_length=1, description="Pauli string along the chain -> coefficient: {ZXZ: -cos(theta), X: -sin(theta)}."
    )
    abscissa: str = Field(default="", description="What a critical point is quoted in, such as cos(theta).")
    bond_dimension: int = Field(default=100, ge=2, le=5000)
    observables: list[Observable] = Field(default_factory=list)
    wanted: list[Literal["critical_point", "energy_per_site", "central_charge"]] = Field(default_factory=list)

    def compiled(self) -> GroundSpec:
        """The specification that is computed.

        Raises:
            ValidationError: a Pauli string or an expression cannot be used; says which.
        """
        patterns = []
        for text in self.hamiltonian:
            with at("hamiltonian", text):
                letters, offsets = pauli(text)
                patterns.append(Pattern(letters=letters, offsets=offsets))
        couplings, abscissae = [], []
        for _, names in self.settings():
            row = []
            for text, one in self.hamiltonian.items():
                with at("hamiltonian", text):
                    row.append(number(one, names))
            couplings.append(row)
            with at("abscissa"):
                abscissae += [number(self.abscissa, names)] if self.abscissa else []
        name, values = self.swept
        return GroundSpec(
            title=self.title, sizes=self.sizes, boundary=self.boundary, patterns=patterns, parameter=name,
            values=values, couplings=couplings, abscissa=self.abscissa, abscissae=abscissae,
            chi_max=self.bond_dimension, observables=self.observables, conserve=symmetry(patterns, couplings),
            wants=self.wanted, formula=_sum(self.hamiltonian),
        )  # fmt: skip


class ThermalCard(BaseModel):
    """Gibbs states of an open Hubbard or spin chain by imaginary-time evolution of a purification."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Gibbs states of a chain"
    model: Literal["hubbard", "xyz"]
    sites: int = Field(ge=2, le=400)
    hopping: Expression = Field(default=0.0, description="t of H = -t sum (c^+ c + h.c.) + U sum n n - mu N.")
    interaction: Expression = Field(default=0.0, description="U.")
    chemical_potential: Expression | None = Field(default=None, description="mu; U/2, half filling, if left out.")
    exchange: list[Expression] = Field(default=[0, 0, 0], description="Jx, Jy, Jz of S = sigma/2.")
    fields: list[Expression] = Field(default=[0, 0], description="hx, hz of S = sigma/2.")
    betas: Grid = Field(description="Inverse temperatures, rising from 0: linspace(0, 2, 21).")
    energy_convention: Literal["hubbard", "grand"] = Field(
        default="hubbard", description="hubbard: <H> without -mu N; grand: with it. The other one is recorded beside."
    )
    spin_scale: float = Field(default=1.0, description="2 to measure Pauli matrices rather than spins.")
    step: Expression = Field(default=0.05, description="Of imaginary time.")
    bond_dimension: int = Field(default=200, ge=2, le=5000)
    wanted: list[Literal["heat_capacity", "susceptibility", "correlator", "entropy"]] = Field(default_factory=list)

    def compiled(self) -> ThermalSpec:
        """The specification that is computed.

        Raises:
            ValidationError: an expression cannot be used, or the inverse temperatures do not rise from 0.
        """
        with at("betas"):
            betas = grid(self.betas)
            if len(betas) < 2 or betas[0] != 0 or any(b <= a for a, b in pairwise(betas)):
                raise ExpressionError("Inverse temperatures must rise from 0. Write such as linspace(0, 2, 21).")
        mu = f"({self.interaction})/2" if self.chemical_potential is None else self.chemical_potential
        numbers: dict[str, Any] = {}
        for name, one in (("hopping", self.hopping), ("interaction", self.interaction), ("chemical_potential", mu),
                          ("step", self.step)):  # fmt: skip
            with at(name):
                numbers[name] = number(one)
        with at("exchange"):
            exchange, fields = grid(self.exchange), grid(self.fields)
            if len(exchange) != 3 or len(fields) != 2:
                raise ExpressionError(
                    "These are too many or too few. Write `exchange: [Jx, Jy, Jz]` and `fields: [hx, hz]`."
                )
        if self.model == "hubbard":
            formula = "-t sum (c^dag_i c_i+1 + h.c.) + U sum n_up n_down"
        else:
            formula = f"sum S_i J S_i+1 + sum h S_i with J = {exchange}, h = {fields}"
        return ThermalSpec(
            title=self.title, model=self.model, n_sites=self.sites, exchange=exchange, fields=fields, betas=betas,
            energy_convention=self.energy_convention, spin_scale=self.spin_scale,
            chi_max=self.bond_dimension, wants=self.wanted, formula=formula, **numbers,
        )  # fmt: skip


class CardSegment(BaseModel):
    """A stretch of constant Hamiltonian."""

    model_config = ConfigDict(extra="forbid")
    time: Expression
    terms: dict[str, Expression] = Field(
        min_length=1, description="X, Y, Z, XX, ... -> weight of Pauli matrices, on all sites or bonds."
    )
    disorder: dict[str, Expression] = Field(
        default_factory=dict, description="The same, multiplied with the number that is drawn for each site."
    )


class DrivenCard(Varied):
    """A periodically driven, disordered spin-1/2 chain by TEBD: magnetisation at each period, averaged over disorder."""

    title: str = "Driven chain"
    sites: int = Field(ge=2, le=400)
    segments: list[CardSegment] = Field(min_length=1, description="Of one period, in order.")
    periods: int = Field(ge=1, le=100_000)
    start: Literal["+x", "-x", "+y", "-y", "+z", "-z"] | list[float] = Field(description="Bloch vector of every site.")
    neel: bool = Field(default=False, description="Whether every second site starts opposite.")
    disorder_width: Expression = Field(default=0.0, description="Numbers are drawn from (-width, width).")
    realisations: int = Field(default=1, ge=1, le=10_000)
    dt: Expression
    order: Literal[2, 4] = 2
    bond_dimension: int = Field(default=100, ge=2, le=5000)
    axis: Literal["x", "y", "z"] = Field(description="Of the magnetisation.")
    spin_scale: float = Field(default=0.5, description="0.5 for S, 1 for Pauli matrices.")
    bulk: list[int] = Field(default_factory=list, description="Sites averaged over, from 0; all but two at each end.")
    seed: int = Field(default=0, ge=0, description="Of the disorder.")

    def compiled(self) -> DrivenSpec:
        """The specification that is computed.

        Raises:
            ValidationError: a term or an expression cannot be used; says which.
        """
        every, segments, angles = [names for _, names in self.settings()], [], []
        for place, one in enumerate(self.segments):
            terms: list[dict[str, Any]] = []
            for field in ("terms", "disorder"):
                for text, weight in getattr(one, field).items():
                    with at("segments", place, field, text):
                        if len(pauli(text)[0]) != len(text) or len(text) > 2:
                            raise ExpressionError(f"{text!r} is no field or coupling of neighbours. Write X or ZZ.")
                        weights = [number(weight, names) for names in every]
                    terms.append({"letters": text, "weights": weights, "disorder": field == "disorder"})
            with at("segments", place, "time"):
                time = number(one.time, every[0])
            segments.append({"duration": time, "terms": terms})
            fields = [term["weights"][0] for term in terms if len(term["letters"]) == 1 and not term["disorder"]]
            angles.append(2 * time * sum(weight * weight for weight in fields) ** 0.5)
        name, values = self.swept
        with at("dt"):
            dt = number(self.dt, every[0])
        with at("disorder_width"):
            width = number(self.disorder_width, every[0])
        sign = {"+": 1.0, "-": -1.0}
        start = self.start if isinstance(self.start, list) else [
            sign[self.start[0]] * (letter == self.start[1]) for letter in "xyz"
        ]  # fmt: skip
        return DrivenSpec.model_validate(
            {
                "title": self.title, "n_sites": self.sites, "segments": segments, "parameter": name, "values": values,
                "periods": self.periods, "start": start, "neel": self.neel, "disorder_width": width,
                "realisations": self.realisations, "seed": self.seed, "dt": dt, "order": self.order,
                "chi_max": self.bond_dimension, "axis": self.axis, "spin_scale": self.spin_scale,
                "bulk": self.bulk or list(range(2, self.sites - 2)) or list(range(self.sites)),
                "formula": "; ".join(_sum({**one.terms, **one.disorder}) for one in self.segments),
                "pulse_angles": angles,
            }
        )  # fmt: skip
