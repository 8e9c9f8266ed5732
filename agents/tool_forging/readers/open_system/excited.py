"""Which basis state of a qubit is the excited one, as the text says it; QuTiP's own convention is |0>."""

from __future__ import annotations

import re

_MARK = r"(?:\s*,?\s*\([^()]{0,40}\)\s*,?)?"  # a remark behind a ket
_IS = r"\s*(?:is|as|being|denotes|means|marks|stands for|labels|=|:|,|\()?\s*(?:called\s+)?"
_HIGH = r"(?:the\s+|an?\s+|its\s+)?(?:excited|upper|higher)\b"
_LOW = r"(?:the\s+|a\s+|its\s+)?(?:ground|lower|lowest)\b"
_WORD = r"(?:[- ](?:states?|levels?|one))?(?:\s+(?:is|being|called|labelled|denoted(?: by)?|=))?\s*[,(:]?\s*(?:of\s+)?"
_DOWN = (
    r"\b(?:decays?|relax\w*|falls?|drops?|goes|jumps?|returns?|emission|relaxation|decay|lowers?|takes?)\b[^.;|]{0,40}?"
)


def _said(ket: str, other: str) -> re.Pattern[str]:
    """Statements that make `ket` the excited state and `other` the ground state."""
    one, two = rf"\|\s*{ket}\s*>", rf"\|\s*{other}\s*>"
    return re.compile(
        rf"\b(?:excited|upper){_WORD}{one}(?!\s*<)|\b(?:ground|lower){_WORD}{two}(?!\s*<)"
        rf"|{one}{_MARK}{_IS}{_HIGH}|{two}{_MARK}{_IS}{_LOW}"
        rf"|{one}{_MARK}[^.;|]{{0,40}}{_DOWN}(?:to|into)\s+(?:the\s+)?(?:\w+\s+){{0,2}}{two}"
        rf"|\b(?:from|of)\s+(?:the\s+)?(?:\w+\s+){{0,2}}{one}\s+(?:down\s+)?(?:to|into)\s+(?:the\s+)?(?:\w+\s+){{0,2}}{two}"
        rf"|{one}\s*->\s*{two}"
    )


_ONE, _ZERO = _said("1", "0"), _said("0", "1")
_LOWERS_TO_ZERO = re.compile(r"sigma_?\{?(?:-|m(?:inus)?)\}?\s*=\s*\|0>\s*<1\|")
_LOWERS_TO_ONE = re.compile(r"sigma_?\{?(?:-|m(?:inus)?)\}?\s*=\s*\|1>\s*<0\|")
_TRANSITION = re.compile(r"sqrt\([^()]*\)\s*\*?\s*\|(?P<to>[01])>\s*<(?P<of>[01])\|")
_QUTIP = re.compile(r"sigmam\(\)|sigmap\(\)|spin[- ](?:up|down)\b|\|(?:up|down)>")
_UP_BY_Z = re.compile(
    r"\b(?:excited|upper)\b[^.;\n]{0,40}(?:Z|sigma_?\{?z\}?)\s*=\s*(?P<a>[+-]?\s*1)\b"
    r"|(?:Z|sigma_?\{?z\}?)\s*=\s*(?P<b>[+-]?\s*1)\b[^.;\n]{0,24}\b(?:excited|upper)\b"
)


def excited_is_one(text: str) -> bool:
    """Whether the text takes |1> for the excited level (its Z is -1 then)."""
    one, zero = _ONE.search(text), _ZERO.search(text)
    if one and not zero:
        return True
    if zero and not one:
        return False
    if one and zero:  # "|1> decays to |0>" beside a definition: the definition stands first
        return one.start() < zero.start()
    by_z = _UP_BY_Z.search(text)
    if by_z:
        return (by_z["a"] or by_z["b"]).replace(" ", "").startswith("-")
    if _LOWERS_TO_ZERO.search(text) or (not _LOWERS_TO_ONE.search(text) and _falls_to(text) == "0"):
        return True
    if _QUTIP.search(text) or _LOWERS_TO_ONE.search(text) or _falls_to(text) == "1":
        return False
    # T1 in words with kets of bits: in the language of quantum information |1> relaxes to |0>
    starts_in_one = re.search(r"\|[01]*1[01]*>", text)
    return bool(re.search(r"\bT_?1\b|relax", text) and starts_in_one and not re.search(r"sigma_?\{?-|sigma\^-", text))


def _falls_to(text: str) -> str:
    """The target of the one jump that is written with kets; empty where there is none, or one in each direction."""
    found = {match["to"] for match in _TRANSITION.finditer(text) if match["to"] != match["of"]}
    return found.pop() if len(found) == 1 else ""
