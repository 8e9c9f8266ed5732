"""The agent that answers a question about runs from their logs. Code computes the facts; the words add none."""

from __future__ import annotations

import re
from collections import Counter
from math import log10

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words
from labwright.tools.forge.tasks.expressions import ExpressionError, number

NUMBER, SMALL = re.compile(r"\d+(?:\.\d+)?"), 100
MARK = re.compile(r"(?<!\S)\(?(\d{1,2})[.)](?=\s)")  # of an item of a list
NUMBERED = re.compile(r"^\d+\. ")  # before a line of a log


class Account(BaseModel):
    """What is known of one run."""

    model_config = ConfigDict(extra="forbid")
    run_id: str
    system: str
    asked: str
    status: str
    facts: list[str] = Field(description="What it found and cost, how it works, and where its files lie.")
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
    computed: list[str] = Field(
        description="Arithmetic behind the text, each EXPRESSION = VALUE, such as `12000 * (1 + 10/100) = 13200` or"
        " `-(3 + 2*sqrt(3))/4 = -1.61603`. Code computes it anew, and it is shown below the text.",
        max_length=8,
    )
    compute: str = Field(
        description="What no run tells, and a calculation would: that calculation as a task that can be understood by"
        " itself, with all its numbers. It is started. Else empty.",
        max_length=2000,
    )


def check_explained(given: ExplainIn, answer: Explained) -> list[str]:
    """Every number of the words is known or computed with, every sum is right, and every figure is listed."""
    known, said = (
        set(NUMBER.findall(given.model_dump_json(include=part))) for part in ({"runs"}, {"question", "talk"})
    )
    sums = [each.rpartition("=")[::2] for each in answer.computed]
    found = {one for _, value in sums for one in NUMBER.findall(value)}
    put_in = dict.fromkeys(one for left, _ in sums for one in NUMBER.findall(left))
    right = known | found | put_in.keys() | _counts(given)
    used = [one for one in dict.fromkeys(NUMBER.findall(_unnumbered(answer.text))) if one not in right]
    strange = [one for one in put_in if one not in known | said | found and not _plain(one)]
    empty = []
    based = known | said
    for left, value in sums:
        numbers = NUMBER.findall(left)
        empty += [left.strip()] if numbers and (based | set(strange)).isdisjoint(numbers) else []
        based |= set() if empty else set(NUMBER.findall(value))
    listed = {figure for run in given.runs for figure in run.figures}
    return [
        *(f"The number {one} does not stand in the facts." for one in used),
        *(f"The number {one} of `computed` stands neither in the facts nor in the question." for one in strange),
        *(f"`computed`: {left} holds no number of the facts or the question." for left in empty),
        *(wrong for left, value in sums if (wrong := _wrong_sum(left.strip(), value.strip()))),
        *(f"There is no figure {figure!r}." for figure in answer.figures if figure not in listed),
    ]


def _unnumbered(text: str) -> str:
    """`text` without the numbers of its list, which count up from 1."""
    marks = list(MARK.finditer(text))
    if [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)):
        return text
    return MARK.sub(" ", text)


def _counts(given: ExplainIn) -> set[str]:
    """How many there are: of the lines of each list, of those that begin alike, and of the items of each line."""
    found = set[int]()
    for run in given.runs:
        for lines in (run.facts, run.log, run.figures, run.specification.splitlines()):
            found |= {len(lines), *Counter(NUMBERED.sub("", line).split(" ", 1)[0] for line in lines).values()}
            found |= {len(line.split(separator)) for line in lines for separator in ("; ", ", ")}
    return {str(count) for count in found}


def _plain(text: str) -> bool:
    """Whether a number is a small whole one or a power of ten, as formulas and changes of a unit have them."""
    value = float(text)
    return (value == int(value) and value <= SMALL) or (value > 0 and log10(value) == int(log10(value)))


def _wrong_sum(expression: str, value: str) -> str:
    """What is wrong with ``expression = value``, where the value may be rounded; empty if nothing is."""
    decimals = len(value.lower().partition("e")[0].partition(".")[2])
    try:
        true, said = number(expression), float(value)
        rounded = 0.5001 * 10.0**-decimals * 10.0 ** int(value.lower().partition("e")[2] or 0)
    except (ExpressionError, ValueError, OverflowError) as wrong:
        return f"`computed` must be EXPRESSION = VALUE without units: {wrong}"
    return "" if abs(true - said) <= rounded else f"{expression} is {true:.10g}, not {value}."


EXPLAIN = AgentCall(
    "front_desk.explain", "front_desk/explain.md", ExplainIn, Explained, without_words, check_explained, "light"
)
