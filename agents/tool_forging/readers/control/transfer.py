"""From which state to which state the pulses of a control task lead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.control.gates import Array
from labwright.agents.tool_forging.readers.control.kets import Kets, is_whole, named_levels, states
from labwright.agents.tool_forging.readers.control.told import ToldWords
from labwright.agents.tool_forging.readers.control.words_of_task import Goal

# between two states: ``|0> to |1>``, ``|00> shall become |11>``
_BECOMES = re.compile(
    r"(?:\s+(?:is|be|shall|should|must|can|has|to))*\s*(?:to|into|->|becomes?|(?:is |be )?(?:turned|"
    r"brought|transferred|"
    r"transformed|moved|driven|steered|taken) (?:in)?to|onto|reach\w*|ends? (?:up "
    r")?in)\s+(?:the\s+)?(?:\w+\s+){0,3}?|\s*->\s*"
)
_TO = re.compile(r"[^.;]{0,40}?\b(?:to|into|->)\s+(?:the\s+)?[^.;,|]{0,24}?")
_MOVES = re.compile(r"(?:from|transfers?|takes?|drives?|steers?|transform)\s+(?:the\s+(?:state\s+)?)?[^.;,|]{0,24}$")
_GAP = r"(?:(?!\b(?:keep|kept|empty|avoid|not|never|to|from|into|level)\b)[^.;\n|<>]){0,40}"
_NEAR = r"\s*:?\s*(?:(?:the|a|an)\s+)?(?:[\w-]+\s+)?(?:states?\b,?\s*)?(?:\|?\w+>?\s*=\s*)?[(\s]*"
_BEGIN = re.compile(
    rf"\b(?:(?:start(?:s|ing|ed)?|begin(?:s|ning)?|initial(?:ly)?|prepared|input)\b{_GAP}|from\b{_NEAR}|"
    rf"\b(?:turns?|takes?|brings?|transforms?|converts?|drives?|steers?|transfers?)\b{_NEAR}|"
    rf"psi_?\{{?(?:0|i|in)\}}?\s*=\s*|psi\(0\)\s*=\s*)$",
    re.I,
)
_END = re.compile(
    rf"\b(?:(?:targets?|goal|final state|end(?:s|ing|ed)?(?: up)?|finish(?:es|ing)?|desired|wanted|destination|"
    rf"reach(?:es|ing)?|arriv\w+)\b{_GAP}|(?:to|into|towards?|[Pp]repare|[Mm]ake|[Cc]reate|[Gg]enerate|[Pp]roduce|[Oo]btain)\b{_NEAR}|"
    rf"psi_?\{{?(?:f|T|target|goal)\}}?\s*=\s*|psi\(T\)\s*=\s*)$",
    re.I,
)
_WORDED = re.compile(r"\b(?P<name>Bell|GHZ|W)[- ]state\b")

Transfer = tuple[Goal, list[list[float]], str, Array, str]


class TransferWords(ToldWords):
    """Reads start and target of a state transfer."""

    def transfer(self) -> Transfer | Question:
        """The two states; a target in words starts from all zeros where nothing else is said."""
        found = states(self.text, self.levels)
        pair = self.side_by_side(found) or self.apart(found)
        if pair is None and not self.qubits:
            told = sorted([*found, *named_levels(self.text, self.levels)], key=lambda one: one.start)
            pair = self.side_by_side(told) or self.apart(told)
        if isinstance(pair, Question):
            return pair
        if pair is not None:
            first, last = pair
            for one in pair:
                if not is_whole(self.text, one):
                    return Question(text=f"What is the whole state beside {one.text}, as a sum of kets?")
                self.account.use(one.start, one.end)
            return self.made(self.amplitudes(first), first.text, self.amplitudes(last), last.text)
        worded = _WORDED.search(self.text)
        start = [one for one in found if _BEGIN.search(self.text[: one.start])]
        if worded and self.qubits > 1 and (target := self.worded(worded["name"])) is not None:
            self.account.use(*worded.span())
            zeros = f"|{'0' * self.qubits}>"
            begin = start[0] if start else states(zeros, self.levels)[0]
            if start:
                self.account.use(begin.start, begin.end)
            said = "" if start else f", reached from {zeros}"
            self.assumed.append(f"The {worded['name']} state is {_FORMS[worded['name']]}{said}.")
            return self.made(self.amplitudes(begin), begin.text, target, worded[0])
        return Question(text="From which state to which state, or which gate?")

    def made(self, first: Array, start: str, last: Array, end: str) -> Transfer:
        pairs = [[float(one.real), float(one.imag)] for one in first]
        return "state", pairs, start, last.reshape(-1, 1), end

    def side_by_side(self, found: Sequence[Kets]) -> tuple[Kets, Kets] | None:
        """Two states with a word of change between them."""
        for first, last in pairwise(found):
            between = self.text[first.end : last.start]
            moved = _TO.fullmatch(between) and _MOVES.search(self.text[: first.start])
            if _BECOMES.fullmatch(between) or moved:
                front = _MOVES.search(self.text[: first.start]) if moved else None
                self.account.use(front.start() if front else first.start, last.end)
                return first, last
        return None

    def apart(self, found: Sequence[Kets]) -> tuple[Kets, Kets] | Question | None:
        """A state behind a word of beginning, and one behind a word for the target."""
        begins = _different([one for one in found if _BEGIN.search(self.text[: one.start])])
        ends = _different([one for one in found if _END.search(self.text[: one.start])])
        ends = [one for one in ends if not any(one.start == other.start for other in begins)]
        if not begins or not ends:
            return None
        if len(begins) > 1 or len(ends) > 1:
            several = begins if len(begins) > 1 else ends
            what = "start" if len(begins) > 1 else "target"
            return Question(text=f"Which state is the {what}?", options=[one.text for one in several])
        for one in (begins[0], ends[0]):
            cue = _BEGIN.search(self.text[: one.start]) or _END.search(self.text[: one.start])
            self.account.use(cue.start() if cue else one.start, one.end)
        return begins[0], ends[0]

    def amplitudes(self, kets: Kets) -> Array:
        """A state as a vector of norm one."""
        psi = np.zeros(len(self.levels), dtype=complex)
        for name, amplitude in kets.parts.items():
            psi[self.levels.index(name)] = amplitude
        norm = float(np.linalg.norm(psi))
        return np.asarray(psi / norm if norm else psi, dtype=complex)

    def worded(self, name: str) -> Array | None:
        """Entangled states that everybody knows by name."""
        psi = np.zeros(2**self.qubits, dtype=complex)
        if name == "W":
            psi[[2**k for k in range(self.qubits)]] = self.qubits**-0.5
            return psi
        if name == "Bell" and self.qubits != 2:
            return None
        psi[[0, -1]] = 0.5**0.5
        return psi


_FORMS = {
    "Bell": "(|00> + |11>)/sqrt(2)",
    "GHZ": "(|0...0> + |1...1>)/sqrt(2)",
    "W": "the even sum of all states with one 1",
}


def _different(found: Sequence[Kets]) -> list[Kets]:
    """Each state once."""
    seen: dict[str, Kets] = {}
    for one in found:
        seen.setdefault(repr(sorted(one.parts.items())), one)
    return list(seen.values())
