"""Gates and the qubits that they act on, in any order of words: ``tie qubits 4 and 2 by a CZ``.

A sentence is cut at its gates. The qubits of a gate are those named behind it, up to the next gate; where it is told
as a means (``by``, ``with``, ``through``) or nobody is named behind it, those in front of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate
from labwright.agents.tool_forging.readers.circuits.toffoli import toffoli_qubits
from labwright.agents.tool_forging.readers.language.scalars import Scalar, scalar_at

_TWO = (
    ("ccx", r"Toffolis?|CCX|CCNOT"),
    ("controls_x", r"controls\s+(?:an?\s+|the\s+)?(?:NOT|X)"),
    ("controls_z", r"controls\s+(?:an?\s+|the\s+)?(?:Z|phase)"),
    ("cx", r"C-?NOTs?|CX|controlled[- ]NOTs?|controlled[- ]X"),
    ("cz", r"CZs?|controlled[- ]Zs?|controlled[- ]phase[- ]flips?"),
    ("cy", r"CY|controlled[- ]Ys?"),
    ("ch", r"controlled[- ]Hadamards?|CH"),
    ("swap", r"SWAPs?"),
)
_ONE = (
    ("h", r"Hadamards?|H"),
    ("sdg", r"S\^?dag\w*|Sdg"),
    ("tdg", r"T\^?dag\w*|Tdg"),
    ("x", r"(?:Pauli[- ])?X|NOT"),
    ("y", r"(?:Pauli[- ])?Y"),
    ("z", r"(?:Pauli[- ])?Z"),
    ("s", r"S"),
    ("t", r"T"),
)
_WORD = "|".join(f"(?P<{name}>{words})" for name, words in (*_TWO, *_ONE))
_NAMED = re.compile(
    rf"(?<![A-Za-z<|@_^])(?:{_WORD})(?![A-Za-z@>|_=^]|\s*=|[- ](?:bas[ei]s|components?|measure|direction|axis|"
    rf"error|flip))"
    r"(?=(?:[- ]gates?)?(?P<tail>[^.;]{0,60}))"
)
_TURN = re.compile(
    r"\b(?:C|controlled[- ])?R_?(?P<axis>[xyzXYZ])\b|(?<![-\w])(?P<axis3>[xyzXYZ])[- ]rotations?\b|\b(?P<phase>CP|"
    r"CPhase|CPHASE|"
    r"controlled[- ]phase(?![- ]flip))(?:[- ](?:gate|rotation))?\b|\brotat\w+\s+(?:gate\s+)?"
    r"(?P<object>(?:(?:each|every|all|both|the|it|them|of|qubits?|\d|first|second|third|fourth|one|and|,)\s*)"
    r"{0,6})?\s*(?:(?:about|around)\s+(?:the\s+)?(?P<axis2>[xyzXYZ])(?:[- ]axis)?)",
)
_AROUND = re.compile(r"\s*(?:about|around)\s+(?:the\s+)?(?P<axis>[xyzXYZ])(?:[- ]axis)?")
_BY = re.compile(
    r"\s*(?:rotation|gate)?\s*(?:,\s*(?=(?:fixed\s+)?angle\b))?(?:fixed\s+(?=angle\b))?(?:\(|(?:by|of|with|through|"
    r"angle)\b)?\s*(?:an?\s+|"
    r"the\s+)?(?:(?:same|common|identical|equal)\s+)?(?:angle\s+)?(?:of\s+)?"
)
_THING = r"(?:qubits?|q_?\[?|no\.|number|wires?|lines?)"
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7}
_REF = (
    rf"(?:(?:the\s+)?(?:{_THING}\s*)?(?P<q>\d+|{'|'.join(_ORDINALS)}|last)\]?(?:\s+(?:one|"
    rf"qubit))?(?!\s*(?:shots|times|qubits|\.\d|%|e-|of\s+\w+\s+bas)))"
)
_QUBIT = re.compile(
    rf"(?<![\w.^/*(-]){_REF}(?![\w.]*\d)|(?<=\()\d(?=\s*[,)])|\bq\[?(?P<q2>\d)|\b(?P<it>it|that "
    rf"qubit|this qubit)\b|(?<=\d)[-,]\s?(?P<q3>\d)\b(?!\.\d)"
)
_EVERY = re.compile(
    r"\b(?:all|each|every|both|everybody|everyone)\b(?!\s+(?:gates?|cases?|bas[ei]s|"
    r"neighbou?r))|\bthem\b",
    re.I,
)
_NEXT = re.compile(
    r"neighbou?r\w*|adjacent|consecutive|successive|\bchain of\b|\bcascade\b|\bladder\b|along the (?:chain|line|"
    r"register|row)|"
    r"each (?:qubit )?(?:to|with|and) the next|nearest",
    re.I,
)
_MEANS = re.compile(
    r"\b(?:by|with|through|via|using|undergoes|receives|gets|sees|under|into|"
    r"experiences)\s+(?:an?\s+|the\s+|one\s+|two\s+|three\s+)?(?:\w+\s+)?$",
    re.I,
)
_GATE_CUE = re.compile(
    r"^(?:[- ]gates?\b|\s*(?:gates?\s*)?(?:is |are |acts? |acting |applied )*(?:on|to|"
    r"at)\s+(?:the |each |every |all |both |qubit|q\[?\d|\d|first|second|third|last)|"
    r"\s*\(?\s*q?\[?\d\]?\s*\)?\s*(?:[,;.)]|and|then|$))"
)
_APPLY = re.compile(
    r"\b(?:apply|applied|applies|gates?|then|followed by|first|next|by|with|through|undergoes|"
    r"receives|gets|an?)\s*:?\s+(?:an?\s+|the\s+)?$|^\W*$",
    re.I,
)

_OTHER = _REF.replace("?P<q>", "?P<t>")
_ROLES = (
    re.compile(rf"control\w*\W+(?:\w+\W+){{0,3}}?{_REF}.{{0,40}}?target\w*\W+(?:\w+\W+){{0,3}}?{_OTHER}"),
    re.compile(rf"{_REF}\W+(?:\w+\W+){{0,2}}?control.{{0,40}}?{_OTHER}\W+(?:\w+\W+){{0,2}}?target"),
)


@dataclass(frozen=True, slots=True)
class _Token:
    """A gate of a sentence without its qubits."""

    name: str
    angle: Scalar | None
    start: int
    end: int
    inside: str = ""


def spoken_gates(text: str, n: int, known: Iterable[str] | None = None, last: int | None = None) -> list[SpokenGate]:
    """The gates of a sentence with their qubits; empty qubits where the sentence does not name them.

    Args:
        n: number of qubits.
        known: symbols that angles may hold.
        last: the qubit that a pronoun means at the beginning.
    """
    text = re.sub(
        r"\b(?!control|target|qubit|q\b)[A-Za-z]\w*\s*=\s*[-+\d.][^;A-Za-z]*|\bstates?\s+\d\b|\|[^|<>]{1,12}>|"
        r"<[^|<>]{1,12}\||sqrt\(\d\)|\b[01]{2,}\b",
        lambda m: " " * len(m[0]),
        text,
    )
    tokens = _tokens(text, None if known is None else list(known))
    made: list[SpokenGate] = []
    for k, one in enumerate(tokens):
        low = tokens[k - 1].end if k else 0
        high = tokens[k + 1].start if k + 1 < len(tokens) else len(text)
        before = re.sub(r"\b\d+\s+$", "", text[low : one.start])  # a number in front of gates is how many
        before = re.split(r"[;:]", before)[-1]
        behind = re.split(r"[.;]\s", text[one.end : high])[0]
        groups = _groups(one, before, behind, n, last)
        if groups:
            last = groups[-1][0]
        name = {"controls_x": "cx", "controls_z": "cz"}.get(one.name, one.name)
        made += [SpokenGate(name, group, one.angle, one.start, one.end) for group in groups or [()]]
    return made


def _tokens(text: str, known: list[str] | None) -> list[_Token]:
    found: list[_Token] = []
    for match in _TURN.finditer(text):
        angle, end = _angle(text, match.end(), known)
        if angle is not None:
            axis = "" if match["phase"] else (match["axis"] or match["axis2"] or match["axis3"]).lower()
            name = "cp" if match["phase"] else f"{'c' if text[match.start()] in 'Cc' else ''}r{axis}"
            found.append(_Token(name, angle, match.start(), end, match["object"] or ""))
    for match in re.finditer(r"\brotat\w+\s+(?:it\s+)?(?:by|through)\s+", text):
        angle = scalar_at(text, match.end(), known)
        around = _AROUND.match(text, angle.end) if angle else None
        if angle and around:
            found.append(_Token(f"r{around['axis'].lower()}", angle, match.start(), around.end()))
    for match in _NAMED.finditer(text):
        name = str(next(key for key, value in match.groupdict().items() if value is not None and key != "tail"))
        if any(one.start <= match.start() < one.end for one in found):
            continue
        letter = len(match[0]) == 1
        if letter and not (_GATE_CUE.match(match["tail"]) or (_GATE_CUE.match(text[match.end() :]))):
            continue
        if (
            letter
            and not _APPLY.search(text[: match.start()])
            and not re.search(
                r"[,;:>(]\s*(?:and\s+|"
                r"then\s+)*$|\b(?:and|then)\s+$",
                text[: match.start()],
            )
        ):
            continue
        found.append(_Token(name, None, match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


def _angle(text: str, place: int, known: list[str] | None) -> tuple[Scalar | None, int]:
    lead = _BY.match(text, place)
    begin = lead.end() if lead else place
    angle = scalar_at(text, begin, known)
    if angle is None:
        return None, place
    closing = re.compile(r"\s*\)").match(text, angle.end) if lead and "(" in lead[0] else None
    return angle, closing.end() if closing else angle.end


def _groups(one: _Token, before: str, behind: str, n: int, last: int | None) -> list[tuple[int, ...]]:
    """The qubits of each application of a gate."""
    size = {"ccx": 3}.get(
        one.name, 2 if one.name in {name for name, _ in _TWO} or one.name.startswith(("cr", "cp")) else 1
    )
    if one.name.startswith("controls"):
        pair = [*_refs(before, n, last)[-1:], *_refs(behind, n, None)[:1]]
        return [tuple(pair)] if len(set(pair)) == 2 else []
    if one.name == "ccx":
        three = toffoli_qubits(behind) or toffoli_qubits(before)
        return [three[0]] if three else []
    if one.angle is not None and (inside := _on(one.inside, size, n, last)):
        return inside
    sides = [behind, before] if not _MEANS.search(before) else [before, behind]
    for side in sides:
        found = [group for group in _on(side, size, n, last) if len(set(group)) == size]
        if found:
            return found
    return []


def _on(text: str, size: int, n: int, last: int | None) -> list[tuple[int, ...]]:
    if size == 1:
        if _EVERY.search(text) and not re.search(r"\b(?:all|each|every|both)\b[^,]*\b(?:but|except)\b", text):
            return [(q,) for q in range(n)]
        return [(q,) for q in dict.fromkeys(_refs(text, n, last))]
    for pattern in _ROLES:
        roles = pattern.search(text)
        if roles:
            return [(_index(roles["q"], n), _index(roles["t"], n))]
    refs = _refs(text, n, last)
    if _NEXT.search(text) and len(refs) < size:
        return [(q, q + 1) for q in range(n - 1)]
    if len(refs) >= size and len(refs) % size == 0:
        return [tuple(refs[k : k + size]) for k in range(0, len(refs), size)]
    if len(refs) > size and size == 2 and re.search(r"->|\bto\b", text):  # 0 -> 1 -> 2
        return list(pairwise(refs))
    return []


def _refs(text: str, n: int, last: int | None) -> list[int]:
    found: list[int] = []
    for match in _QUBIT.finditer(text):
        if match["it"]:
            if last is not None:
                found.append(found[-1] if found else last)
            continue
        word = match["q"] or match["q2"] or match["q3"] or match[0]
        if _index(word, n) < n or re.match(r"(?:the\s+)?(?:qubit|q)", match[0]):
            found.append(_index(word, n))  # a bare number beyond the register is none of a qubit
    return found


def _index(word: str, n: int) -> int:
    if word == "last":
        return n - 1
    return _ORDINALS[word] if word in _ORDINALS else int(word)


def named_last(text: str, n: int) -> int | None:
    """The last qubit that a sentence names, for a pronoun in the next one."""
    refs: Sequence[int] = _refs(text, n, None)
    return refs[-1] if refs else None
