"""Noise channels in words: kind, probability, and where they act."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from labwright.agents.tool_forging.readers.language.assignments import assignments, resolved
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.sentences import Sentence
from labwright.tools.forge.families.circuits.spec import NoiseKind, Place

KINDS: list[tuple[str, str]] = [
    (
        "readout",
        (
            r"(?:read[- ]?out|measurement|assignment|detect(?:ion|or))[- ](?:errors?|noise|flips?|infidelity)|"
            r"mis-?(?:read|identif|assign|classif)\w*|(?:wrong|false|flipped) (?:outcome|result|value|bit)s?|reads? "
            r"(?:out )?(?:the )?wrong\w*"
        ),
    ),
    ("bit_phase_flip", r"bit[- ]?(?:and[- ])?phase[- ]flips?"),
    (
        "bit_flip",
        r"bit[- ]?flips?(?! gate)|X[- ]errors?|(?:an?|Pauli) X (?:error )?(?:is applied|acts|happens|"
        r"occurs)|is flipped with",
    ),
    ("phase_flip", r"phase[- ]?flips?|Z[- ]errors?|(?:an?|Pauli) Z (?:error )?(?:is applied|acts|happens|occurs)"),
    (
        "amplitude_damping",
        r"amplitude[- ]damp\w*|loses? (?:its|their|the) (?:excitation|energy)|(?:energy|"
        r"spontaneous) (?:relaxation|decay|loss)",
    ),
    ("phase_damping", r"phase[- ]damping"),
    ("dephasing", r"dephasing|dephases?"),
    ("depolarizing", r"depolari[sz](?:ing|es?|ation)"),
]
_KIND = re.compile("|".join(f"(?P<{name}>{words})" for name, words in KINDS), re.I)
_ABSENT = re.compile(r"\b(?:no|without(?: any)?|free (?:of|from))\s+(?:additional |further |other )?$", re.I)
_OTHER = re.compile(
    r"\b(thermal relaxation|coherent (?:error|noise)|over-?rotations?|crosstalk|leakage|T1|T2|Pauli[- "
    r"](?:noise|channel)s?|correlated noise)\b"
)
_VALUE = (
    r"[^.;]{0,60}?\b(?:probabilit(?:y|ies)|strengths?|parameters?|rates?|error rates?)\s*(?:of\s+)?(?:per "
    r"gate\s*)?(?:each\s*)?"
    r"\(?\s*(?P<symbol>p(?:_\{?\w+\}?)?|gamma|lambda|eta|q|epsilon)?\s*\)?\s*(?:=|of|is|in)?\s*"
)


@dataclass(frozen=True, slots=True)
class SpokenNoise:
    """A channel of the text; more than one value is a sweep, whose `symbol` may be written."""

    kind: NoiseKind
    values: tuple[float, ...]
    symbol: str
    words: str
    sentence: Sentence


def noises(body: Sequence[Sentence], whole: str) -> list[SpokenNoise]:
    """Every kind of noise of the text, once, with its values; no values where the text gives none."""
    named = resolved(assignments(whole))
    found: dict[str, SpokenNoise] = {}
    for sentence in body:
        for match in _KIND.finditer(sentence.text):
            if _ABSENT.search(sentence.text[: match.start()]):
                continue  # "No readout error."
            kind = str(match.lastgroup)
            kind = "phase_flip" if kind == "dephasing" else kind
            values, symbol = _values(sentence.text, match, named)
            if kind not in found or (values and not found[kind].values):
                found[kind] = SpokenNoise(cast(NoiseKind, kind), tuple(values), symbol, match[0], sentence)
    return [_filled(one, found, named, whole) for one in found.values()]


def other_noise(whole: str) -> str:
    """Words for a kind of noise that no recipe has; empty if there are none."""
    match = _OTHER.search(whole)
    return match[0] if match else ""


def _values(text: str, match: re.Match[str], named: dict[str, list[float]]) -> tuple[list[float], str]:
    following = re.compile(_VALUE).match(text, match.end())
    place = following.end() if following else match.end()
    symbol = (following["symbol"] or "") if following else ""
    if symbol and key(symbol) in named:
        return named[key(symbol)], symbol
    if following:
        numbers = numbers_at(text, place)
        if numbers and not numbers.items[0].names:
            return _fractions(numbers.values(), numbers.unit), symbol
    before = re.search(r"(\d+(?:\.\d+)?)\s*(%|percent|per cent)\s+(?:[a-z-]+\s+){0,2}$", text[: match.start()])
    if before:
        return [float(before[1]) / 100], symbol
    front = re.search(
        r"\bprobabilit(?:y|ies)\s*(?:of\s*)?(?:(?P<symbol>p|gamma|q|eta|lambda|epsilon)\b\s*)?(?:=|of|"
        r"is)?\s*(?P<at>)[^.;]*$",
        text[: match.start()],
    )
    if front:
        if front["symbol"] and key(front["symbol"]) in named:
            return named[key(front["symbol"])], front["symbol"]
        numbers = numbers_at(text, front.end("at"))
        if numbers and not numbers.items[0].names:
            return _fractions(numbers.values(), numbers.unit), symbol
    loose = re.compile(
        r"\s*(?:noise|channel|error)?s?\s*(?:\(|of|with|at|:|,)\s*(?:(?:strength|probability|parameter|"
        r"rate)\s*(?:of\s*)?)?(?:(?P<symbol>p|gamma|lambda|q)\s*=\s*)?"
    ).match(text, match.end())
    if loose:
        numbers = numbers_at(text, loose.end())
        if numbers and not numbers.items[0].names:
            return _fractions(numbers.values(), numbers.unit), loose["symbol"] or symbol
    bare = re.compile(
        r"\s*(?:rates?|probability)?\s*(?:is|=|of)?\s*(?=\d+(?:\.\d+)?\s*(?:%|percent|per "
        r"cent))"
    ).match(text, match.end())
    numbers = numbers_at(text, bare.end()) if bare else None
    if numbers and not numbers.items[0].names:
        return _fractions(numbers.values(), numbers.unit), symbol
    return [], symbol


def _fractions(values: list[float], unit: str) -> list[float]:
    return [value / 100 for value in values] if unit == "percent" else values


def _filled(one: SpokenNoise, found: dict[str, SpokenNoise], named: dict[str, list[float]], whole: str) -> SpokenNoise:
    """A channel without a value of its own takes the one that the text sets: its symbol's, or the only one there is."""
    if one.values:
        return one
    for name in (one.symbol, "p", "gamma", "lambda", "q"):
        if name and key(name) in named:
            return SpokenNoise(one.kind, tuple(named[key(name)]), name, one.words, one.sentence)
    spoken = re.search(r"\bprobabilit(?:y|ies)\s*(?:of\s+|:\s*)?(?=\d|from|between|\{|\[)", whole)
    numbers = numbers_at(whole, spoken.end()) if spoken else None
    values = _fractions(numbers.values(), numbers.unit) if numbers and not numbers.items[0].names else []
    return SpokenNoise(one.kind, tuple(values), one.symbol, one.words, one.sentence)


