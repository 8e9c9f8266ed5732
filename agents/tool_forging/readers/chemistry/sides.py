"""The sides of a written reaction: coefficients and species."""

from __future__ import annotations

import re
from collections import Counter

from labwright.agents.tool_forging.readers.chemistry.electrons import ATOMS, Found, species_of
from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, hill, parse_smiles


def side_of(page: Page, found: Found, text: str, front: bool) -> list[tuple[float, str, str]] | None:
    """Coefficient, species and words of each term; of a sentence's left side only what stands at its end."""
    parts = re.split(r"\s+\+\s+|\s\+\s*(?=[A-Za-z\d])", text.strip())
    terms = []
    for index, part in enumerate(parts):
        outer = (index == 0) if front else (index == len(parts) - 1)
        one = _term(page, found, part.strip(" .,;:"), outer, front)
        if one is None:
            return None
        terms.append(one)
    return terms


def _term(page: Page, found: Found, text: str, outer: bool, front: bool) -> tuple[float, str, str] | None:
    words = text.split()
    for size in range(len(words), 0, -1):
        if size != len(words) and not outer:
            return None
        chosen = words[-size:] if front else words[:size]
        number = re.fullmatch(r"(\d+(?:\.\d+)?|1/2)", chosen[0]) if len(chosen) > 1 else None
        stuck = re.match(r"(\d)(?=[A-Z])", chosen[0]) if not number else None
        name = " ".join(chosen[1:] if number else chosen)
        name = name[1:] if stuck else name
        count = (
            0.5 if number and number[1] == "1/2" else float(number[1]) if number else float(stuck[1]) if stuck else 1.0
        )
        species = resolved(found, name.strip(" .,;:`"))
        if species is not None:
            return count, species, name
    return None


def resolved(found: Found, name: str) -> str | None:
    """Name of a species that `name` means: one that is there, a common one, a formula or a SMILES."""
    for one in found.species:
        if one.lower() == name.lower():
            return one
    common = name if name in MOLECULES else name.lower()
    if common in MOLECULES:
        same = next((one.name for one in found.species.values() if one.smiles == MOLECULES[common]), None)
        return same or found.add(species_of(common, MOLECULES[common])).name
    if re.fullmatch(r"[A-Z][a-z]?", name) and name in ELEMENTS:
        return found.add(species_of(name, f"[{name}]")).name
    atom = re.fullmatch(r"(\w+)[- ]atoms?", name, re.I)
    if atom and atom[1].lower() in ATOMS:
        return found.add(species_of(ATOMS[atom[1].lower()][0], f"[{ATOMS[atom[1].lower()][0]}]")).name
    ion = re.fullmatch(r"(.+?)(?:\^\{?(\d)?)?([+-])\}?", name)
    counts = _condensed(ion[1] if ion else name)
    charge = int(ion[2] or 1) * (1 if ion[3] == "+" else -1) if ion else None
    alike = [
        one.name
        for one in found.species.values()
        if counts and one.formula == hill(counts) and (charge is None or one.charge == charge)
    ]
    if alike and len({found.species[one].smiles for one in alike}) == 1:
        return next((one for one in alike if one in MOLECULES), alike[0])
    if ion or counts:
        made = _hydride_of(name, counts, charge or 0)
        if made and parse_smiles(made):
            return found.add(species_of(name, made)).name
    words = re.fullmatch(r"(.+?)\s+(?:molecule|gas|ion|anion|cation|radical)s?", name, re.I)
    if words and words[1].lower() in MOLECULES:
        return resolved(found, words[1])
    if words and re.search(r"[A-Z]\w*[+-]?$", name) and (inner := resolved(found, name.split()[-1])):
        return inner
    if re.search(r"[=#\[\]()]|^[CNO]{2,}$", name) and parse_smiles(name):
        return found.add(species_of(name, name)).name
    return None


def _hydride_of(name: str, counts: Counter[str], charge: int) -> str:
    """SMILES of one atom with hydrogens, halogens and charge, such as ``[PH4+]``; empty for larger molecules."""
    ends = [symbol for symbol in ("F", "Cl", "Br") for _ in range(counts[symbol])]
    heavy = [symbol for symbol in counts for _ in range(counts[symbol]) if symbol not in ("H", "F", "Cl", "Br")]
    sign = "" if not charge else f"{'+' if charge > 0 else '-'}{abs(charge) if abs(charge) > 1 else ''}"
    if len(heavy) == 1 and (sign or counts["H"]):
        centre = f"[{heavy[0]}{'H' if counts['H'] else ''}{counts['H'] if counts['H'] > 1 else ''}{sign}]"
        return centre + "".join(f"({one})" for one in ends[:-1]) + "".join(ends[-1:])
    return f"[H{sign}]" if not heavy and not ends and counts["H"] == 1 and sign else ""


def _condensed(name: str) -> Counter[str]:
    """Elements of a condensed formula such as ``CH3-CH2-CH3`` or ``(CH2)3``; empty for other words."""
    plain = re.sub(r"[-=#·]", "", name.replace("_", "").replace("{", "").replace("}", ""))
    total: Counter[str] = Counter()
    for group, times, symbol, number in re.findall(r"\(([A-Za-z0-9]+)\)(\d*)|([A-Z][a-z]?)(\d*)", plain):
        if group:
            for one, many in re.findall(r"([A-Z][a-z]?)(\d*)", group):
                total[one] += int(many or 1) * int(times or 1)
        else:
            total[symbol] += int(number or 1)
    rest = re.sub(r"\([A-Za-z0-9]+\)\d*|[A-Z][a-z]?\d*", "", plain)
    return total if not rest and all(one in ELEMENTS for one in total) else Counter()


def tidy(left: list[tuple[float, str, str]], right: list[tuple[float, str, str]]) -> str:
    """The equation in its own words, without the sentence around it."""
    sides = [" + ".join(f"{f'{n:g} ' if n != 1 else ''}{words}" for n, _, words in side) for side in (left, right)]
    return " -> ".join(sides)
