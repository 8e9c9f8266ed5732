"""Quantities of a HEOM task that carry on with others: one site's value behind another's, units told once, formulas."""

from __future__ import annotations

import re
from dataclasses import replace

from labwright.agents.tool_forging.readers.language.quantities import Filled, Quantity

OF_SITES = ("energy", "coupling", "reorganization", "cutoff")  # slots that may hold a value for each site or pair
_SMALL = re.compile(
    r"(?:\W|\d|\b(?:for|on|at|of|and|the|is|are|that|a|an|to|between|with|sites?|pigments?|dyes?|chromophores?|"
    r"molecules?|monomers?|units?|pairs?|first|second|third|fourth|fifth|last|other|outer|middle|donor|acceptor|left|"
    r"right|its|one|[A-Za-z])\b)*"
)
_OWNED = re.compile(
    r"\d|\b(?:first|second|third|fourth|fifth|last|other|outer|middle|donor|acceptor|left|right|[A-H])\b"
)
_COUNTED = re.compile(r"\s*(?:tiers?|terms?|points?|steps?|Matsubara|Pad[eé]|sites?\b|levels?)", re.I)
# the spectral density whose reorganization energy is lambda, as everybody writes it
_DENSITY = re.compile(
    r"J(?:_\{?\w+\}?)?\s*\(\s*(?:omega|w)\s*\)\s*=\s*(?P<form>[^\n,;=]*?)(?=\s*(?:[,;\n]|\.\s|\.$|$))"
)
_GAMMA = r"(?:gamma|omegac|omegaD|gammac|Lambda|nu)"
_DRUDE = re.compile(
    rf"2(?=.*lambda)(?:(?:lambda|ER|{_GAMMA}|omega)(?=.*/)){{3}}/(?:omega\^2\+{_GAMMA}\^2|{_GAMMA}\^2\+omega\^2)"
)
_LINE_OF_SITE = re.compile(
    r"\W*(?:site|pigment|dye|chromophore|molecule|monomer|donor|acceptor)\s*\w?\s*(?:\([^()\d]*\))?\s*[:=]\s*", re.I
)
_SQUARE = re.compile(r"\b(\d)\s*(?:x|\*|by)\s*\1\b")


def formulas(text: str) -> list[tuple[int, int]]:
    """Stretches that hold numbers but set none: the usual spectral density, the size of a matrix."""
    found = [match.span() for match in _SQUARE.finditer(text)]
    for match in _DENSITY.finditer(text):
        plain = re.sub(r"_\{?[jkinm\d]\}?|[\s{}()*]", "", match["form"]).replace("_", "")
        if _DRUDE.fullmatch(plain):
            found.append(match.span())
    return found


def carry_on(filled: Filled, text: str) -> None:
    """A line of one site alone is its energy; what carries on with a site's quantity goes where that one went.

    Ranges of time are spans, not steps.
    """
    for one in list(filled.rest):
        if one.kind in {"wavenumber", "energy", "frequency"} and _LINE_OF_SITE.fullmatch(one.before):
            filled.rest.remove(one)
            filled.slots.setdefault("energy", []).append(one)
    for one in list(filled.rest):
        slot = _before(filled, one, text)
        if slot:
            filled.rest.remove(one)
            filled.slots[slot].append(one)
    steps = filled.of("step")
    for one in [one for one in steps if one.numbers.kind == "range"]:
        steps.remove(one)
        filled.slots.setdefault("span", []).append(one)
    for slot in OF_SITES:
        filled.slots[slot] = _with_units(filled.of(slot), text)


def _before(filled: Filled, one: Quantity, text: str) -> str:
    """The slot of the quantity that `one` carries on with; empty for none."""
    every = [
        (other.end, name, other) for name, many in filled.slots.items() for other in many if other.end <= one.start
    ]
    if not every:
        return ""
    end, name, other = max(every, key=lambda found: found[0])
    between = text[end : one.start]
    goes_on = (
        name in OF_SITES
        and ("" in {one.kind, other.kind} or one.kind == other.kind)
        and not re.search(r"\.\s|\n\s*\n|:\s*\n", between)
        and bool(_SMALL.fullmatch(between))
        and bool(_OWNED.search(between) or _OWNED.search(one.after[:24]))
        and not _COUNTED.match(one.after)
    )
    return name if goes_on else ""


def _with_units(many: list[Quantity], text: str) -> list[Quantity]:
    """Numbers without a unit in one sentence with others of their slot take the one behind them, else in front."""
    made = list(many)
    for k, one in enumerate(many):
        if one.numbers.unit:
            continue
        for other in (*many[k + 1 :], *reversed(many[:k])):
            low, high = sorted((one, other), key=lambda each: each.start)
            if other.numbers.unit and not re.search(r"\.\s|\n\s*\n", text[low.end : high.start]):
                made[k] = replace(one, numbers=replace(one.numbers, unit=other.numbers.unit))
                break
    return made
