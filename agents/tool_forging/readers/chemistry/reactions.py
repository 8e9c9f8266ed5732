"""Reactions that are written out or told, and isomers that are compared."""

from __future__ import annotations

import re
from collections import Counter

from labwright.agents.tool_forging.readers.chemistry.electrons import Found
from labwright.agents.tool_forging.readers.chemistry.names import named_matches
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.agents.tool_forging.readers.chemistry.sides import resolved, side_of, tidy
from labwright.agents.tool_forging.readers.chemistry.told_reactions import told_reactions
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.spec import Acid, Reaction, Species, Term


def equations(page: Page, found: Found) -> list[Reaction]:
    """Reactions that are written out, and isomerisations."""
    made: list[Reaction] = []
    for arrow in re.finditer(r"-+>|=>|<=>|⇌|(?<=\s)[>=](?=\s)", page.body):
        before = re.split(r"[\n|:]|[.;?!] |(?:->|=>)", page.body[max(0, arrow.start() - 90) : arrow.start()])[-1]
        behind = re.split(r"[\n|:]|[.;,?!](?= |$)|(?:->|=>)", page.body[arrow.end() : arrow.end() + 90])[0]
        before, behind = _inside(before, behind)
        behind = re.sub(r"\s+\((?![gls]\b)[^()]*\s[^()]*\)?\s*$|\s{2,}\([^()]*\)?\s*$", "", behind)
        if re.search(r"\b[STDQ]_?\{?\d\}?\s*$", before) and re.match(r"\s*[STDQ]_?\{?(?:\d|n)\b", behind):
            continue  # a transition between states
        words = f"{before}{arrow[0]}{behind}"
        start, end = arrow.start() - len(before), arrow.end() + len(behind)
        before_it = dict(found.species)
        sides = [side_of(page, found, side, front) for side, front in ((before, True), (behind, False))]
        if arrow[0] == "=" and (any(side is None for side in sides) or not re.search(r"\s\+\s", words)):
            found.species = before_it
            continue  # an equation of numbers, or a symbol with its value
        if any(side is None for side in sides):
            if re.search(r"R-?H|C_?\{?n|\bpi\b|π|\bn\b", words):
                continue
            formulas = all(re.search(r"(?<![\w])[A-Z][a-z]?\d*(?:[A-Z(]|\b)", side) for side in (before, behind))
            if formulas or page.says(r"reaction|isomeri[sz]|enthalp|gibbs"):
                raise ask(f"Which molecules are meant in {words.strip()!r}? Give their SMILES.")
            continue
        left, right = sides
        assert left is not None
        assert right is not None
        page.spans.append((start, end))
        made.append(_reaction(page, found, tidy(left, right), left, right))
    return made or _isomerisation(page, found) or _told(page, found) or _compared(page, found)


def _inside(before: str, behind: str) -> tuple[str, str]:
    """The sides of an equation without a bracket that stands around the whole of it."""
    if before.count("(") > before.count(")"):
        before = before[before.rindex("(") + 1 :]
    depth = 0
    for place, letter in enumerate(behind):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return before, behind[:place]
    return before, behind


_DIFFERENCE = (
    r"(?:more|less|most|least) stable|\bstabler\b|relative (?:electronic |total )?(?:stabilit|energ|enthalp|"
    r"gibbs|free)|energ\w* difference|"
    r"differences? (?:in|of|between)|(?:which|what) (?:one |isomer |of (?:the|them)\w* )?(?:is|lies) (?:lower|higher)|"
    r"lies? (?:above|below|higher|lower)|by how much|isomeri[sz]ation (?:energ|enthalp)|relative to|energy gap between|"
    r"compar\w+ (?:the |these |all )?(?:\w+ )?isomers|as (?:the )?zero|relative energ|with respect to"
)


