"""Numbers that set nothing: the range of a result by its units, digits to print, where something was published."""

from __future__ import annotations

import re
from functools import lru_cache

_PART = r"[-+]?(?:1|1\.0|0\.5|1/2|\(1/2\)|0\.25|1/4|\(1/4\))"
_RANGE = (
    rf"(?:(?:lies?|is|are|runs?|ranges?|stays?|always|values)\s+){{0,3}}(?:between|from)\s+{_PART}\s+(?:and|to)\s+{_PART}|"
    rf"(?:is|are|lies?|stays?)?\s*(?:at most|at the most|never (?:above|larger than)|bounded by)\s+{_PART}"
    r"(?:\s+in (?:size|magnitude|modulus|absolute value))?"
)
# how large a result can be in units of its operators; a bound of anything else is a condition
_BY_UNITS = re.compile(
    r"\b(?:Pauli|spin)[- ](?:units?|operators?|matrices)\b[^.;()\n]{0,30}[,(]\s*"
    r"(?:(?:so that|so|i\.e\.,?|hence|thus|which)\s+)?"
    rf"(?:(?:it|they|this|that)\s+)?(?P<range>{_RANGE})(?=\s*[).;,\n]|\s*$)",
    re.I,
)
_RESULT = re.compile(r"correlat\w+|magneti[sz]ation\w*|expectation|polari[sz]ation\w*|imbalance|<[^<>\n]+>", re.I)
_TOLD = re.compile(
    r"\b(?:(?:to|with|at|in)\s+)?(?:(?:at least|at most|about)\s+)?\d+\s*(?:digits?|decimals?|decimal places|"
    r"significant (?:digits?|figures)|dpi)\b",
    re.I,
)
_PUBLISHED = re.compile(
    r"\barXiv:\s*\d{4}\.\d{4,5}(?:v\d+)?|\bdoi:\s*\S+|\bhttps?://[^\s)]+|"
    r"\b(?:Phys\. Rev\.|Rev\. Mod\. Phys\.|J\. Chem\. Phys\.|Nature|Science|New J\. Phys\.)[^;\n()]{0,40}"
    r"\((?:19|20)\d\d\)|\(\s*[A-Z][A-Za-z]+(?:(?: and| &|,)? (?:[A-Z][A-Za-z]+|et al\.))*,? (?:19|20)\d\d\s*\)|"
    r"\bRefs?\.\s*\[\d{1,3}(?:\s*[,-]\s*\d{1,3})*\]"
)
_HALVES = re.compile(r"(?<!\w)S(?:\^\w|_\w)?\s*=\s*(?:sigma(?:\^\w|_\w)?|Pauli)\s*/\s*2(?![\d.*])")


@lru_cache(maxsize=32)
def conventions(text: str) -> tuple[tuple[int, int], ...]:
    """Stretches of the cleaned text whose numbers no specification has to hold."""
    found = [match.span("range") for match in _BY_UNITS.finditer(text) if _RESULT.search(_clause(text, match.start()))]
    found += [match.span() for pattern in (_TOLD, _PUBLISHED, _HALVES) for match in pattern.finditer(text)]
    return tuple(found)


def _clause(text: str, place: int) -> str:
    """What stands in front of a place, back to the end of the sentence or line before."""
    return re.split(r"[;\n]|\.\s", text[max(0, place - 200) : place])[-1]
