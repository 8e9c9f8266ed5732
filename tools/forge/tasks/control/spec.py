"""What a task of optimal control fixes."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Pairs = list[list[list[float]]]  # rows x columns x [re, im]


class Control(BaseModel):
    """One control Hamiltonian."""

    model_config = ConfigDict(extra="forbid")
    label: str = Field(description="Name in results and figures, such as pump.")
    matrix: Pairs = Field(description="Rows x columns x [re, im]; times its amplitude it is in rad / time.")


class Penalty(BaseModel):
    """A level that is to stay empty."""

    model_config = ConfigDict(extra="forbid")
    level: int = Field(ge=0, description="Counted from 0.")
    weight: float = Field(gt=0, description="Of its mean occupation beside the infidelity.")


class ControlSpec(BaseModel):
    """Pulses for a state transfer or a gate of a closed few-level system."""

    model_config = ConfigDict(extra="forbid")
    title: str = "Optimal control"
    levels: list[str] = Field(min_length=2, description="Label of each basis state.")
    goal: Literal["state", "gate"]
    drift: Pairs = Field(description="Hamiltonian without pulses, rad / time.")
    controls: list[Control] = Field(min_length=1)
    initial: list[list[float]] = Field(description="[re, im] amplitudes; for a gate the state that is followed.")
    initial_name: str = ""
    target: Pairs = Field(description="State as one column, or gate.")
    target_name: str
    duration: float = Field(gt=0, description="In `time_unit`.")
    time_unit: str = ""
    slots: int = Field(ge=2)
    lower: float | None = Field(default=None, description="Bound of all amplitudes.")
    upper: float | None = None
    start: Literal["random", "counter_intuitive"] = "random"
    start_scale: float = Field(gt=0, description="Size of random starting amplitudes.")
    seed: int = 0
    penalties: list[Penalty] = Field(default_factory=list)
    fidelity_goal: float = Field(default=0.99, gt=0, le=1, description="Squared overlap that has to be reached.")
    iterations: int = Field(default=60, ge=1)
    infidelity_target: float = Field(default=1e-6, gt=0)
    wants_average: bool = Field(default=False, description="Whether `fidelity` of a gate is the average gate fidelity.")

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        size = len(self.levels)
        if len(self.drift) != size or any(len(one.matrix) != size for one in self.controls):
            raise ValueError(f"All Hamiltonians need {size} rows, one for each level. Look at their sizes.")
        if self.start == "counter_intuitive" and len(self.controls) != 2:
            raise ValueError(
                "A counter-intuitive start needs two controls. Name a pump and a Stokes control, or leave `first_guess` out."
            )
        return self
