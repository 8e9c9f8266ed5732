"""The words in which a question about runs is answered. Facts are computed by code; the words add none."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.front_desk.wishes import Asked


class Fact(BaseModel):
    """One line of what is known."""

    model_config = ConfigDict(extra="forbid")
    name: str
    value: str = Field(description="As it is shown, with its unit.")


class RunFacts(BaseModel):
    """What is known of one run."""

    model_config = ConfigDict(extra="forbid")
    run_id: str
    system: str
    asked: str
    status: str
    reason: str = Field(description="Why it is not complete; empty if it is.")
    facts: list[Fact]


class TellIn(BaseModel):
    """A question about runs, and the facts."""

    model_config = ConfigDict(extra="forbid")
    question: str
    what: Asked
    runs: list[RunFacts]
    totals: list[Fact] = Field(description="Over all of `runs`, with the conversation's own model calls.")


class TellOut(BaseModel):
    """The answer."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(description="One to four sentences.", max_length=1200)


def tell_by_rules(given: TellIn) -> TellOut:
    """Plain sentences from the facts."""
    if not given.runs:
        return TellOut(text="There are no such runs yet.")
    if given.what == "cost":
        return TellOut(text=_cost(given))
    if given.what == "compare":
        return TellOut(text=_compared(given))
    if given.what == "list":
        return TellOut(text=f"{_counted(len(given.runs))}, newest first.")
    return TellOut(text=" ".join(_ended(run) for run in given.runs)[:1200])


def _cost(given: TellIn) -> str:
    totals = ", ".join(f"{fact.name} {fact.value}" for fact in given.totals)
    return f"{_counted(len(given.runs))}, in all: {totals}."


def _compared(given: TellIn) -> str:
    if len(given.runs) < 2:
        return "There is no second run to compare with."
    newer, older = given.runs[:2]
    theirs = {fact.name: fact.value for fact in older.facts}
    shared = [(fact.name, fact.value, theirs[fact.name]) for fact in newer.facts if fact.name in theirs]
    differing = [f"{name} {mine} (before: {before})" for name, mine, before in shared if mine != before]
    if not differing:
        return f"{newer.run_id} and {older.run_id} agree in everything that can be compared."
    return f"{newer.run_id} beside {older.run_id}: {'; '.join(differing)}."[:1200]


def _ended(run: RunFacts) -> str:
    why = f": {run.reason.rstrip('.')}" if run.reason else ""
    shown = "; ".join(f"{fact.name} {fact.value}" for fact in run.facts[:6])
    return f"{run.run_id} is {run.status}{why}." + (f" {shown}." if shown else "")


def _counted(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"


def check_told(given: TellIn, answer: TellOut) -> list[str]:
    """Every number of the words stands in the facts."""
    facts = f"{given.model_dump_json()} {len(given.runs)}"
    known = set(re.findall(r"\d+(?:\.\d+)?", facts))
    used = re.findall(r"\d+(?:\.\d+)?", answer.text)
    return [
        f"The number {number} does not stand in the facts." for number in dict.fromkeys(used) if number not in known
    ]


TELL = AgentCall("front_desk.tell_runs", "front_desk/tell_runs.md", TellIn, TellOut, tell_by_rules, check_told, "light")
