"""The inventor: several different feature maps a trial, broad ones first, then refined by the review."""

from __future__ import annotations

from labwright.agents.feature_map_search.ideas import Idea, ProposeIn, ProposeOut, Task
from labwright.agents.typed_call import AgentCall, Refusal, without_words
from labwright.tools.feature_maps.describe import describe
from labwright.tools.feature_maps.evolutionary_search import Facts, Trial, propose
from labwright.tools.feature_maps.preparation_choice import OWN_GRADING
from labwright.tools.feature_maps.recipe import Recipe

__all__ = ["PROPOSE", "ProposeIn", "ProposeOut", "check_ideas", "idea_of", "propose_by_rules"]


def propose_by_rules(given: ProposeIn) -> ProposeOut | Refusal:
    """As many ideas as asked for, from the search strategy; the same input gives the same ideas.

    What the review suggests is not read: the scores say it better. An idea in words takes a model.
    """
    if given.persons_ideas:
        return without_words(given)
    tried = [Trial(one.recipe, one.selection) for one in given.history if one.recipe is not None]
    recipes = propose(
        facts_of(given.task),
        tried,
        given.n_ideas,
        strategy=given.task.strategy,
        seed=given.task.seed,
        trial=given.trial,
    )
    taken = {one.name.lower() for one in given.history}
    return ProposeOut(ideas=_renamed([idea_of(given.task, recipe) for recipe in recipes], taken))


def facts_of(task: Task) -> Facts:
    """What the search may know of the task."""
    room = task.max_trials * task.ideas_per_trial
    n_evaluations = room if task.max_evaluations is None else min(room, task.max_evaluations)
    return Facts(
        task.n_qubits,
        task.n_features,
        n_evaluations,
        frozenset(task.gates),
        task.scaling in OWN_GRADING,
        task.max_two_qubit_gates,
        task.max_depth,
    )


def idea_of(task: Task, recipe: Recipe) -> Idea:
    """A recipe in words."""
    said = describe(recipe, task.n_qubits, task.n_features)
    return Idea(
        name=said.name,
        explanation=said.explanation,
        formula=said.formula,
        summary=said.explanation,
        key_sentences=[],
        recipe=recipe,
    )


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


def check_ideas(given: ProposeIn, answer: ProposeOut) -> list[str]:
    """As many ideas as asked for, all different and new, each of gates that may be used."""
    wanted = max(given.n_ideas, len(given.persons_ideas))
    found = [f"Give exactly {wanted} ideas, not {len(answer.ideas)}."] if len(answer.ideas) != wanted else []
    taken = {tried.name.lower(): tried.trial for tried in given.history}
    names = [idea.name.lower() for idea in answer.ideas]
    for idea, name in zip(answer.ideas, names, strict=True):
        if name in taken:
            found.append(f"{idea.name}: the name was used in trial {taken[name]}. Choose another.")
        if names.count(name) > 1:
            found.append(f"{idea.name}: two ideas have this name. Name them differently.")
        found += idea_faults(given.task, idea)
    recipes = [idea.recipe for idea in answer.ideas if idea.recipe is not None]
    if any(recipe in recipes[:place] for place, recipe in enumerate(recipes)):
        found.append("Two ideas have the same recipe. Make them differ, in more than a name.")
    return list(dict.fromkeys(found))


def idea_faults(task: Task, idea: Idea) -> list[str]:
    """Gates of the recipe that may not be used, and a formula that cannot be set."""
    found = []
    if idea.recipe is not None:
        used = idea.recipe.gates() - set(task.gates)
        found += [f"{idea.name}: the recipe uses {gate}, which may not be used." for gate in sorted(used)]
    bare = idea.formula.replace(r"\{", "").replace(r"\}", "")  # these are printed braces
    if "$" in bare or bare.count("{") != bare.count("}"):
        found.append(f"{idea.name}: the formula must close every brace and stand without dollar signs.")
    return found


PROPOSE = AgentCall(
    "feature_map_search.propose_ideas",
    "feature_map_search/propose_ideas.md",
    ProposeIn,
    ProposeOut,
    propose_by_rules,
    check_ideas,
    "reasoning",
)
