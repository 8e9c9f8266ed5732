"""Gates as a list or a program: ``H 0; CX 0 1; RZ(0.3) 1``, ``rx(pi/2) q[1];``, ``CNOT: qubits 0, 1``.

A sentence counts as a list only where nothing but gates, qubits, angles and words of order stand in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate
from labwright.agents.tool_forging.readers.language.scalars import scalar_at

_SIZES = {"h": 1, "x": 1, "y": 1, "z": 1, "s": 1, "t": 1, "sdg": 1, "tdg": 1, "rx": 1, "ry": 1, "rz": 1, "p": 1,
          "cx": 2, "cy": 2, "cz": 2, "ch": 2, "swap": 2, "crx": 2, "cry": 2, "crz": 2, "cp": 2, "ccx": 3}  # fmt: skip
_SAME = {"cnot": "cx", "hadamard": "h", "toffoli": "ccx", "ccnot": "ccx", "not": "x", "cphase": "cp", "phase": "p",
         "sdag": "sdg", "tdag": "tdg"}  # fmt: skip
_ANGLED = frozenset({"rx", "ry", "rz", "p", "crx", "cry", "crz", "cp"})
_NAME = rf"(?P<name>{'|'.join(sorted([*_SIZES, *_SAME], key=len, reverse=True))})"
_REF = r"(?:qubits?\s*)?q?_?\[?\{?\d+\}?\]?(?![.\w])"
_VALUE = r"(?:[-+]?[\w.]*(?:\([^()]*\))?(?:\s*[*/]\s*[\w.]+|(?<=\d)\s+pi)*)"
_ITEM = re.compile(
    rf"(?<![A-Za-z<|@_^]){_NAME}(?:[- ]gate)?(?:\s*\(\s*(?P<angle>{_VALUE})\s*\))?\s*(?::|=|on|to|from|at|acting "
    rf"on|with)?\s*"
    rf"(?:\(\s*)?(?P<refs>{_REF}(?:\s*(?:,|->|to|and|onto|-|\s)\s*{_REF})*|(?:all|each|every)(?: qubits?)?)(?:\s*\))?"
    rf"(?:\s*[,;|]?\s*(?:\(?(?:angle|theta|phi|by|value)\s*[:=]?)\s*(?P<behind>{_VALUE})\)?)?",
    re.I,
)
_ORDER = re.compile(
    r"\b(?:gates?|circuit|program|sequence|operations?|apply|applied|step|first|second|third|fourth|fifth|sixth|"
    r"then|next|"
    r"finally|last|and|in this order|in order|a|an|the|follows?|as follows|prepare|from|all[- ]zeros?|start\w*|"
    r"state|zero|qubits?|is|are|now|after that)\b|->|"
    r"\d+[.)](?=\s)|"
    r"(?<=step )\d+|[\s,;:.|()\[\]`*-]",
    re.I,
)


_MEASURED = re.compile(r"[;,.]\s*(?:and\s+)?(?:then\s+|finally\s+)?measure\b.*$", re.I | re.S)


def listed_gates(text: str, n: int, known: Iterable[str] | None = None) -> list[SpokenGate]:
    """The gates of a sentence that is a list of gates; none where it is anything else.

    Args:
        text: the sentence.
        n: number of qubits.
        known: symbols that angles may hold.
    """
    symbols = None if known is None else list(known)
    made: list[SpokenGate] = []
    text = _MEASURED.sub(lambda m: " " * len(m[0]), text)
    lead = text.find(":") + 1
    if lead and not _ITEM.search(text[:lead]):  # "Circuit on two qubits: H 0; CX 0 1"
        text = " " * lead + text[lead:]
    found = list(_ITEM.finditer(text))
    rest = _ITEM.sub(" ", re.sub(r"\bstep\s+\d+\b", " ", text, flags=re.I))
    if not found or _ORDER.sub("", rest).strip():
        return []
    for match in found:
        one = _gates(match, n, symbols)
        if one is None:
            return []
        made += one
    return made


def _gates(match: re.Match[str], n: int, known: list[str] | None) -> list[SpokenGate] | None:
    name = match["name"].lower()
    name = _SAME.get(name, name)
    told = match["angle"] or match["behind"] or ""
    angle = scalar_at(told, 0, known) if told else None
    if (name in _ANGLED) != (angle is not None and angle.end == len(told.rstrip())):
        return None
    size, refs = _SIZES[name], [int(one) for one in re.findall(r"\d+", match["refs"])]
    groups: list[tuple[int, ...]]
    if not refs:
        groups = [(q,) for q in range(n)] if size == 1 else []
    elif size == 2 and "->" in match["refs"] and len(refs) > 2:
        groups = list(pairwise(refs))
    elif len(refs) % size == 0:
        groups = [tuple(refs[k : k + size]) for k in range(0, len(refs), size)]
    else:
        return None
    if not groups or any(len(set(group)) != size for group in groups):
        return None
    return [SpokenGate(name, group, angle, match.start(), match.end()) for group in groups]
