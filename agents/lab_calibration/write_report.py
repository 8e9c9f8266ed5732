"""The words of the final report; its tables and figures are made by code."""

from __future__ import annotations

import math
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.lab_calibration.grounding import Measurement, numbers_in, unsupported
from labwright.agents.typed_call import AgentCall

PLACE = re.compile(r"\{[^{}]*\}")  # a result that code fills in


class HistoryRow(BaseModel):
    """One run of one stage."""

    stage: str
    experiment: str
    attempt: int
    verdict: str
    diagnosis: str


class ReportIn(BaseModel):
    """The whole execution in small."""

    request: str
    status: Literal["complete", "failed", "refused", "stopped"]
    cause: str = Field(description="Why it ended so; empty on success.")
    wanted: str = Field(description="What the procedure's Results section asks to be told.")
    history: list[HistoryRow]
    results: list[Measurement] = Field(description="Final results, each named with its qubit.")
    not_accepted: list[str] = Field(default=[], description="What stages measured and their analysis refused, and why.")


class ReportOut(BaseModel):
    """Summary and advice."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(
        description="Three to six sentences for the lab book: what was done, found, and how sure it is."
    )
    next_steps: list[str] = Field(description="At most three suggestions; empty if nothing follows.")


def report_by_rules(given: ReportIn) -> ReportOut:
    """State the outcome, the repeats with their causes, and the results."""
    runs = len(given.history)
    stages = len({row.stage for row in given.history})
    lead = f'The request "{(given.request.strip().splitlines() or [""])[0]}" ended as {given.status.upper()}'
    lead += (
        f" after {_counted(runs, 'run')} of {_counted(stages, 'stage')}." if runs else " before anything was measured."
    )
    told = [lead]
    if given.cause:
        told.append(f"Cause: {given.cause.rstrip('.')}.")
    repeats = [row for row in given.history if row.verdict != "success"]
    if repeats:
        causes = "; ".join(dict.fromkeys(f"{row.experiment} ({row.diagnosis})" for row in repeats))
        told.append(f"Not every run was accepted at once: {causes}.")
    if given.results:
        told.append("Results: " + ", ".join(_quoted(result) for result in given.results) + ".")
    if given.not_accepted:
        told.append("Measured, but not accepted: " + ". ".join(given.not_accepted) + ".")
    return ReportOut(summary=" ".join(told), next_steps=_advice(given, repeats))


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _quoted(result: Measurement) -> str:
    return f"{result.name} {value_in_words(result)}"


def value_in_words(result: Measurement) -> str:
    """The value to the digits that its error leaves, two of the error's own."""
    if not 0 < result.error < math.inf:
        return f"{result.value:.6g} {result.unit}".rstrip()
    digits = 1 - math.floor(math.log10(result.error))
    if 0 <= digits <= 4:
        return f"{result.value:.{digits}f} +- {result.error:.{digits}f} {result.unit}".rstrip()
    shown = max(2, digits + math.floor(math.log10(abs(result.value) or 1)) + 1)
    return f"{result.value:.{shown}g} +- {result.error:.2g} {result.unit}".rstrip()


def _advice(given: ReportIn, repeats: list[HistoryRow]) -> list[str]:
    if given.status == "complete" or not repeats:
        return []
    last = repeats[-1]
    return [f"Look at the figure of the last {last.experiment} run ({last.diagnosis}) before trying again."]


def check_report(given: ReportIn, answer: ReportOut) -> list[str]:
    """Every number in the words must be in the record; the request's own numbers count only where it is quoted."""
    sources = [*numbers_in(f"{given.cause} {given.wanted}"), float(len(given.history))]
    sources += [float(row.attempt) for row in given.history]
    sources += numbers_in(" ".join(f"{row.diagnosis} {row.stage}" for row in given.history))
    sources += numbers_in(" ".join(given.not_accepted))
    for result in given.results:
        sources += [result.value, result.error]
    sources += [float(len({row.stage for row in given.history}))]
    found = []
    answer = filled(given, answer)
    told = " ".join([answer.summary, *answer.next_steps])
    found += [f"There is no result {place}; results are named as in the input." for place in PLACE.findall(told)]
    if invented := unsupported(_without_quotes(told, given), sources):
        found.append(f"The report quotes numbers that are not in the record: {', '.join(invented)}.")
    if len(answer.next_steps) > 3:
        found.append("There may be at most three next steps.")
    return found


def filled(given: ReportIn, answer: ReportOut) -> ReportOut:
    """The words with every ``{name}`` of a result replaced by the result: numbers are code's."""
    shown = {f"{{{result.name}}}": value_in_words(result) for result in given.results}

    def fill(text: str) -> str:
        for place, value in shown.items():
            text = text.replace(place, value)
        return text

    return ReportOut(summary=fill(answer.summary), next_steps=[fill(step) for step in answer.next_steps])


def _without_quotes(words: str, given: ReportIn) -> str:
    """The words without what they quote from the request: a document may not put results into its report."""
    return re.sub(r'["“”](.+?)["“”]', lambda part: "" if part[1].strip() in given.request else part[0], words)


WRITE_REPORT = AgentCall(
    "lab_calibration.write_report",
    "lab_calibration/write_report.md",
    ReportIn,
    ReportOut,
    report_by_rules,
    check_report,
    "general",
)
