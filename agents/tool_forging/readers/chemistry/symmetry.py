"""Rotational symmetry numbers that a text states; without them they follow from point groups."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.smiles import parse_smiles
from labwright.tools.forge.families.chemistry.spec import Species

_SAID = r"(?:symmetry[ _-]?numbers?|\bsigma|σ)"
_LIST = r"\d+(?:\s*(?:,|and|, and|,\s*and)\s*\d+)*"


def symmetry_numbers(page: Page, species: list[Species]) -> list[Species]:
    """The species with the numbers that the text gives them: one for the only one, pairs, or a list in order."""
    told = page.says(_SAID)
    if told is None:
        return species
    behind = re.split(r"\n\s*\n|[.;](?=\s)", page.body[told.end() : told.end() + 160])[0]
    end = told.end() + len(behind)
    pairs: dict[str, int] = {}
    for one in species:
        for name in _names(one):
            found = re.search(rf"(?<![\w]){re.escape(name)}\s*(?:\(|:|=|is|has)?\s*(\d+)\b(?!\.\d)", behind)
            found = found or re.search(
                rf"(?<![\w.])(\d+)\s+(?:for|in|of)\s+(?:the\s+)?{re.escape(name)}(?![\w])", behind
            )
            if found:
                pairs.setdefault(one.name, int(found[1]))
    if len(pairs) < len(species):
        listed = re.match(rf"[^\d\n]{{0,40}}?({_LIST})(?!\.\d)\b", behind)
        numbers = [int(one) for one in re.findall(r"\d+", listed[1])] if listed else []
        ordered = _ordered(species, behind) or species
        numbers = numbers[:1] if len(species) == 1 else numbers
        if len(numbers) == len(species):
            pairs = {one.name: number for one, number in zip(ordered, numbers, strict=True)}
    if pairs:
        page.spans.append((told.start(), end))
    return [
        one.model_copy(update={"symmetry_number": pairs[one.name]}) if one.name in pairs else one for one in species
    ]


def _ordered(species: list[Species], words: str) -> list[Species]:
    """The species in the order of their names in some words; none unless all are there."""
    places = []
    for one in species:
        found = [re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", words) for name in _names(one)]
        at = [match.start() for match in found if match]
        if not at:
            return []
        places.append((min(at), one))
    return [one for _, one in sorted(places, key=lambda pair: pair[0])]


def _names(one: Species) -> list[str]:
    """All names under which a species is known."""
    mine = parse_smiles(one.smiles) if one.smiles else None
    same = [name for name, smiles in MOLECULES.items() if smiles == one.smiles] if mine else []
    return list(dict.fromkeys([one.name, *same]))
