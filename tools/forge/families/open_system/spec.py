"""What a task about few-level systems is: operators, how they are driven and damped, and what is recorded."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Label = str | float | int
Want = Literal[
    "expectation",
    "population",
    "coherence",
    "purity",
    "entropy",
    "concurrence",
    "entanglement_entropy",
    "fidelity",
    "steady_state",
]


class Factor(BaseModel):
    """One elementary operator of the recipe ``operator_from_terms``."""

    model_config = ConfigDict(extra="forbid")
    op: str
    site: int = 0


class Term(BaseModel):
    """A product; the coefficient is [re, im]."""

    model_config = ConfigDict(extra="forbid")
    coefficient: list[float] = Field(min_length=2, max_length=2)
    factors: list[Factor] = Field(default_factory=list)


class Operator(BaseModel):
    """A sum of products, or a matrix with entries [re, im]."""

    model_config = ConfigDict(extra="forbid")
    terms: list[Term] = Field(default_factory=list)
    matrix: list[list[list[float]]] = Field(default_factory=list)


class Drive(BaseModel):
    """operator * cos(frequency t + phase)."""

    model_config = ConfigDict(extra="forbid")
    operator: Operator
    frequency: float
    phase: float = 0.0


class State(BaseModel):
    """A pure state by amplitudes [re, im], or a density matrix."""

    model_config = ConfigDict(extra="forbid")
    amplitudes: list[list[float]] = Field(default_factory=list)
    matrix: list[list[list[float]]] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one(self) -> State:
        if bool(self.amplitudes) == bool(self.matrix):
            raise ValueError("A state has amplitudes or a density matrix.")
        return self


class Observable(BaseModel):
    """A Hermitian operator as the results call it; `unit` of its values."""

    model_config = ConfigDict(extra="forbid")
    label: str
    operator: Operator


class Case(BaseModel):
    """One evolution; `labels` tell it from the others in the results."""

    model_config = ConfigDict(extra="forbid")
    labels: dict[str, Label] = Field(default_factory=dict)
    hamiltonian: Operator
    drives: list[Drive] = Field(default_factory=list)
    collapse: list[Operator] = Field(default_factory=list)
    initial: State
    method: Literal["unitary", "lindblad"]
    start: float = 0.0
    stop: float
    points: int = Field(ge=2, le=20001)


class OpenSystemSpec(BaseModel):
    """A task about few levels, qubits or oscillators.

    Attributes:
        dims: levels of each subsystem, leftmost first.
        levels: names of the basis states, for populations.
        cases: the evolutions.
        axis: label of a swept number; empty if there is none.
        observables: for expectation values.
        numbered_levels: whether the results call levels by integers.
        populations: names of levels whose populations are wanted; a name maps to the indices that are added up.
        target: amplitudes of the state for the fidelity.
        coherence_of: two levels whose off-diagonal element is wanted; empty for the sum over all, halved.
        time_unit: such as ``us``; empty where the task uses none. Frequencies are radian per that unit.
        steady: what of the steady state is wanted.
        constants: numbers that the task wants and that follow from its own, such as a thermal occupation.
        parameters: what the task set, and chosen conventions, for the results.
    """

    model_config = ConfigDict(extra="forbid")
    title: str = "Open system"
    dims: list[int]
    levels: list[str]
    cases: list[Case] = Field(min_length=1)
    axis: str = ""
    observables: list[Observable] = Field(default_factory=list)
    populations: dict[str, list[int]] = Field(default_factory=dict)
    numbered_levels: bool = False
    wants: list[Want]
    target: list[list[float]] = Field(default_factory=list)
    coherence_of: list[int] = Field(default_factory=list)
    time_unit: str = ""
    constants: dict[str, float] = Field(default_factory=dict)
    parameters: dict[str, float | int | str | list[float] | list[str]] = Field(default_factory=dict)

    @property
    def lindblad(self) -> bool:
        """Whether any case is open."""
        return any(case.method == "lindblad" for case in self.cases)

    @property
    def measures(self) -> bool:
        """Whether states themselves are needed, not only expectation values."""
        return bool(
            {"coherence", "purity", "entropy", "concurrence", "entanglement_entropy", "fidelity"} & set(self.wants)
        )
