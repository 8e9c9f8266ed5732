"""A small role for the tests of the typed call: read two numbers out of a sentence and add them."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, Field

from labwright.agents.typed_call import AgentCall, Question, Refusal, Tier

PROMPT = """You add the two numbers of a sentence.
---user---
The sentence:
{{ sentence | data("sentence") }}
"""


class Sentence(BaseModel):
    sentence: str


class Sum(BaseModel):
    numbers: list[float] = Field(min_length=2, max_length=2, description="The two numbers of the sentence.")
    total: float = Field(description="Their sum.")


def numbers_in(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", text)]


def add_by_rules(given: Sentence) -> Sum | Question | Refusal:
    found = numbers_in(given.sentence)
    if "coffee" in given.sentence:
        return Refusal(reason="Coffee is not a sum.")
    if len(found) < 2:
        return Question(text="Which is the second number?", options=["1", "2"])
    return Sum(numbers=found[:2], total=found[0] + found[1])


def check_sum(given: Sentence, answer: Sum) -> list[str]:
    findings = []
    if answer.numbers != numbers_in(given.sentence)[:2]:
        findings.append(f"`numbers` must be the first two of the sentence, but is {answer.numbers}.")
    if abs(answer.total - sum(answer.numbers)) > 1e-9:
        findings.append(f"`total` must be {sum(answer.numbers):g}, but is {answer.total:g}.")
    return findings


def adding(folder: Path, tier: Tier = "general") -> AgentCall[Sentence, Sum]:
    """The role, with its prompt file in `folder`."""
    path = folder / "add.md"
    path.write_text(PROMPT, encoding="utf-8")
    return AgentCall("tests.add", str(path), Sentence, Sum, add_by_rules, check_sum, tier)
