"""Jumps between levels in words: ``3 decays to 1 at the rate 0.6 and to 2 at 0.4``, ``x lives 2 ps and goes to g``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.quantities import Quantity, quantities
from labwright.agents.tool_forging.readers.language.scalars import is_symbol, scalar_at
from labwright.agents.tool_forging.readers.open_system.operators import System
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, value_of
from labwright.agents.tool_forging.readers.open_system.told_levels import ToldLevels, roles

_DECAYS = re.compile(
    r"\b(?:decays?|decaying|relax\w*|falls?|drops?|emits?|emission|radiat\w*|goes|go|returns?|lives?|lifetimes?|"
    r"life-times?|rates?|leaks?|empt(?:ies|y)|lifts?|lifted|pump(?:s|ed|ing)?|promotes?|promoted|excites?|transfers?|"
    r"brings?|carries|jumps?|feeds?|fills?|refills?|depopulat\w*|repump\w*|"
    r"time constants?|cascades?|loses|spontaneous\w*)\b|->",
    re.I,
)
_TARGET = re.compile(
    r"(?:\b(?:to|into|towards?|onto|feeds|fills|refills)\s+(?:the\s+)?(?:(?:\w+\s+){0,2}(?:levels?|states?|bands?)\s+)?|"
    r"->\s*\|?|\bto\s*[:=]\s*)$"
)
_SOURCE = re.compile(
    r"(?:\bfrom\s*[:=]\s*|\b(?:from|out of|leaves?|empties|depopulates|of|lifetimes? of)\s+(?:the\s+)?"
    r"(?:(?:\w+\s+){0,2}(?:levels?|states?|bands?)\s+)?)$"
)
_VERB = re.compile(
    r"\s*(?:\([^)]*\)\s*)?[,:]?\s*(?:(?:the|which|that|then|also|in turn|state|level|exciton|only|itself|"
    r"can|may|slowly|quickly|rapidly|directly|spontaneously|back)\s+)*(?:decays?|relaxes|falls|drops|emits|radiates|goes|"
    r"returns|lives|leaks|has|loses|cascades|empties|jumps|feeds|"
    r"is (?:emptied|pumped|lifted|excited|transferred)|to\b|->)"
)


@dataclass(frozen=True)
class Jump:
    """A jump with its rate in the task's units."""

    source: str
    target: str
    rate: float


def told_jumps(body: Body, names: Mapping[str, float], system: System, symbols: Symbols) -> list[Jump]:
    """The jumps of a text about one body, each once; `names` has the values of swept symbols in this case."""
    levels = ToldLevels(tuple(system.levels))
    if not _has_levels(system):
        return []
    every = quantities(body, levels.digits(body.text), symbols.single())
    named = roles(body.text)
    found: dict[tuple[str, str], Jump] = {}
    for sentence in body.sentences:
        if sentence.is_heading or not _DECAYS.search(sentence.text):
            continue
        own = [one for one in every if sentence.start <= one.start < sentence.end]
        for jump in _of_sentence(sentence.text, sentence.start, own, levels, symbols, named, names):
            found.setdefault((jump.source, jump.target), jump)
    symbols.taken += [one.rate for one in found.values()]
    symbols.taken += [1 / one.rate for one in found.values() if one.rate]
    return list(found.values())


def _has_levels(system: System) -> bool:
    """Whether it is one body of at least three levels; the states of an oscillator are none."""
    return len(system.dims) == 1 and system.dims[0] > 2 and not system.oscillators


def untold(body: Body, names: Mapping[str, float], system: System, symbols: Symbols) -> str:
    """A sentence that tells of a decay between levels whose rate or levels nobody has read; empty if there is none."""
    levels = ToldLevels(tuple(system.levels))
    if not _has_levels(system):
        return ""
    every = quantities(body, levels.digits(body.text), symbols.single())
    for sentence in body.sentences:
        if (
            sentence.is_heading
            or not _TELLS.search(sentence.text)
            or re.search(r"sqrt\(|\|\w+>\s*<\w+\|", sentence.text)
        ):
            continue
        own = [one for one in every if sentence.start <= one.start < sentence.end]
        if not _of_sentence(sentence.text, sentence.start, own, levels, symbols, roles(body.text), names):
            return body.original(sentence.start, sentence.end)
    return ""


_TELLS = re.compile(
    r"\b(?:decays?|relaxes|emits|falls|lifetimes?|lives|emission|leaks)\b(?=.*(?:\d|Gamma|gamma|"
    r"rate))(?=.*\b(?:to|into|from|lifetimes?|of)\b)",
    re.S,
)


