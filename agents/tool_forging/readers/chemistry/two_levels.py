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
    r"(?:on|at|for|with|using) (?:that|this|these|those|the resulting|the optimi[sz]ed|the relaxed|its|their))\b"
    r"(?:\s+(?:\w+\s+)?(?:geometr\w+|structures?|minim\w+)\b)?|\b(?:on|at) the (?:same )?(?:geometr\w+|structures?)\b"
)
# words that want the level of the structures among those of the energies
_EACH = (
    r"\brepeat\b|\b(?:at|for|with) (?:all|each|every)(?: of the)?(?: (?:two|three|four))? levels?\b|\bat (?:both|"
    r"the two|the three) levels\b"
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
        clause = clause_of(page.body, place)
        behind = bool(two) and two is not None and 0 <= place - two.end() <= 2
        moves = bool(re.search(_STRUCTURES, clause, re.I)) and not re.search(r"single[- ]point", clause, re.I)
        (structural if behind or (moves and not two) else others).append(pair)
    if len(set(structural)) != 1 or not others:
        return list(levels), None
    if structural[0] in others and (
        len(set(others)) < 2 or not page.says(r"//|single[- ]point|at th(?:e|o)se (?:structur|geometr)")
    ):
        return list(levels), None
    if structural[0] not in others and page.says(_EACH):
        others.insert(0, structural[0])
    common = levels[0].model_dump(exclude={"method", "basis"})
    made = [Level(method=method, basis=basis, **common) for method, basis in dict.fromkeys(others)]
    method, basis = structural[0]
    if not two and not page.says(r"single[- ]point"):
        page.assume(f"Structures are those of {method}/{basis}, the level that the text names for them.")
    return made, Level(method=method, basis=basis, **common)


def clause_of(text: str, place: int) -> str:
    """The words around a mention up to where another step is told."""
    cuts = list(_CUT.finditer(text))
    start = max((match.end() for match in cuts if match.end() <= place), default=0)
    end = min((match.start() for match in cuts if match.start() > place), default=len(text))
    return text[start:end]
