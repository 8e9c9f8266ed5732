"""A task with two levels of theory: structures at one, energies and properties on top of them at another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.spec import Level

_STRUCTURES = r"optimi[sz]|geometr|structure|relax|minimi[sz]"
_CUT = re.compile(
    r"[.;!?]\s|\n|,\s+(?:and\s+)?(?:then|followed by|on|with|for|using|but|while|whereas)\b|\b(?:followed by|"
    r"and then|thereafter|afterwards|on top of|upon|"
    r"(?:on|at) (?:that|this|these|those|the resulting|the optimi[sz]ed|its|their))\b"
)
Pair = tuple[str, str]


def split_levels(
    page: Page, levels: Sequence[Level], mentions: Sequence[tuple[Pair, int]]
) -> tuple[list[Level], Level | None]:
    """Levels of properties and the level of structures, if the text tells them apart; all of them and None otherwise.

    Args:
        mentions: method and basis as they stand together in the text, with their places; correlated methods as HF.
    """
    two = re.search(r"(?<!:)//", page.body)
    if len({pair for pair, _ in mentions}) < 2 and not two:
        return list(levels), None
    structural: list[Pair] = []
    others: list[Pair] = []
    for pair, place in mentions:
        clause = _clause(page.body, place)
        behind = bool(two) and two is not None and 0 <= place - two.end() <= 2
        moves = bool(re.search(_STRUCTURES, clause, re.I)) and not re.search(r"single[- ]point", clause, re.I)
        (structural if behind or (moves and not two) else others).append(pair)
    if len(set(structural)) != 1 or not others or structural[0] in others:
        return list(levels), None
    common = levels[0].model_dump(exclude={"method", "basis"})
    made = [Level(method=method, basis=basis, **common) for method, basis in dict.fromkeys(others)]
    method, basis = structural[0]
    if not two and not page.says(r"single[- ]point"):
        page.assume(f"Structures are those of {method}/{basis}, the level that the text names for them.")
    return made, Level(method=method, basis=basis, **common)


def _clause(text: str, place: int) -> str:
    """The words around a mention up to where another step is told."""
    cuts = list(_CUT.finditer(text))
    start = max((match.end() for match in cuts if match.end() <= place), default=0)
    end = min((match.start() for match in cuts if match.start() > place), default=len(text))
    return text[start:end]
