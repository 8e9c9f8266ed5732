"""The record of a search as a prompt can bear it: the best maps in full, of the others the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whose types use this
    from labwright.agents.feature_map_search.ideas import Tried

LEADERS = 3  # maps whose formula and code a prompt gets


def in_short(tried: list[Tried]) -> list[Tried]:
    """The same maps in the same order; only the best few keep formula, code and summary."""
    last = max((one.trial for one in tried), default=0)
    ranked = sorted((one for one in tried if one.selection is not None), key=lambda one: -(one.selection or 0.0))
    whole = {one.name for one in ranked[:LEADERS]}
    return [one if one.name in whole else _cut(one, one.trial == last) for one in tried]


def _cut(tried: Tried, recent: bool) -> Tried:
    shorter = {"code": ""} if recent else {"code": "", "formula": "", "summary": ""}
    return tried.model_copy(update=shorter)
