"""Which spin components a task wants averaged: ``<X>``, ``the magnetisation along z``, ``mean of sigma_x``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.tools.forge.families.tensor_network.ground_spec import Pattern

EXPECTATION = re.compile(r"<\s*(?P<inside>[^<>|\n]{1,60}?)\s*>")
_INDEX = r"(?:_?\{?(?P<AT>[ijnLN](?:\s*[-+/]\s*\d)?|[rm]|\d+)\}?)?"
_OPERATOR = re.compile(
    r"(?P<spin>S|sigma|tau)(?:\^\{?(?P<up>[xyz])\}?|_?(?P<low>[xyz])(?![a-z]))" + _INDEX.replace("AT", "at1")
    + r"|(?P<stem>S|sigma)_\{?(?P<at2>[ijnrLN](?:\s*[-+/]\s*\d)?|\d+)\}?\^\{?(?P<high>[xyz])\}?"
    + r"|(?P<pauli>[XYZ])(?![a-z])" + _INDEX.replace("AT", "at3")
)  # fmt: skip
_AXIS = r"(?:the\s+)?(?P<axes>[xyz](?:\s*(?:,|and|or|&)\s*(?:the\s+)?[xyz])*)(?:[- ](?:axis|direction))?\b"
_ALONG = re.compile(rf"(?i:magneti[sz]ations?)[^.;\n]{{0,40}}?\b(?:along|in)\s+{_AXIS}")
_OF = re.compile(
    r"(?i:average|mean|expectation(?: values?)?)\s+(?:values?\s+)?of\s+(?:the\s+)?(?:sigma_?|"
    r"S_?)?\^?(?P<axis>[XYZxyz])\b"
)
_IN_FRONT = re.compile(
    r"(?<![A-Za-z])(?P<axis>[xyzXYZ])[- ](?:(?:spin|component|mean|average)[- ])?(?i:magneti[sz]ation)"
)


def operators(inside: str) -> list[tuple[str, str]]:
    """Letters and indices of the operators in an expectation value."""
    return [
        (
            (m["up"] or m["low"] or m["high"] or m["pauli"]).upper(),
            (m["at1"] or m["at2"] or m["at3"] or "").replace(" ", ""),
        )
        for m in _OPERATOR.finditer(inside)
    ]


def site_letters(
    account: Account, told: Iterable[list[tuple[str, str]]], patterns: Sequence[Pattern] = ()
) -> list[str]:
    """Along which axes the magnetisation is wanted; none where no axis is named.

    Args:
        told: operators of each expectation value of the text.
        patterns: the Hamiltonian's, which tell what the transverse direction is.
    """
    text = EXPECTATION.sub(" ", account.body.text)
    items = wanted(account.body.wanted, "magnetisation")
    found = [one[0][0] for one in told if len(one) == 1]
    found += [one["axis"].upper() for one in _all_of(account, _OF)]
    found += [value.value.upper() for item in items for value in item.labels.get("axis", ()) if value.value in "xyz"]
    found += [letter.upper() for one in _ALONG.finditer(text) for letter in re.findall(r"\b[xyz]\b", one["axes"])]
    found += [one["axis"].upper() for one in _IN_FRONT.finditer(text)]
    across = _transverse(patterns)
    if re.search(r"transverse magneti[sz]ation", text, re.I):
        found.append(across)
    if re.search(r"longitudinal magneti[sz]ation", text, re.I):
        found.append("X" if across == "Z" else "Z")
    return list(dict.fromkeys(found))


def _all_of(account: Account, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """All places of a pattern outside of expectation values; they count as understood."""
    found = list(pattern.finditer(account.body.text))
    for one in found:
        account.use(*one.span())
    return found


def _transverse(patterns: Sequence[Pattern]) -> str:
    """The letter of the field that stands across the couplings; X where that does not say it."""
    pairs = {letter for one in patterns if len(one.letters) == 2 for letter in one.letters}
    fields = {one.letters for one in patterns if len(one.letters) == 1} - pairs
    return fields.pop() if len(fields) == 1 else "X"
