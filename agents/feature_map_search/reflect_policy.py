"""What a second look at a recipe can mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labwright.agents.feature_map_search.reflect import ReflectIn, ReflectOut


def improved(given: ReflectIn) -> ReflectOut:
    """The idea, changed where a fact asks for it."""
    from labwright.agents.feature_map_search.reflect import ReflectOut

    return ReflectOut(idea=given.idea, done=True, change="")
