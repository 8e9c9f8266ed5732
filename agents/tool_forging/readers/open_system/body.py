"""The text of a task about few levels with its operators, frequencies and rates written in one way."""

from __future__ import annotations

import re
from functools import cached_property

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.traced import Clean, Replacement, replaced

_NUMBER = r"\d*\.?\d+(?:[eE][-+]?\d+)?"
_SYMBOL = r"[A-Za-z]+(?:_\{?\w+\}?|\d)?"
_TWO_PI = r"\(?\s*2\s*\*?\s*pi\s*\)?"
_LIST = rf"{_NUMBER}(?:\s*(?:,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s*;\s*){_NUMBER})+"


def _inverse_of_time(match: re.Match[str]) -> str:
    return f"{1 / float(match['number']):.12g} 1/{match['unit']}"


def _stem(symbol: str) -> str:
    """A symbol with an open subscript: ``T1`` is ``T_{1``."""
    plain = symbol.translate(str.maketrans("", "", "_{}"))
    word = re.match(r"T|[gG]amma", plain)
    return f"{word[0]}_{{{plain[word.end() :]}" if word else plain


def _letter(who: str) -> str:
    """The letter of a body that is told by its place."""
    return {"first": "A", "second": "B", "third": "C"}.get(who.split()[0].lower(), who)


def _sign(match: re.Match[str]) -> str:
    return f"sigma_{'-' if match['sign'] == 'minus' else '+'}"


_STEPS: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    (re.compile(r"\bsigma_?\{?\s?(?P<sign>minus|plus)\}?(?![a-z])"), _sign),
    (re.compile(r"(?<=[\d)])\s+x\s+(?=\d)|(?<=\bpi)\s*x\s*(?=[\[{(\d])"), " * "),
    (
        re.compile(
            r"(?<![\w^}|.])s_?\{?(?P<sign>[+-])\}?(?=\s*(?:[)\]*,;+|]|s_?[+-]|a\b|sigma|$|\.\s|-\s|and\b))", re.M
        ),
        lambda m: f"sigma_{m['sign']}",
    ),
    # "Delta / 2 pi = 0, 5 and 10 MHz" and "2 pi * {0, 5, 10} MHz": hertz are cycles by themselves
    (
        re.compile(rf"(?<![\w/])(?P<name>{_SYMBOL})\s*/\s*{_TWO_PI}(?=[^\n=:]{{0,6}}[=:]?[^\n;]{{0,60}}?[kMGT]?Hz\b)"),
        lambda m: m["name"],
    ),
    (
        re.compile(rf"{_TWO_PI}\s*\*?\s*[\[{{(]\s*(?P<list>{_LIST})\s*[\]}})](?=\s*[kMGT]?Hz\b)"),
        lambda m: m["list"],
    ),
    # "1/(40 us)", "(40 us)^-1": a rate
    (
        re.compile(rf"(?<![\w.])1\s*/\s*\(\s*(?P<number>{_NUMBER})\s*(?P<unit>[fpnum]?s)\s*\)"),
        _inverse_of_time,
    ),
    (re.compile(rf"(?<![\w.])\(\s*(?P<number>{_NUMBER})\s*(?P<unit>[fpnum]?s)\s*\)\s*\^\s*-1\b"), _inverse_of_time),
    (
        re.compile(r"(?<![\w/])(?P<name>kappa|[gG]amma(?:_\{?\w+\}?)?)\s*\^\s*-1(?=\s*(?:=|is|:))"),
        lambda m: f"1/{m['name']}",
    ),
    # "T1_0", "T_1^(A)", "T_{1,A}": whose time it is stands in one subscript
    (
        re.compile(
            r"\bT_?(?:\{(?P<what>1|2|phi),\s*(?P<own>[A-D]|\d)\}|\{?(?P<plain>1|2|phi)\}?(?:_\{?|\^\{?\(?|\()(?P<who>[A-D]|\d)\)?\}?)"
            r"(?!\w)"
        ),
        lambda m: f"T_{{{m['what'] or m['plain']}{m['own'] or m['who']}}}",
    ),
    # "A_-" is a symbol like others, "q1" is qubit 1, and what a resonator is for changes nothing
    (
        re.compile(r"(?<![A-Za-z|])(?P<stem>[A-RT-Z]|[gG]amma|kappa)_\{?(?P<sign>[+-])\}?(?!\w)"),
        lambda m: f"{m['stem']}_{{{'minus' if m['sign'] == '-' else 'plus'}}}",
    ),
    (re.compile(r"(?<![\w|<_])[qQ]_?(?P<number>[0-4])(?![\w(])"), lambda m: f"qubit {m['number']}"),
    (
        re.compile(
            r"(?<=\bmean )phonon|(?<=\baverage )phonon|(?<=\bnumber of )phonon|\bphonon(?= number)|(?<=\d )phonon|"
            r"(?<=\bone )phonon|(?<=\btwo )phonon|(?<=\bthree )phonon|(?<=\bno )phonon"
        ),
        "photon",
    ),
    (re.compile(r"(?<=\bstate )n\s*=\s*(?P<number>\d+)"), lambda m: f"|{m['number']}>"),
    (re.compile(r"\breadout (?=resonator|cavity|mode)"), ""),
    # "T1 of qubit A: 12 us"
    (
        re.compile(
            r"\b(?P<symbol>T_?\{?(?:1|2|phi)\}?|[gG]amma(?:_\{?\w+\}?)?)\s+(?:of|for)\s+(?:the\s+)?"
            r"(?:(?:qubit|spin|atom|ion|emitter)\s+)?(?P<who>[A-D]\b|\d\b|(?i:first|second|third)\b(?:\s+(?:qubit|spin|atom|ion))?)"
            r"\s*(?:\([^()\d]{0,40}\)\s*)?(?=[:=]|\bis\b|\d)"
        ),
        lambda m: f"{_stem(m['symbol'])}{_letter(m['who'])}}} ",
    ),
    (re.compile(r"\b(?:bar|overline|hat)\{\s*n\s*\}(?:_\{?\w+\}?)?"), "nbar"),
    # "2, then 4, then 6"
    (re.compile(r"(?<=\d)(?P<comma>\s*,)?\s+(?:and\s+)?(?:then|finally|next)\s+(?=[-+]?\d)"), ", "),
    # "0 MHz / 5 MHz / 10 MHz": a list
    (re.compile(r"(?<=Hz)\s+/\s+(?=-?\d)|(?<=\d [munp]s)\s+/\s+(?=\d)|(?<=K)\s+/\s+(?=\d)"), ", "),
    # "(t)" of an expectation value
    (re.compile(r"(?<=>)\s*\(t\)"), ""),
    (re.compile(r"<\s+(?=[a-zA-Z])"), "<"),
    (re.compile(r"\bsqrt(?P<n>\d)(?=\s*\|)"), lambda m: f"sqrt({m['n']})"),
)


class OpenBody(Body):
    """See `Body`; ``sigma_minus`` is ``sigma_-``, ``1/(40 us)`` is a rate, and ``nu / 2 pi`` in hertz is ``nu``."""

    @cached_property
    def plain(self) -> Clean:
        """The cleaned text."""
        state = super().plain
        for pattern, replacement in _STEPS:
            state = replaced(state, pattern, replacement)
        return state
