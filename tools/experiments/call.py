"""Experiments and calls of them as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from labwright.tools.experiments.needs import Need

PROCEDURE = "procedure"  # the card of a procedure is called procedure:SLUG


@dataclass(frozen=True, slots=True)
class ParameterCard:
    """One parameter of an experiment, as its signature and docstring state it."""

    name: str
    type: str  # "str", "float", "int", "bool"
    required: bool
    default: Any
    unit: str
    minimum: float | None
    maximum: float | None
    description: str


@dataclass(frozen=True, slots=True)
class ExperimentCard:
    """Everything an agent may know about an experiment class. JSON-plain through `dataclasses.asdict`.

    `causes`, `writes` and `needs` are for who writes a procedure. They stay out of prompts, where the whole card is
    shown to a model that only translates an instruction: it would pay for them with every question.
    """

    name: str
    summary: str  # first line of the docstring of `run`
    docstring: str
    parameters: tuple[ParameterCard, ...]
    causes: Annotated[dict[str, str], Field(exclude=True)] = field(default_factory=dict)  # cause -> what it means
    writes: Annotated[tuple[str, ...], Field(exclude=True)] = ()  # settings that a run may change
    # estimate or variable -> unit
    results: Annotated[dict[str, str], Field(exclude=True)] = field(default_factory=dict)
    needs: Annotated[tuple[Need, ...], Field(exclude=True)] = ()  # what has to be right beforehand


@dataclass(frozen=True, slots=True)
class ExperimentCall:
    """``experiment(**arguments)``. `experiment` is a registered name, or ``procedure:<slug>``."""

    experiment: str
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def procedure(self) -> str:
        """The slug, if this calls a procedure; else empty."""
        return self.experiment.removeprefix(f"{PROCEDURE}:") if self.experiment.startswith(f"{PROCEDURE}:") else ""


def render_call(call: ExperimentCall) -> str:
    """The call as Python would write it: ``rabi(qubit='Q1')``."""
    parts = [f"{name}={value!r}" for name, value in call.arguments.items()]
    if call.procedure:
        return f"{PROCEDURE}({', '.join([repr(call.procedure), *parts])})"
    return f"{call.experiment}({', '.join(parts)})"
