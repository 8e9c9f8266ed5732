"""The words at the head of a search's report; its tables and figures are made by code."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.feature_map_search.ideas import Task
from labwright.agents.lab_calibration.numbers import numbers_in, unsupported

MOST_RIVALS = 3  # baselines that the summary speaks of, the strongest first; the table has them all


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


class Winner(BaseModel):
    """The best map of the search; the rest about it stands in the report anyway."""

    name: str
    trial: int = Field(description="In which it was found.")
    validation_accuracy: float | None = Field(description="0 to 1.")
    shift_invariant: bool = Field(
        description="Its kernel depends on differences of the features only, as classical Fourier kernels do."
    )


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
    winner: Winner | None
    results: list[Result]
    differences: list[Difference]
    warnings: list[str]


class ReportOut(BaseModel):
    """Summary and cautions."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(description="Three to six sentences: what was searched, what was found, how sure it is.")
    cautions: list[str] = Field(description="What a reader must know before using the result, most important first.")


def report_by_rules(given: ReportIn) -> ReportOut:
    """Plain sentences from the facts, a better baseline in the same breath as the result."""
    task = given.task
    told = [
        f"The search for a feature map of {task.n_features} features on {task.n_qubits} qubits for {task.dataset}"
        f" ended as {given.status} after {_counted(given.trials, 'trial')}:"
        f" {given.cause.rstrip('.') or 'no cause was given'}."
    ]
    told.append(f"{_counted(given.evaluated, 'map')} could be evaluated.")
    if given.winner is None:
        return ReportOut(summary=" ".join([*told, "No map was found."]), cautions=_cautions(given))
    value = given.winner.validation_accuracy
    shown = "" if value is None else f", with a validation accuracy of {value:.4f}"
    told.append(f"The best map is {given.winner.name} of trial {given.winner.trial}{shown}.")
    told += [
        f"On the test data it reaches {row.test:.4f}{f' +- {row.spread:.4f}' if row.spread is not None else ''}"
        f" ({_counted(row.seeds, 'seed')})."
        for row in given.results
        if row.kind == "found" and row.test is not None
    ][:1]
    told += [_compared(one) for one in sorted(given.differences, key=lambda one: one.points)[:MOST_RIVALS]]
    return ReportOut(summary=" ".join(told), cautions=_cautions(given))


def verdict(one: Difference) -> Literal["better", "worse", "open"]:
    """Whether a difference, either way, is more than twice its error; from one seed it never is."""
    if one.error is None or one.seeds < 2 or abs(one.points) <= 2 * one.error:
        return "open"
    return "better" if one.points > 0 else "worse"


def _compared(one: Difference) -> str:
    error = "" if one.error is None else f" +- {one.error:.2f}"
    words = {"better": "it is better", "worse": "it is worse", "open": "which of the two is better is open"}
    gap = f"{one.points:+.2f}{error} points ({_counted(one.seeds, 'seed')})"
    return f"Against {one.against} the difference is {gap}: {words[verdict(one)]}."


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _cautions(given: ReportIn) -> list[str]:
    """What the facts warn of, the worst first."""
    found = []
    names = {row.name: row.kind for row in given.results}
    for one in given.differences:
        if verdict(one) == "worse":
            found.append(f"{one.against} is better on the same data; use it unless the circuit itself is wanted.")
        elif names.get(one.against) == "control" and verdict(one) == "open":
            found.append(f"{one.against}, a classical kernel with the same weights, may explain the result.")
    if given.winner is not None and given.winner.shift_invariant:
        found.append("The kernel depends on differences of the features only, so a classical Fourier kernel equals it.")
    if given.winner is not None and any(one.seeds < 2 for one in given.differences):
        found.append("Some comparisons rest on one seed and say little.")
    rejected = [(given.illegal, "illegal"), (given.invalid, "invalid"), (given.vetoed, "vetoed")]
    if told := [f"{count} {word}" for count, word in rejected if count]:
        found.append(f"Not every idea was evaluated: {', '.join(told)}.")
    return list(dict.fromkeys([*found, *given.warnings]))


