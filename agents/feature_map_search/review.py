"""The reviewer: what a trial teaches the next one, and when nothing is left to gain."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall
from labwright.agents.feature_map_search.ideas import Direction, Remembered, Review, Task, Tried

PATIENCE = 10  # trials without a better map before a search may be called complete, and at least
SHARE = 0.5  # of the trials that were allowed: a pause of ten is common in a search of thirty


class ReviewIn(BaseModel):
    """A finished trial."""

    task: Task
    trial: int
    last: Remembered = Field(description="The maps of this trial.")
    direction: Direction = Field(description="Which way the trial's best validation accuracy moved.")
    best: Tried | None = Field(description="Best map of the search so far, this trial included.")
    past: Remembered = Field(description="All earlier maps; given only after a decline.")


def review_by_rules(given: ReviewIn) -> Review:
    """Whether the search is over; the evolution itself reads the scores."""
    best = given.best
    if not nothing_left(given.task, given.trial, best):
        return Review(keep=[], suggestions=[], completed=False, reason="")
    assert best is not None
    return Review(
        keep=[],
        suggestions=[],
        completed=True,
        reason=f"{best.name} of trial {best.trial} is right in validation and in every fold."
        if best.selection == 1.0
        else f"No map was better than {best.name} for {given.trial - best.trial} trials.",
    )


def nothing_left(task: Task, trial: int, best: Tried | None) -> bool:
    """Whether the best map makes no mistake, or none was better for half of all trials and for ten."""
    if best is None or best.validation_accuracy is None:
        return False
    return best.selection == 1.0 or trial - best.trial >= max(PATIENCE, SHARE * task.max_trials)


def check_review(given: ReviewIn, answer: Review) -> list[str]:
    """An end only where the numbers allow one."""
    if not answer.completed:
        return []
    best = given.best
    if best is None or best.validation_accuracy is None:
        return ["Nothing was evaluated yet, so the search is not completed."]
    if best.validation_accuracy < 1 and best.trial == given.trial:
        return [f"{best.name} of this very trial is the best so far: the search still gains, it is not completed."]
    return []


REVIEW = AgentCall(
    "feature_map_search.review",
    "feature_map_search/review.md",
    ReviewIn,
    Review,
    review_by_rules,
    check_review,
    "reasoning",
)
