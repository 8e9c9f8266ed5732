"""Text that remembers where each of its characters stood in the original, and substitutions that keep it so."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.base import Span

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Clean:
    """Text that is easy to read for a program.

    Attributes:
        text: plain ASCII mathematics: ``\\ket{0}`` is ``|0>``, a tensor product ``@``, Greek letters have their names.
        origin: offset in the original text of each character, and at the end the original length.
    """

    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The span of the original text that ``text[start:end]`` came from."""
        return self.origin[start], max(self.origin[end], self.origin[start])


def replaced(state: Clean, pattern: re.Pattern[str], replacement: Replacement) -> Clean:
    """One substitution; what is put in points to where the match began."""
    pieces: list[str] = []
    origin: list[int] = []
    end = 0
    for match in pattern.finditer(state.text):
        new = replacement if isinstance(replacement, str) else replacement(match)
        pieces += [state.text[end : match.start()], new]
        origin += state.origin[end : match.start()]
        # a kept inner part keeps its own offsets, so that spans of what stands in it stay right
        inside = state.text.find(new, match.start(), match.end()) if new else -1
        if inside >= 0:
            origin += state.origin[inside : inside + len(new)]
        else:
            origin += [state.origin[match.start()]] * len(new)
        end = match.end()
    if end == 0:
        return state
    return Clean("".join([*pieces, state.text[end:]]), (*origin, *state.origin[end:]))
