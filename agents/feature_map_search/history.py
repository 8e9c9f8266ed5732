"""The record of a search as a prompt can bear it: every number and recipe, few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whose types use this
    from labwright.agents.feature_map_search.ideas import Tried

LEADERS = 4  # maps whose whole summary a prompt gets, besides those of the last trial
WORDS = 20  # of the summary of every other map


def in_short(tried: list[Tried]) -> list[Tried]:
    """The same maps in the same order; only the best few and those of the last trial keep their whole summary."""
    last = max((one.trial for one in tried), default=0)
    ranked = sorted((one for one in tried if one.selection is not None), key=lambda one: -(one.selection or 0.0))
    whole = {one.name for one in ranked[:LEADERS]} | {one.name for one in tried if one.trial == last}
    return [one if one.name in whole else _cut(one) for one in tried]


def _cut(tried: Tried) -> Tried:
    words = tried.summary.split()
    if len(words) <= WORDS:
        return tried
    return tried.model_copy(update={"summary": " ".join(words[:WORDS]) + " ..."})
