"""The segments of a period: their Hamiltonians, written or told, and how long each of them acts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.scalars import scalar_at
from labwright.agents.tool_forging.readers.language.spin_operators import plain_operators
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula, NotASpinChain, formula_at
from labwright.agents.tool_forging.readers.tensor_network.models import HAMILTONIAN
from labwright.agents.tool_forging.readers.tensor_network.told_terms import listed_terms
from labwright.tools.forge.families.tensor_network.driven_spec import DrivenSegment, DrivenTerm

# where a formula begins that is not named: ``it is 0.9 sum_i Y_i``
_BARE = r"\b(?:is|reads|by|under|with|acts?|has)\s+(?=[-+]?\s*(?:\d[\d.]*|[A-Za-z](?:_\w+)?)?\s*\*?\s*\(?sum\s*[_XYZS])"
LINE = r"(?<![\w|<])H(?:_?\{?\w{0,8}\}?)?(?:\(t\))?\s*=\s*[^\n;]*"  # a Hamiltonian and what follows it
SENTENCE_END = re.compile(r"(?<=[\w)}\]])\.\s+(?=[A-Z<])")
# numbers behind the same words that are no durations
_COUNTS = re.compile(r"\s*(?:(?:periods|cycles|spins|sites|qubits|reali[sz]ations|values|states|%)|<|[XYZ])")
_LASTS = re.compile(
    r"\b(?:durations?|lasts?|lasting|during|for|acts? for|switched on for|applied for|time)\s*"
    r"(?:(?:of|=|:|is|an?|the|first|next|remaining|last|second|another|further|time|duration|interval|each|"
    r"units)\s*){0,4}"
    r"(?:(?:tau|T|t)_?\{?\w?\}?\s*=\s*)?(?=[\d.]|pi\b|T\s*/)",
    re.I,
)
_REMAINING = re.compile(
    r"\b(?:in|during|for|over)\s+the\s+(?:remaining|rest|last|second|first|next|"
    r"other)\s*(?:part\s*)?(?:of\s+)?(?=[\d.]|pi\b)"
)
_HALF = re.compile(r"\b(?:first|second|other|last)\s+half(?:\s+of\s+(?:the|each|every|a)\s+(?:period|cycle))?", re.I)
_PERIOD = re.compile(
    r"\b(?:period|cycle)\s+(?:T\s*)?(?:of|is|=|lasts|has (?:a )?(?:length|duration))\s*(?:T\s*=\s*)?(?=\d)|"
    r"\bperiod\s+length\s*(?:of|is|=|:)?\s*(?=\d)"
)
_OPERATOR = r"[XYZ]_|[XYZ]\b|S_|S\^|S[xyz]|sigma|H_"
Times = Sequence[float]


@dataclass(frozen=True)
class Segment:
    """One stretch of the period: its duration and its Hamiltonian at each value of the sweep."""

    duration: float
    plain: list[Formula]
    random: list[Formula]

    def specified(self) -> DrivenSegment:
        """As the specification has it."""
        terms = []
        for rows, drawn in ((self.plain, False), (self.random, True)):
            for key in dict.fromkeys(key for row in rows for key in row.terms):
                weights = [row.terms.get(key, 0.0) for row in rows]
                if any(abs(value) > 1e-14 for value in weights):
                    terms.append(DrivenTerm(letters=key[0], weights=weights, disorder=drawn))
        return DrivenSegment(duration=self.duration, terms=terms)


@dataclass
class Drive:
    """What is known when segments are read.

    Attributes:
        named: durations by their symbols tau1, T1, ..., in order; None where one has none.
        values: of symbols, at each value of the sweep.
        disorder: symbol that is drawn for each site; empty for none.
    """

    task: Framed
    values: list[Mapping[str, float]]
    disorder: str

    def segments(self) -> list[Segment] | Question | Unread:
        """All of them in order."""
        raw = self.task.text
        marks = [
            one for one in re.finditer(f"{HAMILTONIAN}|{_BARE}", raw) if re.search(_OPERATOR, raw[one.end() :][:80])
        ]
        found: list[tuple[int, int, tuple[list[Formula], list[Formula]]]] = []
        for k, match in enumerate(marks):
            stop = marks[k + 1].start() if k + 1 < len(marks) else len(raw)
            text = self.written(raw[match.end() : stop])
            made = self.both(text, 0)
            if isinstance(made, Question | Unread):
                return made
            if made is not None:
                end = _end(raw, match.end(), stop, text[made[0][0].end :])
                self.task.account.use(match.start(), end)
                found.append((match.start(), end, made))
        if not found:
            return self.told()
        durations = self.named(len(found)) or self.beside(found)
        if durations is None:
            return Question(text="How long are the segments of a period?")
        self.use_formulas()
        wrong = self.contradicts(durations)
        return wrong or [Segment(d, *made) for d, (_, _, made) in zip(durations, found, strict=True)]

    def both(self, text: str, place: int) -> tuple[list[Formula], list[Formula]] | Question | Unread | None:
        """The Hamiltonian without disorder, and what each drawn number multiplies, at each value of the sweep."""
        plain: list[Formula] = []
        random: list[Formula] = []
        for names in self.values:
            try:
                if not self.disorder:
                    without = full = formula_at(text, place, names)
                else:
                    symbol = f"{self.disorder}i"
                    without = formula_at(text, place, {**names, symbol: 0.0})
                    full = formula_at(text, place, {**names, symbol: 1.0})
            except UnknownSymbol as missing:
                return Question(text=f"What is the value of {missing.name} in the Hamiltonian?")
            except NotASpinChain as strange:
                return Unread(text[place : place + 60], f"The Hamiltonian holds {strange.words}.")
            if without is None or full is None:
                return None
            keys = [key for key in full.terms if abs(full.terms[key] - without.terms.get(key, 0.0)) > 1e-12]
            if any(_reach(key[1]) > 1 for key in full.terms):
                return Unread(text[place : full.end], "Driven chains have fields and couplings of nearest neighbours.")
            plain.append(without)
            random.append(
                Formula({key: full.terms[key] - without.terms.get(key, 0.0) for key in keys}, full.spins, full.end)
            )
        return plain, random

    def named(self, many: int) -> Times | None:
        """Durations that symbols such as tau1 and T2 give."""
        names = [(f"tau{k + 1}", f"T{k + 1}", f"t{k + 1}") for k in range(many)]
        known = self.values[0]
        found = [next((known[one] for one in row if one in known), None) for row in names]
        if many == 1 and found[0] is None:
            found = [next((known[one] for one in ("T", "tau") if one in known), None)]
        for one in self.task.sets:
            if any(one.key in row for row in names) or (many == 1 and one.key in {"T", "tau"}):
                self.task.account.use(one.start, one.end)
        times = [one for one in found if one is not None]
        return times if len(times) == many else None

    def written(self, text: str) -> str:
        """A formula in the form that the parser reads; ``H_{i,i+1}`` stands for the exchange of two neighbours."""
        shared = re.search(r"J\s*\(\s*S_\{i\}\^x.*?\)(?=[.,;\s]*(?:\n|$|,|\.))", plain_operators(self.task.text, {}))
        made = plain_operators(text, {})
        return re.sub(r"H_\{?i,\s*i\+1\}?", lambda _: shared[0], made) if shared else made

    def beside(self, found: Sequence[tuple[int, int, object]]) -> Times | None:
        """Durations in front of every Hamiltonian or behind every one."""
        text = self.task.text
        for front in (True, False):
            times: list[float] = []
            for k, (start, end, _) in enumerate(found):
                low = found[k - 1][1] if k else 0
                high = found[k + 1][0] if k + 1 < len(found) else len(text)
                stop = re.search(r"\n\s*\n|\.\s", text[end:high])
                stretch = (low, start) if front else (end, min(high, end + stop.start()) if stop else high)
                told = self.duration(*stretch, last=front)
                if told is not None:
                    times.append(told)
            if len(times) == len(found):
                return times
        return None

    def duration(self, low: int, high: int, last: bool) -> float | None:
        """A duration that a stretch of the text gives; the last one of it, or the first."""
        text = self.task.text
        known = self.values[0]
        found: list[tuple[int, int, float]] = []
        for match in [*_LASTS.finditer(text, low, high), *_REMAINING.finditer(text, low, high)]:
            value = scalar_at(text, match.end())
            number = value.value_or_none(known) if value else None
            if value is not None and number is not None and not _COUNTS.match(text, value.end):
                found.append((match.start(), value.end, number))
        if "T" in known:
            found += [(one.start(), one.end(), known["T"] / 2) for one in _HALF.finditer(text, low, high)]
        if not found:
            return None
        start, end, number = sorted(found)[-1 if last else 0]
        self.task.account.use(start, end)
        return number

    def told(self) -> list[Segment] | Question | Unread:
        """Segments in words: each begins with its duration."""
        text, account = self.task.text, self.task.account
        marks = sorted({*_starts(text, _LASTS), *_starts(text, _REMAINING)})
        made: list[Segment] = []
        for k, start in enumerate(marks):
            stop = marks[k + 1] if k + 1 < len(marks) else len(text)
            try:
                rows = [listed_terms(account, names, start, stop) for names in self.values]
            except UnknownSymbol as missing:
                return Question(text=f"What is the value of {missing.name} in the Hamiltonian?")
            terms = [one for one in rows if one is not None]
            if len(terms) != len(rows):
                continue
            if any(_reach(key[1]) > 1 for row in terms for key in row.terms):
                return Unread(account.body.original(start, stop), "Driven chains have couplings of nearest neighbours.")
            length = self.duration(start, stop, last=False)
            if length is None:
                return Question(text="How long are the segments of a period?")
            made.append(Segment(length, terms, [Formula({}, row.spins, 0) for row in terms]))
        if not made:
            return Question(text="What are the Hamiltonians of the segments of a period?")
        return self.contradicts([one.duration for one in made]) or made

    def contradicts(self, durations: Times) -> Question | None:
        """Segments that do not add up to the period that is told."""
        match = _PERIOD.search(self.task.text)
        value = scalar_at(self.task.text, match.end()) if match else None
        number = value.value_or_none(self.values[0]) if value else None
        if match is None or value is None or number is None:
            return None
        self.task.account.use(match.start(), value.end)
        if abs(sum(durations) - number) < 1e-6 * max(number, 1.0):
            return None
        return Question(
            text=f"The segments take {sum(durations):g} together, but the period {number:g}. Which is meant?"
        )

    def use_formulas(self) -> None:
        account, sets = self.task.account, self.task.sets
        for match in re.finditer(LINE, self.task.text):
            told = SENTENCE_END.split(match[0])[0]
            account.use(match.start(), match.start() + len(told))
            account.use_symbols(sets, match[0])
        timed = " ".join(one.name for one in sets if re.match(r"(?:tau|T|t)_?\{?\d", one.name))
        account.use_symbols(sets, f"{timed} W")
        for one in sets:  # "Omega_x tau1 is about pi" says nothing new
            if one.key in {"tau1", "tau2"}:
                account.use(one.start, one.end)


def _end(raw: str, start: int, stop: int, rest: str) -> int:
    """Where a formula ends in the text as it stands: what follows it is `rest` once operators are in plain form."""
    guess = max(start, stop - len(rest))
    places = sorted(range(start, stop + 1), key=lambda one: abs(one - guess))
    return next((one for one in places if plain_operators(raw[one:stop], {}) == rest), guess)


def _starts(text: str, pattern: re.Pattern[str]) -> list[int]:
    return [
        one.start()
        for one in pattern.finditer(text)
        if (value := scalar_at(text, one.end())) and not _COUNTS.match(text, value.end)
    ]


def _reach(offsets: Sequence[int]) -> int:
    return max(offsets) - min(offsets)
