"""The critic of one's own idea: mends what a second look finds, or says that it is done."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.feature_map_search.ideas import Idea, Paper, Score, Task
from labwright.agents.feature_map_search.propose_ideas import idea_faults
from labwright.agents.typed_call import AgentCall, without_words


class ReflectIn(BaseModel):
    """An idea with its score and the papers about the like."""

    task: Task
    idea: Idea
    score: Score | None = Field(description="None if nobody judged it.")
    papers: list[Paper]
    round: int = Field(description="This round of reflection, from 1.")
    rounds: int


class ReflectOut(BaseModel):
    """The idea, changed or not."""

    model_config = ConfigDict(extra="forbid")
    idea: Idea
    done: bool = Field(description="True if a further round would change nothing that matters.")
    change: str = Field(description="What was changed and why, in one or two sentences; empty if nothing.")


def check_reflection(given: ReflectIn, answer: ReflectOut) -> list[str]:
    """The same name, a whole idea, and a change exactly where something changed."""
    found = idea_faults(given.task, answer.idea)
    if answer.idea.name != given.idea.name:
        found.append(f"The idea is called {given.idea.name}; keep the name.")
    changed = answer.idea != given.idea
    if changed and not answer.change.strip():
        found.append("The idea was changed; say in `change` what and why.")
    if not changed and answer.change.strip():
        found.append("`change` speaks of a change, but the idea is the same.")
    if not changed and not answer.done:
        found.append("The idea is the same, so `done` must be true.")
    return found


REFLECT = AgentCall(
    "feature_map_search.reflect",
    "feature_map_search/reflect.md",
    ReflectIn,
    ReflectOut,
    without_words,
    check_reflection,
    "reasoning",
)
