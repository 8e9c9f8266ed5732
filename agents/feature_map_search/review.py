"""The reviewer: what a trial teaches the next one, and when nothing is left to gain."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall
from labwright.agents.feature_map_search.ideas import Direction, Remembered, Review, Task, Tried
from labwright.agents.feature_map_search.review_policy import ordered, ranking, reviewed
from labwright.agents.lab_calibration.numbers import unsupported


class ReviewIn(BaseModel):
    """A finished trial."""

    task: Task
    trial: int
    last: list[Tried] = Field(description="The maps of this trial.")
    direction: Direction = Field(description="Which way the trial's best validation accuracy moved.")
    best: Tried | None = Field(description="Best map of the search so far, this trial included.")
    past: Remembered = Field(description="All earlier maps; given only after a decline.")
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
    """Every map in its measured place, and an end only where the numbers allow one."""
    places = {one.name: _place(answer.ranking, one.name) for one in given.last}
    found = [f"The ranking does not name {name}." for name, place in places.items() if place < 0]
    if not found and (order := [one for one in ordered(given.last) if one.validation_accuracy is not None]):
        named = sorted(order, key=lambda one: places[one.name])
        if [one.validation_accuracy for one in named] != [one.validation_accuracy for one in order]:
            found.append(f"The ranking is not by validation accuracy, which is: {ranking(given.last)}.")
    found += _wrong_values(given, answer)
    told = " ".join([answer.reason, *answer.suggestions])
    for one in given.last:
        if one.outcome != "evaluated" and _place(told, one.name) < 0:
            found.append(f"{one.name} was {one.outcome}; say why, by its name, so that it is not repeated.")
    return [*found, *_loose_ends(given, answer)]


def _place(text: str, name: str) -> int:
    """Where a name stands as a whole word; -1 if nowhere."""
    found = re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", text)
    return found.start() if found else -1


def _wrong_values(given: ReviewIn, answer: Review) -> list[str]:
    """Numbers behind a name in the ranking that are not the ones measured."""
    found = []
    for one in given.last:
        shown = re.search(rf"(?<![A-Za-z0-9]){re.escape(one.name)}\s*\((\d[\d.]*)%?\)", answer.ranking)
        value = -1.0 if one.validation_accuracy is None else one.validation_accuracy
        if shown and unsupported(shown[1], [value]):
            right = one.outcome if value < 0 else f"{value:.4f}"
            found.append(f"The ranking gives {one.name} {shown[1]}, but it is {right}.")
    return found


def _loose_ends(given: ReviewIn, answer: Review) -> list[str]:
    found = []
    if len(answer.suggestions) > given.max_suggestions:
        found.append(f"There may be at most {given.max_suggestions} suggestions.")
    if not answer.reason.strip():
        found.append("The review has no reason.")
    if not answer.completed:
        if given.max_suggestions and not any(one.strip() for one in answer.suggestions):
            found.append("The search goes on, so give at least one suggestion.")
        return found
    if answer.suggestions:
        found.append("`completed` is true, so nothing is left to suggest: leave `suggestions` empty.")
    best = given.best
    if best is None or best.validation_accuracy is None:
        found.append("Nothing was evaluated yet, so the search is not completed.")
    elif best.validation_accuracy < 1 and best.trial == given.trial:
        found.append(f"{best.name} of this very trial is the best so far: the search still gains, it is not completed.")
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
