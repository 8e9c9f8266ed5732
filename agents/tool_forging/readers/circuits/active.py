"""Gates in passive and pronouns as gates on qubits: ``qubit 3 is hit by a Z`` is ``Z on qubit 3``."""

from __future__ import annotations

import re

_WORDS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5}
_Q = r"(?:(?:the\s+)?(?:qubit\s+)?(?P<{0}>\d|first|second|third|fourth|fifth|sixth)(?:\s+(?:one|qubit|bit))?)"
_GATE = r"(?P<gate>Hadamards?|H|X|Y|Z|S|T|NOT|(?:R[xyzXYZ]|R_[xyz])\s*\([^()]*\))"
_ACTS = (
    r"(?:is|gets|are)\s+(?:first\s+|then\s+|next\s+|now\s+)?(?:inverted|flipped|rotated|acted (?:up)?on|hit|"
    r"subjected|put|sent|transformed|turned|operated on|treated|driven|passed)\s+(?:by|with|to|through|"
    r"into)?\s*(?:an?|the)?\s*"
)
_PASSIVE = re.compile(
    rf"{_Q.format('q')}\s+(?:{_ACTS}|(?:undergoes|receives|gets|passes(?: through)?|sees|experiences)\s+(?:an?|"
    rf"the)?\s*){_GATE}(?:[- ]gate)?\b"
)
_CONTROLS = re.compile(
    rf"{_Q.format('c')}\s+(?:then\s+)?controls\s+(?:an?\s+|the\s+)?(?P<gate>NOT|X|Z|"
    rf"phase)(?:[- ]gate)?\s+(?:on|of|acting on)\s+{_Q.format('t')}"
)
_ONE_CONTROLS = re.compile(
    rf"(?P<gate>C-?NOT|CX|CZ|controlled-NOT|controlled-Z)(?:[- ]gate)?\s*[,(:]?\s*(?:with\s+|"
    rf"where\s+)?{_Q.format('c')}\s+(?:controls|controlling|is (?:the )?control|as (?:the "
    rf")?control)(?!\w)(?!\s*(?:,|and)\s*(?:the\s+)?(?:qubit\s+)?\w+\s+(?:qubit\s+)?(?:as|is))"
)
_IT = re.compile(r"\b(?P<before>(?:to|on|onto|upon)\s+)(?:it|that (?:one|qubit)|the same (?:one|qubit))\b")
_BARE_ONE = re.compile(r"\b(?P<word>first|second|third|fourth|fifth|sixth)\s+one\b")


def active(text: str, n: int) -> str:
    """A sentence whose gates stand in front of the qubits that they act on.

    Args:
        n: number of qubits; with two, the one that does not control is the target.
    """
    made = _BARE_ONE.sub(lambda m: f"{m['word']} qubit", text)
    made = _PASSIVE.sub(lambda m: f"{m['gate']} gate on qubit {_index(m['q'])}", made)
    made = _CONTROLS.sub(
        lambda m: (
            f"{'CZ' if m['gate'] in {'Z', 'phase'} else 'CNOT'} from qubit {_index(m['c'])} to qubit {_index(m['t'])}"
        ),
        made,
    )
    if n == 2:
        made = _ONE_CONTROLS.sub(
            lambda m: f"{m['gate']} from qubit {_index(m['c'])} to qubit {1 - min(_index(m['c']), 1)}", made
        )
    return _IT.sub(lambda m: _referred(made, m), made)


def _index(word: str) -> int:
    return _WORDS[word] if word in _WORDS else int(word)


def _referred(text: str, match: re.Match[str]) -> str:
    """The qubit that a pronoun means: the last one named in front of it."""
    before = list(re.finditer(r"\bqubit (\d)\b|\b(first|second|third|fourth)(?: qubit)?\b", text[: match.start()]))
    if not before:
        return match[0]
    return f"{match['before']}qubit {_index(before[-1][1] or before[-1][2])}"
