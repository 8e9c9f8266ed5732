"""`CalibrationPlan`: what a calibration measures, in which order, and what follows from each result."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator

from labwright.tools.specifications.base import Specification
from labwright.tools.specifications.bounds import Bounds

COMPLETE, FAILED = "COMPLETE", "FAILED"
NEXT, REPEAT, PREVIOUS = "next", "repeat", "previous"
MOST_STEPS = 200
SECRET_WORDS = ("password", "token", "secret", "key")
Approval = Literal["as the run says", "before writing settings", "before every measurement"]


def _late(value: Any) -> Any:
    """``{from: t1.t1, times: 3}`` as the value ``3 * t1.t1``."""
    if not isinstance(value, dict):
        return value
    if set(value) - {"from", "times"} or not isinstance(value.get("from"), str):
        raise ValueError("A late value has the form {from: t1.t1, times: 3}.")
    times = value.get("times", 1)
    return value["from"] if times == 1 else f"{times} * {value['from']}"


LATE = {"type": "object", "properties": {"from": {"type": "string"}, "times": {"type": "number"}}, "required": ["from"]}
VALUE = {
    "description": "A number with its unit, such as `0.5 us`; `3 * t1.t1` or {from: t1.t1, times: 3} for later values.",
    "anyOf": [*({"type": kind} for kind in ("boolean", "number", "string")), LATE],
}
Value = Annotated[
    bool | int | float | Annotated[str, Field(max_length=200)], BeforeValidator(_late), WithJsonSchema(VALUE)
]
Name = Annotated[str, Field(max_length=60)]


class Transition(BaseModel):
    """What follows from a result: the first of a step's transitions whose condition holds is taken."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    if_: str = Field(
        default="",
        alias="if",
        max_length=300,
        description="Condition: success, failed, exhausted, a cause of the experiment, `failed 2 times`, `t1 < 50 us`,"
        " joined by and, or, not.",
    )
    rule: str = Field(default="", max_length=600, description="A rule in free words, for a model to decide by.")
    go: str = Field(
        default="", max_length=60, description="Label of a step, next, repeat, previous, COMPLETE or FAILED."
    )
    change: dict[Name, Value] = Field(
        default_factory=dict, description="Parameters of the repeated run; what the inspection proposes if empty."
    )

    @model_validator(mode="after")
    def _one_form(self) -> Transition:
        if bool(self.if_) == bool(self.rule):
            raise ValueError("A transition has either `if` with `go`, or `rule`.")
        if self.if_ and not self.go:
            raise ValueError("A transition with `if` needs `go`.")
        return self


class Step(BaseModel):
    """One run of an experiment, or of a procedure."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    label: str = Field(default="", max_length=60, description="Name for transitions; `Stage N` if empty.")
    experiment: str = Field(default="", max_length=60, description="Name of an experiment.")
    procedure: str = Field(default="", max_length=80, description="Name of a procedure.")
    qubits: list[Name] = Field(default_factory=list, max_length=64, description="Qubits, in the order of their roles.")
    parameters: dict[Name, Value] = Field(
        default_factory=dict,
        description="Values with units, such as `0.5 us`; `3 * t1.t1` refers to what was measured.",
    )
    with_: dict[Name, Name] = Field(default_factory=dict, alias="with", description="Parameters of a procedure.")
    writes: Literal["settings", "none"] = Field(default="settings", description="`none`: nothing is written.")
    repeats: int | None = Field(default=None, ge=0, le=50, description="Most repetitions beside the first run.")
    on: list[Transition] = Field(default_factory=list, max_length=20)
    inserted: str = Field(default="", max_length=300, description="Why the step was put in; written by Labwright.")

    @model_validator(mode="after")
    def _one_task(self) -> Step:
        if bool(self.experiment) == bool(self.procedure):
            raise ValueError("A step names either an `experiment` or a `procedure`.")
        return self


class DeviceChoice(BaseModel):
    """The processor that is used."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    factory: str = Field(default="simulated", max_length=300, description="`simulated`, or `package.module:factory`.")
    options: dict[Name, float | str] = Field(default_factory=dict, max_length=64)

    @field_validator("options")
    @classmethod
    def _no_secret(cls, options: dict[str, float | str]) -> dict[str, float | str]:
        for name, value in options.items():
            variable = str(value).removeprefix("env:")
            named = variable != str(value) and variable.isidentifier()
            if any(word in name.lower() for word in SECRET_WORDS) and not named:
                raise ValueError(f"Option {name!r} looks like a secret; write the name of a variable, as in env:NAME.")
        return options


class EmbeddedProcedure(BaseModel):
    """A procedure that a plan brings along, so that it runs the same after the library has changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    title: str = Field(max_length=200)
    parameters: list[Name] = Field(default_factory=list)
    steps: list[str | Step] = Field(max_length=MOST_STEPS)
    results: str = Field(default="", max_length=4000)


class CalibrationPlan(Specification):
    """A calibration, completely."""

    system: Literal["lab_calibration"] = "lab_calibration"
    for_: list[Name] | Literal["", "all", "pairs"] = Field(
        default="",
        alias="for",
        description="Every one of these gets the steps, with 'dut' for the qubit: a list of qubits, or all, side by"
        " side; pairs, with 'qubit' and 'partner', one after the other. Empty: the steps name their qubits.",
        examples=["Q1", ["Q1", "Q2"], "all"],
        json_schema_extra={"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    )
    mode: Literal["calibrate", "maintain"] = Field(
        default="calibrate", description="maintain: measure only what has gone stale; the plan then has no steps."
    )
    steps: list[str | Step] = Field(
        default_factory=list,
        max_length=MOST_STEPS,
        description="In the short form, such as `t1 Q1, stop = 300 us`, or written out.",
        examples=["ramsey Q1, offset = 3 MHz, stop = 0.5 us"],
    )
    insert: Literal["nothing", "prerequisites"] = Field(
        default="nothing",
        description="prerequisites: what the steps need and what is not known to be right is calibrated before them.",
    )
    couplers: list[Name] = Field(
        default_factory=list, max_length=200, description="With `for: all`: pairs whose two-qubit gate comes after."
    )
    approval: Approval = Field(default="as the run says", description="Tightens the run's policy, never loosens it.")
    bounds: Bounds = Field(default=Bounds(), description="What the run may take; the lab's limits hold besides.")
    results: str = Field(default="", max_length=4000, description="What the report has to answer.")
    device: DeviceChoice | None = Field(default=None, description="The run's own if empty.")
    seed: int | None = Field(default=None, ge=0, lt=2**63, description="Of the simulated device; the run's if empty.")
    defaults: dict[Name, dict[Name, Value | None]] = Field(
        default_factory=dict, description="Defaults of the experiments as they were; written by Labwright."
    )
    procedures: dict[str, EmbeddedProcedure] = Field(
        default_factory=dict, description="Procedures that the steps use, by slug; the library's if empty."
    )

    @field_validator("for_", mode="before")
    @classmethod
    def _one_qubit(cls, value: Any) -> Any:
        if isinstance(value, str) and value not in ("", "all", "pairs"):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @model_validator(mode="after")
    def _something_to_do(self) -> CalibrationPlan:
        if self.mode == "maintain" and self.steps:
            raise ValueError("A plan that maintains has no steps; leave them out.")
        if self.mode == "calibrate" and not self.steps:
            raise ValueError("The plan has no steps. Write at least one, such as: - t1 Q1")
        return self
