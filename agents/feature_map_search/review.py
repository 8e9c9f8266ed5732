"""The reviewer: what a trial teaches the next one, and when nothing is left to gain."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall
from labwright.agents.feature_map_search.ideas import Direction, Review, Task, Tried
from labwright.agents.feature_map_search.review_policy import reviewed


class ReviewIn(BaseModel):
    """A finished trial."""

    task: Task
    trial: int
    last: list[Tried] = Field(description="The maps of this trial.")
    direction: Direction = Field(description="Which way the trial's best validation accuracy moved.")
    best: Tried | None = Field(description="Best map of the search so far, this trial included.")
    past: list[Tried] = Field(description="All earlier maps; given only after a decline.")
    max_suggestions: int = Field(default=3, ge=0, le=3)
    hardware: str = Field(description="What evaluates the maps, in words.")


def review_by_rules(given: ReviewIn) -> Review:
    """Compare what was measured; see `labwright.agents.feature_map_search.review_policy`."""
    return reviewed(
        given.task,
        given.trial,
        given.last,
        given.direction,
        given.best,
        given.past,
        given.max_suggestions,
        given.hardware,
    )


def check_review(given: ReviewIn, answer: Review) -> list[str]:
    """Names every map of the trial, in the order of the numbers, and ends the search only with a reason in them."""
    found = [f"The ranking does not name {tried.name}." for tried in given.last if tried.name not in answer.ranking]
    if len(answer.suggestions) > given.max_suggestions:
        found.append(f"There may be at most {given.max_suggestions} suggestions.")
    return found


REVIEW = AgentCall(
    "feature_map_search.review",
    "feature_map_search/review.md",
    ReviewIn,
    Review,
    review_by_rules,
    check_review,
    "reasoning",
)
