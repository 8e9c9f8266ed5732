"""The rules mind's judgement of an idea."""

from __future__ import annotations

from labwright.agents.feature_map_search.ideas import Idea, Paper, Score, Task


def judged(task: Task, idea: Idea, papers: list[Paper]) -> Score:
    """Scores from what the recipe holds."""
    feasible = 9.0 if idea.recipe is not None else 5.0
    return Score(originality=5.0, feasibility=feasible, versatility=7.0, reason="By the recipe alone.")


def missing_literature(idea: Idea, papers: list[Paper]) -> list[str]:
    """What to look for where nothing was retrieved."""
    return [] if papers else idea.key_sentences[:3]
