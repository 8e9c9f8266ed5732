"""Noise channels in words: kind and probability."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from labwright.agents.tool_forging.readers.circuits.definitions import Definition
from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.sentences import Sentence
from labwright.tools.forge.families.circuits.spec import NoiseKind

_READ = r"(?:read(?:ing|s)?(?:[- ]?out)?|measure(?:ment|d)?|outcome|assignment|detect(?:ion|or|ed)?)"
KINDS: list[tuple[str, str]] = [
    (
        "readout",
        rf"(?:{_READ})[- ](?:bit[- ]?flip )?(?:errors?|noise|flips?|infidelity|mistakes?|faults?)|"
        r"mis-?(?:read|identif|assign|classif|report)\w*|(?:wrong|false|flipped) (?:outcome|result|value|bit|qubit)s?|"
        rf"(?:reads?|reported|reports?|read out|registered|recorded|comes out|identified) (?:out )?(?:the "
        rf")?(?:wrong\w*|incorrect\w*|falsely|opposite|inverted|flipped)|"
        rf"(?:wrong\w*|incorrect\w*|falsely) (?:read|reported|identified|registered|recorded|measured)|"
        rf"(?:is|are|gets?|be) (?:flipped|inverted) (?:(?:in|on|at|by|during|upon|when) (?:the |its |it is |being "
        rf")?)?{_READ}|"
        rf"{_READ} (?:(?:flips|inverts) (?:the |each |every )?(?:bit|qubit|result|outcome|it)|(?:is|are|gets) "
        rf"(?:flipped|inverted))",
    ),
    ("bit_phase_flip", r"bit[- ]?(?:and[- ])?phase[- ]flips?|(?<![A-Za-z])Y[- ]errors?"),
    (
        "bit_flip",
        r"(?:bit|qubit)[- ]?flips?(?! gate)|(?<![A-Za-z])X[- ]errors?|(?:an?|Pauli) X (?:error )?(?:is applied|"
        r"acts|happens|"
        r"occurs)|is flipped with",
    ),
    (
        "phase_flip",
        r"phase[- ]?flips?|(?<![A-Za-z])Z[- ]errors?|(?:an?|Pauli) Z (?:error )?(?:is applied|acts|happens|occurs)",
    ),
    (
        "amplitude_damping",
        r"amplitude[- ]damp\w*|loses? (?:its|their|the) (?:excitation|energy)|(?:energy|"
        r"spontaneous) (?:relaxation|decay|loss)",
    ),
    ("phase_damping", r"phase[- ]damp\w*"),
    ("dephasing", r"dephasing|dephases?"),
    ("depolarizing", r"depolari[sz](?:ing|es?|ation)"),
]
_KIND = re.compile("|".join(f"(?P<{name}>{words})" for name, words in KINDS), re.I)
_ABSENT = re.compile(
    r"\b(?:no|nor|neither|without(?: any)?|free (?:of|from)|not any)\s+(?:\w+\s+or\s+)?(?:additional |further |"
    r"other |any )?$",
    re.I,
)
_NONE = re.compile(
    r"\s*(?:errors?|noise|channel)?\s*(?::|=|is|are)\s*(?:none|no\b|off|zero|absent|0(?:\.0+)?\s*(?:[,;\n]|\.\s|\.?$))",
    re.I,
)
_OTHER = re.compile(
    r"\b(thermal relaxation|coherent (?:error|noise)|over-?rotations?|crosstalk|leakage|T1|T2|Pauli[- "
    r"](?:noise|channel)s?|correlated noise)\b"
)
_NO_NOISE = re.compile(
    r"\b(?:no|without(?: any)?|free (?:of|from)|neither|nor)\s+(?:\w+\s+){0,2}?(?:noise|errors?|decoherence)\b|"
    r"\bnoise-?\s?(?:less|free)\b|"
    r"\bshot[- ]noise\b|\bnoise(?: model| on [^.;:\n]{1,30})?\s*(?::|=|is|are)\s*(?:none|no\b|off|absent|zero)",
    re.I,
)
_VALUE = (
    r"[^.;]{0,60}?\b(?:probabilit(?:y|ies)|strengths?|parameters?|rates?|error rates?|chance)\s*(?:of\s+)?(?:per "
    r"gate\s*)?(?:each\s*)?"
    r"\(?\s*(?P<symbol>p(?:_\{?\w+\}?)?|gamma|lambda|eta|q|epsilon)?\s*\)?\s*(?:=|of|is|in|:)?\s*"
)


@dataclass(frozen=True, slots=True)
class SpokenNoise:
    """A channel of the text; more than one value is a sweep, whose `symbol` may be written.

    Attributes:
        factor: of the channel's probability, where the task's own formula gives its symbol another meaning.
        convention: of depolarising noise, where a formula says it.
        own: whether the text gives the values beside the channel's name.
    """

    kind: NoiseKind
    values: tuple[float, ...]
    symbol: str
    words: str
    sentence: Sentence
    factor: float = 1.0
    convention: str = ""
    own: bool = False


def noises(body: Sequence[Sentence], whole: str, defined: Sequence[Definition] = ()) -> list[SpokenNoise]:
    """Every kind of noise of the text, once, with its values; no values where the text gives none."""
    named = resolved(assignments(whole))
    found: dict[str, SpokenNoise] = {}
    for sentence in body:
        for match in _KIND.finditer(sentence.text):
            if _ABSENT.search(sentence.text[: match.start()]) or _NONE.match(sentence.text, match.end()):
                continue  # told to be absent
            kind = _kind(match, sentence.text)
            values, symbol = _values(sentence.text, match, named)
            if kind not in found or (values and not found[kind].values):
                found[kind] = SpokenNoise(
                    cast(NoiseKind, kind), tuple(values), symbol, match[0], sentence, own=bool(values)
                )
    _one_dephasing(found)
    made = [_written(one, found, defined) for one in found.values()]
    return [_filled(one, named, whole) for one in made]


def _kind(match: re.Match[str], sentence: str) -> str:
    """The channel that is meant: a bit that flips when it is read is an error of the readout."""
    kind = str(match.lastgroup)
    if kind == "bit_flip" and re.search(r"\bread-?\s?(?:ing|out)\b|\bclassical (?:bit|outcome)", sentence, re.I):
        return "readout"
    return kind


def _one_dephasing(found: dict[str, SpokenNoise]) -> None:
    """Dephasing that has no value of its own beside phase damping or phase flips is another word for these."""
    one = found.pop("dephasing", None)
    if one is None:
        return
    others = [name for name in ("phase_damping", "phase_flip") if name in found]
    if others and (not one.own or not found[others[0]].own or one.values == found[others[0]].values):
        if one.own:
            other = found[others[0]]
            found[others[0]] = replace(other, values=one.values, symbol=one.symbol, own=True)
        return
    found["phase_flip" if "phase_flip" not in found else "dephasing"] = replace(one, kind="phase_flip")


def _written(one: SpokenNoise, found: dict[str, SpokenNoise], defined: Sequence[Definition]) -> SpokenNoise:
    """A channel with the meaning that a formula of the task gives its probability."""
    phase = {"phase_flip", "phase_damping"}
    for formula in defined:
        same = formula.kind == one.kind or (
            {formula.kind, one.kind} == phase
            and one.words.lower().startswith(("dephas", "phase"))
            and not phase <= found.keys()
        )
        if same:
            symbol = one.symbol or formula.symbol
            values = one.values or ((formula.value,) if formula.value is not None else ())
            words = one.words if formula.kind == one.kind else formula.kind.replace("_", " ")
            return replace(
                one, kind=formula.kind, values=values, symbol=symbol, factor=formula.factor, words=words,
                convention=formula.convention,
            )  # fmt: skip
    return one


def other_noise(whole: str) -> str:
    """Words for a kind of noise that no recipe has; empty if there are none."""
    match = _OTHER.search(whole)
    return match[0] if match else ""


def noise_is_spoken_of(whole: str) -> bool:
    """Whether a text speaks of noise that it does not rule out."""
    return bool(re.search(r"\bnois[ey]\w*\b", _NO_NOISE.sub(" ", whole), re.I))


def _values(text: str, match: re.Match[str], named: dict[str, list[float]]) -> tuple[list[float], str]:
    """The values beside a channel's name: behind its probability, in front of it, or as a bare percentage."""
    following = re.compile(_VALUE).match(text, match.end())
    symbol = (following["symbol"] or "") if following else ""
    if symbol and key(symbol) in named:
        return named[key(symbol)], symbol
    if following and (values := _plain(numbers_at(text, following.end()))):
        return values, symbol
    before = re.search(r"(?<![\w.])(0?\.\d+)\s+(?:of\s+)?(?:[a-z-]+\s+){0,2}$", text[: match.start()])
    if before:
        return [float(before[1])], symbol
    return _in_front(text[: match.start()], named) or _behind(text, match.end(), symbol)


