"""The text of a task about few levels with its ladder operators written in one way."""

from __future__ import annotations

import re
from functools import cached_property

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.traced import Clean, replaced

_WORDS = re.compile(r"\bsigma_?\{?\s?(?P<sign>minus|plus)\}?(?![a-z])")
_SHORT = re.compile(
    r"(?<![\w^}|.])s_?\{?(?P<sign>[+-])\}?(?=\s*(?:[)\]*,;+|]|s_?[+-]|a\b|sigma|$|\.\s|-\s|"
    r"and\b))",
    re.M,
)
_TIMES = re.compile(r"(?<=[\d)])\s+x\s+(?=\d)")


class OpenBody(Body):
    """See `Body`; ``sigma_minus`` and ``s-`` are ``sigma_-``."""

    @cached_property
    def plain(self) -> Clean:
        """The cleaned text."""
        state = replaced(super().plain, _WORDS, lambda m: f"sigma_{'-' if m['sign'] == 'minus' else '+'}")
        state = replaced(state, _TIMES, " * ")
        return replaced(state, _SHORT, lambda m: f"sigma_{m['sign']}")
