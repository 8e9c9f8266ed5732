"""What a person grants a sequence; every step gets it, as far as its system knows it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.graphs.questions import AnswerPolicy
from labwright.tools.sandbox.base import Level


class Choices(BaseModel):
    """Options of one sequence."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    folder: str = Field(default=".", description="Folder that the files of the steps count from.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Literal["", "auto", "risky", "always"] = Field(
        default="", description="What a person must allow; empty: each system's own default."
    )
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Of all steps together, such as `tokens=20000,seconds=600,money=2`.")
    seed: int = Field(default=0, ge=0, description="Not used: every step has its own.")
    qubits: tuple[str, ...] = Field(default=(), description="Qubits of steps that name none.")
    device: str = Field(default="simulated", description="`simulated`, or `package.module:factory`.")
    device_options: dict[str, float | str] = Field(default_factory=dict, description="Passed to the device's factory.")
    lab: str = Field(default="", description="Folder with more experiments (*.py) and procedures (*.md).")
    toolset: str = Field(default="", description="Folder of the toolset that forging keeps and reuses.")
    sandbox: Level = Field(default="landlock", description="The weakest confinement that new code may run in.")
