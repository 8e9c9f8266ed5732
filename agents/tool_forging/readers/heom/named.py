"""Sites by their names in a text: numbers, letters, donor and acceptor, left and right, first to last."""

from __future__ import annotations

import re
from dataclasses import dataclass

_THING = r"(?:sites?|pigments?|dyes?|chromophores?|molecules?|monomers?|dots?|chlorophylls?|units?|bchls?)"
# a further number of a list is a name, too, unless it has a unit or is itself told to be for some site
_FURTHER = r"(?=\d++(?!\.\d|\s*(?:1?/\s?cm|cm|m?eV|T?Hz|[fpnu]s\b|K\b)|\s+(?:for|on|at|of)\s))"
_NUMBERED = re.compile(
    rf"\b(?P<thing>{_THING})\s*(?:no\.\s*)?#?\(?"
    rf"(?P<list>(?:\d+(?:\s*(?:,|and|or|to|-)+\s*(?:{_THING}\s*)?{_FURTHER})?)+)",
    re.I,
)
_KET = re.compile(r"\|\s*(\d)\s*>")
_LETTER = re.compile(
    r"(?:\b(?:and|or|from|to|on|onto|of|at|in|is|than|above|below|over|under|site|pigment|pigments|dye|dyes|"
    r"molecule|molecules|start|"
    r"called|them|put|excite|between|sites|is that|with)\s+|[(,]\s*|^)(?P<a>[A-Z])(?![\w/(=^_'.-]|\s*[=(^])"
    r"|(?<![\w/|<])(?P<b>[A-Z])(?=\s+(?:lies|is|sits|above|below|over|under|and\s+[A-Z]\b|starts|has|being|->)|'s\b)",
    re.M,
)
_NO_SITE = frozenset("THIKJVENXYZO")
_PAIRS = (("donor", "acceptor"), ("left", "right"), ("upper", "lower"))
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "one": 0, "two": 1, "three": 2}


@dataclass(frozen=True)
class Names:
    """How a text calls its sites.

    Attributes:
        names: in order, lower case; numbers as text.
        first: the number of the first site where they are numbered, beside other names or alone; else 0.
    """

    names: tuple[str, ...]
    first: int = 0

    def index(self, word: str) -> int | None:
        """Which site a name means."""
        plain = word.strip().lower()
        if plain in self.names:
            return self.names.index(plain)
        if plain.isdigit():
            place = int(plain) - self.first
            return place if 0 <= place < len(self.names) else None
        if plain == "last":
            return len(self.names) - 1
        place = _ORDINALS.get(plain, len(self.names))
        return place if place < len(self.names) else None

    def mentioned(self, text: str) -> list[tuple[int, int]]:
        """Sites in a stretch of text as (where, which), in order."""
        found: list[tuple[int, int]] = []
        for match in _NUMBERED.finditer(text):
            for one in re.finditer(r"\d+", match["list"]):
                place = self.index(one[0])
                found.append((match.start("list") + one.start(), -1 if place is None else place))
        words = [name for name in self.names if not name.isdigit()] + [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "last",
        ]
        for word in dict.fromkeys(words):
            pattern = rf"(?<![\w/|<]){word.upper()}(?![\w/(=^_])" if len(word) == 1 else rf"\b{word}\b"
            flags = re.NOFLAG if len(word) == 1 else re.I
            for match in re.finditer(pattern, text, flags):
                place = self.index(word)
                if place is not None:
                    found.append((match.start(), place))
        for match in re.finditer(rf"\b{_THING}\s+(one|two|three)\b", text, re.I):
            found.append((match.start(1), _ORDINALS[match[1].lower()]))
        found += [(match.start(), self.index(match[1]) or 0) for match in _KET.finditer(text)]
        bare = re.compile(
            r"(?<![\w.|])(\d)(?=\s*(?:-|and|to|<->|&)\s*\d(?![\w.])|\s*(?:[.,;:)]|$))|(?<=\d-)(\d)(?=\s*[:=]|"
            r"\s)|(?<=\d and )(\d)\b"
        )
        if not found:
            for match in bare.finditer(text):
                word = match[1] or match[2] or match[3]
                place = self.index(word)
                if place is not None:
                    found.append((match.start(), place))
        return sorted({where: which for where, which in found if which >= 0}.items())


def named_sites(text: str, size: int) -> Names:
    """The names of `size` sites; numbers from 0 or 1 where the text has no others."""
    numbers = [int(one) for match in _NUMBERED.finditer(text) for one in re.findall(r"\d+", match["list"])]
    numbers += [int(one) for one in _KET.findall(text)]
    numbers = [one for one in numbers if one <= size]
    first = 1 if numbers and 0 not in numbers else 0
    letters = list(dict.fromkeys(match["a"] or match["b"] for match in _LETTER.finditer(text)))
    letters = [one for one in letters if one not in _NO_SITE]
    if len(letters) == size:
        return Names(tuple(one.lower() for one in letters), first)
    for pair in _PAIRS:
        if size == 2 and all(re.search(rf"\b{word}\b", text, re.I) for word in pair[:1]):
            return Names(pair, first)
    return Names(tuple(str(k + first) for k in range(size)), first)
