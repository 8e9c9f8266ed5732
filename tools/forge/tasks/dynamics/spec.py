"""The card of quantum dynamics: names, numbers with units, expressions; docs/task-cards-dynamics.md is its grammar."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, StrictFloat, StrictInt, StrictStr, field_validator, model_validator

Expression = StrictStr | StrictInt | StrictFloat  # a truth value is none
Some = Expression | list[Expression]
Names = dict[str, Expression]
Drawn = Literal["none", "lines", "bars", "heatmap"]


class CardPart(BaseModel, extra="forbid"):
    """An atom or qubit with levels, a spin, or an oscillator; `count` of one kind are called q[0], q[1], ..."""

    levels: int | list[str | int] | None = Field(None, description="Their number, or their names from the first.")
    spin: str | int | float | None = Field(default=None, description="Such as 1/2 or 1.")
    oscillator: int | None = Field(default=None, description="Number of Fock states that are kept.")
    count: int | None = Field(default=None, description="How many of them there are.")


class Relaxation(BaseModel, extra="forbid", populate_by_name=True):
    """Lifetimes of a part with two levels; T2 holds the decay, Tphi is pure dephasing."""

    T1: Expression | None = Field(default=None, description="Decay time of the upper level.")
    T2: Expression | None = Field(default=None, description="Decay time of the coherence, at most 2 T1.")
    Tphi: Expression | None = Field(default=None, description="Time of pure dephasing.")
    source: str | int | None = Field(None, alias="from", description="Level that decays; the second if left out.")
    target: str | int | None = Field(default=None, alias="to", description="Level it decays to; the first if left out.")


class CardFigure(BaseModel, extra="forbid"):
    """How a result is drawn."""

    kind: Drawn = "lines"
    x: str | None = Field(default=None, description="Axis along which it is drawn; time if there is one.")
    panel: str | None = Field(default=None, description="Label that has a panel for each of its values.")
    log: Literal["y"] | None = Field(default=None, description="A logarithmic ordinate.")


class WantedResult(BaseModel, extra="forbid"):
    """One wanted result; its name is the quantity in results.json."""

    kind: str | None = Field(default=None, description="What is computed; the name if that is a kind.")
    of: Some | Names | None = Field(None, description="Of what: an expression, a list, or labels with expressions.")
    where: str | None = Field(default=None, description="Condition on the cases, such as evolution == lindblad.")
    at: Expression | list[Expression] | None = Field(default=None, description="Times, where they are not the card's.")
    unit: str | None = Field(default=None, description="Unit of the result.")
    label: str | None = Field(None, description="What the labels of `of` are called; observable, or level.")
    labels: dict[str, str | int | float] | None = Field(default=None, description="Further labels of the record.")
    level: Expression | None = Field(default=None, description="Of a threshold crossing.")
    delays: Expression | list[Expression] | None = Field(default=None, description="Of a correlation function.")
    frequencies: Expression | list[Expression] | None = Field(default=None, description="Of a spectrum.")
    period: Expression | None = Field(default=None, description="Of a periodic drive.")
    model: str | None = Field(default=None, description="Of a fit: a formula of x, such as A*exp(-k*x) + c.")
    guess: dict[str, Expression] | None = Field(default=None, description="Of a fit: where each number begins.")
    tolerance: float | None = Field(default=None, description="Of a fit: largest misfit, a share of the curve's range.")
    figure: Drawn | CardFigure | None = Field(None, description="How it is drawn.")

    @field_validator("at", mode="before")
    @classmethod
    def _times(cls, at: Any) -> Any:
        if isinstance(at, dict):
            raise ValueError(
                "`at` is a list of times here. Write at: [0, 5]; a point of a curve is picked under `named`:"
                " {g0: {of: g2, at: {delay: 0}}}, of a list without an axis by at: {index: 0}."
            )
        return at


Wanted = dict[str, Expression | WantedResult | None]


class DynamicsSpec(BaseModel, extra="forbid"):
    """Quantum dynamics of levels, spins and oscillators, closed or damped, with any drive.

    Raises:
        CardError: an expression, state, operator, unit or demand of the card cannot be used.
    """

    title: str = Field(default="", max_length=200, description="What the report is called.")
    parts: dict[str, CardPart] = Field(min_length=1, max_length=16, description="Name of each part, and what it is.")
    parameters: dict[str, Some] = Field({}, description="Numbers by name, with units: g: 2*pi*5 MHz.")
    define: Names = Field({}, description="Operators, states and functions of t by name.")
    hamiltonian: Expression = Field(0, description="The Hamiltonian with hbar = 1; may depend on t. 0 for none.")
    drives: Names = Field({}, description="Further terms of the Hamiltonian, by name.")
    collapse: list[Expression] = Field([], description="Collapse operators, such as sqrt(gamma)*lower(q).")
    relaxation: dict[str, Relaxation] = Field(default_factory=dict, description="Lifetimes T1, T2, Tphi of parts.")
    initial: Expression | None = Field(default=None, description="The initial state, a ket or a density matrix.")
    cases: dict[str, Any] | list[dict[str, Any]] = Field({}, description="Axes that are combined, or a list of cases.")
    average: Names = Field({}, description="Swept parameter -> weight of an average over it: {d: exp(-d**2)}.")
    start: Expression | None = Field(None, description="When the system is in its initial state; 0 if left out.")
    times: Some | None = Field(None, description="Times of the results: linspace(0, 50, 501), [0, 1, 2] us.")
    wanted: Wanted = Field(min_length=1, max_length=100, description="Every result by name.")

    @model_validator(mode="after")
    def _computable(self) -> DynamicsSpec:
        from labwright.tools.forge.tasks.dynamics.solver.demands import checked  # QuTiP takes seconds to import

        checked(self.card())
        return self

    def card(self) -> dict[str, Any]:
        """The card as plain data, as the kernel takes it."""
        plain = self.model_dump(mode="json", by_alias=True, exclude_none=True, include=set(DynamicsSpec.model_fields))
        return {name: value for name, value in plain.items() if value not in ({}, [], "")}
