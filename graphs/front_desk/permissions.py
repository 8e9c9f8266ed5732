"""What only the person grants: who may answer for them, what may be spent, which mind works, on which device.

Terms come from the person's channel: options of a command, a form of Studio, a setting of the console. No agent's
output has a field for any of it, so no text that an agent reads can change it.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator

from labwright.agents.meter import Budget
from labwright.graphs.questions import AnswerPolicy, Approval


class Terms(BaseModel):
    """The person's terms for one conversation; every run that it starts gets them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    person: str = Field(default="me", pattern=r"^[\w.@-]{1,64}$", description="Whose memory is used.")
    mind: str = Field(default="rules", description="`rules`, or `provider:model`.")
    approval: Approval = Field(default="risky", description="When a run has to ask for approval.")
    answers: AnswerPolicy = Field(default="ask", description="Who answers open questions.")
    budget: str = Field(default="", description="Of each run, such as `tokens=20000,calls=50,seconds=600,money=2`.")
    device: str = Field(default="simulated", description="`simulated`, or `package.module:factory`.")
    device_options: dict[str, float | str] = Field(default_factory=dict, description="Passed to the device's factory.")
    device_folder: str = Field(
        default="", description="Where the device keeps its memory between conversations; the runs' own if empty."
    )
    lab: str = Field(default="", description="Folder with more experiments (*.py) and procedures (*.md).")
    toolset: str = Field(default="", description="Folder of the toolset that forging keeps and reuses.")
    figures: bool = Field(default=True, description="Draw figures.")
    seed: int = Field(default=0, ge=0, description="Of runs for which no other is named.")
    files: bool = Field(default=True, description="Whether files that a message names are read from this machine.")

    @field_validator("budget")
    @classmethod
    def _reads(cls, budget: str) -> str:
        Budget.parse(budget)
        return budget
