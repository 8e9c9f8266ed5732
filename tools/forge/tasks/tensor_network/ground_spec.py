"""What a task about ground states of spin chains fixes."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

EXACT_SITES = 12  # chains up to here are diagonalised beside


class Pattern(BaseModel):
    """A product of Pauli matrices that is repeated along the chain."""

    model_config = ConfigDict(extra="forbid")
    letters: str = Field(pattern="^[XYZ]+$")
    offsets: list[int] = Field(description="Of each letter from the site counted; the smallest may be negative.")


class Observable(BaseModel):
    """Something measured in each ground state.

    Kinds: ``site`` a Pauli matrix on every site; ``correlator`` a pair at all distances from a site; ``bond`` a pair on
    every bond; ``string`` Z X 1 X ... X Z over the whole odd ring or chain, as the cluster phase orders; ``entropy``
    at all cuts; ``half_entropy`` at the middle cut.
    """

    model_config = ConfigDict(extra="forbid")
    kind: Literal["site", "correlator", "bond", "string", "entropy", "half_entropy"]
    letters: str = Field(default="Z", pattern="^[XYZ]{1,2}$")
    scale: float = Field(default=1.0, description="1 for Pauli matrices, 0.5 for spins one half (0.25 for pairs).")
    origin: int | Literal["middle"] | None = Field(
        default=None, description="Site from which distances count, from 0; without one N/4 (chains) or 0 (rings)."
    )


class GroundSpec(BaseModel):
    """Ground states of a translation-invariant spin-1/2 Hamiltonian for sizes and along a sweep."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Ground states of a chain"
    sizes: list[int] = Field(min_length=1, description="Numbers of sites.")
    boundary: Literal["open", "periodic"]
    patterns: list[Pattern] = Field(min_length=1)
    parameter: str = Field(default="", description="What is swept, such as theta; empty for one point.")
    values: list[float] = Field(min_length=1, description="Of the swept parameter; a single 0 without a sweep.")
    couplings: list[list[float]] = Field(description="Coefficient of each pattern (columns) at each value (rows).")
    abscissa: str = Field(default="", description="What the critical point is quoted in: the parameter, or a coupling.")
    abscissae: list[float] = Field(default_factory=list, description="Its value at each value of the parameter.")
    chi_max: int = Field(default=100, ge=2)
    observables: list[Observable] = Field(default_factory=list)
    conserve: Literal["none", "parity_z", "parity_x", "sz"] = "none"
    wants: list[Literal["critical_point", "energy_per_site", "central_charge"]] = Field(default_factory=list)
    formula: str = Field(default="", description="The Hamiltonian as the task writes it.")

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if len(self.couplings) != len(self.values) or any(len(row) != len(self.patterns) for row in self.couplings):
            raise ValueError("There must be a row of couplings for each value, with one number for each pattern.")
        kinds = [(one.kind, one.letters) for one in self.observables]
        if len(kinds) != len(set(kinds)):
            raise ValueError(
                "One kind of correlator of the same letters is measured from one site only. Leave one out."
            )
        return self

    @property
    def layout(self) -> Literal["natural", "folded"]:
        """Folded for rings, unless entropies of contiguous blocks are wanted."""
        cuts = any(one.kind in {"entropy", "half_entropy"} for one in self.observables)
        return "folded" if self.boundary == "periodic" and not cuts else "natural"


def symmetry(patterns: list[Pattern], couplings: list[list[float]]) -> Literal["none", "parity_z", "parity_x", "sz"]:
    """A charge that all patterns conserve. Sz is taken only where no field prefers another of its sectors."""
    singles = any(len(one.letters) == 1 for one in patterns)
    flips: dict[tuple[int, ...], dict[str, list[float]]] = {}
    for column, one in enumerate(patterns):
        if set(one.letters) <= {"X", "Y"} and len(one.letters) == 2:
            flips.setdefault(tuple(one.offsets), {})[one.letters] = [row[column] for row in couplings]
    pairs = [one for one in patterns if set(one.letters) != {"Z"} or len(one.letters) != 2]
    round_z = all(found.get("XX") == found.get("YY") and set(found) == {"XX", "YY"} for found in flips.values())
    if (
        not singles
        and flips
        and round_z
        and all(set(one.letters) <= {"X", "Y"} and len(one.letters) == 2 for one in pairs)
    ):
        return "sz"
    if all((one.letters.count("X") + one.letters.count("Y")) % 2 == 0 for one in patterns):
        return "parity_z"
    if all((one.letters.count("Z") + one.letters.count("Y")) % 2 == 0 for one in patterns):
        return "parity_x"
    return "none"
