"""The words at the head of the bench report; its numbers and tables are made by code."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall


class ReportIn(BaseModel):
    """A protocol in small."""

    request: str
    status: Literal["complete", "refused", "stopped"]
    cause: str = Field(description="Why there is no protocol; empty if there is one.")
    vials: int
    plates: int
    steps: int
    minutes: float = Field(description="Length of the whole run.")
    treatments: list[str] = Field(description="What is done to the filled vials, in order.")
    answers: list[str] = Field(description="Questions that a person answered, with the answer.")
    assumptions: list[str] = Field(description="Questions that a default answered, with what follows from it.")
    decisions: list[str] = Field(description="What the planner settled although nobody said it.")
    warnings: list[str]


class ReportOut(BaseModel):
    """Summary and cautions."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(description="Two to four sentences for the chemist: what is made, how, and how long it takes.")
    cautions: list[str] = Field(description="What a person must look at before it runs, most important first.")


def report_by_rules(given: ReportIn) -> ReportOut:
    """Plain sentences from the facts."""
    if given.status != "complete":
        return ReportOut(summary=f"No protocol was written: {given.cause}", cautions=[])
    plates = "1 plate" if given.plates == 1 else f"{given.plates} plates"
    vials = "1 vial" if given.vials == 1 else f"{given.vials} vials"
    summary = f"{vials} on {plates} are prepared in {given.steps} steps, which take about {given.minutes:.0f} min."
    if given.treatments:
        summary += f" Then: {'; '.join(given.treatments)}."
    if given.assumptions:
        summary += f" {len(given.assumptions)} assumptions were made; read them before the run."
    return ReportOut(summary=summary, cautions=list(given.warnings))


def check_report(given: ReportIn, answer: ReportOut) -> list[str]:
    """Every number of the words stands in the facts."""
    facts = given.model_dump_json() + f" {given.minutes:.0f} {len(given.assumptions)} {len(given.warnings)}"
    known = set(re.findall(r"\d+(?:\.\d+)?", facts))
    used = re.findall(r"\d+(?:\.\d+)?", " ".join([answer.summary, *answer.cautions]))
    return [
        f"The number {number} does not stand in the facts." for number in dict.fromkeys(used) if number not in known
    ]


WRITE_REPORT = AgentCall(
    "protocol_design.write_report",
    "protocol_design/write_report.md",
    ReportIn,
    ReportOut,
    report_by_rules,
    check_report,
    "light",
)
