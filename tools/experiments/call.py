"""An experiment call as data, and the one way to read it from candidate code: parsed, never executed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
    """Everything an agent may know about an experiment class. JSON-plain through `dataclasses.asdict`."""

    name: str
    summary: str  # first line of the docstring of `run`
    docstring: str
    parameters: tuple[ParameterCard, ...]


@dataclass(frozen=True, slots=True)
class ExperimentCall:
    """``experiment(**arguments)``. `experiment` is a registered name, or ``procedure:<slug>``."""

    experiment: str
    arguments: dict[str, Any] = field(default_factory=dict)
