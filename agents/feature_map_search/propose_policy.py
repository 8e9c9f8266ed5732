"""The rules mind's ideas: an evolution of recipes, and a person's ideas where their words say a recipe."""

from __future__ import annotations

import hashlib

import numpy as np

from labwright.agents.feature_map_search.ideas import Idea, ProposeIn, ProposeOut, Task
from labwright.agents.feature_map_search.wishes import recipe_of_wish
from labwright.tools.feature_maps.describe import describe
from labwright.tools.feature_maps.evolve import Facts, Trial, propose
from labwright.tools.feature_maps.recipe import Recipe
from labwright.tools.feature_maps.vary import refined

LONGEST_WISH = 120  # words of it that are repeated in a summary
LONGEST_QUERY = 50  # words of it that literature is looked for with


def propose_by_rules(given: ProposeIn) -> ProposeOut:
    """As many ideas as asked for: a person's first, then those of the search strategy.

    The same input gives the same ideas. What the review suggests is not read: the scores say it better.
    """
    taken = {tried.name.lower() for tried in given.history}
    ideas: list[Idea] = []
    for place, wish in enumerate(given.persons_ideas):
        ideas.append(_of_wish(given, wish, place, [idea.recipe for idea in ideas if idea.recipe]))
    wished = [Trial(idea.recipe, None) for idea in ideas if idea.recipe is not None]
    tried = [Trial(one.recipe, one.selection) for one in given.history if one.recipe is not None]
    for recipe in propose(
        facts_of(given.task),
        [*tried, *wished],
        max(given.n_ideas - len(ideas), 0),
        strategy=given.task.strategy,
        seed=given.task.seed,
        trial=given.trial,
    ):
        ideas.append(_of_recipe(given.task, recipe))
    return ProposeOut(ideas=_renamed(ideas, taken))


def facts_of(task: Task) -> Facts:
    """What the search may know of the task."""
    room = task.max_trials * task.ideas_per_trial
    n_evaluations = room if task.max_evaluations is None else min(room, task.max_evaluations)
    return Facts(task.n_qubits, task.n_features, n_evaluations, frozenset(task.gates))


def _of_recipe(task: Task, recipe: Recipe) -> Idea:
    said = describe(recipe, task.n_qubits, task.n_features)
    return Idea(
        name=said.name,
        explanation=said.explanation,
        formula=said.formula,
        summary=said.summary,
        key_sentences=list(said.key_sentences),
        recipe=recipe,
    )


def _of_wish(given: ProposeIn, wish: str, place: int, before: list[Recipe]) -> Idea:
    recipe = recipe_of_wish(wish)
    if recipe is None or not facts_of(given.task).allows(recipe):
        return _in_their_words(wish)
    rng = np.random.default_rng([given.task.seed, given.trial, place])
    while recipe in before:  # the same words twice: a close variant, so that the place is not lost
        recipe = refined(recipe, rng, 0.3)
    idea = _of_recipe(given.task, recipe)
    return idea.model_copy(update={"explanation": f"{idea.explanation} A person asked for it in these words: {wish}"})


def _in_their_words(wish: str) -> Idea:
    """An idea that takes a model or a person to write down; it is kept, so that the record shows it."""
    short, query = _cut(wish, LONGEST_WISH), _cut(wish, LONGEST_QUERY)
    digits = hashlib.sha256(wish.encode()).hexdigest()[:6].upper()
    unread = (
        "The rules mind could not read a recipe in these words. A recipe holds a start in |0> or with Hadamard gates,"
        " rotations by RX, RY or RZ, a scale and its decay from block to block, a centre and an offset of the angles,"
        " an entangling gate (CNOT, CZ, ISWAP, IsingZZ, IsingXX, CRX or CRZ), the wires that it joins, how often it"
        " stands between blocks of features, and how often the whole encoding is repeated."
    )
    next_step = (
        "To have this idea tried, say it again in those words, or search with a language model, which writes code for"
        " ideas outside the recipes too. Until then it stands in the record without a circuit and without a score, and"
        " the search goes on with the other ideas of this trial."
    )
    return Idea(
        name=f"PersonsIdea{digits}",
        explanation=f"A person's idea, in their words: {short} {unread}",
        formula=r"U(x) \ \text{as the person says}",
        summary=f"A person's idea, in their words: {short} {unread} {next_step}",
        key_sentences=[
            f"A quantum feature map for kernel-based classification of images by a support vector machine: {query}"
            " The question is what is known of such an encoding circuit, of its fidelity kernel and the concentration"
            " of that kernel, and of its accuracy in comparison with a Gaussian kernel."
        ],
        recipe=None,
    )


def _cut(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words[:most]) + (" ..." if len(words) > most else "")


def _renamed(ideas: list[Idea], taken: set[str]) -> list[Idea]:
    """The same ideas under names that no map of this search has had."""
    used, found = set(taken), []
    for idea in ideas:
        name, number = idea.name, 2
        while name.lower() in used:
            name, number = f"{idea.name}V{number}", number + 1
        used.add(name.lower())
        found.append(idea if name == idea.name else idea.model_copy(update={"name": name}))
    return found
