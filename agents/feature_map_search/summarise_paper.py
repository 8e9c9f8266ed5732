"""The reader: a passage in short, so that several fit into a prompt."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.lab_calibration.grounding import numbers_in, unsupported
from labwright.agents.typed_call import AgentCall, without_words


class SummariseIn(BaseModel):
    """A passage of a paper."""

    title: str
    text: str
    max_words: int = Field(ge=1)


class SummariseOut(BaseModel):
    """The passage in short."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(description="Method, results and what is left open, within the word limit.")


def check_summary(given: SummariseIn, answer: SummariseOut) -> list[str]:
    """Within the limit, and no number that the passage lacks."""
    found = []
    if (count := len(answer.summary.split())) > given.max_words:
        found.append(f"The summary has {count} words; at most {given.max_words} are allowed.")
    if invented := unsupported(answer.summary, numbers_in(f"{given.title} {given.text}")):
        found.append(f"These numbers do not stand in the passage: {', '.join(invented)}.")
    return found


SUMMARISE = AgentCall(
    "feature_map_search.summarise_paper",
    "feature_map_search/summarise_paper.md",
    SummariseIn,
    SummariseOut,
    without_words,
    check_summary,
    "light",
)
