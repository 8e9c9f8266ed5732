"""Gates in words: ``a Hadamard on qubit 3``, ``CNOT, control 4, target 2``, ``Ry(pi/3) on qubit 2``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.circuits.toffoli import toffoli_qubits
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.language.scalars import Scalar, scalar_at

_ORDINAL = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4}
_NAMES: list[tuple[str, str]] = [
    ("ccx", r"Toffolis?|CCX|CCNOT"),
    ("crx|cry|crz|cp", r"(?:controlled[- ])(?:R|rotation )?(?:[xyz]|phase)\b|CR[xyzXYZ]|CP(?=\()|CPHASE"),
    ("cx", r"CNOTs?|CX|controlled[- ]NOT|controlled[- ]X"),
    ("cz", r"CZs?|controlled[- ]Z"),
    ("cy", r"CY|controlled[- ]Y"),
    ("ch", r"controlled[- ]Hadamard|CH"),
    ("swap", r"SWAP|swap(?= gate)"),
    ("h", r"Hadamards?|H"),
    ("rx", r"R_?[xX]"), ("ry", r"R_?[yY]"), ("rz", r"R_?[zZ]"),
    ("sdg", r"S\^?dag(?:ger)?|Sdg"), ("tdg", r"T\^?dag(?:ger)?|Tdg"),
    ("x", r"(?:Pauli[- ])?X|NOT|bit[- ]flip gate"), ("y", r"(?:Pauli[- ])?Y"), ("z", r"(?:Pauli[- ])?Z"),
    ("s", r"S"), ("t", r"T"),
    ("p", r"phase(?= gate)|P(?=\()"),
]  # fmt: skip
_PART = re.compile(
    "|".join(f"(?P<g{k}>{pattern})" for k, (_, pattern) in enumerate(_NAMES) if "|" not in _NAMES[k][0]).join(
        (r"(?<![A-Za-z<|@_^])(?:", r")(?![A-Za-z@>|_]|[- ]bas[ei]s)")
    )
)
_KEYS = {f"g{k}": name for k, (name, _) in enumerate(_NAMES)}
_SURE = {"cx", "cz", "cy", "ch", "ccx", "swap"}
_Q = r"(?:(?:the\s+)?(?:qubits?\s*|q_?\[?)?(?P<{0}>\d+|first|second|third|fourth|fifth)\]?(?:\s+qubit)?)"
_TWO = [
    re.compile(r"\s*(?:gates?\s*)?\(\s*" + _Q.format("c") + r"\s*(?:,|->)\s*" + _Q.format("t") + r"\s*\)"),
    re.compile(
        r"[^.;]{0,24}?\b" + _Q.format("c") + (
            r"\s*(?:\([^)]*\)\s*)?(?:as|is|being)\s+(?:the\s+)?control(?:ling)?(?:\s+qubit)?,?\s*(?:and\s+)?(?:wi"
            r"th\s+)?"
        )
        + _Q.format("t") + r"\s*(?:as|is|being)\s+(?:the\s+)?target"
    ),
    re.compile(
        r"[^.;]{0,24}?\bcontrol(?:led by|\s+on)?\s*(?:=|is|:)?\s*" + _Q.format("c") + (
            r"\s*(?:,|and|;)?\s*(?:and\s+)?(?:with\s+)?(?:the\s+)?target(?:ing)?\s*(?:=|is|:|on)?\s*"
        )
        + _Q.format("t")
    ),
    re.compile(r"(?:\s+gates?)?\s+from\s+" + _Q.format("c") + r"\s*(?:to|onto|->)\s*" + _Q.format("t")),
    re.compile(
        r"(?:\s+gates?)?\s*(?:between|on|to|across|acting on)?\s*(?:the\s+)?"
        + _Q.format("c") + r"\s*(?:->|to|and|,|-)\s*" + _Q.format("t")),
]  # fmt: skip
_MORE = re.compile(
    r"\s*(?:,|;)?\s*(?:and|then|,)?\s*(?:then\s+)?(?:another\s+)?(?:one\s+)?(?:from\s+)?"
    + _Q.format("c")
    + r"\s*(?:to|->)\s*"
    + _Q.format("t")
)
_CHAIN = re.compile(
    r"[^.;]{0,60}?\b(?:(?:each|every|all)\s+(?:pairs?\s+of\s+)?(?:neighbou?ring|adjacent|nearest|consecutive|"
    r"successive)|(?:neighbou?ring|adjacent|consecutive|successive)"
    r"|(?:chain|ladder|cascade|sequence|line)\s+of)|\s+(?:chain|ladder|cascade)|\s+(?:along|down) the "
    r"(?:chain|line|register)|[^.;]{0,30}from each qubit "
    r"to the next|[^.;]{0,30}(?:0\s*(?:->|to)\s*1,?\s*(?:and\s+)?1\s*(?:->|to)\s*2,?\s*\.\.\.)",
    re.I,
)
_FAN = re.compile(
    (
        r"[^.;]{0,40}?from\s+(?:the\s+)?(?:qubit\s+)?(?P<c>\d+|first)(?:\s+qubit)?\s+to\s+(?:each|every|"
        r"all)(?:\s+of\s+the)?\s+(?:other|remaining)s?"
    ),
    re.I,
)
_ALL = re.compile(
    r"[^.;,]{0,12}?\b(?:on|to)\s+(?:(?:all|both|each|every)(?:\s+of)?(?:\s+(?:the|them))?\s+(?:\w+\s+)?qubits?\b|"
    r"(?:all|both|each|every one)(?=\s*(?:[.,;:)]|$|and\b|then\b|of them\b)))",
    re.I,
)
_ON = re.compile(
    (
        r"(?:\s*gates?)?\s*(?:\([^)]*\))?\s*(?:gates?)?\s*(?:acts?|acting|applied|by an angle [^,;.]*?)?\s*(?:on|"
        r"to)\s+(?:the\s+)?(?P<list>(?:(?:qubits?\s*|q_?\[?)?(?:\d+|first|second|third|"
        r"fourth)\]?(?:\s+qubits?)?(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)?)+)"
    ),
    re.I,
)
_BARE = re.compile(r"\s*\(\s*(?:q_?\[?)?(\d+)\]?\s*\)")


@dataclass(frozen=True, slots=True)
class SpokenGate:
    """A gate of the text.

    Attributes:
        angle: for rotations, as written.
        qubits: empty where the text does not say.
        start: offset in the cleaned text.
        end: behind its qubits.
    """

    name: str
    qubits: tuple[int, ...]
    angle: Scalar | None
    start: int
    end: int


def gates(text: str, n_qubits: int, known: Iterable[str] | None = None) -> list[SpokenGate]:
    """Every gate that a text applies, in the order of the text. Letters alone count as gates only with qubits."""
    found: list[SpokenGate] = []
    end = 0
    for match in _PART.finditer(text):
        if match.start() < end:
            continue
        name = _KEYS[str(match.lastgroup)]
        made = list(_gates(text, match, name, n_qubits, known))
        found += made
        end = made[-1].end if made else match.end()
    return found


def _gates(text: str, match: re.Match[str], name: str, n: int, known: Iterable[str] | None) -> Iterable[SpokenGate]:
    start, place = match.start(), match.end()
    angle = None
    if name in {"rx", "ry", "rz", "p"}:
        angle, place = _angle(text, place, known)
        if angle is None:
            return
    if name in _SURE:
        yield from _entangling(text, start, place, name, n)
        return
    whole = _ALL.match(text, place)
    if whole:
        for qubit in range(n):
            yield SpokenGate(name, (qubit,), angle, start, whole.end())
        return
    on = _ON.match(text, place)
    bare = None if on else _BARE.match(text, place)
    if bare:
        yield SpokenGate(name, (int(bare[1]),), angle, start, bare.end())
    elif on:
        stop = on.end("list")
        for qubit in _qubits(on["list"]):
            yield SpokenGate(name, (qubit,), angle, start, stop)
    elif match[0].lower().startswith("hadamard"):
        yield SpokenGate(name, (), angle, start, place)


def _entangling(text: str, start: int, place: int, name: str, n: int) -> Iterable[SpokenGate]:
    if name == "ccx":
        clause = re.split(r"\.\s|;\s(?![^()]*\))|\bthen\b|\bfollowed\b", text[place : place + 120])[0]
        three = toffoli_qubits(clause)
        end = place + three[1] if three else place
        yield SpokenGate(name, three[0] if three else (), None, start, end)
        return
    fan = _FAN.match(text, place)
    if fan:
        control = _qubit(fan["c"])
        for target in (q for q in range(n) if q != control):
            yield SpokenGate(name, (control, target), None, start, fan.end())
        return
    if _CHAIN.match(text, place) or re.search(r"(?:chain|ladder|cascade|sequence|line) of\s*$", text[:start]):
        chain = _CHAIN.match(text, place)
        for qubit in range(n - 1):
            yield SpokenGate(name, (qubit, qubit + 1), None, start, chain.end() if chain else place)
        return
    for pattern in _TWO:
        two = pattern.match(text, place)
        if two:
            yield SpokenGate(name, (_qubit(two["c"]), _qubit(two["t"])), None, start, two.end())
            end = two.end()
            while more := _MORE.match(text, end):
                yield SpokenGate(name, (_qubit(more["c"]), _qubit(more["t"])), None, more.start(), more.end())
                end = more.end()
            return
    yield SpokenGate(name, (), None, start, place)


def _angle(text: str, place: int, known: Iterable[str] | None) -> tuple[Scalar | None, int]:
    opening = re.compile(r"\s*\(").match(text, place)
    if opening:
        angle = scalar_at(text, opening.end(), known)
        closing = re.compile(r"\s*\)").match(text, angle.end) if angle else None
        return (angle, closing.end()) if angle and closing else (None, place)
    spoken = re.compile(
        r"(?:\s+(?:rotation|gate))?\s+(?:by|with|of)\s+(?:an?\s+|the\s+)?(?:angle\s+)?(?:of\s+)?"
    ).match(text, place)
    angle = scalar_at(text, spoken.end(), known) if spoken else None
    return angle, angle.end if angle else place


def _qubits(text: str) -> list[int]:
    return [_qubit(word) for word in re.findall(r"\d+|first|second|third|fourth|fifth", text)]


def _qubit(word: str) -> int:
    return _ORDINAL[word] if word in _ORDINAL else int(integer(word) or 0)
