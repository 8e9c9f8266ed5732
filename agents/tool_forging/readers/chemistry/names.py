"""Molecules and atoms by their names and formulas."""

from __future__ import annotations

import re
from collections import Counter

from labwright.agents.tool_forging.readers.chemistry.electrons import (
    ATOM_OF,
    ATOMS,
    Found,
    checked,
    electrons_stated,
    line_of,
    species_of,
)
from labwright.agents.tool_forging.readers.chemistry.page import PART, Page, goes_on
from labwright.agents.tool_forging.readers.language.coordinates import blocks
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS

ELEMENTAL = ("hydrogen", "nitrogen", "oxygen", "fluorine", "chlorine")


def atoms(page: Page, found: Found) -> None:
    names = "|".join(ATOMS)
    for match in re.finditer(
        rf"\b({names})(?:-\d+)?(?=\s+(?:atom|hyperfine)|-\d)|\b({'|'.join(ATOM_OF)})\s+atom\b|\b(Rb|Cs|Na|K|Li)-\d+\b",
        page.body,
        re.I,
    ):
        if _is_part(page, found, match):
            continue
        word = match[1].lower() if match[1] else ""
        symbol = (
            ATOMS[word][0] if word else next(one for one in ATOM_OF if one.lower() == (match[2] or match[3]).lower())
        )
        page.spans.append(match.span())
        spin = electrons_stated(line_of(page, match.start()))
        found.add(checked(symbol, f"[{symbol}]", "", Counter({symbol: 1}), 0, spin[0], spin[1], ATOM_OF[symbol][1]))


def _is_part(page: Page, found: Found, match: re.Match[str]) -> bool:
    """Whether an atom is one of a molecule's: the charge on it, its place, what it is bonded to."""
    others = (
        found.species or blocks(page.body) or any(one[0].lower() not in ELEMENTAL for one in named_matches(page.body))
    )
    before = page.body[max(0, match.start() - 60) : match.start()]
    return bool(others) and bool(
        re.search(r"\b(?:on|at|onto|to) (?:the|each|every|both|its|either)(?: \w+)?\s*$", before, re.I)
        or re.search(
            r"\b(?:charges?|populations?|positions?|coordinates|bond(?:s|ed)?|distances?|valence)\b[^.;\n]*$",
            before,
            re.I,
        )
    )


def listed_atoms(page: Page, found: Found) -> None:
    """``atomic energies of C, N and O``: symbols of elements that are told to be atoms."""
    for match in re.finditer(
        r"\b[Aa]tom(?:s|ic)?\b[^.\n:]{0,30}?:?\s(?P<list>(?:[A-Z][a-z]?\s*(?:,\s*(?:and\s+)?|and\s+|"
        r"&\s*))+[A-Z][a-z]?)(?![\w-])",
        page.body,
    ):
        symbols = re.findall(r"[A-Z][a-z]?", match["list"])
        if all(one in ELEMENTS for one in symbols):
            page.spans.append(match.span())
            for one in symbols:
                found.add(species_of(one, f"[{one}]"))


def named(page: Page, found: Found) -> None:
    """Names and formulas of common molecules; the molecule of a solvent is none of the task's."""
    have = {one.name.lower() for one in found.species.values()} | {row.lower() for row in found.rows}
    matches = [*named_matches(page.body), *_doubtful(page)]
    owned = [one for one in matches if re.match(r"'s\b", page.body[one.end() :])]
    names = {one[0].lower() for one in owned}
    if found.species or any(
        one[0].lower() not in names for one in matches
    ):  # "water's heavier cousin" names another molecule
        matches = [one for one in matches if one not in owned]
    others = found.species or any(one[0].lower() not in ELEMENTAL for one in matches)
    for match in matches:
        if others and match[0].lower() in ELEMENTAL and not _as_molecule(page, match):
            continue  # "the hydrogen on the nitrogen" names atoms
        name = match[0] if match[0] in MOLECULES else match[0].lower()
        if name.lower() in have or is_solvent(page, match) or any(a <= match.start() < b for a, b in _used(page)):
            continue
        have.add(name.lower())
        page.spans.append(match.span())
        same = next((one for one in found.species.values() if one.smiles == MOLECULES[name]), None)
        if same is not None and same.name != same.smiles:
            continue  # "water (H2O)" is one molecule
        if same is not None:
            del found.species[same.name]
        told = re.match(
            r"(?:\s+(?:cation|anion|radical|ion|molecule))?\s*\(([^()\n]{0,60})\)", page.body[match.end() :]
        )
        stated = electrons_stated(told[1]) if told and re.search(r"charge|multiplicity", told[1]) else (None, None)
        found.add(species_of(name, MOLECULES[name], *stated))


