"""What a person chooses when tools are forged for a task. Stored in the state, so that a resumed run keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from labwright.graphs.questions import AnswerPolicy, Approval
from labwright.tools.sandbox.base import Level

Mode = Literal["forge", "reuse", "direct"]
MOST_ITERATIONS = 5
EMPTY = "empty"  # as a toolset


class Choices(BaseModel):
    """Options of one forging run."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    mode: Mode = Field(default="forge", description="forge: missing tools are made; reuse: none is; direct: no tools.")
    toolset: str = Field(
        default="",
        description="Folder of the tools that are made, which outlasts runs; unset: your own. `empty`: no tool is there"
        " at the beginning, and the run keeps its own.",
    )
    shipped: bool = Field(default=True, description="Whether the tools that come with Labwright lie beside them.")
    seed: int = Field(default=0, ge=0, description="Of every random draw that the task leaves open.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Approval = Field(
        default="risky",
        description="`always` asks before a tool enters the toolset; sandboxed code counts as harmless.",
    )
    plan_first: bool = Field(default=False, description="Show what was read before anything runs.")
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Such as `tokens=20000,calls=50,seconds=600,money=2`.")
    iterations: int = Field(default=MOST_ITERATIONS, ge=1, le=MOST_ITERATIONS, description="Most solutions tried.")
    sandbox: Level = Field(default="landlock", description="The weakest confinement that new code may run in.")
    threads: int = Field(default=2, ge=1, le=256, description="Processors that one job may use.")
    memory_mb: int = Field(default=8192, ge=256, description="Most memory of one job.")
    job_seconds: float = Field(default=3600.0, gt=0, description="Longest time of one job.")

    @field_validator("toolset")
    @classmethod
    def _absolute(cls, folder: str) -> str:
        """A run may be resumed from another folder."""
        return str(Path(folder).expanduser().absolute()) if folder not in ("", EMPTY) else folder
