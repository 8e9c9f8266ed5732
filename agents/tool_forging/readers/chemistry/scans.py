"""Scans: energies along a bond, and over which distances."""

from __future__ import annotations

import re
from dataclasses import replace

from labwright.agents.tool_forging.readers.chemistry.electrons import ATOMS
from labwright.agents.tool_forging.readers.chemistry.page import Page, ask
from labwright.agents.tool_forging.readers.language.clean import Clean, clean
from labwright.agents.tool_forging.readers.language.numbers import Numbers, integer, numbers_at
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS
from labwright.tools.forge.families.chemistry.spec import Scan, Species


def scan(page: Page, species: list[Species]) -> Scan | None:
    """Energies along a bond."""
    place = page.says(
        r"(?:bond|dissociation|potential[- ]energy|potential|energy|binding|rigid)[- ](?:length )?(?:scan|"
        r"curve)s?|scan (?:of "
        r")?(?:the|its)|potential energy (?:curve|surface)|"
        r"(?:bond (?:length|distance)s?|distances?|separations?)[^.\n]{0,60}\bfrom\s+\d|"
        r"\b[Rr]\s*=\s*\d+(?:\.\d+)?(?:\s*(?:,|and|to|-)+\s*\d+(?:\.\d+)?)+\s*(?:angstr|Å|bohr|pm|a0)"
    )
    if not place:
        return None
    page.spans.append(place.span())
    if len(species) != 1:
        raise ask("The bond of which molecule is scanned?", *(one.name for one in species[:4]))
    elements = _bond(page, species[0])
    plain = clean(page.body)
    for match in re.finditer(
        r"(?:from|between|distances?(?: of)?|lengths?(?: of)?|"
        r"[Rrd](?:\s?\([A-Z][a-z]?\s*-?\s*[A-Z][a-z]?\))?\s*(?:=|in|:)|"
        r"\b[A-Z][a-z]?\s*-\s*[A-Z][a-z]?\s*(?:=|:)|at|to|values?:?|points?:?|"
        r"distances?[^.\d]{0,30}:)\s*(?=[\[{(]?\s*(?:R\s*=\s*)?\d)",
        plain.text,
    ):
        origin = plain.span(match.start(), match.end())[1]
        if any(a <= origin < b for a, b in page.spans if b - a > 20):
            continue  # coordinates
        start = match.start() if re.match(r"from|between", match[0]) else match.end()
        numbers = numbers_at(plain.text, start)
        if numbers is None or (numbers.kind != "range" and len(numbers.items) < 3):
            continue
        numbers = _divided(plain, match.start(), numbers)
        unit = re.match(r"\s*(?:Å|angstr|bohr|a\.?u\.?|a0|pm|nm)?", plain.text[numbers.end :])
        factor = _factor(numbers.unit or (unit[0].strip() if unit else ""))
        page.spans.append(plain.span(match.start(), numbers.end))
        values = [
            value * factor
            for value in (
                numbers.values()
                if numbers.points or numbers.step or numbers.kind != "range"
                else _fifteen(page, numbers.values())
            )
        ]
        relative = page.says(
            r"relative (?:to|energ)|above (?:the|its|their) (?:lowest|minim)|with respect to (?:the|its|their) minim|"
            r"(?:subtract|shift|set)\w*[^.\n]{0,40}(?:minim|lowest|zero)|zero at (?:the|its|their) minim"
        )
        return Scan(
            species=species[0].name,
            elements=elements,
            distances=tuple(round(value, 6) for value in values),
            relative=bool(relative),
        )
    raise ask("Over which distances should the bond be scanned?", "0.5 to 2.5 angstrom in 15 points")


_POINTS = re.compile(
    r"\s*(?:Å|angstroms?|bohrs?|pm)?\s*,?\s*(?:in|with|at|using|on)?\s*\(?\s*(\d+|[a-z]+)\s+(?:equally|evenly)?[ -]?"
    r"(?:spaced |equidistant )?(?:points|distances|values|geometries|lengths)\b\)?"
)


