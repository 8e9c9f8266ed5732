"""The judge: originality, feasibility and versatility of an idea that nobody has tried yet."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.feature_map_search.ideas import Idea, Paper, Score, Task
from labwright.agents.typed_call import AgentCall, without_words

MOST_QUERIES = 3


class ScoreIn(BaseModel):
    """An idea and what is known about the like."""

    task: Task
    idea: Idea
    papers: list[Paper]
    round: int = Field(description="This round of judging, from 1.")
    rounds: int = Field(description="In the last round no more literature can be had.")
    before: list[Score] = Field(description="Scores of the ideas before, to keep the scale.")


class ScoreOut(BaseModel):
    """The judgement, and what is still to be read for a better one."""

    model_config = ConfigDict(extra="forbid")
    score: Score
    enough: bool = Field(description="False if papers on something else are needed for a fair score.")
    queries: list[str] = Field(max_length=MOST_QUERIES, description="What to look for; empty if `enough`.")


def check_score(given: ScoreIn, answer: ScoreOut) -> list[str]:
    """Queries exactly where they can be answered."""
    found = []
    if answer.enough and answer.queries:
        found.append("`enough` is true, so `queries` must be empty.")
    if not answer.enough and given.round >= given.rounds:
        found.append("This is the last round: score with what there is, `enough` is true and `queries` empty.")
    elif not answer.enough and not any(query.strip() for query in answer.queries):
        found.append("`enough` is false, so say in `queries` what to look for.")
    return found


SCORE = AgentCall(
    "feature_map_search.score_idea",
    "feature_map_search/score_idea.md",
    ScoreIn,
    ScoreOut,
    without_words,
    check_score,
    "general",
)
