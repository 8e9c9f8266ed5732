"""Every number of a task with the words around it, and the slots of a specification that numbers are put into.

A slot says what it is called, what it measures and by which symbols it goes. A number goes to the slot whose words
stand nearest to it and whose dimension is its own; a number behind another one of its kind that says nothing of its
own, as in ``60, 40 and 20 meV`` or ``donor at 200, acceptor at 0``, goes where that one went.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at
from labwright.agents.tool_forging.readers.language.scalars import NAME, NUMBER_WORDS, key
from labwright.agents.tool_forging.readers.language.units import kind

_START = re.compile(r"(?<![\w.^{|<}/])(?<!\^[-+])(?:[-+]\s?)?(?:\d|\.\d)")
_WORDS = "|".join(NUMBER_WORDS)
# numbers that are names: "site 2", "levels 1 and 3", "|1>", "pair 1-2:"
NAMES = re.compile(
    r"\b(?:sites?|qubits?|spins?|levels?|states?|dyes?|pigments?|molecules?|monomers?|chromophores?|atoms?|ions?|dots?|"
    r"bits?|numbers?|no\.|units?|parts?|steps?|index|indices|figures?|panels?|emitters?|bodies|particles?)\s+#?"
    r"(?:(?:\d+|one|two|three|four)(?!\.\d)(?:\s*(?:,|and|or|-|to|&)+\s*(?=\d++(?!\.\d|\s*(?:1?/\s?cm|cm|m?eV|T?Hz|"
    r"[fpnu]s\b|K\b)|\s+(?:for|on|at|of)\s+(?:the\s+)?(?:sites?|qubits?|spins?|dyes?|pigments?|"
    r"molecules?|monomers?|chromophores?|first|second|third|last)\b)))?)+"
    r"(?!\s*(?:1/cm|[fpnu]s\b|K\b))"
    r"|(?<![\w.])\d\s*-\s*\d\s*(?=:|=|coupling)|\bbetween\s+\d\s+and\s+\d\b(?!\.\d)|\|\s*[^|<>\n]{1,12}>|<\s*[^|"
    r"<>\n]{1,12}\|",
    re.I,
)
_NAMED = re.compile(
    rf"(?<![\w|<^}}])(?P<name>(?:1\s*/\s*)?{NAME}(?:\^-1)?)\s*(?:=|:|~|\bis\b|\bof\b|\bin\b)?\s*[\[({{]?\s*$"
)
_BREAK = re.compile(r"[;]|:\s|\.\s|\.$|,\s+(?:and\s+)?(?:while|whereas|but|then)\b")
_WRAPPED = 56  # a line at least that long goes on in the next one
_FAR = 0.04  # of a score for each character between words and number


@dataclass(frozen=True)
class Quantity:
    """A number, list or range of the text.

    Attributes:
        numbers: values and unit.
        start: offset of its first character.
        end: behind the last one, its unit included.
        before: what stands in front of it in its clause, back to the quantity before.
        after: what stands behind it in its clause, up to the next quantity.
        symbol: key of the symbol that it is given to; empty for none.
    """

    numbers: Numbers
    start: int
    end: int
    before: str
    after: str
    symbol: str = ""

    @property
    def kind(self) -> str:
        """What it measures; empty for a plain number."""
        return kind(self.numbers.unit) if self.numbers.unit else ""


@dataclass(frozen=True)
class Slot:
    """A place in a specification that numbers can fill.

    Attributes:
        name: of the slot.
        kinds: what may fill it, see `labwright.agents.tool_forging.readers.language.units.kind`.
        words: how it is called, as a regular expression.
        symbols: keys of the symbols that it goes by.
        alone: whether its dimension is enough where no words speak for another slot.
    """

    name: str
    kinds: tuple[str, ...]
    words: str
    symbols: tuple[str, ...] = ()
    alone: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![A-Za-z])(?:{self.words})(?![A-Za-z])", re.I)


@dataclass
class Filled:
    """Quantities by slot, in the order of the text, and those that no slot took."""

    slots: dict[str, list[Quantity]] = field(default_factory=dict)
    rest: list[Quantity] = field(default_factory=list)

    def of(self, name: str) -> list[Quantity]:
        return self.slots.get(name, [])


def quantities(
    body: Body, taken: Collection[tuple[int, int]] = (), known: Iterable[str] | None = None, things: str = ""
) -> list[Quantity]:
    """Every quantity outside of `taken`, such as matrices and formulas.

    Args:
        known: symbols that may stand in arithmetic.
        things: what numbers in words may count here, as a regular expression; ``the left one`` is no number.
    """
    text = body.text
    found: list[tuple[Numbers, int]] = []
    last = 0
    taken = [*taken, *(match.span() for match in NAMES.finditer(text))]
    spoken = re.finditer(rf"\b(?:{_WORDS})(?=[\s-]+(?:{things or '(?!)'})\b)", text, re.I)
    for match in sorted([*_START.finditer(text), *spoken], key=lambda one: one.start()):
        place = match.start()
        if place < last or any(a <= place < b for a, b in taken) or _part_of_name(text, place):
            continue
        numbers = numbers_at(text, _bracket(text, place), known)
        if numbers is None:
            continue
        found.append((numbers, place))
        last = numbers.end
    return [_made(text, found, k, body) for k in range(len(found))]


def _bracket(text: str, place: int) -> int:
    """Where a bracket or a "from" in front of a number begins, so that its list or range is read as one."""
    lead = re.search(
        r"(?:[\[{]\s*|\b(?:from|between|ranging from)\s+(?:[A-Za-z]\w*\s*=\s*)?)$", text[max(0, place - 24) : place]
    )
    return place - len(lead[0]) if lead else place


def _part_of_name(text: str, place: int) -> bool:
    """Whether a number belongs to a name: ``sigma_1``, ``rho(0)``, ``spin 1/2``."""
    if re.match(r"1\s*/\s*(?:\(?\s*\d|[A-Za-z])", text[place : place + 8]) and not re.search(r"\d\s*$", text[:place]):
        return True  # "a rate of 1/(60 fs)": the time says it; "(in 1/cm)": a unit alone
    line = text[text.rfind("\n", 0, place) + 1 : place].strip()
    if re.match(r"\d+[.)]\s", text[place : place + 5]) and line in {"", "("}:
        return True  # of a list item
    if re.search(r"\bhbar\s*=\s*$", text[max(0, place - 10) : place]):
        return True
    return bool(re.search(r"[|<_]\s*$|\bspin[- ]$|\b(?:rho|psi|P|C|F|I|S)\($", text[max(0, place - 8) : place]))


def _made(text: str, found: Sequence[tuple[Numbers, int]], k: int, body: Body) -> Quantity:
    numbers, start = found[k]
    low = found[k - 1][0].end if k else 0
    high = found[k + 1][1] if k + 1 < len(found) else len(text)
    whole = next(((one.start, one.end) for one in body.sentences if one.start <= start < one.end), (start, numbers.end))
    before = _last_clause(text, max(low, whole[0]), start)
    after = _first_clause(text[numbers.end : min(high, whole[1])])
    named = _NAMED.search(text[max(0, start - 40) : start])
    return Quantity(
        numbers, start, numbers.end, before, after, key(re.sub(r"[\s^]|-1$", "", named["name"])) if named else ""
    )


def _last_clause(text: str, low: int, high: int) -> str:
    """The stretch behind the last line that ends by itself: a long one is wrapped and goes on."""
    for match in reversed(list(re.finditer(r"\n", text[low:high]))):
        place = low + match.start()
        if place - (text.rfind("\n", 0, place) + 1) < _WRAPPED and text[low:place].strip():
            return text[place + 1 : high].rpartition(";")[2]
    return text[low:high].rpartition(";")[2]


def _first_clause(text: str) -> str:
    cut = _BREAK.search(text)
    return text[: cut.start()] if cut else text


def fill(found: Sequence[Quantity], slots: Sequence[Slot], owners: Mapping[str, str] | None = None) -> Filled:
    """Each quantity in the slot that fits it best."""
    made = Filled()
    before: tuple[Quantity, Slot] | None = None
    for one in found:
        best = max(((_score(one, slot), -k, slot) for k, slot in enumerate(slots)), key=lambda item: item[:2])
        slot = best[2] if best[0] > 0 else None
        if before is not None and best[0] < 3 and _goes_on(before[0], one) and one.kind in (*before[1].kinds, ""):
            slot = before[1]
        if slot is None:
            made.rest.append(one)
            continue
        made.slots.setdefault(slot.name, []).append(one)
        before = (one, slot)
    return made


def _goes_on(one: Quantity, other: Quantity) -> bool:
    """Whether a quantity carries on with another one, told for the next owner."""
    if not one.kind and not other.kind:
        return bool(re.fullmatch(r"\W*(?:(?:and|or|then)\W+)?", other.before))
    return one.kind == other.kind and bool(
        re.fullmatch(
            r"\W*(?:(?:and|or|then|also|that|at|is|of|for|with|to|the|by|'s)\W+|\w{1,10}\W+){0,6}", other.before + " "
        )
    )


def _score(one: Quantity, slot: Slot) -> float:
    if one.kind not in slot.kinds:
        return 0.0
    score = 1.0 if slot.alone else 0.0
    if one.symbol and one.symbol in slot.symbols:
        score = 20.0
    ends = [match.end() for match in slot.pattern.finditer(one.before)]
    if ends:
        score = max(score, 15.0 - _FAR * (len(one.before) - ends[-1]))
    behind = slot.pattern.search(one.after)
    if behind:
        comma = re.search(r"[,(]", one.after[: behind.start()])
        at_once = not one.kind and not one.after[: behind.start()].strip(" -")  # "6 tiers", "2 Matsubara terms"
        score = max(score, 17.0 if at_once else (2.0 * bool(one.kind) if comma else 13.0) - 2 * _FAR * behind.start())
    return score
