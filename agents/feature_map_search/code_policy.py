"""The rules mind's code. A first thin version: the recipe's gates in loops."""

from __future__ import annotations

from labwright.agents.call import Refusal
from labwright.agents.feature_map_search.ideas import CodeIn, CodeOut


def code_by_rules(given: CodeIn) -> CodeOut | Refusal:
    """Code from the recipe; an idea without one takes a model."""
    if given.idea.recipe is None:
        return Refusal(reason=f"{given.idea.name} has no recipe, and rules write code from recipes only.")
    from labwright.tools.feature_maps.write_source import source_of

    task = given.task
    code = source_of(given.idea.recipe, given.idea.name, task.n_qubits, task.n_features, given.idea.explanation)
    return CodeOut(code=code, class_name=given.idea.name)
