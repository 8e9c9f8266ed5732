"""Looking at a result: the figure by a model that sees, the numbers always, and one verdict out of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.lab_calibration.grounding import Measurement, Named, Parameter, misfits, numbers_in, unsupported
from labwright.agents.typed_call import AgentCall, Refusal

Verdict = Literal["success", "adjust", "bad_data", "wrong_setup"]


class FigureIn(BaseModel):
    """What to look for in the figure that comes with the call (after the reference figures, if any)."""

    experiment: str
    criteria: str = Field(description="The experiment author's instructions.")
    caption: str = ""


class FigureOut(BaseModel):
    """What the figure shows."""

    model_config = ConfigDict(extra="forbid")
    observations: str = Field(description="What is seen, one to four sentences, before any judgement.")
    verdict: Literal["success", "failure", "unclear"]


class CheckLine(BaseModel):
    """One computed criterion."""

    name: str
    passed: bool
    detail: str


class SummariseIn(BaseModel):
    """Everything known about one run of an experiment."""

    experiment: str
    qubit: str
    instructions: str = Field(description="How this experiment's inspections are weighed.")
    verdict: Verdict = Field(description="Verdict of the numbers.")
    diagnosis: str
    analysis: str
    checks: list[CheckLine]
    estimates: list[Measurement]
    proposal: list[Named]
    parameters: list[Parameter]
    figures: list[FigureOut] = Field(description="Reports of the figure inspection; empty if nobody could look.")


class SummariseOut(BaseModel):
    """One verdict with its reason."""

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="One to four sentences that quote the numbers that decided.")
    consistent: bool = Field(description="False if a figure report contradicts the numbers.")
    verdict: Verdict
    diagnosis: str = Field(description="A few words of the field, such as 'too few oscillations'.")
    proposal: list[Named] = Field(description="Parameters to change for the next run; empty on success.")


def look_by_rules(given: FigureIn) -> Refusal:
    """The rules mind has no eyes and says so."""
    return Refusal(reason=f"No vision model is set, so the figure of {given.experiment} was not looked at.")


def in_doubt(report: Mapping[str, Any]) -> bool:
    """Whether a report's numbers leave open what happened: data that no model fits, or nothing that was computed.

    A range that is wrong and a set-up that is wrong are told by numbers alone, and so is a success that meets every
    criterion.
    """
    return report["verdict"] == "bad_data" or not report["checks"]


def contradicts(given: SummariseIn) -> bool:
    """Whether a figure report says the opposite of the numbers.

    Good-looking data in the wrong range, or a clean decay of bad gates, are no contradiction: only numbers know that.
    """
    opposite = {"success": "failure", "bad_data": "success"}.get(given.verdict)
    return any(figure.verdict == opposite for figure in given.figures)


def summarise_by_rules(given: SummariseIn) -> SummariseOut:
    """Take the numbers' verdict; a contradiction makes the result invalid."""
    failed = [f"{check.name}: {check.detail}" for check in given.checks if not check.passed]
    if contradicts(given):
        return SummariseOut(
            reason=f"The figure report contradicts the numbers. {given.analysis}",
            consistent=False,
            verdict="bad_data",
            diagnosis="figure and numbers contradict each other",
            proposal=[],
        )
    reason = given.analysis if not failed else f"{given.analysis} Not met: {'; '.join(failed)}."
    return SummariseOut(
        reason=reason,
        consistent=True,
        verdict=given.verdict,
        diagnosis=given.diagnosis,
        proposal=[] if given.verdict == "success" else given.proposal,
    )


def check_summary(given: SummariseIn, answer: SummariseOut) -> list[str]:
    """A summary may not be kinder than the numbers, nor quote numbers that nobody measured."""
    found = _verdict_problems(given, answer)
    if answer.verdict == "success" and answer.proposal:
        found.append("A success proposes nothing; leave `proposal` empty.")
    found += misfits(answer.proposal, given.parameters)
    found += _proposal_problems(given, answer)
    if invented := unsupported(answer.reason, _sources(given)):
        found.append(f"`reason` quotes numbers that are not in the reports: {', '.join(invented)}.")
    return found


def _verdict_problems(given: SummariseIn, answer: SummariseOut) -> list[str]:
    clash = contradicts(given)
    if clash and (answer.consistent or answer.verdict == "success"):
        return ["A figure report contradicts the numbers: `consistent` must be false and the verdict not 'success'."]
    if not clash and not answer.consistent:
        return ["No figure report contradicts the numbers, so `consistent` must be true."]
    if answer.verdict == "success" and given.verdict != "success":
        failed = ", ".join(check.name for check in given.checks if not check.passed) or given.diagnosis
        return [f"The numbers say {given.verdict!r} ({failed}), so the verdict cannot be 'success'."]
    if not clash and given.verdict == "success" and answer.verdict != "success":
        return ["All numeric criteria are met and no figure contradicts them, so the verdict must be 'success'."]
    if not clash and given.verdict == "wrong_setup" and answer.verdict != "wrong_setup":
        return [f"The numbers say 'wrong_setup' ({given.diagnosis}); repeating cannot help."]
    return []


def _proposal_problems(given: SummariseIn, answer: SummariseOut) -> list[str]:
    computed = {item.name: item.value for item in given.proposal}
    gone = set(computed) - {item.name for item in answer.proposal}
    if given.verdict == answer.verdict == "adjust" and gone:
        return [f"The computed proposal also changes {', '.join(sorted(gone))}; repeat it with its values."]
    return [
        f"The computed proposal for {item.name} is {computed[item.name]:g}, but {item.value:g} is proposed."
        for item in answer.proposal
        if item.name in computed and abs(item.value - computed[item.name]) > 0.02 * abs(computed[item.name])
    ]


def _sources(given: SummariseIn) -> list[float]:
    text = " ".join(
        [given.analysis, given.diagnosis, given.instructions, *(c.name + " " + c.detail for c in given.checks)]
    )
    text += " " + " ".join(figure.observations for figure in given.figures)
    values = [*numbers_in(text), *(item.value for item in given.proposal), *(item.value for item in given.parameters)]
    for estimate in given.estimates:
        values += [estimate.value, estimate.error]
    return values


LOOK = AgentCall(
    "lab_calibration.inspect_figure",
    "lab_calibration/inspect_figure.md",
    FigureIn,
    FigureOut,
    look_by_rules,
    tier="vision",
)
SUMMARISE = AgentCall(
    "lab_calibration.summarise_inspection",
    "lab_calibration/summarise_inspection.md",
    SummariseIn,
    SummariseOut,
    summarise_by_rules,
    check_summary,
    "general",
)
