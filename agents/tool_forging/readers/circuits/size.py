"""How many qubits a circuit has."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.language.scalars import NUMBER_WORDS

_COUNT = rf"(?P<count>\d+|{'|'.join(word for word in NUMBER_WORDS if word not in ('half', 'single'))})"
_MANY = re.compile(rf"(?<![\w.]){_COUNT}[\s-]+(?:(?!of|for|in|on|to|and|or|from)[a-z-]+\s+){{0,2}}?qubits?\b", re.I)
# qubits of a gate or a channel, or some of the register
_PART = re.compile(
    r"(?:\b(?:the|both|those|these|its|their|each|every|any|other|first|last|touched|only|to|left|remaining|"
    r"acts? on|acting on)\s*"
    r"(?:other|first|last|outer|inner)?|\d\s*,|\band)\s*$",
    re.I,
)
_ADJECTIVE = re.compile(
    r"[\s-]+(?:\w+[\s-]+){0,1}?(?:gates?|depolari\w+|noise|channels?|errors?|operations?|unitar\w+|rotations?|"
    r"correlat\w+|parit\w+|of the gate|it|they|involved|that)\b",
    re.I,
)
_INDEX = re.compile(r"\bqubits?\s*(?P<list>\d+(?:\s*(?:,|and|to|-|through|\.\.\.)+\s*\d+)*)|\bq_?\[?\{?(?P<q>\d+)")


def size(circuit: Circuit) -> int | None:
    """The number of qubits by the words that give it, by kets, or by the highest index; None where nothing tells."""
    text = circuit.text
    said = _stated(circuit) or count(circuit.body.plain, r"(?:\w+[- ])?(?:GHZ|cluster|W)[- ]states?")
    kets = [len(one) for one in re.findall(r"\|([01]{2,})>", text)]
    named = circuit.sets.get("N") or circuit.sets.get("n")
    if said and said[0] > 1:
        return said[0]
    if kets:
        return max(kets)
    if named:
        return int(named[0])
    if re.search(r"\bBell\b|\bEPR\b|\bCHSH\b|\bboth qubits\b|\bsinglet\b", text):
        return 2
    highest = [int(one) for match in _INDEX.finditer(text) for one in re.findall(r"\d+", match["list"] or match["q"])]
    some = [number for match in _MANY.finditer(text) if (number := integer(match["count"]))]
    if highest:
        return max([max(highest) + 1, *some])
    return said[0] if said else max(some) if some else _letters(text)


def _stated(circuit: Circuit) -> tuple[int, int, int] | None:
    """The first count of qubits that is one of the whole register."""
    text = circuit.text
    number_of = re.search(
        rf"\b(?:register|system|row|line|chain) of {_COUNT.replace('count', 'of')}\b(?!\s+\w+\s+(?:states|levels))|"
        rf"\b(?:number of qubits|qubit count|qubits?)\s*(?:\(?[A-Za-z]\)?\s*)?(?::|=|\bis\b|"
        rf"\bequals\b)\s*{_COUNT}\b(?!\s*,|\.\d)",
        text,
        re.I,
    )
    if number_of and (number := integer(number_of["count"] or number_of["of"])):
        return number, *number_of.span()
    for match in _MANY.finditer(text):
        number = integer(match["count"])
        if number is None or _PART.search(text[max(0, match.start() - 24) : match.start()]):
            continue
        if not _ADJECTIVE.match(text, match.end()):
            return number, *match.span()
    return count(circuit.body.plain, r"particle")


def _letters(text: str) -> int | None:
    """The length of the Pauli strings of a text, if they have one length."""
    lengths = {len(one) for one in re.findall(r"(?<![A-Za-z])[XYZI]{2,}(?![A-Za-z])", text)}
    return lengths.pop() if len(lengths) == 1 else None
