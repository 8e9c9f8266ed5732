"""The rules mind's judgement of an idea: rules of thumb, each from something that can be counted.

- Originality: 1 for a known map, up to 9.5 for one that is far from all known maps and from every paper at hand. Far is
  measured between recipes where there is one, otherwise between the words.
- Feasibility: 10, less for gates that are not at hand, angles that are not affine, constants left open, and size.
- Versatility: 9, less for what ties the idea to this data set, its number of features or this device.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np

from labwright.agents.feature_map_search.ideas import Idea, Paper, Score, Task
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.recipe import Recipe, circuit_of, distance
from labwright.tools.knowledge.embedding import HashingEmbedder

REACH = 3.0  # distance of recipes at which a map counts as one third of known
RELATED = 0.2  # likeness of words below which a passage is on something else
GATES_A_FEATURE = 6  # more are slow to evaluate without saying more
# What no affine, untrained encoding needs to say.
NOT_AFFINE = re.compile(
    r"\\(?:sin|cos|tan|arc\w+|exp|log|sqrt)\b|\barc(?:cos|sin|tan)\b|x_?\{?\w*\}?\s*\^\s*\{?[2-9]|x_i\s*x_j"
    r"|(?<!un)(?<!non-)\btrain(?:ed|able)\b|\bneural network|\bmodulo the data|\bsquared? of (?:the|each|a) feature",
    re.IGNORECASE,
)
DENIED = re.compile(r"\b(?:no|not|nothing|never|without|nor|untrained|non)\b[^.;]*$", re.IGNORECASE)
FORMS: dict[str, dict[str, object]] = {
    "the angle-encoding product map": {},
    "YZCX": {"axes": ["RY", "RZ"], "entangler": "CNOT", "pattern": "pairs"},
    "the re-uploading map with CZ rings": {"axes": ["RX", "RZ"], "entangler": "CZ", "repeats": 3},
    "the Hadamard and RZ map with ZZ couplings": {"start": "hadamard", "axes": ["RZ"], "entangler": "IsingZZ"},
}


def judged(task: Task, idea: Idea, papers: list[Paper]) -> Score:
    """Scores and the facts that they rest on."""
    original, near = _originality(idea, papers)
    feasible, hurdles = _feasibility(task, idea)
    versatile, ties = _versatility(task, idea)
    reason = (
        f"Nearest is {near}. {_listed('Against feasibility', hurdles) or 'It can be coded as it stands.'}"
        f" {_listed('Against versatility', ties) or 'Nothing ties it to this data set.'}"
    )
    return Score(originality=original, feasibility=feasible, versatility=versatile, reason=reason)


def missing_literature(idea: Idea, papers: list[Paper]) -> list[str]:
    """What to look for if no passage at hand is about the idea; empty if one is."""
    if any(_alike(idea.summary, f"{paper.title} {paper.summary}") > RELATED for paper in papers):
        return []
    named = [gate for gate in GATES if _names(f"{idea.explanation} {idea.formula}", gate)]
    queries = [f"quantum kernel with {' '.join(named[:4])} gates in the feature map"] if named else []
    queries.append("expressivity and exponential concentration of quantum kernels for classical data")
    queries.append("encoding many features in few qubits by data re-uploading for a support vector machine")
    return queries[:3]


def _originality(idea: Idea, papers: list[Paper]) -> tuple[float, str]:
    """The score, and what is nearest to the idea."""
    near = [(_known_share(idea, name, changes), name) for name, changes in FORMS.items()]
    near += [(_alike(idea.summary, paper.summary), f'the paper "{paper.title}"') for paper in papers]
    share, name = max(near)
    return round(1.0 + 8.5 * (1.0 - share), 1), name


def _known_share(idea: Idea, name: str, changes: dict[str, object]) -> float:
    """1 for the known map itself, towards 0 for one that has nothing of it."""
    if idea.recipe is None:
        return _alike(idea.summary, name)
    return math.exp(-distance(idea.recipe, _known(name)) / REACH)


@cache
def _known(name: str) -> Recipe:
    """A known map in the recipe's grammar, with angles up to pi."""
    plain: dict[str, object] = {
        "start": "zero", "axes": ["RY"], "scale": math.pi, "decay": 1.0, "centre": 0.0, "offset": 0.0,
        "entangler": "none", "entangler_angle": 0.0, "pattern": "ring", "every": 1, "repeats": 1, "mixing": 0.0,
    }  # fmt: skip
    return Recipe.model_validate(plain | FORMS[name])


def _feasibility(task: Task, idea: Idea) -> tuple[float, list[str]]:
    said, score = f"{idea.explanation} {idea.formula}", 10.0
    against: list[str] = []
    if foreign := [gate for gate in GATES if _names(said, gate) and gate not in task.gates]:
        score, against = score - 3.0, [*against, f"{', '.join(foreign)} may not be used"]
    if broken := non_affine(idea):
        score, against = min(score, 2.5), [*against, f'"{broken}" is not a fixed, affine encoding']
    if idea.recipe is None and not re.search(r"\d", said):
        score, against = score - 2.0, [*against, "no constant is given"]
    if idea.recipe is not None:
        count = len(circuit_of(idea.recipe, task.n_qubits, task.n_features).gates)
        if count > GATES_A_FEATURE * task.n_features:
            score, against = score - 1.5, [*against, f"{count} gates are slow to evaluate"]
    else:
        score -= 1.0  # code that no recipe backs has to be understood first
    return round(max(score, 0.0), 1), against


def non_affine(idea: Idea) -> str:
    """Words of the idea that stand for an angle that is trained or not affine; empty if there are none."""
    for text in (idea.formula, idea.explanation):
        for found in NOT_AFFINE.finditer(text):
            if not DENIED.search(text[: found.start()]):  # "nothing is trained" is no training
                return found.group()
    return ""


def _versatility(task: Task, idea: Idea) -> tuple[float, list[str]]:
    said, score = f"{idea.explanation} {idea.summary}", 9.0
    against: list[str] = []
    base = re.split(r"[:/.]", task.dataset)[0]
    if base and re.search(rf"\b{re.escape(base)}\b", said, re.IGNORECASE):
        score, against = score - 1.5, [*against, f"it speaks of {base}"]
    for count, thing in ((task.n_features, "features|components"), (task.n_qubits, "qubits|wires")):
        if idea.recipe is None and re.search(rf"\b{count}[ -](?:{thing})\b", said):  # a recipe holds for any size
            score, against = score - 1.0, [*against, f"it is written for {count} {thing.split('|')[0]}"]
    recipe = idea.recipe
    if recipe is not None and recipe.scale > 2 * math.pi:
        score, against = score - 1.0, [*against, "angles beyond 2 pi make distant values alike"]
    if recipe is not None and recipe.decay < 0.3:
        score, against = score - 1.0, [*against, "late features hardly count, which needs sorted features"]
    return round(max(score, 0.0), 1), against


def _listed(lead: str, facts: list[str]) -> str:
    return f"{lead}: {'; '.join(facts)}." if facts else ""


def _names(text: str, gate: str) -> bool:
    """Whether the gate is named; S, T and the like are words too and count only with `qml.` before them."""
    lead = r"qml\." if len(gate) == 1 else r"(?<![A-Za-z0-9])"
    return re.search(rf"{lead}{re.escape(gate)}(?![A-Za-z0-9])", text) is not None


def _alike(one: str, other: str) -> float:
    """Likeness of two texts by their words, 0 to 1."""
    first, second = HashingEmbedder().matrix([one, other])
    return float(np.clip(first @ second, 0.0, 1.0))
