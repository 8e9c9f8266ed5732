"""Which sentences of a task a reader has understood: no word and no number of theirs is left over."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from labwright.agents.tool_forging.readers.base import Span
from labwright.agents.tool_forging.readers.language.assignments import Assignment
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.conventions import conventions
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.sentences import Sentence
from labwright.agents.tool_forging.readers.language.units import unit_at

_NUMBER = re.compile(r"(?<![\w.^{_-])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]*[A-Za-z])(?!\.\d)")
_SYMBOL = re.compile(r"[A-Za-z]+(?:_\{[^{}]*\}|_[A-Za-z0-9]+)?[0-9']*")


class Account:
    """Keeps what a reader has used of a task.

    Attributes:
        known: words of the reader's field.
        held: numbers that the specification holds, so that a sentence that says them once more is understood.
    """

    def __init__(self, body: Body, known: Collection[str]) -> None:
        self.body = body
        self.known = frozenset(known)
        self.used: list[tuple[int, int]] = []
        self.held: set[float] = set()

    def use(self, start: int, end: int) -> None:
        """Mark a stretch of the cleaned text as understood."""
        if end > start:
            self.used.append((start, end))

    def find(self, pattern: str, flags: int = re.I) -> re.Match[str] | None:
        """The first place where `pattern` stands; it counts as understood."""
        match = re.search(pattern, self.body.text, flags)
        if match:
            self.use(*match.span())
        return match

    def every(self, pattern: str, flags: int = re.I) -> list[re.Match[str]]:
        """All places where `pattern` stands; they count as understood."""
        found = list(re.finditer(pattern, self.body.text, flags))
        for match in found:
            self.use(*match.span())
        return found

    def use_symbols(self, sets: Sequence[Assignment], formula: str) -> None:
        """Assignments of the symbols of a formula, and of those that these are set by, count as understood."""
        wanted = {key(word) for word in _SYMBOL.findall(formula)}
        for _ in range(len(sets)):
            for one in sets:
                if one.key in wanted:
                    self.use(one.start, one.end)
                    wanted |= {name for item in one.numbers.items for name in item.names}

    def understood(self, sentence: Sentence) -> bool:
        """Whether neither a word nor a number of it is left over."""
        return not self.words(sentence) and not self.numbers(sentence)

    def words(self, sentence: Sentence) -> list[str]:
        """Words that nobody knows."""
        return unknown_words(sentence.text, self.known, self.used, sentence.start)

    def numbers(self, sentence: Sentence) -> list[str]:
        """Numbers that were not used."""
        return [
            m[0]
            for m in _NUMBER.finditer(sentence.text)
            if not (m[0] in {"0", "1"} and not unit_at(sentence.text, m.end())[0])
            and not self._is_used(sentence.start + m.start())
            and not self._restated(sentence.start + m.start(), m[0])
            and not any(a <= sentence.start + m.start() < b for a, b in conventions(self.body.text))
        ]

    def _restated(self, place: int, number: str) -> bool:
        """Whether a number with a unit stands elsewhere, too, where it was used: it is only said once more."""
        unit, end = unit_at(self.body.text, place + len(number))
        if not unit:
            return float(number) in self.held
        told = re.compile(rf"(?<![\w.]){re.escape(self.body.text[place:end])}(?!\w)")
        return any(self._is_used(m.start()) for m in told.finditer(self.body.text))

    def covered(self) -> Sequence[Span]:
        """Spans of the understood sentences, in the original text."""
        return [self.body.span(one) for one in self.body.sentences if self.understood(one)]

    def doubt(self) -> tuple[str, str] | None:
        """The first sentence that could change the physics and is not understood, with what is strange in it."""
        for sentence in self._spoken():
            left = self.numbers(sentence)
            strange = self.words(sentence)
            if left or strange:
                return self.body.original(sentence.start, sentence.end), (strange or left)[0]
        return None

    def _spoken(self) -> Iterable[Sentence]:
        return (one for one in self.body.sentences if not one.is_heading)

    def _is_used(self, place: int) -> bool:
        return any(start <= place < end for start, end in self.used)
