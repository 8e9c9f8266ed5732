"""The rules mind's code: the PennyLane class that a recipe stands for."""

from __future__ import annotations

from labwright.agents.call import Refusal
from labwright.agents.feature_map_search.ideas import CodeIn, CodeOut
from labwright.tools.feature_maps.write_source import source_of


def code_by_rules(given: CodeIn) -> CodeOut | Refusal:
    """Code from the recipe; an idea without one takes a model."""
    idea, task = given.idea, given.task
    if idea.recipe is None:
        return Refusal(
            reason=f"{idea.name} has no recipe, and rules write code from recipes only. Let a model write it, or say"
            " the idea in the words of a recipe."
        )
    return CodeOut(
        code=source_of(idea.recipe, idea.name, task.n_qubits, task.n_features, idea.explanation), class_name=idea.name
    )
