"""A description with its chemicals, amounts and stocks replaced by marks, so that patterns see its structure.

"5 and 10 mg of caffeine in water" becomes "<A0> of <C0> in <C1>". Every mark must be used by some pattern in the end;
what is left over was not understood, and is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from labwright.agents.protocol_design.grammar.amounts import Amounts, find_amounts
from labwright.agents.protocol_design.reading import Amount

MARK = re.compile(r"<([A-Z])(\d+)>")


@dataclass
class Marked:
    """The text under reading.

    Attributes:
        original: the person's text, angle brackets made harmless.
        text: with marks; patterns rewrite it as they go.
        chemicals: names by number of their mark; several marks may have one name.
        amounts: by number of their mark.
        used: marks that some pattern has taken, such as ``A0``.
    """

    original: str
    text: str = ""
    chemicals: list[str] = field(default_factory=list)
    amounts: list[Amounts] = field(default_factory=list)
    stocks: list[str] = field(default_factory=list)
    factors: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def name(self, mark: str) -> str:
        """What a chemical's, stock's or factor's mark (``C0``, ``S1``, ``F2``) stands for."""
        return {"C": self.chemicals, "S": self.stocks, "F": self.factors}[mark[0]][int(mark[1:])]

    def amount(self, mark: str) -> Amounts:
        """The amounts behind ``A0``."""
        return self.amounts[int(mark[1:])]

    def use(self, *marks: str | None) -> None:
        """Count marks as understood."""
        self.used |= {mark for mark in marks if mark}

    def rewrite(self, pattern: str, change: Callable[[re.Match[str]], str]) -> None:
        """Replace every match of `pattern` in the marked text."""
        self.text = re.sub(pattern, change, self.text, flags=re.IGNORECASE)

    def sentences(self) -> list[str]:
        """The marked sentences."""
        return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+|;\s", self.text) if part.strip()]

    def words_of(self, marked: str) -> str:
        """Marked words as the person wrote them."""

        def shown(match: re.Match[str]) -> str:
            kind, number = match[1], int(match[2])
            return self.amounts[number].words if kind == "A" else self.name(kind + match[2])

        return MARK.sub(shown, marked)


def marked(text: str, find: Callable[[str], Iterable[tuple[str, int, int]]]) -> Marked:
    """`text` with marks for what `find` says are chemicals (name, start, end), and for amounts."""
    original = text.replace("<", "‹").replace(">", "›")
    found = Marked(original)
    places: list[tuple[int, int, str]] = []
    masked = original
    for name, start, end in find(original):
        places.append((start, end, f"<C{len(found.chemicals)}>"))
        found.chemicals.append(name)
        masked = masked[:start] + "#" * (end - start) + masked[end:]
    for item in find_amounts(masked):
        places.append((item.start, item.end, f"<A{len(found.amounts)}>"))
        found.amounts.append(item)
    pieces, at = [], 0
    for start, end, mark in sorted(places):
        pieces += [original[at:start], mark]
        at = end
    joined = "".join([*pieces, original[at:]])
    # A single line break is a wrapped line; an empty line, or a list item, begins anew.
    lines = re.split(r"\n\s*\n|\n(?=\s*[-*•])", joined)
    found.text = "\n".join(" ".join(line.split()) for line in lines)
    return found


def single(item: Amounts) -> Amount:
    """A place that states one number."""
    return Amount(value=item.values[0], unit=item.unit, words=item.words)


def levels(item: Amounts, values: Iterable[float]) -> list[Amount]:
    """Several numbers of one place."""
    return [Amount(value=value, unit=item.unit, words=item.words) for value in values]
