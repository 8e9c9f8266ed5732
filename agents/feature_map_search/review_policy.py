"""The rules mind's review: compare what was measured, name what the better map has, say what to change next."""

from __future__ import annotations

from statistics import median
from typing import Any

from labwright.agents.feature_map_search.ideas import Direction, Review, Task, Tried

PATIENCE = 10  # trials without a better map before a search may be called complete, and at least
SHARE = 0.5  # of the trials that were allowed: a pause of ten is common in a search of thirty
FADED, ALIKE = 0.02, 0.3  # standard deviation of the kernel off its diagonal: states orthogonal, states alike
LUCK = 0.02  # by which validation may exceed cross-validation; two standard errors at N = 500, accuracy 0.97
SLOW = 3.0  # times the seconds of the best map
WAYS: dict[Direction, str] = {
    "first": "There is no earlier trial to compare with; this sets the level.",
    "large gain": "The best accuracy rose by more than 0.2: what the leader has is kept untouched.",
    "gain": "The best accuracy rose: the leader's change is kept and taken one step further.",
    "no change": "The best accuracy did not move: the bottleneck is elsewhere.",
    "decline": "The best accuracy fell: the search goes back to the best map and changes one thing.",
    "large decline": "The best accuracy fell by more than 0.2: back to the best map, by another principle.",
}
TOLD = {
    "start": "start in {}", "axes": "axes {}", "scale": "scale {} rad", "decay": "decay {}", "centre": "centre {}",
    "offset": "offset {} rad", "entangler": "entangler {}", "entangler_angle": "entangler angle {} rad",
    "pattern": "pattern {}", "every": "an entangling layer every {} block(s)", "repeats": "{} repeat(s)",
    "mixing": "mixing {}",
}  # fmt: skip


def reviewed(
    task: Task,
    trial: int,
    last: list[Tried],
    direction: Direction,
    best: Tried | None,
    past: list[Tried],
    max_suggestions: int,
    hardware: str,
) -> Review:
    """The review of one trial."""
    completed = nothing_left(task, trial, best)
    return Review(
        ranking=ranking(last),
        keep=_keep(last, best),
        suggestions=[] if completed else _suggestions(last, direction, best, past, hardware)[:max_suggestions],
        completed=completed,
        reason=" ".join([_ending(trial, best) if completed else WAYS[direction], *_rejected(last)]),
    )


def nothing_left(task: Task, trial: int, best: Tried | None) -> bool:
    """Whether the best map is perfect, or none was better for half of all trials and for ten."""
    if best is None or best.validation_accuracy is None:
        return False
    return best.validation_accuracy == 1.0 or trial - best.trial >= max(PATIENCE, SHARE * task.max_trials)


def ordered(last: list[Tried]) -> list[Tried]:
    """Best validation accuracy first, what was not evaluated last, equals by selection."""
    return sorted(last, key=lambda one: (-_accuracy(one), -(one.selection or 0.0), one.name))


def ranking(last: list[Tried]) -> str:
    """The maps from best to worst, such as ``A (0.9810) > B = C (0.9740) > D (illegal)``."""
    shown = ""
    for place, one in enumerate(ranked := ordered(last)):
        equal = place and _accuracy(one) == _accuracy(ranked[place - 1]) >= 0
        value = one.outcome if one.validation_accuracy is None else f"{one.validation_accuracy:.4f}"
        shown += f"{' = ' if equal else ' > ' if place else ''}{one.name} ({value})"
    return shown


def _accuracy(tried: Tried) -> float:
    return -1.0 if tried.validation_accuracy is None else tried.validation_accuracy


def _ending(trial: int, best: Tried | None) -> str:
    assert best is not None
    if best.validation_accuracy == 1.0:
        return f"{best.name} classifies all validation data rightly; nothing is left to gain on them."
    return f"No map was better than {best.name} for {trial - best.trial} trials."


def _rejected(last: list[Tried]) -> list[str]:
    """What became of the maps without numbers; the next trial must not repeat it."""
    out = [one for one in last if one.outcome != "evaluated"]
    return [f"{one.name} was {one.outcome}: {one.reason.rstrip('.') or 'no reason was given'}." for one in out]


