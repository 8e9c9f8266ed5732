"""What a second look at a recipe can mend: choices that provably have no effect, or lose features.

Only such choices are changed. Whether a ring is better than a line is for the measurement to say, and a reflection with
a taste of its own would make different ideas alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from labwright.agents.feature_map_search.ideas import Idea, Task
from labwright.tools.feature_maps.recipe import Axis, Recipe, n_blocks

if TYPE_CHECKING:
    from labwright.agents.feature_map_search.reflect import ReflectIn

FULL_TURN = round(2 * math.pi, 3)
# Entanglers that commute with every rotation about the axis, and so cancel if there is no other axis.
COMMUTING = {"RZ": {"CZ", "IsingZZ", "CRZ"}, "RX": {"IsingXX"}, "RY": set[str]()}
SECOND: dict[Axis, Axis] = {"RX": "RY", "RY": "RZ", "RZ": "RY"}
Change = tuple[Recipe, str] | None


def improved(given: ReflectIn) -> tuple[Idea, str]:
    """The idea with all that a fact asks to change, told anew, and what was changed; the same idea if nothing."""
    recipe, told = given.idea.recipe, []
    if recipe is None or given.task.strategy == "random":  # random search is a control, and stays random
        return given.idea, ""
    for look in LOOKS:
        if (change := look(given.task, recipe)) is not None and _allowed(given.task, change[0]):
            recipe = change[0]
            told.append(change[1])
    return (_retold(given.task, given.idea, recipe), " ".join(told)) if told else (given.idea, "")


def _allowed(task: Task, recipe: Recipe) -> bool:
    used = {*recipe.axes, recipe.entangler} - {"none"} | ({"Hadamard"} if recipe.start == "hadamard" else set())
    return used <= set(task.gates)


def _retold(task: Task, idea: Idea, recipe: Recipe) -> Idea:
    from labwright.tools.feature_maps.describe import describe

    said = describe(recipe, task.n_qubits, task.n_features)
    return Idea(
        name=idea.name,
        explanation=said.explanation,
        formula=said.formula,
        summary=said.summary,
        key_sentences=list(said.key_sentences),
        recipe=recipe,
    )


def _layers(task: Task, recipe: Recipe) -> int:
    """How many blocks of rotations act."""
    return recipe.repeats * n_blocks(task.n_qubits, task.n_features)


def _idle_first_block(task: Task, recipe: Recipe) -> Change:
    """Rotations about the axis that the start points along do nothing, and the strongest features are lost."""
    if recipe.axes[0] == "RZ" and recipe.start == "zero":
        start, why = (
            "hadamard",
            "RZ does nothing to |0>, so the first block had no effect; it now starts from Hadamards.",
        )
    elif recipe.axes[0] == "RX" and recipe.start == "hadamard":
        start, why = (
            "zero",
            "RX does nothing to a Hadamard state, so the first block had no effect; it now starts in |0>.",
        )
    else:
        return None
    return recipe.model_copy(update={"start": start}), why


def _more_than_a_turn(task: Task, recipe: Recipe) -> Change:
    """Beyond a full turn two different values of a feature give one state."""
    if recipe.scale <= FULL_TURN:
        return None
    why = (
        f"Angles of {recipe.scale:g} rad pass a full turn, so that different values looked alike; they are cut to 2 pi."
    )
    return recipe.model_copy(update={"scale": FULL_TURN}), why


def _entangler_never_stands(task: Task, recipe: Recipe) -> Change:
    """An entangling layer stands after every so many blocks, but never after the last, where it would cancel."""
    layers = _layers(task, recipe)
    if recipe.entangler == "none" or recipe.every < layers or layers < 2:
        return None
    why = f"With {layers} blocks no entangling layer ever stood between two; now one stands after each block."
    return recipe.model_copy(update={"every": 1}), why


def _everything_commutes(task: Task, recipe: Recipe) -> Change:
    """With one axis and an entangler of the same axis all entanglers slide to the end and cancel."""
    axes = set(recipe.axes)
    if len(axes) > 1 or recipe.entangler not in COMMUTING[recipe.axes[0]] or _layers(task, recipe) < 2:
        return None
    axis = recipe.axes[0]
    why = (
        f"{recipe.entangler} commutes with {axis} and cancelled in the kernel; {SECOND[axis]} now takes turns with it."
    )
    return recipe.model_copy(update={"axes": [axis, SECOND[axis]]}), why


def _angles_add_up(task: Task, recipe: Recipe) -> Change:
    """Rotations about one axis with nothing between are one rotation: only sums of features reach the state."""
    joined = recipe.entangler == "none" or recipe.every > 1
    if len(set(recipe.axes)) > 1 or not joined or n_blocks(task.n_qubits, task.n_features) < 2:
        return None
    axis = recipe.axes[0]
    why = f"Neighbouring blocks of {axis} only added their angles; {SECOND[axis]} now takes turns with it."
    return recipe.model_copy(update={"axes": [axis, SECOND[axis]]}), why


LOOKS: tuple[Callable[[Task, Recipe], Change], ...] = (
    _idle_first_block,
    _more_than_a_turn,
    _entangler_never_stands,
    _everything_commutes,
    _angles_add_up,
)
