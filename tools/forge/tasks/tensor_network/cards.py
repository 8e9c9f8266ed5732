"""The cards of tensor networks: ground states, Gibbs states and driven chains."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from labwright.tools.forge.tasks.expressions import (
    Expression,
    ExpressionError,
    Grid,
    Numbers,
    Varied,
    at,
    grid,
    number,
    pauli,
    positive,
)
from labwright.tools.forge.tasks.task_type import Computed

Pattern = dict[str, Any]  # letters, offsets


class Observable(BaseModel, extra="forbid"):
    """Something measured in each ground state.

    Kinds: ``site`` a Pauli matrix on every site; ``correlator`` a pair at all distances from a site; ``bond`` a pair on
    every bond; ``string`` Z X 1 X ... X Z over the whole odd ring or chain, as the cluster phase orders; ``entropy``
    at all cuts; ``half_entropy`` at the middle cut.
    """

    kind: Literal["site", "correlator", "bond", "string", "entropy", "half_entropy"]
    letters: str = Field(default="Z", pattern="^[XYZ]{1,2}$")
    scale: float = Field(default=1.0, description="1 for Pauli matrices, 0.5 for spins one half (0.25 for pairs).")
    origin: int | Literal["middle"] | None = Field(
        default=None, description="Site from which distances count, from 0; without one N/4 (chains) or 0 (rings)."
    )


EXACT_SITES = 12  # chains up to here are diagonalised beside; state vectors are evolved up to one less
SVD_MIN = 1e-5  # of a purification
MOST_STEPS = 1_000_000  # of a driven chain


def _sum(terms: dict[str, Any]) -> str:
    return " + ".join(f"({one}) sum {text}" for text, one in terms.items())


class GroundCard(Varied):
    """Ground states of spin-1/2 chains and rings by DMRG: energies, correlators, order, entropies, criticality."""

    title: str = "Ground states of a chain"
    sizes: list[Annotated[int, Field(ge=3, le=1000)]] = Field(min_length=1, description="Numbers of sites.")
    boundary: Literal["open", "periodic"] = "open"
    hamiltonian: Numbers = Field(min_length=1, description="Pauli string along the chain -> weight: {ZXZ: -cos(a)}.")
    abscissa: str = Field(default="", description="What a critical point is quoted in, such as cos(theta).")
    bond_dimension: int = Field(default=100, ge=2, le=5000)
    observables: list[Observable] = Field(default_factory=list)
    wanted: list[Literal["critical_point", "energy_per_site", "central_charge"]] = Field(default_factory=list)

    def compiled(self) -> Computed:
        """What the scripts get.

        Raises:
            ValidationError: a Pauli string or an expression cannot be used; says which.
        """
        with at("sizes"):
            if len(set(self.sizes)) < len(self.sizes):
                raise ExpressionError("Two sizes are the same. Write each once.")
        patterns = []
        for text in self.hamiltonian:
            with at("hamiltonian", text):
                letters, offsets = pauli(text)
                patterns.append({"letters": letters, "offsets": offsets})
        couplings, abscissae = [], []
        for _, names in self.settings():
            row = []
            for text, one in self.hamiltonian.items():
                with at("hamiltonian", text):
                    row.append(number(one, names))
            couplings.append(row)
            with at("abscissa"):
                abscissae += [number(self.abscissa, names)] if self.abscissa else []
        kinds = [(one.kind, one.letters) for one in self.observables]
        with at("observables"):
            if len(kinds) != len(set(kinds)):
                raise ExpressionError("A correlator of the same letters is measured from one site only. Leave one out.")
        name, values = self.swept
        cuts = any(kind in ("entropy", "half_entropy") for kind, _ in kinds)  # of contiguous blocks
        return Computed(self, {
            "patterns": patterns, "parameter": name, "values": values, "couplings": couplings, "abscissae": abscissae,
            "conserve": symmetry(patterns, couplings), "formula": _sum(self.hamiltonian), "exact_sites": EXACT_SITES,
            "layout": "folded" if self.boundary == "periodic" and not cuts else "natural",
        })  # fmt: skip


def symmetry(patterns: list[Pattern], couplings: list[list[float]]) -> Literal["none", "parity_z", "parity_x", "sz"]:
    """A charge that all patterns conserve. Sz is taken only where no field prefers another of its sectors."""
    words = [str(one["letters"]) for one in patterns]
    flips: dict[tuple[int, ...], dict[str, list[float]]] = {}
    for column, one in enumerate(patterns):
        if set(one["letters"]) <= {"X", "Y"} and len(one["letters"]) == 2:
            flips.setdefault(tuple(one["offsets"]), {})[one["letters"]] = [row[column] for row in couplings]
    round_z = all(found.get("XX") == found.get("YY") and set(found) == {"XX", "YY"} for found in flips.values())
    pairs = all(len(word) == 2 and (set(word) == {"Z"} or set(word) <= {"X", "Y"}) for word in words)
    if flips and round_z and pairs:
        return "sz"
    if all((word.count("X") + word.count("Y")) % 2 == 0 for word in words):
        return "parity_z"
    if all((word.count("Z") + word.count("Y")) % 2 == 0 for word in words):
        return "parity_x"
    return "none"


class ThermalCard(BaseModel, extra="forbid"):
    """Gibbs states of an open Hubbard or spin chain by imaginary-time evolution of a purification."""

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
    wanted: list[Literal["heat_capacity", "correlator", "entropy"]] = Field(default_factory=list)

    def compiled(self) -> Computed:
        """What the scripts get.

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
                numbers[name] = positive(one) if name == "step" else number(one)
        with at("exchange"):
            exchange, fields = grid(self.exchange), grid(self.fields)
            if len(exchange) != 3 or len(fields) != 2:
                raise ExpressionError("Write `exchange: [Jx, Jy, Jz]` and `fields: [hx, hz]`, so many numbers.")
        if self.model == "hubbard":
            formula = "-t sum (c^dag_i c_i+1 + h.c.) + U sum n_up n_down"
        else:
            formula = f"sum S_i J S_i+1 + sum h S_i with J = {exchange}, h = {fields}"
        return Computed(self, {
            **numbers, "exchange": exchange, "fields": fields, "betas": betas, "formula": formula, "svd_min": SVD_MIN,
        })  # fmt: skip


