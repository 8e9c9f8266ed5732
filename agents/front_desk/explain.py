"""The agent that answers a question about runs from their logs. Code computes the facts; the words add none."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words


class Account(BaseModel):
    """What is known of one run."""

    model_config = ConfigDict(extra="forbid")
    run_id: str
    system: str
    asked: str
    status: str
    facts: list[str] = Field(description="What it found and cost.")
    specification: str = Field(description="What it does, as YAML.")
    asks: str = Field(description="The question with which it waits, with what is shown beside it; else empty.")
    report: str = Field(description="The beginning of its report; empty while it goes on.")
    log: list[str] = Field(description="What it did, in order: numbers with units, who decided what, and why.")
    figures: list[str] = Field(description="Paths.")


class ExplainIn(BaseModel):
    """A question about runs, and all that is known."""

    model_config = ConfigDict(extra="forbid")
    question: str
    talk: list[str] = Field(description="The last turns before it.")
    runs: list[Account]


class Explained(BaseModel):
    """The answer."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(description="One to six sentences.", max_length=1500)
    figures: list[str] = Field(description="Paths of the figures that show it, at most three, as they are listed.")


def check_explained(given: ExplainIn, answer: Explained) -> list[str]:
    """Every number of the words stands in what is known of the runs, and every figure is listed."""
    known = set(re.findall(r"\d+(?:\.\d+)?", given.model_dump_json(include={"runs"})))
    used = dict.fromkeys(re.findall(r"\d+(?:\.\d+)?", answer.text))
    listed = {figure for run in given.runs for figure in run.figures}
    return [
        *(f"The number {number} does not stand in the facts." for number in used if number not in known),
        *(f"There is no figure {figure!r}." for figure in answer.figures if figure not in listed),
    ]


EXPLAIN = AgentCall(
    "front_desk.explain", "front_desk/explain.md", ExplainIn, Explained, without_words, check_explained, "light"
)