def _keep(last: list[Tried], best: Tried | None) -> list[str]:
    """What the trial's best map has and its worst lacks, and the leader's recipe."""
    ranked = [one for one in ordered(last) if one.validation_accuracy is not None]
    kept = []
    gained = len(ranked) > 1 and _accuracy(ranked[0]) > _accuracy(ranked[-1])
    if gained and (change := _difference(ranked[0], ranked[-1])):
        kept.append(f"{ranked[0].name} is better than {ranked[-1].name} with {change}.")
    if best is not None and best.recipe is not None:
        recipe = best.recipe
        kept.append(
            f"Best so far, trial {best.trial}: {best.name} with"
            f" {_told(recipe.model_dump(), ('axes', 'scale', 'decay'))}"
            f" and {recipe.entangler if recipe.entangler != 'none' else 'no'} entangler."
        )
    return kept


def _difference(better: Tried, worse: Tried) -> str:
    """The choices in which two recipes differ, or the sizes of maps without."""
    if better.recipe is None or worse.recipe is None:
        return f"{better.two_qubit_gates} instead of {worse.two_qubit_gates} two-qubit gates"
    one, other = better.recipe.model_dump(), worse.recipe.model_dump()
    names = tuple(name for name in TOLD if one[name] != other[name])
    return f"{_told(one, names)} instead of {_told(other, names)}" if names else ""


def _told(recipe: dict[str, Any], names: tuple[str, ...]) -> str:
    return ", ".join(TOLD[name].format(_plain(recipe[name])) for name in names)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "-".join(value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _suggestions(
    last: list[Tried], direction: Direction, best: Tried | None, past: list[Tried], hardware: str
) -> list[str]:
    """One change each, what the numbers ask for first."""
    leader = next((one for one in ordered(last) if one.validation_accuracy is not None), None)
    if best is None:
        return ["Begin with one rotation a feature, constants times features only, on gates of the list."]
    told = []
    if direction in {"decline", "large decline"}:
        told.append(_back(leader, best, past))
    told += _from_kernel(leader or best)
    told += _from_recipe(best)
    if leader is not None and leader.seconds > SLOW * best.seconds > 0 and leader.name != best.name:
        told.append(
            f"Use fewer gates: {leader.name} took {leader.seconds:.1f} s against {best.seconds:.1f} s of {best.name}"
            f"{f' on {hardware}' if hardware else ''}, and is no better."
        )
    if direction == "no change":
        told.insert(0, f"Change another choice of {best.name} than the last trial did: the order of the axes or wires.")
    return told or [f"Vary scale and decay of {best.name} in smaller steps."]


def _back(leader: Tried | None, best: Tried, past: list[Tried]) -> str:
    """Where to return to, and what seems to have done the harm."""
    levels = [one.validation_accuracy for one in past if one.validation_accuracy is not None]
    usual = f"; the median of all earlier maps is {median(levels):.4f}" if levels else ""
    change = _difference(best, leader) if leader is not None and leader.name != best.name else ""
    return f"Go back to {best.name}{f': {change}' if change else ''}{usual}."


def _from_kernel(one: Tried) -> list[str]:
    told = []
    if one.concentration is not None and one.concentration < FADED:
        told.append(f"Turn by smaller angles: the kernel of {one.name} is nearly zero off its diagonal.")
    elif one.concentration is not None and one.concentration > ALIKE:
        told.append(f"Turn by larger angles: the states of {one.name} hardly differ.")
    value, crossed = one.validation_accuracy, one.cross_validation
    if value is not None and crossed is not None and value - crossed > LUCK:
        told.append(f"Do not trust {one.name} alone: validation is above cross-validation; prefer maps good in both.")
    return told


def _from_recipe(best: Tried) -> list[str]:
    recipe = best.recipe
    if recipe is None:
        return [f"Weight the features of {best.name} by their rank, the first ones most."]
    told = []
    if recipe.decay == 1:
        told.append("Let the angles fall from block to block, so that components of little variance count less.")
    if recipe.entangler == "none":
        told.append("Join the wires once between blocks, by a ring of CZ or CNOT.")
    if recipe.repeats > 1:
        told.append("Apply the encoding once: repeats multiply the frequencies that the kernel holds.")
    if len(recipe.axes) == 1:
        told.append("Alternate two axes, so that neighbouring blocks do not only add their angles.")
    told.append(f"Try scales around {recipe.scale:.3g} rad and decays around {recipe.decay:.3g}, one at a time.")
    return told