class CardSegment(BaseModel, extra="forbid"):
    """A stretch of constant Hamiltonian."""

    time: Expression
    terms: Numbers = Field(min_length=1, description="X, ZZ, ... -> weight of Pauli matrices, on all sites or bonds.")
    disorder: Numbers = Field({}, description="The same, multiplied with the number that is drawn for each site.")


class DrivenCard(Varied):
    """A periodically driven, disordered spin-1/2 chain by TEBD: magnetisation at each period."""

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

    def compiled(self) -> Computed:
        """What the scripts get.

        Raises:
            ValidationError: a term or an expression cannot be used; says which.
        """
        every, segments, angles, period = [names for _, names in self.settings()], [], [], 0.0
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
                time = positive(one.time, every[0])
            period += time
            segments.append({"duration": time, "terms": terms})
            fields = [term["weights"][0] for term in terms if len(term["letters"]) == 1 and not term["disorder"]]
            angles.append(2 * time * sum(weight * weight for weight in fields) ** 0.5)
        name, values = self.swept
        with at("dt"):
            dt = positive(self.dt, every[0])
            if self.periods * period / dt > MOST_STEPS:
                steps = self.periods * period / dt
                raise ExpressionError(f"That are {steps:.3g} steps; at most {MOST_STEPS} are made. Look at dt.")
        with at("disorder_width"):
            width = positive(self.disorder_width, every[0], zero=True)
        sign = {"+": 1.0, "-": -1.0}
        start = self.start if isinstance(self.start, list) else [
            sign[self.start[0]] * (letter == self.start[1]) for letter in "xyz"
        ]  # fmt: skip
        return Computed(self, {
            "segments": segments, "parameter": name, "values": values, "start": start, "disorder_width": width,
            "dt": dt, "bulk": self.bulk or list(range(2, self.sites - 2)) or list(range(self.sites)),
            "formula": "; ".join(_sum({**one.terms, **one.disorder}) for one in self.segments),
            "pulse_angles": angles, "exact_sites": EXACT_SITES - 1,
        })  # fmt: skip
