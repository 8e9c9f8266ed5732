"""What a person chooses when a calibration starts. Stored in the state, so that a resumed run keeps it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.graphs.questions import AnswerPolicy, Approval


class Choices(BaseModel):
    """Options of one calibration run."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    qubits: tuple[str, ...] = Field(default=(), description="Qubits meant where the text names none, or all.")
    device: str = Field(default="simulated", description="`simulated`, or `package.module:factory`.")
    device_options: dict[str, float | str] = Field(default_factory=dict, description="Passed to the device's factory.")
    device_folder: str = Field(default="", description="Where the device keeps its memory; the run's own if empty.")
    idle_hours: float = Field(
        default=0.0, ge=0, description="Device time that passes before anything is measured; simulated devices only."
    )
    seed: int = Field(default=0, ge=0, description="Of every random draw of a simulated device.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Approval = Field(default="risky", description="When a person has to approve a measurement.")
    plan_first: bool = Field(default=False, description="Show what was read before anything runs.")
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Such as `tokens=20000,calls=50,seconds=600,money=2`.")
    max_retries: int = Field(default=5, ge=0, le=20, description="Repetitions of one stage.")
    lab: str = Field(default="", description="Folder with more experiments (*.py) and procedures (*.md).")
    figures: bool = Field(default=True, description="Draw a figure of every measurement; evaluation does without.")
    look: Literal["always", "doubt"] = Field(
        default="always", description="Which figures a model looks at: every one, or where the numbers leave doubt."
    )
    diagnose: bool = Field(default=True, description="Look for the causes when a qubit fails for the second time.")
    check_mode: str = Field(default="guided", pattern="^(guided|unguided)$", description="How calls are self-checked.")