def _as_molecule(page: Page, match: re.Match[str]) -> bool:
    """Whether an element's name is the gas here: beside an arrow or a plus, as a gas, or as what takes part."""
    around = (page.body[max(0, match.start() - 40) : match.start()], page.body[match.end() : match.end() + 30])
    if re.match(r"\s*(?:molecules?|gas|\+|-+>|=|\(|takes?\b|reacts?\b|is (?:added|consumed|taken)|adds?\b)", around[1]):
        return True
    before = (
        r"(?:\+|->|>|=|\d|\bwith|\band|molecular|takes? up|adds?|of|from|plus|gives?|releas\w+|molecules? of|into|to|"
    )
    return bool(re.search(before + r"consumes?|needs?|in)\s+$", around[0], re.I)) and bool(
        page.says(r"react|hydrogenat|combust|burn|enthalp|gibbs")
    )


def _doubtful(page: Page) -> list[re.Match[str]]:
    """Formulas that are words or abbreviations, too, where they are molecules: ``the NO molecule``, ``HF (g)``."""
    pattern = (
        r"(?<![\w-])(?:HF|NO)(?![\w/-])(?=\s*(?:molecules?\b|radicals?\b|bond\b|\(g|gas\b|[-+=]+>|(?<=\s)\+\s))|"
        r"(?<=\bof )(?:HF|NO)(?![\w/-])(?!\s+(?:level|theory|method|calcul|energ|wave|orbital|and\b|/))|"
        r"(?<=molecule )(?:HF|NO)\b|(?<=\+ )(?:HF|NO)(?![\w/-])"
    )
    listed = [
        match
        for match in re.finditer(r"(?<![\w-])(?:HF|NO)(?![\w/-])", page.body)
        if in_list_of_formulas(page.body, *match.span())
    ]
    return [*re.finditer(pattern, page.body), *listed]


def in_list_of_formulas(text: str, start: int, end: int) -> bool:
    """Whether letters stand in a list beside a formula of a common molecule: ``HF, HCl and HBr``."""
    around = re.match(r"\s*(?:,\s*(?:and|or)?|and|or|&)\s*([A-Z]\w*)", text[end:])
    front = re.search(r"([A-Z]\w*)\s*(?:,\s*(?:and|or)?|and|or|&)\s*$", text[max(0, start - 30) : start])
    beside = [one[1] for one in (around, front) if one]
    return any(one in MOLECULES and one not in ("HF", "NO", "THF", "DMSO") for one in beside)


def _used(page: Page) -> list[tuple[int, int]]:
    return [(a, b) for a, b in page.spans if b - a > 12]


def named_matches(text: str) -> list[re.Match[str]]:
    """Where common molecules are named; the longest name wins, formulas by their capitals."""
    names = sorted((one for one in MOLECULES if not re.search(r"[A-Z]", one)), key=len, reverse=True)
    formulas = sorted(
        (one for one in MOLECULES if re.search(r"[A-Z]", one) and one not in ("THF", "DMSO", "HF", "NO")),
        key=len,
        reverse=True,
    )
    words, letters = "|".join(map(re.escape, names)), "|".join(map(re.escape, formulas))
    pattern = (
        rf"(?<![\w-])(?:(?i:{words})(?!-?\d|[\w])|(?:{letters})(?![\w(]|\^?\{{?\d?[+-]\}}?(?![\w>])|[-=#](?=[A-Z(])))"
    )
    part = r"\s+(?:atom|molecules? per|groups?\b|fragments?\b|moiet|units?\b|substituents?\b|ends?\b|side\b)"
    return [
        one
        for one in re.finditer(pattern, text)
        if not re.match(part, text[one.end() :])
        and not (text[one.end() :].startswith(")") and re.search(r"\b[rRdl](?:_?e)?\s?\($", text[: one.start()]))
    ]


def is_solvent(page: Page, match: re.Match[str]) -> bool:
    before, behind = page.body[max(0, match.start() - 40) : match.start()], page.body[match.end() : match.end() + 25]
    if goes_on(page.body[match.end() : match.end() + 80]):
        return False
    if PART.search(before):
        return False
    if re.search(
        r"(?:\bin|solvent[:,]?|solvated by|dissolved in|into|implicit|liquid|phase of|PCM|SMD|medium[\s|:]*)\s*(?:\(|"
        r"implicit |liquid |the solvent )?$|\bin [\w-]+ \($|(?:PCM|SMD)\)?,?\s+(?:with|for|of|using|in)\s+$",
        before,
        re.I,
    ):
        return True
    return bool(
        re.match(
            r"\s+(?:as (?:an? |the )?(?:\w+ )?(?:solvent|continuum|medium)|solvent|solvation|implicit|at 298|"
            r"\(\s*(?:IEF-?PCM|C-?PCM|PCM|SMD)|,?\s*\(?(?:dielectric|permittiv|eps\b|ε)|\(epsilon|\(ε|bonds?\b)",
            behind,
            re.I,
        )
    )
