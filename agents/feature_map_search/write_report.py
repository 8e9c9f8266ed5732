"""The words at the head of a search's report; its tables and figures are made by code."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.feature_map_search.ideas import Task, Tried


class Result(BaseModel):
    """One row of the final table."""

    name: str
    kind: Literal["found", "baseline", "control"] = Field(description="control: RBF with the same weights by rank.")
    validation: float | None = Field(description="Mean validation accuracy, 0 to 1.")
    test: float | None = Field(description="Mean test accuracy, 0 to 1; None if the test split was not revealed.")
    spread: float | None = Field(description="Standard deviation of the test accuracy over the seeds.")
    seeds: int


class Difference(BaseModel):
    """The found map against one baseline, paired by seed."""

    against: str
    points: float = Field(description="Mean difference in test accuracy, percentage points; above 0: found is better.")
    error: float | None = Field(description="Standard error of it, percentage points; None with one seed.")
    seeds: int


class ReportIn(BaseModel):
    """The whole search in small."""

    task: Task
    status: Literal["complete", "stopped", "failed"]
    cause: str = Field(description="Why it ended: all trials done, the review, a budget, a person, a failure.")
    trials: int = Field(description="Trials that were finished.")
    evaluated: int
    illegal: int
    invalid: int
    vetoed: int
    winner: Tried | None
    results: list[Result]
    differences: list[Difference]
    seconds: float = Field(description="Wall time of the search.")
    warnings: list[str]


class ReportOut(BaseModel):
    """Summary and cautions."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(description="Three to six sentences: what was searched, what was found, how sure it is.")
    cautions: list[str] = Field(description="What a reader must know before using the result, most important first.")


def report_by_rules(given: ReportIn) -> ReportOut:
    """Plain sentences from the facts."""
    winner = given.winner.name if given.winner else "No map"
    summary = f"The search ended as {given.status} after {given.trials} trials. {winner} was the best."
    return ReportOut(summary=summary, cautions=list(given.warnings))


def check_report(given: ReportIn, answer: ReportOut) -> list[str]:
    """The summary names the winner."""
    if given.winner is not None and given.winner.name not in answer.summary:
        return [f"The summary does not name the winner {given.winner.name}."]
    return []


WRITE_REPORT = AgentCall(
    "feature_map_search.write_report",
    "feature_map_search/write_report.md",
    ReportIn,
    ReportOut,
    report_by_rules,
    check_report,
    "light",
)