def check_report(given: ReportIn, answer: ReportOut) -> list[str]:
    """Status and winner are named, numbers stand in the facts, and nothing open is called a win or a loss."""
    said = " ".join([answer.summary, *answer.cautions])
    found = []
    if {"complete": "complete", "stopped": "stop", "failed": "fail"}[given.status] not in answer.summary.lower():
        found.append(f"The search ended as {given.status}; the summary must say so.")
    if given.winner is not None and given.winner.name not in answer.summary:
        found.append(f"The summary does not name the winner {given.winner.name}.")
    if invented := unsupported(_nameless(said, given), _sources(given)):
        found.append(f"These numbers do not stand in the facts: {', '.join(invented)}.")
    for one in given.differences:
        found += _overstated(one, said)
    return found


WIN = r"\b(?:beats?|outperform(?:s|ed)?|surpass(?:es|ed)?|superior|wins?|better than|exceed(?:s|ed)?|above)\b(?! by\b)"
LOSS = (
    r"\b(?:worse than|inferior|loses?|falls short|underperform(?:s|ed)?"
    r"|(?:beaten|outperformed|surpassed|exceeded) by)\b"
)
DOUBT = re.compile(r"\b(?:not|no|neither|nor|open|unclear|cannot|whether|may)\b", re.IGNORECASE)


def _overstated(one: Difference, said: str) -> list[str]:
    """Sentences that call a difference a win or a loss which is none."""
    true = verdict(one)
    error = "no error" if one.error is None else f"an error of {one.error:g}"
    fact = f"{one.points:+g} points with {error}, {_counted(one.seeds, 'seed')}"
    found = []
    for part in re.split(r"(?<=[.;!])\s+", said):
        claims = set() if DOUBT.search(part) else _claims(part, one.against)
        if "better" in claims and true != "better":
            found.append(f'"{part}" claims a win over {one.against}, but the difference is {fact}: say so.')
        if "worse" in claims and true != "worse":
            found.append(f'"{part}" claims that {one.against} is better, but the difference is {fact}: say so.')
    return found


def _claims(part: str, against: str) -> set[str]:
    """What a sentence says of the found map against a baseline: better, worse, both or nothing."""
    if not re.search(rf"\b{re.escape(against)}\b", part):
        return set()
    theirs = rf"\b{re.escape(against)}\b,?\s+(?:\w+\s+)?"  # the baseline is the subject of what follows
    found = set()
    for words, mine, other in ((WIN, "better", "worse"), (LOSS, "worse", "better")):
        rest, turned = re.subn(theirs + words, "", part, flags=re.IGNORECASE)
        found |= {other} if turned else set()
        found |= {mine} if re.search(words, rest, re.IGNORECASE) else set()
    return found


def _nameless(said: str, given: ReportIn) -> str:
    """The words without names, whose digits are no claims."""
    names = [given.task.dataset, *(row.name for row in given.results), *(one.against for one in given.differences)]
    for name in sorted([*names, given.winner.name if given.winner else ""], key=len, reverse=True):
        said = said.replace(name, "") if name else said
    return said


def _sources(given: ReportIn) -> list[float]:
    """Every number of the facts."""
    task, winner = given.task, given.winner
    found: list[float | int | None] = [given.trials, given.evaluated, given.illegal, given.invalid, given.vetoed]
    found.append(given.illegal + given.invalid + given.vetoed)
    found += [task.n_classes, task.n_train, task.n_features, task.n_qubits, task.max_trials, task.seed]
    for row in given.results:
        found += [row.validation, row.test, row.spread, row.seeds]
    for one in given.differences:
        found += [one.points, one.error, one.seeds]
    if winner is not None:
        found += [winner.trial, winner.validation_accuracy]
    numbers = [float(value) for value in found if isinstance(value, int | float)]
    return [*numbers, *numbers_in(" ".join([given.cause, *given.warnings]))]


WRITE_REPORT = AgentCall(
    "feature_map_search.write_report",
    "feature_map_search/write_report.md",
    ReportIn,
    ReportOut,
    report_by_rules,
    check_report,
    "light",
)
