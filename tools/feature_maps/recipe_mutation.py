"""Small steps from one recipe to another, and draws from the whole grammar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from labwright.tools.feature_maps.recipe import (
    AXES,
    ENTANGLERS,
    MOST_SCALE,
    PATTERNS,
    STARTS,
    TURNED,
    Axis,
    Recipe,
    tidied,
)

# Choices that belong together; scale and decay trade off against each other.
GROUPS = (
    ("start", "axes"),
    ("scale", "decay"),
    ("centre", "offset"),
    ("entangler", "entangler_angle", "pattern"),
    ("every",),
    ("repeats",),
    ("mixing",),
)
# How often a mutation changes which choice of the structure.
CHOICES = {"axes": 0.3, "entangler": 0.25, "start": 0.15, "pattern": 0.1, "every": 0.1, "repeats": 0.1}


def encodes_first_block(recipe: Recipe) -> bool:
    """False if the first rotations act on their own eigenstates, so that the first features have no effect."""
    return recipe.axes[0] != ("RZ" if recipe.start == "zero" else "RX")


def refined(recipe: Recipe, rng: np.random.Generator, width: float) -> Recipe:
    """The same structure with other numbers; `width` 1 is a step of about a third in scale and decay."""
    step = rng.normal(size=6) * width
    changes = {
        "scale": float(np.clip(recipe.scale * math.exp(0.3 * step[0]), 0.05, MOST_SCALE)),
        "decay": _moved_decay(recipe.decay, 0.6 * step[1]),
        "centre": float(np.clip(recipe.centre + 0.15 * step[2], 0.0, 1.0)) if rng.random() < 0.3 else recipe.centre,
        "offset": recipe.offset + 0.3 * step[3] if rng.random() < 0.2 else recipe.offset,
        "mixing": float(np.clip(recipe.mixing + 0.15 * step[4], -1.0, 1.0)) if rng.random() < 0.2 else recipe.mixing,
        "entangler_angle": recipe.entangler_angle + 0.4 * step[5],
    }
    for name in ("offset", "entangler_angle"):
        changes[name] = float(np.clip(changes[name], -6.28, 6.28))
    return tidied(recipe.model_copy(update=changes))


def _moved_decay(decay: float, step: float) -> float:
    """A step in the logit, so that the decay stays within 0 .. 1."""
    inside = min(max(decay, 0.02), 0.98)
    return 1.0 / (1.0 + math.exp(-(math.log(inside / (1.0 - inside)) + step)))


def mutated(recipe: Recipe, rng: np.random.Generator) -> Recipe:
    """One choice of the structure made anew."""
    choice = str(rng.choice(list(CHOICES), p=list(CHOICES.values())))
    changes: dict[str, Any]
    if choice == "axes":
        changes = {"axes": _draw_axes(rng)}
    elif choice == "entangler":
        entangler = str(rng.choice([name for name in ENTANGLERS if name != recipe.entangler]))
        changes = {"entangler": entangler, "entangler_angle": math.pi / 2 if entangler in TURNED else 0.0}
    elif choice == "repeats":  # the same features again: each time by less, so that the whole angle stays
        repeats = 2 if recipe.repeats == 1 else 1
        changes = {"repeats": repeats, "scale": min(recipe.scale * recipe.repeats / repeats, MOST_SCALE)}
    else:
        options: dict[str, Sequence[Any]] = {"pattern": PATTERNS, "every": (1, 2, 3), "start": STARTS}
        others = [option for option in options[choice] if option != getattr(recipe, choice)]
        changes = {choice: others[int(rng.integers(len(others)))]}
    return tidied(recipe.model_copy(update=changes))


def crossed(one: Recipe, other: Recipe, rng: np.random.Generator) -> Recipe:
    """Each group of choices from one parent or the other; scale and decay stay together, for they trade off."""
    changes = {name: getattr(other, name) for group in GROUPS if rng.random() < 0.5 for name in group}
    return tidied(one.model_copy(update=changes))


def random_recipe(rng: np.random.Generator) -> Recipe:
    """Every choice drawn evenly over its range; the scale evenly in its logarithm from 0.1 to 4 pi."""
    return tidied(
        Recipe(
            start=STARTS[int(rng.integers(len(STARTS)))],
            axes=_draw_axes(rng),
            scale=float(np.exp(rng.uniform(math.log(0.1), math.log(12.5)))),
            decay=float(rng.uniform(0.001, 1.0)),
            centre=float(rng.uniform()),
            offset=float(rng.uniform(-math.pi, math.pi)),
            entangler=ENTANGLERS[int(rng.integers(len(ENTANGLERS)))],
            entangler_angle=float(rng.uniform(-math.pi, math.pi)),
            pattern=PATTERNS[int(rng.integers(len(PATTERNS)))],
            every=int(rng.integers(1, 5)),
            repeats=int(rng.integers(1, 5)),
            mixing=float(rng.uniform(-1.0, 1.0)),
        )
    )


def _draw_axes(rng: np.random.Generator) -> list[Axis]:
    return [AXES[int(pick)] for pick in rng.integers(len(AXES), size=rng.integers(1, 4))]