def _compared(page: Page, found: Found) -> list[Reaction]:
    """Isomers whose energies are compared: from the first one to each of the others."""
    place = page.asks(_DIFFERENCE)
    names = list(found.species)
    if place is None or len(names) < 2 or len({one.formula for one in found.species.values()}) != 1:
        return []
    if len({one.charge for one in found.species.values()}) != 1:
        return []
    page.spans.append(place.span())
    zero = _zero(page, found)
    if zero is None:
        zero = names[0]
        page.assume(f"Energies are compared with {zero}: positive ones mean that the other one lies higher.")
    return [
        _reaction(page, found, f"{zero} -> {other}", [(1.0, zero, zero)], [(1.0, other, other)])
        for other in names
        if other != zero
    ]


def _zero(page: Page, found: Found) -> str | None:
    """The isomer that the text takes as the zero of energy."""
    names = {name.lower(): name for name in found.species}
    for one in named_matches(page.body):
        smiles = MOLECULES.get(one[0], MOLECULES.get(one[0].lower(), ""))
        names |= {one[0].lower(): name for name, species in found.species.items() if species.smiles == smiles}
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    lead = (
        r"(?:relative to|with respect to|compared (?:to|with)|against|w\.?r\.?t\.?|above|reference(?: is|:)?|"
        r"zero(?: is|:)?)"
    )
    said = page.says(
        rf"{lead}\s+(?:that of |the |those of )?({listed})\b|\b({listed})\s+(?:is |being |taken |set |"
        rf"serves )*(?:as|to|=|at|the)\s+"
        r"(?:the |our |a )?(?:zero|0|reference|origin)|"
        rf"\b({listed})\b[^.;\n]{{0,24}}?,\s+(?:the|our) (?:zero|reference)"
    )
    return names[(said[1] or said[2] or said[3]).lower()] if said else None


def _told(page: Page, found: Found) -> list[Reaction]:
    """Reactions in sentences."""
    made: dict[str, Reaction] = {}
    for (left, right), counts in told_reactions(page, found):
        sides = [[(float(counts[name]), name, name) for name in side] for side in (left, right)]
        name = tidy(*sides)
        made.setdefault(name, _reaction(page, found, name, *sides))
    return list(made.values())


def _reaction(
    page: Page, found: Found, name: str, left: list[tuple[float, str, str]], right: list[tuple[float, str, str]]
) -> Reaction:
    sums: Counter[str] = Counter()
    balance: Counter[str] = Counter()
    for sign, side in ((-1, left), (1, right)):
        for count, species, _ in side:
            sums[species] += sign * count  # type: ignore[assignment]
            one = found.species[species]
            for element, number in re.findall(r"([A-Z][a-z]?)(\d*)", one.formula):
                balance[element] += sign * count * int(number or 1)  # type: ignore[assignment]
            balance["charge"] += sign * count * one.charge  # type: ignore[assignment]
    off = {key: value for key, value in balance.items() if abs(value) > 1e-9}
    if off:
        raise ask(
            f"The reaction {name} is not balanced: products minus reactants leave {off}. Which reaction is meant?"
        )
    return Reaction(
        name=name, terms=tuple(Term(species=key, coefficient=float(value)) for key, value in sums.items() if value)
    )


def _isomerisation(page: Page, found: Found) -> list[Reaction]:
    names = "|".join(
        sorted((re.escape(one) for one in [*found.species, *MOLECULES] if len(one) > 2), key=len, reverse=True)
    )
    place = page.says(rf"isomeri[sz](?:ation|es|e)\s+(?:reaction\s+)?(?:of|from)?\s*({names})\s+(?:in)?to\s+({names})")
    place = place or page.says(rf"({names})\s+isomeri[sz]es?\s+(?:in)?to\s+({names})")
    if not place:
        return []
    page.spans.append(place.span())
    one, other = (resolved(found, place[k]) for k in (1, 2))
    assert one is not None
    assert other is not None
    return [_reaction(page, found, f"{one} -> {other}", [(1.0, one, one)], [(1.0, other, other)])]


def used(reactions: list[Reaction], acid_pairs: list[Acid], found: Found) -> list[Species]:
    """The species that reactions or acids need; all where there are none."""
    if not reactions and not acid_pairs:
        return list(found.species.values())
    names = [term.species for one in reactions for term in one.terms]
    names += [name for one in acid_pairs for name in (one.acid, one.base)]
    return [found.species[name] for name in dict.fromkeys(names)]
