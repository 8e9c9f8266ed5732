"""Chemical names in a text, by the table of chemicals and the shapes of systematic names."""

from __future__ import annotations

import re
from functools import cache

from labwright.tools.chemistry.chemicals import SEVERAL, Chemical, lookup, table

_HYPHEN = "[-‐‑–]"
# A locant in front ("3-bromobut-2-ene") or an acid in -ic: a chemical's name, in the table or not.
_CLASSES = "bromide|chloride|iodide|fluoride|cyanide|acetate|acid|alcohol|oxide|nitrate|sulfate|hydroxide|carbonate"
# "10-fold" and "24-well" begin like one.
_PLAIN = r"(?:fold|step|well|hours?|h|min(?:ute)?s?|days?|points?|levels?|place|neck|plate|vial|mL|uL|mg|g|mm|rpm)\b"
_SHAPES = re.compile(
    rf"\b\d+(?:,\d+)*-(?!{_PLAIN})[A-Za-z][\w-]*[A-Za-z](?:\s+(?:{_CLASSES})\b)?|\b[A-Za-z][\w-]*ic\s+acid\b"
)
_CAS = re.compile(r"\b\d{2,7}-\d\d-\d\b")


def find_chemicals(text: str) -> list[tuple[str, int, int]]:
    """Every chemical of `text`: its name in the table (as written if that has none or several), and its place."""
    found: list[tuple[str, int, int]] = []
    for pattern in (*_known(), _CAS, _SHAPES):
        for match in pattern.finditer(text):
            if not any(match.start() < end and start < match.end() for _, start, end in found):
                found.append((_name(match.group()), match.start(), match.end()))
    return sorted(found, key=lambda item: item[1])


def _name(written: str) -> str:
    meant = lookup(written)
    return meant.name if isinstance(meant, Chemical) else written


@cache
def _known() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Names in any case, and abbreviations only as they are written in the table (DMF, not "dmf" or "ether")."""
    written = {name for chemical in table().values() for name in (chemical.name, *chemical.synonyms)} | set(SEVERAL)
    short = {name for name in written if len(name) <= 6 and re.search(r"[A-Z0-9]", name[1:])}
    return _pattern(written - short, re.IGNORECASE), _pattern(short, 0)


def _pattern(names: set[str], flags: int) -> re.Pattern[str]:
    ordered = sorted(names, key=len, reverse=True)
    parts = [re.escape(name).replace(r"\-", _HYPHEN).replace(r"\ ", r"\s+") for name in ordered]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])", flags)
