"""The qubits of a Toffoli gate: two controls and a target, in any order of words."""

from __future__ import annotations

import re

_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5}
_Q = rf"(?:the\s+)?(?:qubits?\s*|q_?\[?)?(?:\d+|{'|'.join(_ORDINALS)})\]?(?:\s+(?:qubit|one))?"
_PAIR = rf"(?P<controls>{_Q}\s*(?:,|and|&)+\s*{_Q})"
_LAST = rf"(?P<target>{_Q})"
_BE = r"\s*(?:as|is|are|being|for)?\s*(?:the\s+|both\s+)?(?:two\s+)?"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"control\w*(?:\s+qubits?)?\s*(?:=|:|on|by|are|being)?\s*{_PAIR}.{{0,30}}?target\w*(?:\s+qubit)?\s*(?:=|:|"
        rf"on|is|being)?\s*{_LAST}",
        rf"target\w*(?:\s+qubit)?\s*(?:=|:|on|is|being)?\s*{_LAST}.{{0,30}}?control\w*(?:\s+qubits?)?\s*(?:=|:|on|"
        rf"by|are)?\s*{_PAIR}",
        rf"{_PAIR}{_BE}control\w*.{{0,30}}?{_LAST}{_BE}target",
        rf"{_LAST}{_BE}target\w*.{{0,30}}?{_PAIR}{_BE}control",
        rf"{_PAIR}\s*(?:->|to|onto|into|;)\s*{_LAST}",
        rf"\(?\s*{_PAIR}\s*(?:,|and)+\s*{_LAST}",
    )
)


def toffoli_qubits(text: str) -> tuple[tuple[int, int, int], int] | None:
    """Controls and target, and where their words end; None where a text does not name three different qubits.

    Without words for the roles the last qubit is the target, as in ``CCX(0, 1, 2)``.
    """
    for form in _FORMS:
        match = form.search(text)
        if match is None:
            continue
        found = (*_indices(match["controls"]), *_indices(match["target"]))
        if len(set(found)) == 3 and len(found) == 3:
            return (found[0], found[1], found[2]), match.end()
    return None


def _indices(words: str) -> list[int]:
    return [
        _ORDINALS[one.lower()] if one.lower() in _ORDINALS else int(one)
        for one in re.findall(rf"\d+|{'|'.join(_ORDINALS)}", words, re.I)
    ]
