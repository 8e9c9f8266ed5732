"""The reader: a passage in short, so that several fit into a prompt."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall


class SummariseIn(BaseModel):
    """A passage of a paper."""

    title: str
    text: str
    max_words: int = Field(ge=1)


class SummariseOut(BaseModel):
    """The passage in short."""

    model_config = ConfigDict(extra="forbid")
    summary: str = Field(description="Method, results and what is left open, within the word limit.")


def summarise_by_rules(given: SummariseIn) -> SummariseOut:
    """The first words."""
    return SummariseOut(summary=" ".join(given.text.split()[: given.max_words]))


def check_summary(given: SummariseIn, answer: SummariseOut) -> list[str]:
    """Within the limit, and not empty where there is text."""
    count = len(answer.summary.split())
    found = []
    if count > given.max_words:
        found.append(f"The summary has {count} words; at most {given.max_words} are allowed.")
    if not count and given.text.strip():
        found.append("The summary is empty.")
    return found


SUMMARISE = AgentCall(
    "feature_map_search.summarise_paper",
    "feature_map_search/summarise_paper.md",
    SummariseIn,
    SummariseOut,
    summarise_by_rules,
    check_summary,
    "light",
)
