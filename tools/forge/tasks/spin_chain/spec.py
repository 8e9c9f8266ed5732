"""What a task about spin chains is: Hamiltonian or kicked steps, initial state, evolution, and what is recorded."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

SpinAxis = Literal["x", "y", "z"]
Label = str | float | int
Want = Literal[
    "magnetisation", "energy", "entropy", "return_probability", "imbalance", "expectation", "total_magnetisation"
]


class Pattern(BaseModel):
    """One kind of term, as in the recipe ``pauli_chain_terms``; Pauli matrices, not spins."""

    model_config = ConfigDict(extra="forbid")
    letters: str
    offsets: list[int]
    coefficient: float
    per_site: list[float] = Field(default_factory=list)
    power: float | None = None


class Case(BaseModel):
    """One chain; `labels` tell it from the others in the results.

    Attributes:
        patterns: Hamiltonian, for continuous evolution.
        layers: for kicked chains: patterns of the exponents exp(-i sum c P) of one period, in the order they act.
    """

    model_config = ConfigDict(extra="forbid")
    labels: dict[str, Label] = Field(default_factory=dict)
    patterns: list[Pattern] = Field(default_factory=list)
    layers: list[list[Pattern]] = Field(default_factory=list)


class Initial(BaseModel):
    """As in the recipe ``spin_chain_state``."""

    model_config = ConfigDict(extra="forbid")
    label: str
    kind: Literal["haar", "bits", "product"]
    bits: str = ""
    directions: list[list[float]] = Field(default_factory=list)
    seed: int | None = None


class Sum(BaseModel):
    """A named observable: a sum of Pauli strings with sites."""

    model_config = ConfigDict(extra="forbid")
    label: str
    terms: list[tuple[float, str, list[int]]]


class SpinChainSpec(BaseModel):
    """A task about a chain of qubits.

    Attributes:
        method: product formula of order 1 or 2, exact evolution, or a kicked chain (``floquet``).
        steps: of the product formula in all, or periods of the kicked chain; records for exact evolution.
        record_every: steps between records.
        spin_scale: of the recorded magnetisation: 1 for Pauli matrices, 0.5 for spins one half.
        axes_of_spin: components of the magnetisation that are wanted.
        cuts: qubits left of each cut at which the entropy is taken.
        entropy_unit: of the entropies in the results.
        sums: other observables.
        axis: label of a swept number; empty if there is none.
        backend: where rotations are simulated.
    """

    model_config = ConfigDict(extra="forbid")
    title: str = "Spin chain"
    n_qubits: int = Field(ge=2, le=20)
    boundary: Literal["open", "periodic"]
    cases: list[Case] = Field(min_length=1)
    axis: str = ""
    initial: list[Initial] = Field(min_length=1)
    label_initial: bool = False
    method: Literal["product_1", "product_2", "exact", "floquet"]
    total_time: float = Field(gt=0)
    steps: int = Field(ge=1, le=100_000)
    record_every: int = Field(default=1, ge=1)
    time_unit: str = ""
    spin_scale: float = 1.0
    axes_of_spin: list[SpinAxis] = Field(default=["z"])
    cuts: list[int] = Field(default_factory=list)
    entropy_unit: Literal["nat", "bit"] = "nat"
    sums: list[Sum] = Field(default_factory=list)
    wants: list[Want]
    backend: Literal["cudaq", "numpy"] = "numpy"
    parameters: dict[str, float | int | str | list[float] | list[str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits(self) -> SpinChainSpec:
        kicked = self.method == "floquet"
        if any(bool(case.layers) != kicked or bool(case.patterns) == kicked for case in self.cases):
            raise ValueError("A chain has one evolution. Write either a `hamiltonian` or a `period`.")
        return self

    @property
    def clock(self) -> str:
        """Name of the first axis of the results."""
        return "period" if self.method == "floquet" else "time"
