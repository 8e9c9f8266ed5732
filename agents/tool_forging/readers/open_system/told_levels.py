"""Levels of one body by their names and roles, and Hamiltonians told by energies and couplings between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.quantities import Quantity, quantities
from labwright.agents.tool_forging.readers.language.scalars import scalar_at
from labwright.agents.tool_forging.readers.language.units import angular, kind
from labwright.agents.tool_forging.readers.open_system.operators import System
from labwright.agents.tool_forging.readers.open_system.subsystems import Generator
from labwright.tools.forge.families.open_system.spec import Operator

_NAME = r"\|?(?:[a-z]{1,2}\d?|\d)>?"
_ROLE = (
    r"(?i:ground|excited|upper|lower|metastable|intermediate|middle|top|bottom|Rydberg|dark|storage|shelving|"
    r"auxiliary|biexciton|exciton|pump|singlet|triplet|laser|bright|reservoir|broad|"
    r"initial|final|common|hyperfine|first|second|third)"
)
_KIND = r"(?:states?|levels?|bands?|manifolds?|multiplets?|sublevels?|terms?)"
_STOP = frozenset("is at to of in as on by it an or be we so do if no us up".split())
_LIST = rf"(?:\(?\s*{_NAME}(?:\s*\([^)]*\))?(?:\s*(?:,\s*(?:and\s+)?|\s+and\s+){_NAME}(?:\s*\([^)]*\))?)*)(?![\w'])"
_BY_ROLE = re.compile(
    rf"\b{_ROLE}(?:[- ]{_ROLE}){{0,2}}(?:[- ]{_KIND})\s*,?"
    rf"(?:\s+(?:called|named|labelled|denoted|written))?\s+(?P<list>{_LIST})"
)
# "levels: 0 = ground, 1 = pump"; "g (ground), e (excited)"
_DEFINED = re.compile(rf"(?<![\w|])(?P<name>{_NAME})\s*(?:=|:|is|\()\s*(?:the\s+|an?\s+)?(?P<role>{_ROLE})\b")
_LISTED = re.compile(
    rf"\b[Ll]evels?\s+(?:are\s+)?(?:called\s+|named\s+|"
    rf"labelled\s+)?(?P<list>{_NAME}(?:\s*,\s*{_NAME})+(?:\s*,?\s*and\s+{_NAME})?)(?![\w'])"
)
_WORDY = re.compile(
    r"(?:\b(?:call(?:ed)?|named?|labell?ed|denoted?|referred to as)(?:\s+(?:them|by|as))?|"
    r"\b(?:[Ll]evels?|[Ss]tates?)\s*(?::|are))\s+"
    r"(?P<list>[a-z]{2,12}(?:\s*,\s*[a-z]{2,12})+\s*,?\s+and\s+[a-z]{2,12}|"
    r"[a-z]{2,12}(?:\s*,\s*[a-z]{2,12}){2,})\b"
)
_LADDER = re.compile(rf"\b(?:ladder|cascade|scheme|levels?|system)\s+(?P<list>{_NAME}(?:\s+-\s+{_NAME}){{2,}})(?!\w)")
_DECAY = re.compile(
    r"\b(?:decay\w*|rates?|emission|emits?|lifetimes?|lives|relax\w*|dephas\w*|jump|collapse|"
    r"linewidth)\b",
    re.I,
)
_COUPLING = re.compile(
    r"\b(?:coupl\w*|element\w*|connect\w*|join\w*|link\w*|drives?|driven|Rabi|hopping|"
    r"tunnel\w*|transition|between)\b",
    re.I,
)
_ENERGY = re.compile(r"\b(?:energ(?:y|ies)|detun\w*|diagonal|lies|sits|offset|shift\w*|splitting)\b", re.I)
_ALL_ALIKE = re.compile(r"\bneighbou?r\w*\b", re.I)


@dataclass(frozen=True)
class ToldLevels:
    """Names in order."""

    names: tuple[str, ...]

    def mentioned(self, text: str) -> list[str]:
        """Names in a stretch of text, in order."""
        return [name for _, name in self.places(text)]

    def places(self, text: str) -> list[tuple[int, str]]:
        """Where names stand, and which."""
        every = "|".join(sorted((re.escape(name) for name in self.names), key=len, reverse=True))
        pattern = rf"(?<![\w'.])\|?(?P<n>{every})>?(?![\w'=(]|\.\w|\s*=)" if every else r"(?!)"
        found = [m for m in re.finditer(pattern, text) if not (m["n"] == "a" and _article(text, m.end()))]
        return [(m.start(), m["n"]) for m in found if not m["n"].isdigit() or _is_level(text, m)]

    def digits(self, text: str) -> list[tuple[int, int]]:
        """Where levels with numbers as names stand."""
        every = "|".join(name for name in self.names if name.isdigit())
        found = re.finditer(rf"(?<![\w.^])(?P<n>{every})(?![\w^]|\.\d)", text) if every else ()
        return [m.span() for m in found if _is_level(text, m)]


def _is_level(text: str, match: re.Match[str]) -> bool:
    """Whether a digit names a level: by the words around it."""
    before, after = text[max(0, match.start() - 24) : match.start()], text[match.end() : match.end() + 20]
    return bool(
        re.search(
            r"(?:\b(?:levels?|states?|couples?|connects?|joins?|links?|drives?|between|to|into|from|of|in|on)|"
            r"->|\|)\s*$|\b(?:couples|connects|joins|links|drives|between|"
            r"from|levels?|states?)\s+\|?\d>?\s*(?:,|and|to|with|-|<->)\s*\|?$",
            before,
        )
        and not re.match(r"\s*(?:[munpf]?s\b|[kMGT]?Hz|rad|per\b|/|pi\b|points|times)", after)
    ) or bool(re.match(r"\s+(?:decays?|relaxes|goes|lives|emits|falls|drops|empties)\b|\s*>?\s*->", after))


def _article(text: str, end: int) -> bool:
    """Whether an ``a`` is the English article: a word follows that joins nothing."""
    return bool(
        re.match(
            r"\s+(?!and\b|to\b|with\b|or\b|is\b|decays?\b|at\b|by\b|relaxes\b|lies\b|has\b|"
            r"initially\b)[A-Za-z]",
            text[end:],
        )
    )


def level_names(text: str) -> ToldLevels:
    """The names that a text gives to levels: in a list, or each with its role."""
    wordy = _WORDY.search(text)
    if wordy:
        return ToldLevels(tuple(dict.fromkeys(re.findall(r"\b(?!and\b)[a-z]+", wordy["list"]))))
    ladder = _LADDER.search(text)
    if ladder:
        return ToldLevels(tuple(name.strip(" |>") for name in ladder["list"].split(" - ")))
    listed = _LISTED.search(text)
    found = _split(listed["list"]) if listed else []
    if len(found) < 2:
        found = []
        for match in _BY_ROLE.finditer(text):
            names = _split(match["list"])
            if names[-1:] == ["a"] and re.match(r"\s+[a-z]", text[match.end() :]):
                names = names[:-1]  # "a ground state g, a metastable state s": an article
            found += names
    if len(found) < 3:
        defined = [match["name"].strip("|>") for match in _DEFINED.finditer(text)]
        numbered = [name for name in defined if name.isdigit()]
        defined = numbered if len(set(numbered)) > 2 else [name for name in defined if not name.isdigit()]
        found = defined if len(set(defined)) > max(2, len(found)) else found
    return ToldLevels(tuple(dict.fromkeys(found)))


def roles(text: str) -> dict[str, str]:
    """Role -> name, where a text gives both: ``an upper state e``."""
    found: dict[str, str] = {}
    for match in _BY_ROLE.finditer(text):
        names = _split(match["list"])
        word = re.match(r"\w+", match[0])
        if word and names:
            found.setdefault(word[0].lower(), names[0])
    for match in _DEFINED.finditer(text):
        found.setdefault(match["role"].lower(), match["name"].strip("|>"))
    return found


def _split(text: str) -> list[str]:
    plain = re.sub(r"\([^)]*\)|\band\b", ",", text)
    names = [one.strip(" |>(") for one in plain.split(",")]
    return [one for one in names if re.fullmatch(r"[a-z]{1,2}\d?|\d", one) and one not in _STOP]


def told_generator(body: Body, names: Mapping[str, float], time_unit: str) -> Generator | None:
    """A Hamiltonian by its couplings and energies in words; None where none is told."""
    levels = level_names(body.text)
    size = len(levels.names)
    if size < 3:
        return None
    rows = [[0.0] * size for _ in range(size)]
    said: set[tuple[int, int]] = set()
    for one in quantities(body, levels.digits(body.text), names):
        if len(one.numbers.items) == 1:
            _couple(rows, said, _in_sentence(body, one), levels, names, time_unit)
        elif len(one.numbers.items) == size and _ENERGY.search(one.before[-60:]):
            for k, item in enumerate(one.numbers.items):
                rows[k][k] = _value(item.value(names), one, time_unit)
    _carried(rows, body.text, levels, names)
    if not said:
        return None
    entries = [[[cell, 0.0] for cell in row] for row in rows]
    told = "The Hamiltonian has the couplings and energies that are named, and zeros elsewhere."
    return Generator(System([size], list(levels.names)), Operator(matrix=entries), (), (told,))


def _in_sentence(body: Body, one: Quantity) -> Quantity:
    """The quantity with its whole sentence in front of it."""
    start = max((s.start for s in body.sentences if s.start <= one.start), default=0)
    return replace(one, before=body.text[start : one.start])


def _couple(
    rows: list[list[float]],
    said: set[tuple[int, int]],
    one: Quantity,
    levels: ToldLevels,
    names: Mapping[str, float],
    time_unit: str,
) -> None:
    """One number: the coupling of the pair beside it, or the energy of the level beside it."""
    before, after = one.before[-90:], one.after[:50]
    if one.kind not in {"", "frequency", "angular", "rate", "energy", "wavenumber"} or _DECAY.search(before[-60:]):
        return
    value = _value(one.numbers.items[0].value(names), one, time_unit)
    behind, front = levels.mentioned(after)[:2], levels.mentioned(before)[-2:]
    near = re.search(r"\b(?:between|connecting|linking|for)\b", after[:20])
    pair = behind if near and len(behind) == 2 else front if len(front) == 2 else []
    if len(pair) == 2 and pair[0] != pair[1] and _COUPLING.search(f"{before} {after if pair is behind else ''}"):
        a, b = (levels.names.index(name) for name in pair)
        half = (
            0.5 if re.search(r"\bRabi\b", before) and not re.search(r"element|half (?:its|the) Rabi", before) else 1.0
        )
        if (a, b) not in said:
            rows[a][b] = rows[b][a] = half * value
            said |= {(a, b), (b, a)}
        return
    owner = (front or behind)[-1:] if front else behind[:1]
    if owner and _ENERGY.search(f"{before} {after}"):
        place = levels.names.index(owner[0])
        rows[place][place] = value


def _carried(rows: list[list[float]], text: str, levels: ToldLevels, names: Mapping[str, float]) -> None:
    """Energies told by symbols: ``r lies at the energy 2 Delta``."""
    pattern = (
        rf"(?P<who>(?:{_NAME}(?:\s*,\s*|\s+and\s+)?)+)\s*(?:both |all |each )?"
        r"(?:carry|carries|have|has|lie at|lies at)\s+(?:the |an )?(?:energy |energies )(?:of )?(?P<at>)"
    )
    for match in re.finditer(pattern, text):
        item = scalar_at(text, match.end("at"), names)
        value = item.value_or_none(names) if item else None
        for name in levels.mentioned(match["who"]) if value is not None else []:
            place = levels.names.index(name)
            rows[place][place] = value or 0.0


def _value(value: float, one: Quantity, time_unit: str) -> float:
    """A number in radian per time unit; hertz behind a written 2 pi are not multiplied again."""
    unit = one.numbers.unit
    if not unit or not time_unit or kind(unit) not in {"frequency", "angular", "rate", "energy", "wavenumber"}:
        return value
    made = angular(value, unit, time_unit)
    written = kind(unit) == "frequency" and any("pi" in item.text for item in one.numbers.items)
    return made / (2 * 3.141592653589793) if written else made
