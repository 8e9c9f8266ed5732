"""Ladders of ring strain: each ring contracts to the next smaller one with a methyl group."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.electrons import Found, species_of
from labwright.agents.tool_forging.readers.chemistry.page import Page, Stuck, ask
from labwright.tools.forge.families.chemistry.molecules import cycloalkane, methylcycloalkane
from labwright.tools.forge.families.chemistry.spec import Reaction, Term

_LADDER = r"cyclo\s*-?\s*\(?\s*C_?\{?n\}?\s*H_?\{?2n\}?\)?"


def ladder(page: Page, found: Found) -> tuple[list[Reaction], int | None]:
    """Ring-contraction reactions with their zero; no reference if the task is none."""
    place = page.says(_LADDER)
    if not place and not page.says(r"ring[- ]strain|strain energy|strain in the ring|strained ring"):
        return [], None
    if not place and re.search(r"-+>|=>|⇌|\s>\s", page.body):
        return [], None  # the reaction is written out
    if not place:
        raise Stuck(
            Unread(
                "ring strain",
                "Ring strain is known for the ladder cyclo(CnH2n) -> methylcyclo(Cn-1H2n-3) only; write the reactions.",
            )
        )
    end = page.body.find("\n", place.end())
    page.spans.append((place.start(), end if end >= 0 else len(page.body)))
    sizes = _sizes(page)
    found.species.clear()
    made = []
    for n in sizes:
        for name, smiles in (cycloalkane(n), methylcycloalkane(n - 1)):
            found.add(species_of(name, smiles))
        terms = (
            Term(species=cycloalkane(n)[0], coefficient=-1),
            Term(species=methylcycloalkane(n - 1)[0], coefficient=1),
        )
        made.append(Reaction(name=f"n={n}", terms=terms))
    return made, _zero(page, sizes)


def _sizes(page: Page) -> list[int]:
    written = page.says(r"\bn\s*=\s*(\d+(?:\s*(?:,|and|,\s*and|-|to|\.\.\.?)\s*\d+)+)")
    if written:
        page.spans.append(written.span())
        numbers = [int(one) for one in re.findall(r"\d+", written[1])]
        if len(numbers) == 2 and re.search(r"-|to|\.\.", written[1]):
            numbers = list(range(numbers[0], numbers[1] + 1))
    elif spread := page.says(r"C_?\{?(\d+)\}?\s*(?:to|-)\s*C_?\{?(\d+)"):
        numbers = list(range(int(spread[1]) + 1, int(spread[2]) + 1))
    else:
        raise ask("For which ring sizes n are the reactions meant?", "4 to 8", "4 to 6")
    numbers = sorted(set(numbers))
    if numbers[0] < 4 or numbers[-1] > 10 or numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise ask(f"The ring sizes {numbers} are no ladder between 4 and 10. Which are meant?", "4 to 8")
    return numbers


def _zero(page: Page, sizes: list[int]) -> int:
    names = {cycloalkane(n)[0]: n for n in range(sizes[0] - 1, sizes[-1] + 1)}
    ring = "|".join(names)
    pattern = rf"({ring})[^.\n;]{{0,40}}(?:zero|reference)|(?:zero|reference|relative to)[^.\n;]{{0,40}}({ring})"
    said = list(re.finditer(pattern, page.text, re.I))
    if said:
        return names[(said[-1][1] or said[-1][2]).lower()]
    usual = 6 if 6 in names.values() else sizes[-1]
    page.assume(
        f"The ring of zero strain is not named: {cycloalkane(usual)[0]} is taken, the least strained; "
        f"others only shift all values."
    )
    return usual
