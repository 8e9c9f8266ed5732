"""Numbers of a chemistry text that no part of the specification holds: each is a condition that was passed over."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.chemistry.page import Page
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.tally import passed_over
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

# what a number is compared with sets nothing
_COMPARED = re.compile(
    r"experiment|measured|literature|reference|textbook|tabulated|known (?:value|to)|accepted|published|closest|"
    r"close to|"
    r"(?:should|must|ought to) (?:be|come|lie)|expect|about right|roughly|compare|within|better than|agree|NIST|CODATA|"
    r"decimal|digits?|significant|dpi\b|figures? of|percent|%|pages?|words|minutes?|hours?|threads?|cores?|processors?|"
    r"memory|\bGB\b|deadline|version|\b(?:19|20)\d\d\b|chapter|exercise|sheet|problem \d",
    re.I,
)
_FREE = re.compile(
    r"(?:[A-Z][a-z]?\d*){2,}|\d+(?:\.\d+)?\s*[A-Z][A-Za-z(]|\(\s*\w{1,4}\s*\)|"
    r"^\s*(?:\(?\w{1,3}[.):])|\b\d(?:st|nd|rd|th)\b|"
    r"\b(?:ln|log)\s*\(?\s*10\b|\b\d,\d-|\bn\s*=\s*\d|\b[STDQ]_?\{?\d\b|\b\d+-(?=[a-z])",
    re.M,
)


def numbers_left(page: Page, spec: ChemistrySpec, others: str) -> Unread | None:
    """The first number that was passed over, as a refusal with its sentence; None if there is none.

    Args:
        others: pattern of words that tell that a sentence is another family's.
    """
    body = Body(page.task)
    spans = [*page.spans, *(match.span() for match in _FREE.finditer(page.body))]
    marked = bytearray(len(page.text) + 1)
    for start, end in spans:
        marked[start:end] = b"\1" * (end - start)
    used = [
        (place, place + 1)
        for place, origin in enumerate(body.plain.origin[:-1])
        if origin < len(marked) and marked[origin]
    ]
    used += [(one.start, one.end) for one in body.sentences if re.search(others, one.text, re.I)]
    for one in body.sentences:
        compared = _COMPARED.search(one.text)
        if compared:  # the number may stand right in front of the word: "1.10 angstrom by experiment"
            used.append((one.start + max(0, compared.start() - 30), one.end))
    left = passed_over(body, used, spec.model_dump(mode="json"))
    if left is None:
        return None
    return Unread(left[0], f"The number {left[1]} in it is nothing that the recipes of chemistry take.")
