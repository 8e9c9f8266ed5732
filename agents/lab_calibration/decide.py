"""After a stage, where a person's rule in free words says where to go next. Typed transitions need no agent."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.lab_calibration.grounding import Measurement, Named, Parameter, misfits
from labwright.agents.typed_call import AgentCall, without_words
from labwright.tools.specifications.calibration import COMPLETE, FAILED


class StageCard(BaseModel):
    """A stage as the decision sees it."""

    label: str
    instruction: str


class DecideIn(BaseModel):
    """Where the run stands."""

    current: str = Field(description="Label of the stage that just ran.")
    rule: str = Field(description="The person's rule for it.")
    stages: list[StageCard] = Field(description="All stages in order.")
    executed: int = Field(description="How often the current stage ran, this time included.")
    failed: int
    most_runs: int = Field(description="The most runs of the stage.")
    went_back: int = Field(description="How often this stage has already sent the run back.")
    verdict: Literal["success", "adjust", "bad_data", "wrong_setup"]
    cause: str
    reason: str
    estimates: list[Measurement] = Field(description="What was measured, with one-sigma errors and units.")
    proposal: list[Named] = Field(description="Parameter changes that the inspection proposes.")
    parameters: list[Parameter] = Field(description="Parameters the stage ran with, and their bounds.")


class DecideOut(BaseModel):
    """The transition."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: whether the rule applies, and why.")
    applies: bool = Field(description="False if the rule says nothing about this result.")
    next: str = Field(description='Label of a stage, or "COMPLETE", or "FAILED"; empty if the rule does not apply.')
    changes: list[Named] = Field(description="Parameters to change for another run of the same stage; else empty.")


def check_decision(given: DecideIn, answer: DecideOut) -> list[str]:
    """Facts only: the goal exists, and changed parameters exist and stay inside their bounds."""
    labels = [stage.label for stage in given.stages]
    if not answer.applies:
        return []
    if answer.next not in (*labels, COMPLETE, FAILED):
        return [f"`next` must be one of {', '.join([*labels, COMPLETE, FAILED])}, but is {answer.next!r}."]
    if answer.next == given.current and given.executed >= given.most_runs:
        return [f"{given.current} ran {given.executed} times, which is the most it may; choose another goal."]
    if answer.changes and answer.next != given.current:
        return ["Parameters change only where the same stage runs again."]
    return misfits(answer.changes, given.parameters)


DECIDE = AgentCall(
    "lab_calibration.decide",
    "lab_calibration/decide.md",
    DecideIn,
    DecideOut,
    without_words,
    check_decision,
    "general",
)