def place_of(text: str, whole: str) -> tuple[Place, list[int], str]:
    """Where noise acts by the words of a text, with the qubits it names, and the words; empty words for the default.

    Args:
        text: sentences about the noise without their gates.
        whole: the same with them.
    """
    every = re.search(
        (
            r"(?:after|follow\w*|on|to|at|with)\s+(?:each|every|all(?: the)?)\s+(?:single[- ]qubit\s+|quantum\s+|"
            r"elementary\s+)?(?:gates?|operations?)\b|each gate is followed|gate noise|every gate"
        ),
        text,
        re.I,
    )
    two = re.search(
        (
            r"(?:after|follow\w*|on|to)\s+(?:(?:each|every|all) of the(?=\s+[\w-]+\s+gates\b)|"
            r"each|every|all(?: the)?)\s+(?:two[- ]qubit|2-qubit|entangling|CNOT|"
            r"CX|CZ)(?:\s+gates?)?|(?:each|every|all)(?: the)? (?:CNOT|CX|CZ|"
            r"controlled[- ]\w+|two[- ]qubit gate|entangling gate)s? (?:is|are) followed|two[- ]qubit gates "
            r"only|after (?:the )?(?:CNOTs|entangling gates)\b"
        ),
        whole,
        re.I,
    )
    last = re.search(
        r"\b(?:each|every|both|all)(?:\s+of)?(?:\s+the)?(?:\s+\w+)?\s+qubits?\b(?!\s+(?:is|are|being)? "
        r"?measured)|each qubit|"
        r"every qubit|after (?:the )?(?:state )?(?:preparation|circuit|CNOT|last gate|state)"
        r"|(?:just |right |immediately )?before (?:the )?measur\w+|at the end|on qubits? \d|to qubits? \d|"
        r"prepared state|once prepared|after it|after preparing",
        text,
        re.I,
    )
    only = re.search(r"(?:on|to|of)\s+qubits?\s+(\d+(?:(?:\s*,\s*|\s+and\s+)\d+)*)(?:\s+only)?", text)
    if two:
        return "two_qubit_gates", [], two[0]
    if every:
        return "every_gate", [], every[0]
    if last:
        qubits = (
            [int(one) for one in re.findall(r"\d+", only[1])] if only and re.search(r"qubits?\s+\d", last[0]) else []
        )
        return "after_preparation", qubits, last[0]
    return "every_gate", [], ""


def convention_of(text: str, backend: str) -> tuple[Literal["mixing", "pauli"], str]:
    """Which depolarising convention is meant, and the words that say so; the backend's own where nothing does."""
    mixing = re.search(r"\(1\s*-\s*[a-z]+\)\s*rho\s*\+|completely mixed|maximally mixed", text)
    pauli = re.search(r"[a-z]+\s*/\s*3\b|\(?[a-z]+/3\)?|random Pauli|each Pauli|Pauli errors? (?:X|each)", text)
    if mixing:
        return "mixing", mixing[0]
    if pauli:
        return "pauli", pauli[0]
    return ("mixing" if backend == "qiskit" else "pauli"), ""