def _of_sentence(
    text: str,
    start: int,
    own: list[Quantity],
    levels: ToldLevels,
    symbols: Symbols,
    named: Mapping[str, str],
    names: Mapping[str, float],
) -> list[Jump]:
    """Jumps of one sentence: it is cut where a new source is named; a rate is one for all targets or one for each."""
    marks = [*_level_marks(text, levels, named), *_rate_marks(text, start, own, symbols, names)]
    made: list[Jump] = []
    source, targets, rates = "", list[str](), list[float]()
    for _, what, word in [*sorted(marks, key=lambda one: one[0]), (len(text), "from", "")]:
        if what == "from":
            made += _made(source, targets, rates)
            source, targets, rates = str(word), [], []
        elif what == "to":
            targets.append(str(word))
        else:
            rates.append(float(word))
    return made


_Mark = tuple[int, str, str | float]  # where, what, and which level or how fast


def _level_marks(text: str, levels: ToldLevels, named: Mapping[str, str]) -> list[_Mark]:
    """Sources and targets, by their names or roles."""
    marks: list[_Mark] = []
    for place, name in levels.places(text):
        if _TARGET.search(text[:place]):
            marks.append((place, "to", name))
        elif _SOURCE.search(text[:place]) or _VERB.match(text, place + len(name) + text[place:].startswith("|") * 2):
            marks.append((place, "from", name))
    for role, name in named.items():
        for match in re.finditer(rf"\b(?i:{role})\s+(?:state|level)s?\b(?!\s+\|?{re.escape(name)}\b)", text):
            if name in levels.names:
                marks.append((match.start(), "to" if _TARGET.search(text[: match.start()]) else "from", name))
    return marks


_BY_SYMBOL = re.compile(
    r"\brates?(?![A-Za-z])\s*(?:of\s+|=\s*|is\s+|are\s+|:\s*|\(\s*)?(?=[A-Za-z])|\b(?:at|with)\s+(?=[A-Z]\w?\b)"
    r"|->\s*\|?\w{1,12}>?\s*[:,]\s*(?:rate\s+)?(?=[A-Za-z])"
)


_UNSET = re.compile(r"(?P<name>[A-Za-z]+(?:_\{?\w+\}?)?\d?)(?![\w'])(?!\s*(?:=|:)\s*[-+\d.])")


def _rate_marks(
    text: str, start: int, own: list[Quantity], symbols: Symbols, names: Mapping[str, float]
) -> list[_Mark]:
    """Rates by their symbols or numbers."""
    marks: list[_Mark] = []
    for match in _BY_SYMBOL.finditer(text):
        item = scalar_at(text, match.end(), symbols.values)
        value = item.value_or_none(names) if item else None
        if value is not None:
            marks.append((match.end(), "rate", value))
        elif not item and (unset := _UNSET.match(text, match.end())) and is_symbol(unset["name"]):
            raise UnknownSymbol(unset["name"])
    for one in own:
        value = _rate(one, symbols)
        if value is not None and not any(
            start + place <= one.start < start + place + 24 and _assigned(text[place : one.start - start])
            for place, _, _ in marks
        ):
            marks.append((one.start - start, "rate", value))
    return marks


def _assigned(between: str) -> bool:
    """Whether a number behind a symbol is the symbol's own value: ``at the rate G = 2``."""
    return bool(re.fullmatch(r"\s*[A-Za-z]\w*(?:_\{?\w+\}?)?\s*(?:=|is|of|,)?\s*", between))


def _made(source: str, targets: list[str], rates: list[float]) -> list[Jump]:
    if not source or not targets or not rates:
        return []
    if len(rates) == 1:
        rates = rates * len(targets)
    if len(rates) != len(targets):
        return []
    return [Jump(source, target, rate) for target, rate in zip(targets, rates, strict=True) if target != source]


def _rate(one: Quantity, symbols: Symbols) -> float | None:
    """A rate, or the inverse of a lifetime; None for other numbers."""
    around = f"{one.before[-70:]} {one.after[:20]}"
    if re.search(r"\b(?:Rabi|coupl\w*|element|detun\w*|energ\w*|until|up to|points|first)\b", one.before[-40:]):
        return None
    if len(one.numbers.items) != 1:
        return None
    if one.kind == "time":
        values = (
            value_of(one.numbers, "T1", symbols)
            if re.search(
                r"\b(?:live|life|time constant|within|"
                r"after)",
                around,
            )
            else None
        )
        return 1 / values[0] if values and values[0] > 0 else None
    if one.kind in {"rate", "frequency", "angular"} or re.search(
        r"\b(?:rates?|coefficients?|at|with|"
        r"constant)\b|gamma|Gamma",
        one.before[-40:],
    ):
        values = value_of(one.numbers, "gamma", symbols, rate=True)
        return values[0] if values else None
    return None
