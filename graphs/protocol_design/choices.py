"""What a person chooses when a protocol is designed. Stored in the state, so that a resumed run keeps it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.graphs.questions import AnswerPolicy, Approval
from labwright.tools.liquid_handler.robots import OUTPUTS, Kind


class Choices(BaseModel):
    """Options of one design run."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    seed: int = Field(default=0, ge=0, description="Number of the draw: with another, a model is asked anew.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Approval = Field(default="risky", description="When a person has to approve the robot's file.")
    plan_first: bool = Field(default=False, description="Show what was read before anything runs.")
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Such as `tokens=20000,calls=50,seconds=600,money=2`.")
    figures: bool = Field(default=True, description="Draw the plate map.")
    check_mode: str = Field(default="guided", pattern="^(guided|unguided)$", description="How protocols are checked.")
    retrieve: int = Field(default=0, ge=0, le=3, description="Earlier experiments, and notes, shown to the reader.")
    outputs: tuple[Kind, ...] = Field(
        default=OUTPUTS, description="What is written beside the design file: scripts for robots, a sheet for hands."
    )
