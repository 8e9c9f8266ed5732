"""Structures that are written into a text: lines or rows of an element and three numbers."""

from __future__ import annotations

import re

from labwright.tools.forge.families.chemistry.smiles import ELEMENTS

BOHR = 0.529177210903  # angstrom
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_GAP = r"(?:\s*[,;|&]\s*|[ \t]+|\s*\)\s*,\s*)"
_ATOM = re.compile(
    rf"(?P<symbol>(?<![A-Za-z])(?:{'|'.join(sorted(ELEMENTS, key=len, reverse=True))}))(?P<index>_?\{{?\d{{0,2}}\}}?)"
    rf"[\"']?[ \t]*[:=|&,]?[ \t]*[\[(]?[ \t]*(?P<x>{_NUMBER}){_GAP}(?P<y>{_NUMBER}){_GAP}(?P<z>{_NUMBER})(?![\w.])"
    r"[ \t]*[\])]?"
)
_JOIN = re.compile(r"[\s;,|/&\\*.)>\[\](\"'-]*(?:and\s+)?(?:\d{1,2}[.)]?\s*)?")
_UNITS = (("bohr", r"\bbohrs?\b|atomic units|\ba\.u\.|\ba_?0\b"), ("angstrom", r"angstr|Å"))


def blocks(text: str) -> list[list[re.Match[str]]]:
    """Runs of at least two atoms with nothing but separators between them; groups ``symbol``, ``x``, ``y``, ``z``."""
    found: list[list[re.Match[str]]] = []
    for match in _ATOM.finditer(text):
        between = text[found[-1][-1].end() : match.start()] if found else ""
        if found and _JOIN.fullmatch(between) and between.count("\n") <= 1:
            found[-1].append(match)
        else:
            found.append([match])
    return [one for one in found if len(one) > 1]


def unit_of(text: str, block: list[re.Match[str]]) -> str:
    """``angstrom`` or ``bohr``, whichever stands nearest to the block; empty if neither does."""
    around = (text[max(0, block[0].start() - 250) : block[0].start()], text[block[-1].end() : block[-1].end() + 100])
    near = sorted(
        (match.start() if k else len(words) - match.start(), unit)
        for unit, pattern in _UNITS
        for k, words in enumerate(around)
        for match in re.finditer(pattern, words, re.I)
    )
    return near[0][1] if near else ""


def positions(text: str, block: list[re.Match[str]]) -> list[tuple[str, list[float]]]:
    """Symbol and coordinates of each atom (angstrom; also where the text names no unit)."""
    factor = BOHR if unit_of(text, block) == "bohr" else 1.0
    return [(one["symbol"], [float(one[axis]) * factor for axis in "xyz"]) for one in block]
