"""The state that a circuit starts from, as gates on |0...0>: ``start in |011>``, ``both qubits begin in |+>``."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.base import Unread
from labwright.tools.forge.families.circuits.spec import Gate

_BEGIN = r"(?:start\w*|begin\w*|initial\w*|initiali[sz]ed|is set|are set|input)"
_KET = r"\|?(?P<ket>[01]+|\+i?|-i?|[A-Za-z]\w*)>"
_REGISTER = re.compile(
    rf"\b{_BEGIN}\b(?:\s+(?:\w+\s+){{0,4}}?(?:in|from|as|at|to|of|with)|\s+(?:register|state)|\s*[:=])*\s*(?:the\s+)?"
    rf"(?:(?:basis |product |computational |initial )*state\s*(?:is|=|:)?\s*)?{_KET}",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all|each|every|both)\b(?:\s+(?:of\s+)?(?:the\s+|its\s+)?(?:\w+\s+)?qubits?)?[^.;|]{0,30}$", re.I
)
_ONE = re.compile(r"\bqubit\s*(?P<q>\d)\b[^.;|,]{0,24}$", re.I)
_GATES = {"0": (), "1": ("x",), "+": ("h",), "-": ("x", "h"), "+i": ("h", "s"), "-i": ("h", "sdg")}


def starting_gates(text: str, n: int) -> list[Gate] | Unread:
    """Gates that make the start from |0...0>; none for |0...0> itself or where the text does not speak of it."""
    found: dict[int, tuple[str, ...]] = {}
    for match in _REGISTER.finditer(text):
        ket = match["ket"]
        before = text[max(0, match.start() - 60) : match.start("ket") - 1]
        single = _ONE.search(before)
        if re.search(r"[+-]\s*[\w./()]*\s*\|", text[match.end() : match.end() + 12]):
            continue  # a superposition that is written out is what the gates prepare
        if re.match(r"[A-Za-z]", ket):
            continue  # a name, such as |psi>: what it stands for is written elsewhere
        if ket in _GATES and single and int(single["q"]) < n:
            found[int(single["q"])] = _GATES[ket]
        elif ket in _GATES and (_ALL.search(before) or n == 1):
            found |= dict.fromkeys(range(n), _GATES[ket])
        elif len(ket) == n and set(ket) <= {"0", "1"}:
            found = {q: _GATES[bit] for q, bit in enumerate(ket)}
        elif set(ket) != {"0"}:
            return Unread(match[0], "Circuits start from basis states, or with qubits in |+> or |->.")
    return [Gate(name=name, qubits=[q]) for q, names in sorted(found.items()) for name in names]
