"""The reviewer: what a trial teaches the next one, and when nothing is left to gain."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.feature_map_search.ideas import Direction, Remembered, Review, Tried
from labwright.agents.typed_call import AgentCall

PATIENCE = 10  # trials without a better map before a search may be called complete, and at least
SHARE = 0.5  # of the trials that were allowed: a pause of ten is common in a search of thirty


class Extent(BaseModel):
    """What a reviewer needs of the task."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    dataset: str
    n_features: int
    n_qubits: int
    max_trials: int


class ReviewIn(BaseModel):
    """A finished trial."""

    task: Extent
    trial: int
    last: Remembered = Field(description="The maps of this trial.")
    direction: Direction = Field(description="Which way the trial's best selection moved.")
    best: Tried | None = Field(description="Best map of the search so far; in short where it is of this trial.")
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


def nothing_left(task: Extent, trial: int, best: Tried | None) -> bool:
    """Whether the best map makes no mistake, or none was better for half of all trials and for ten."""
    if best is None or best.selection is None:
        return False
    return best.selection == 1.0 or trial - best.trial >= max(PATIENCE, SHARE * task.max_trials)


def check_review(given: ReviewIn, answer: Review) -> list[str]:
    """An end only where the numbers allow one."""
    if not answer.completed or nothing_left(given.task, given.trial, given.best):
        return []
    return ["The best selection is below 1 and was reached too recently: the search is not completed."]


REVIEW = AgentCall(
    "feature_map_search.review",
    "feature_map_search/review.md",
    ReviewIn,
    Review,
    review_by_rules,
    check_review,
    "reasoning",
)
