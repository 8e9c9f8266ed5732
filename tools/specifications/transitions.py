"""What follows from a step's result: its typed transitions in order, then the default, evaluated by code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labwright.tools.specifications.calibration import COMPLETE, FAILED, NEXT, PREVIOUS, REPEAT, Transition
from labwright.tools.specifications.transition_conditions import Situation, holds, parsed

MOST_STEPS_BACK = 2  # by the rule of one step, unless a rule counts them itself
REPEATABLE = ("adjust", "bad_data")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A step after a run, and what it may do next.

    Attributes:
        labels: of all steps, in order.
        at: index of this one.
        situation: verdict, cause and counts; `exhausted` is filled in here.
        runs: of the step since it was reached; `limit` is for these.
        limit: most runs of the step, the first included.
        proposal: parameters that the inspection proposes for another run.
        skipped: indexes of the steps that a person skipped.
        hopeless: it was not measured, because it could only give what it gave before.
    """

    labels: Sequence[str]
    at: int
    situation: Situation
    runs: int
    limit: int
    proposal: Mapping[str, float] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    hopeless: bool = False

    @property
    def good(self) -> bool:
        """Whether the run succeeded."""
        return self.situation.verdict == "success"

    @property
    def exhausted(self) -> bool:
        """No success, and another run is not allowed or would give the same: something else has to come first."""
        now = self.situation
        hopeless = self.hopeless or (now.verdict == "wrong_setup" and not self.proposal)
        return not self.good and (self.runs >= self.limit or hopeless)


@dataclass(frozen=True, slots=True)
class Move:
    """Where the run goes.

    Attributes:
        next: label of a step, COMPLETE or FAILED.
        why: the condition that decided, or the default.
        change: parameters of the repeated run: numbers in the card's units, or values to evaluate.
        gave_up: no transition says so, but nothing is left to try.
        rule: a rule in free words that has to be decided by a model before anything else; `next` is then empty.
    """

    next: str
    why: str
    change: Mapping[str, Any] = field(default_factory=dict)
    rule: str = ""
    gave_up: bool = False


def move(on: Sequence[Transition], outcome: Outcome) -> Move:
    """The first transition whose condition holds and whose goal may be gone to; else the default."""
    now = replace(outcome.situation, exhausted=outcome.exhausted)
    for each in on:
        if each.rule:
            return Move("", "a rule in free words", rule=each.rule)
        if not holds(each.if_, now):
            continue
        goal = resolved(each.go, outcome)
        if not _blocked(each, goal, outcome):
            repeated = goal == outcome.labels[outcome.at]
            change = (each.change or dict(outcome.proposal)) if repeated else {}
            return Move(goal, f"if {each.if_}", change)
    return default(outcome)


def resolved(go: str, outcome: Outcome) -> str:
    """The label that a goal means; COMPLETE and FAILED stay."""
    if go == NEXT:
        return following(outcome)
    if go == REPEAT:
        return outcome.labels[outcome.at]
    if go == PREVIOUS:
        back = _back(outcome)
        return outcome.labels[outcome.at if back is None else back]
    return go


def default(outcome: Outcome) -> Move:
    """On success the next step; else again with what the inspection proposes; then one step back, once; then FAILED."""
    if outcome.good:
        return Move(following(outcome), "success")
    if not outcome.exhausted and outcome.situation.verdict in (*REPEATABLE, "wrong_setup"):
        return Move(outcome.labels[outcome.at], "it may be repeated", dict(outcome.proposal))
    if (back := _back(outcome)) is not None and outcome.situation.went_back < 1:
        return Move(outcome.labels[back], "repeating does not help, so the step before is done again")
    return Move(FAILED, "nothing is left to try", gave_up=True)


def _back(outcome: Outcome) -> int | None:
    """The nearest step before this one that was not skipped."""
    return max((n for n in range(outcome.at) if n not in outcome.skipped), default=None)


def following(outcome: Outcome) -> str:
    """The step after this one, or COMPLETE."""
    return outcome.labels[outcome.at + 1] if outcome.at + 1 < len(outcome.labels) else COMPLETE


def _blocked(each: Transition, goal: str, outcome: Outcome) -> bool:
    """A repetition beyond the limit, or a way back that was taken often enough to know that it does not help."""
    if goal == outcome.labels[outcome.at]:
        return outcome.runs >= outcome.limit or (outcome.hopeless and not each.change)
    back = goal in outcome.labels and outcome.labels.index(goal) < outcome.at
    if not back or outcome.good:
        return False
    counts_itself = any(str(tree.children[0]) == "went_back" for tree in parsed(each.if_).find_data("counted"))
    return outcome.situation.went_back >= MOST_STEPS_BACK and not counts_itself
