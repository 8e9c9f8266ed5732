"""Words of a chemistry task that look like molecules' names and are none that the reader knows."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.chemistry.electrons import Found
from labwright.agents.tool_forging.readers.chemistry.names import is_solvent
from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.tools.forge.families.chemistry.molecules import MOLECULES

# Words that end like molecules' names and are none.
_COMMON = frozenset(
    "plane membrane gene scene hygiene methane-like arcane mundane insane vane lane cane pane crane "
    "octane-number line determine"
    " combine imagine refine define examine outline baseline machine engine fine".split()
)


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
