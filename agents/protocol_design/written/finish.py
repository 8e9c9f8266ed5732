"""The agent that writes the final steps in the tagged form."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.written.judged import faults
from labwright.agents.protocol_design.written.planned import Plan, Said, planned
from labwright.agents.protocol_design.written.tagged import tagged


class FinishIn(BaseModel):
    """A description, and what was said and worked out so far."""

    text: str
    said: list[Said]


class Steps(BaseModel):
    """A whole protocol."""

    model_config = ConfigDict(extra="forbid")
    steps: str = Field(description="The protocol in the tagged form, one line a plate, source or step.")


def finish_by_rules(given: FinishIn) -> Steps | Question | Refusal:
    """The planner's steps, written out."""
    plan = planned(given.text, given.said)
    return Steps(steps=tagged(plan.made)) if isinstance(plan, Plan) else plan


def check_steps(_given: FinishIn, answer: Steps) -> list[str]:
    """Every line reads, and names what is there."""
    return faults(answer.steps)


FINISH = AgentCall(
    "protocol_design.written_finish",
    "protocol_design/written_finish.md",
    FinishIn,
    Steps,
    finish_by_rules,
    check_steps,
)
