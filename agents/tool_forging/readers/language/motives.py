"""Wishes that order nothing by themselves: what somebody wants to understand, and announcements of what comes below.

Such a sentence stays in the text, so that every reader still weighs its words and numbers; it is only no demand of its
own. It names no quantity, no number and no formula: "I want to see whether the order lasts" is one, "I want to know
the purity" and "which temperature it has" are none.
"""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.language.lexicon import ANALYSES, FIELD, QUANTITIES

_WISH = (
    r"(?:want\w*|wish\w*|need\w*|would (?:also |rather )?(?:like|love)|'d (?:like|love)|should like|am asked|are asked|"
    r"was asked|hope|curious|wonder\w*|intend|plan|try(?:ing)?|have)"
)
_LEARN = (
    r"(?:know|see|learn|understand|judge|decide|find out|show|trust|tell|test|check|wonder|grasp|demonstrate|"
    r"illustrate|explain)"
)
# "how many" and "which value" ask for a number, "how it comes" does not
_OPEN = (
    r"(?:whether|why|if|how (?!(?:many|much|large|long|far|high|low|big|deep|wide|close|accurate\w*)\b)|"
    r"what (?:the |an? |our |this |happens|becomes|goes on|comes out|it |they )"
    r"(?:[\w -]{0,40}\b(?:does?|becomes?|means?))?)"
)
_SOMEBODY = r"(?: (?:me|us|my|our|the|students?|class|for|myself|ourselves)){0,4}"
_LEARNING = re.compile(
    rf"\b{_WISH}(?: (?:me|us|also|very much|rather|now|first|just)){{0,2}} (?:to )?{_LEARN}\b{_SOMEBODY} {_OPEN}|"
    rf"^\W*(?:wanted|question|check|see|find out|show)\b\W{{0,3}}{_OPEN}",
    re.I,
)
_THING = (
    r"(?:numbers?|picture|dynamics|thermodynamics|thermodynamic functions|(?:ground |thermal |gibbs |steady )?states?|"
    r"calculations?|simulations?|computations?|runs?|help|parts?|theory|example|case|ion|molecule|chain|system|model)"
)
_ANNOUNCED = re.compile(
    rf"\b(?:{_WISH}|may I ask (?:you )?(?:for)?|could you (?:check|help)|can you (?:check|help))\b"
    r"(?: (?:to (?:add|have|get|see|compute|calculate|do|make|prepare|ask for)|for|with|"
    r"that I (?:calculate|compute|make|do)))?"
    rf"(?: (?!and\b|or\b)[\w'/-]+){{0,5}}? {_THING}\b",
    re.I,
)
_WORK = (
    r"(?:test|check|review|lecture|section|chapter|thesis|practical|course|class|session|talk|paper|poster|seminar|"
    r"comparison|report|proposal|manuscript|exercise|supplement|benchmark)"
)
_FOR = re.compile(
    rf"\b(?:for|as|in) (?:an?|the|my|our) (?:[\w'-]+ ){{0,3}}?{_WORK}\b|"
    r"\bto (?:test|check|judge|compare)\b|\bfor comparison\b|\bcompare with\b|"
    r"\b(?:my|our) (?:thesis|supervisor|referee|boss|adviser|advisor|professor|students?|group|colleagues?)\b|"
    r"\bone of your\b",
    re.I,
)
_STATED = re.compile(
    r"[=<>|\\^]|(?<![A-Za-z\d])\d(?!-?(?:nd|rd|th|st)\b)|\b(?:no|not|without|except|only|instead)\b", re.I
)
_ASKED = re.compile(
    r"\b(?:energ(?:y|ies)|probabilit\w+|lengths?|angles?|times?|rates?|temperatures?|pressures?|values?|constants?|"
    r"plots?|curves?|figures?|tables?|distances?|amplitudes?|pulses?|bitstrings?|numbers? of|spectr\w+|wavenumbers?|"
    r"coordinates|geometr\w+|structures?|orbitals?|intensit\w+|contrast|ratios?|differences?|errors?|variances?|"
    r"transitions?|barriers?|minim\w+|maxim\w+|(?:exo|endo)\w+|stable|stabilit\w+|conform\w+|isotop\w+|scal\w+|"
    r"contaminat\w+|gates|depth|correlat\w+|oscillat\w+)\b",
    re.I,
)


def only_announces(text: str) -> bool:
    """Whether a sentence that sounds like an order only says what is to be understood, or that something is needed."""
    if _STATED.search(_names_out(text)) or _names_a_result(text):
        return False
    if _LEARNING.search(text) and not words_of(text) & FIELD:
        return True
    return bool(_ANNOUNCED.search(text) and _FOR.search(text))


def words_of(text: str) -> set[str]:
    """Its words in lower case, each also without a plural's ending."""
    return {one for word in re.findall(r"[a-z][a-z-]+", text.lower()) for one in (word, word.removesuffix("s"))}


def _names_a_result(text: str) -> bool:
    words = words_of(text)
    return bool(_ASKED.search(text) or words & (QUANTITIES - {"thermal", "gibbs", "moment"}) or words & ANALYSES)


def _names_out(text: str) -> str:
    """Blanks in place of formulas of molecules and the names of chains and levels, whose digits count nothing."""
    return re.sub(r"\b(?:[A-Z][a-z]?\d*){1,8}[+-]?(?![\w.=])", " ", text)