def _in_front(text: str, named: dict[str, list[float]]) -> tuple[list[float], str] | None:
    front = re.search(
        r"\b(?:probabilit(?:y|ies)|chance)\s*(?:of\s*)?(?:(?P<symbol>p|gamma|q|eta|lambda|epsilon)\b\s*)?(?:=|of|"
        r"is)?\s*(?P<at>)[^.;]*$",
        text,
    )
    if front is None:
        return None
    if front["symbol"] and key(front["symbol"]) in named:
        return named[key(front["symbol"])], front["symbol"]
    values = _plain(numbers_at(text, front.end("at")))
    return (values, "") if values else None


def _behind(text: str, place: int, symbol: str) -> tuple[list[float], str]:
    loose = re.compile(
        r"\s*(?:noise|channel|error)?s?\s*(?:\(|of|with|at|in|:|,)\s*(?:(?:about|a|an|the)\s+)?(?:(?:strength|"
        r"probability|parameter|"
        r"rate|chance)\s*(?:of\s*)?)?(?:(?P<symbol>p|gamma|lambda|q)\s*=\s*)?"
    ).match(text, place)
    if loose and (values := _plain(numbers_at(text, loose.end()))):
        return values, loose["symbol"] or symbol
    bare = re.compile(r"[^.;,\d]{0,40}?\s*(?:rates?|probability)?\s*(?:is|=|of|in|with|at)?\s*(?=0?\.\d+\b)").match(
        text, place
    )
    return (_plain(numbers_at(text, bare.end())) if bare else []), symbol


def _plain(numbers: Numbers | None) -> list[float]:
    """Plain numbers; none for arithmetic with symbols."""
    if numbers is None or numbers.items[0].names:
        return []
    return numbers.values()


def _filled(one: SpokenNoise, named: dict[str, list[float]], whole: str) -> SpokenNoise:
    """A channel without a value of its own takes the one that the text sets: its symbol's, or the only one there is."""
    if one.values:
        return one
    for name in (one.symbol, "p", "gamma", "lambda", "q", "eta", "epsilon"):
        if name and key(name) in named:
            return replace(one, values=tuple(named[key(name)]), symbol=name)
    spoken = re.search(
        r"\b(?:probabilit(?:y|ies)|strengths?|values)\s*(?:of\s+|:\s*|=\s*|is\s+|are\s+)?(?=\d|zero\b|from|between|"
        r"\{|\[)",
        whole,
        re.I,
    )
    return replace(one, values=tuple(_plain(numbers_at(whole, spoken.end()) if spoken else None)))
