"""Words of a chemistry task that look like molecules' names and are none that the reader knows."""

from __future__ import annotations

import re
from collections import Counter

from labwright.agents.tool_forging.readers.chemistry.electrons import Found
from labwright.agents.tool_forging.readers.chemistry.names import is_solvent
from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.molecules import MOLECULES
from labwright.tools.forge.families.chemistry.smiles import ELEMENTS, hill

# Words that end like molecules' names and are none.
_COMMON = frozenset(
    "plane membrane gene scene hygiene methane-like arcane mundane insane vane lane cane pane crane "
    "octane-number line determine"
    " combine imagine refine define examine outline baseline machine engine fine".split()
)


# capitals that are no formulas
_CAPITALS = frozenset(
    "SCF UHF CSV NBO UV CI US SI PC IS FCI CC CCS CIS HF KS UKS OK PS NB PI CPU OS NO UCC PCC HOF SN SN1 SN2".split()
)
_ATOM = rf"(?:{'|'.join(sorted(ELEMENTS, key=len, reverse=True))})"
_FORMULA = re.compile(rf"(?<![\w\-=#/()\[.])(?P<formula>(?:{_ATOM}\d*){{2,8}})(?P<sign>[+-]?)(?![\w\-=#/(\[]|\))")


def unknown_formulas(page: Page, found: Found) -> list[str]:
    """Formulas beside other molecules in a list, or with numbers of atoms, that stand for none of those found."""
    known = {one.formula for one in found.species.values()} | {
        hill(_counts(name)) for name in MOLECULES if _counts(name)
    }
    strange = []
    for match in _FORMULA.finditer(page.body):
        word = match["formula"]
        if word in _CAPITALS or word in MOLECULES or any(a <= match.start() < b for a, b in page.spans):
            continue
        listed = re.search(r"(?:,|\band|\bor|\bvs\.?|&)\s+$", page.body[max(0, match.start() - 6) : match.start()])
        part = re.match(
            r"\s+(?:groups?|fragments?|units?|moiet|bonds?|angles?|stretch|bend|wag|"
            r"rock)",
            page.body[match.end() :],
        )
        if part or hill(_counts(word)) in known or not (listed or re.search(r"\d", word)):
            continue
        strange.append(match[0])
    return list(dict.fromkeys(strange))


def _counts(name: str) -> Counter[str]:
    """Elements of a formula; empty for other words."""
    total: Counter[str] = Counter()
    if re.fullmatch(rf"(?:{_ATOM}\d*)+[+-]?", name):
        for symbol, number in re.findall(rf"({_ATOM})(\d*)", name):
            total[symbol] += int(number or 1)
    return total


def unknown_names(page: Page, found: Found) -> list[str]:
    """Words that look like molecules' names and are none of those that were found."""
    known = {word for one in [*found.species, *found.rows, *MOLECULES] for word in re.findall(r"[a-z]+", one.lower())}
    pattern = (
        r"\b(?:[\w,]+-)*[a-z]{2,}(?:ane|ene|yne|anol|amine|aldehyde|quinone|azole|idine|furan|nitrile|phenone|azine)\b|"
        r"\b[a-z]{4,}(?:ic|ous) acid\b"
    )
    strange = []
    for match in re.finditer(pattern, page.body, re.I):
        words = re.findall(r"[a-z]{3,}", match[0].lower())
        if not all(word in known or word in _COMMON for word in words) and not is_solvent(page, match):
            strange.append(match[0])
    return [
        one
        for one in dict.fromkeys(strange)
        if one.lower() not in ("carboxylic acid", "conjugate acid", "known acid", "carboxylic acids")
    ]
