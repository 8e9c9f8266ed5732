"""The reviewer: looks at finished steps as a whole and says what is wrong."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.protocol_design.written.judged import judged_text, to_mend
from labwright.agents.protocol_design.written.planned import Said


class ReviewIn(BaseModel):
    """A description, what was said about it, and the steps."""

    text: str
    said: list[Said]
    steps: str


class Mistake(BaseModel):
    """One thing that is wrong."""

    model_config = ConfigDict(extra="forbid")
    what: str = Field(description="What is wrong, and in which line or well.")
    mend: str = Field(description="What it should be.")


class ReviewOut(BaseModel):
    """Everything that is wrong."""

    model_config = ConfigDict(extra="forbid")
    mistakes: list[Mistake] = Field(description="Empty if the steps are right.")


def review_by_rules(given: ReviewIn) -> ReviewOut:
    """What the computed checks find; they know nothing of the description."""
    found = to_mend(judged_text(given.steps))
    return ReviewOut(mistakes=[Mistake(what=one.message, mend=one.mend) for one in found])


REVIEW = AgentCall(
    "protocol_design.written_review", "protocol_design/written_review.md", ReviewIn, ReviewOut, review_by_rules
)
