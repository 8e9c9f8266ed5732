"""The inventor: several different feature maps a trial, broad ones first, then refined by the review."""

from __future__ import annotations

from labwright.agents.call import AgentCall
from labwright.agents.feature_map_search.idea_checks import idea_faults, keeps_wish
from labwright.agents.feature_map_search.ideas import ProposeIn, ProposeOut
from labwright.agents.feature_map_search.propose_policy import propose_by_rules

__all__ = ["PROPOSE", "ProposeIn", "ProposeOut", "check_ideas"]


def check_ideas(given: ProposeIn, answer: ProposeOut) -> list[str]:
    """As many ideas as asked for, all different and new, a person's first, each complete."""
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
    for wish, idea in zip(given.persons_ideas, answer.ideas, strict=False):
        found += keeps_wish(given.task, wish, idea)
    return list(dict.fromkeys(found))


PROPOSE = AgentCall(
    "feature_map_search.propose_ideas",
    "feature_map_search/propose_ideas.md",
    ProposeIn,
    ProposeOut,
    propose_by_rules,
    check_ideas,
    "reasoning",
)
