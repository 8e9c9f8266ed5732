"""The mender: puts finished steps right by what checks or the reviewer found."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.written.judged import faults
from labwright.agents.protocol_design.written.planned import Plan, Said, planned
from labwright.agents.protocol_design.written.review import Mistake
from labwright.agents.protocol_design.written.tagged import tagged


class MendIn(BaseModel):
    """A description, what was said about it, the steps, and what is wrong with them."""

    text: str
    said: list[Said]
    steps: str
    mistakes: list[Mistake]


class MendOut(BaseModel):
    """The mended steps."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="What was changed and why, in one or two sentences.")
    steps: str = Field(description="The whole protocol in the tagged form.")


def mend_by_rules(given: MendIn) -> MendOut | Question | Refusal:
    """The planner's steps in place of the faulty ones."""
    plan = planned(given.text, given.said)
    if not isinstance(plan, Plan):
        return plan
    if tagged(plan.made) == given.steps.strip():
        return Refusal(reason=" ".join(one.what for one in given.mistakes))
    return MendOut(analysis="The steps are written anew from the plan.", steps=tagged(plan.made))


def check_mended(given: MendIn, answer: MendOut) -> list[str]:
    """Steps that read, and a real change."""
    if answer.steps.strip() == given.steps.strip():
        return ["The steps are unchanged. Mend what is wrong, or refuse and say why it cannot be mended."]
    return faults(answer.steps)


MEND = AgentCall(
    "protocol_design.written_mend", "protocol_design/written_mend.md", MendIn, MendOut, mend_by_rules, check_mended
)
