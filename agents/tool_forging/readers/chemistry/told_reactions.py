"""Reactions that are told in a sentence: who reacts, what becomes of it; the coefficients follow from the elements."""

from __future__ import annotations

import re
from fractions import Fraction
from math import lcm

from labwright.agents.tool_forging.readers.chemistry.electrons import ATOMS, Found, species_of
from labwright.agents.tool_forging.readers.chemistry.names import named_matches
from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.molecules import MOLECULES

_VERBS = (
    r"react\w*|combin\w+|hydrogenat\w+|dehydrogenat\w+|isomeri[sz]\w*|tautomeri[sz]\w*|combust\w*|burn\w*|becom\w+|"
    r"convert\w*|conversion|turn\w*|rearrang\w+|decompos\w+|dissociat\w+|dimeri[sz]\w*|hydrat\w+|dehydrat\w+|"
    r"hydrolys\w+|"
    r"los\w+|break\w*|cleav\w+|fragment\w*|crack\w*|give|gives|go(?:es)?|oxid\w+|reduc\w+|adds?|addition|"
    r"tak(?:es|ing) up|splits?|synthes\w+|mak(?:es|ing)|form\w*|yield\w*|giv(?:es|ing)|"
    r"produc\w+|isodesmic|exchang\w+|transfer\w*|chlorinat\w+|fluorinat\w+|esterif\w+|neutrali[sz]\w+"
)
_GIVES = (
    r"\b(?:(?:in)?to|into|becom\w+|giv(?:e|es|ing)|form(?:s|ing)?|yield\w*|produc(?:e|es|ing)|mak(?:e|es|ing)|"
    r"as the products?|"
    r"products?(?: are| is)?)\b"
)
_WANTED = r"[Dd]elta[ _]?[EHG]\b|\bd[EHG]\b|enthalp|gibbs|free energ|reaction|isomeri[sz]|exo|endo|heat of|react"
Sides = tuple[list[str], list[str]]


def told_reactions(page: Page, found: Found) -> list[tuple[Sides, dict[str, int]]]:
    """Reactants and products of the first sentence that tells a reaction, or of every item of a list, with numbers."""
    if not page.says(_WANTED):
        return []
    made: list[tuple[Sides, dict[str, int]]] = []
    for match in re.finditer(r"[^\n.;!?]+(?:\.(?=\S)[^\n.;!?]*)*", page.body):
        item = bool(_ITEM.match(match[0])) or bool(
            re.fullmatch(r"\s*(?:\d+|[a-z]|[ivx]+)", page.body[: match.start()].rsplit("\n", 1)[-1].rstrip(". )"))
        )
        if made and not item:
            continue
        sentence = _ITEM.sub("", match[0], count=1)
        sides = _burnt(sentence, found) or _sides(sentence, found)
        if sides is None:
            continue
        counts = balanced(found, *sides)
        if counts is not None:
            page.spans.append(match.span())
            made.append((sides, counts))
            if not item:
                break
    return made


_ITEM = re.compile(r"\s*(?:[-*+]|\(?(?:\d+|[a-z]|[ivx]+)[.):])\s+")


def _sides(sentence: str, found: Found) -> Sides | None:
    if not re.search(rf"\b(?:{_VERBS})\b", sentence, re.I):
        return None
    named = _mentions(sentence, found)
    gives = [one.end() for one in re.finditer(_GIVES, sentence, re.I)]
    places = [place for place in gives if any(at >= place for at, _ in named) and any(at < place for at, _ in named)]
    if len(named) < 2 or not places:
        return None
    cut = min(places, key=lambda place: min(at - place for at, _ in named if at >= place))
    left = list(dict.fromkeys(name for at, name in named if at < cut))
    right = list(dict.fromkeys(name for at, name in named if at >= cut and name not in left))
    return (left, right) if left and right else None


def _mentions(sentence: str, found: Found) -> list[tuple[int, str]]:
    """Species of the task in a sentence, by their names, in order."""
    names = sorted(found.species, key=len, reverse=True)
    made: list[tuple[int, str]] = []
    for name in names:
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", sentence, re.I):
            if not any(abs(at - match.start()) < len(one) for at, one in made):
                made.append((match.start(), name))
    for word, (symbol, _) in ATOMS.items():
        if symbol in found.species and not any(one == symbol for _, one in made):
            made += [(one.start(), symbol) for one in re.finditer(rf"\b{word}\s+atoms?\b", sentence, re.I)][:1]
    for match in named_matches(sentence):
        smiles = MOLECULES.get(match[0], MOLECULES.get(match[0].lower(), ""))
        same = next((one.name for one in found.species.values() if one.smiles == smiles), None)
        if same and not any(one == same for _, one in made):
            made.append((match.start(), same))
    return sorted(made)


def _burnt(sentence: str, found: Found) -> Sides | None:
    """Complete combustion of a compound of carbon, hydrogen and oxygen."""
    match = re.search(r"\b(?:combustion|burn\w*|combust\w*)\b", sentence, re.I)
    fuels = [name for _, name in _mentions(sentence, found) if re.search(r"C\d*H", found.species[name].formula)]
    if match is None or len(fuels) != 1 or re.search(r"[^CHO\d]", found.species[fuels[0]].formula):
        return None
    others = []
    for name in ("O2", "CO2", "H2O"):
        same = next((one.name for one in found.species.values() if one.smiles == MOLECULES[name]), None)
        others.append(same or found.add(species_of(name, MOLECULES[name])).name)
    return [fuels[0], others[0]], others[1:]


def balanced(found: Found, left: list[str], right: list[str]) -> dict[str, int] | None:
    """Smallest whole numbers of each species that balance the elements and the charge; None unless there is one way."""
    names = [*left, *right]
    rows: dict[str, list[Fraction]] = {}
    for column, name in enumerate(names):
        sign = -1 if name in left else 1
        one = found.species[name]
        counts = [(symbol, int(number or 1)) for symbol, number in re.findall(r"([A-Z][a-z]?)(\d*)", one.formula)]
        for element, number in [*counts, ("charge", one.charge)]:
            rows.setdefault(element, [Fraction(0)] * len(names))[column] += sign * number
    free = _kernel([row for row in rows.values() if any(row)], len(names))
    if free is None:
        return None
    scale = lcm(*(one.denominator for one in free))
    whole = [int(one * scale) for one in free]
    if not (all(one > 0 for one in whole) or all(one < 0 for one in whole)):
        return None
    return {name: abs(number) for name, number in zip(names, whole, strict=True)}


def _kernel(rows: list[list[Fraction]], size: int) -> list[Fraction] | None:
    """The only solution of the homogeneous equations, with its last number 1; None if there is none or several."""
    rows = [list(row) for row in rows]
    pivots: list[int] = []
    for column in range(size):
        at = next((k for k in range(len(pivots), len(rows)) if rows[k][column]), None)
        if at is None:
            continue
        top = len(pivots)
        rows[top], rows[at] = rows[at], rows[top]
        rows[top] = [one / rows[top][column] for one in rows[top]]
        for k, row in enumerate(rows):
            if k != top and row[column]:
                rows[k] = [a - row[column] * b for a, b in zip(row, rows[top], strict=True)]
        pivots.append(column)
    free = [column for column in range(size) if column not in pivots]
    if len(free) != 1:
        return None
    solution = [Fraction(0)] * size
    solution[free[0]] = Fraction(1)
    for k, column in enumerate(pivots):
        solution[column] = -rows[k][free[0]]
    return solution