_STEP = re.compile(
    r"\s*(?:Å|angstroms?|bohrs?|pm)?\s*,?\s*\(?(?:with|in|at|using|and)?\s*(?:an?|the)?\s*"
    r"(?:constant |fixed |uniform |equal )?"
    r"(?:step(?:s|size|[ -]size|[ -]width|[ -]length)?|spacing|increment|interval)s?\s*(?:of|=|:|is)?\s*(\d*\.?\d+)"
)


def _divided(plain: Clean, start: int, numbers: Numbers) -> Numbers:
    """A range with the number of its points or its step, where words in front of it or behind it tell them."""
    if numbers.kind != "range" or numbers.points or numbers.step:
        return numbers
    if counted := _POINTS.match(plain.text, numbers.end):
        return replace(numbers, points=integer(counted[1]), end=counted.end())
    if (before := _COUNTED.search(plain.text[:start])) and integer(before[1]):
        return replace(numbers, points=integer(before[1]))
    if stepped := _STEP.match(plain.text, numbers.end):
        return replace(numbers, step=float(stepped[1]), end=stepped.end())
    return numbers


_COUNTED = re.compile(
    r"(\d+|[a-z]+)\s+(?:(?:equally|evenly)[ -]?spaced\s+)?(?:values|points|distances|geometries|lengths)\b"
    r"[^.;\n\d]{0,30}$"
)


def _fifteen(page: Page, ends: list[float]) -> list[float]:
    page.assume("The number of distances is not given: 15 equally spaced ones.")
    return [ends[0] + (ends[1] - ends[0]) * k / 14 for k in range(15)]


def _factor(unit: str) -> float:
    """Angstrom per unit."""
    low = unit.lower()
    if low.startswith(("bohr", "a0", "a.u", "au")):
        return 0.529177210903
    return 0.01 if low == "pm" or low.startswith("picom") else 10.0 if low == "nm" or low.startswith("nanom") else 1.0


def _bond(page: Page, one: Species) -> tuple[str, str]:
    atom = rf"(?:the |a |an )?(?:(?i:{'|'.join(ATOMS)})|[A-Z][a-z]?)(?: atom)?"
    for pattern in (
        r"\b([A-Z][a-z]?)\s*-\s*([A-Z][a-z]?)\s+(?:bond|distance|length|separation|stretch)",
        r"\b[rRd]\s?\(\s*([A-Z][a-z]?)\s*-?\s*([A-Z][a-z]?)\s*\)",
        rf"(?:bond|distance|length|separation)s?\s+(?:between|of|from)\s+({atom})\s+(?:and|to)\s+({atom})\b",
        rf"\b({atom})\s+(?:and|to)\s+({atom})\s+(?:bond|distance)",
        rf"((?i:{'|'.join(ATOMS)}))\s*-\s*((?i:{'|'.join(ATOMS)}))\s+(?:bond|distance|length)",
        r"(?<![\w-])([A-Z][a-z]?)\s*-\s*([A-Z][a-z]?)\s*(?:=|:)\s*\d",
        r"bond\s+([A-Z][a-z]?)\s*-\s*([A-Z][a-z]?)\b",
    ):
        for named in re.finditer(pattern, page.body):
            pair = tuple(_symbol(named[k]) for k in (1, 2))
            if all(part in ELEMENTS and part in re.findall(r"[A-Z][a-z]?", one.formula) for part in pair):
                return pair[0], pair[1]
    counts = re.findall(r"([A-Z][a-z]?)(\d*)", one.formula)
    atoms = [symbol for symbol, count in counts for _ in range(int(count or 1))]
    if len(atoms) != 2:
        raise ask(f"Which bond of {one.name} is scanned? Name its elements, such as O-H bond.")
    return atoms[0], atoms[1]


def _symbol(words: str) -> str:
    """``the carbon atom`` -> ``C``."""
    plain = re.sub(r"^(?:the|a|an)\s+|\s+atom$", "", words.strip(), flags=re.I)
    return ATOMS[plain.lower()][0] if plain.lower() in ATOMS else plain
