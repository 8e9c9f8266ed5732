"""Which gates prepare the state of a circuit."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.circuits.active import active
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate, gates
from labwright.agents.tool_forging.readers.circuits.listed_gates import listed_gates
from labwright.agents.tool_forging.readers.circuits.spoken_gates import named_last, spoken_gates
from labwright.agents.tool_forging.readers.circuits.states import SpokenState, ket_sum, named_state
from labwright.tools.forge.families.circuits.spec import Gate


def preparation(circuit: Circuit, n: int) -> tuple[list[SpokenGate | Gate], SpokenState | None] | Question | Unread:
    target = ket_sum(circuit.text)
    if target and len(target.amplitudes) != 2**n:
        return Question(
            text=(
                f"The task speaks of {n} qubits, but the state {target.name} has "
                f"{len(target.amplitudes).bit_length() - 1}. Which is right?"
            )
        )
    target = target or named_state(circuit.text, n)
    placed = _placed(circuit, n)
    if isinstance(placed, Question):
        return placed
    found, vague = placed
    if vague and target and target.gates and len(found) < len(target.gates):
        circuit.assumed.append(
            f"The task does not say on which qubits its gates act; the standard circuit of the {target.name} is taken."
        )
        return list(target.gates), target
    loose = [name for name in vague if name not in {one.name for one in found}]
    if loose and not (target and target.gates and not found):
        return Question(text=f"On which qubits does the gate {loose[0].upper()} act?")
    if found:
        return found, target
    if target and target.gates:
        circuit.assumed.append(
            f"The task names the {target.name} but no gates; a standard circuit of Hadamard, CNOT and "
            f"rotations prepares it."
        )
        return list(target.gates), target
    words = target.name if target else circuit.body.title
    return Unread(
        words,
        (
            "The gates that prepare the state are not given, and it is no Bell, GHZ or W state. A tool that "
            "synthesises circuits would be needed."
        ),
    )


def _placed(circuit: Circuit, n: int) -> tuple[list[SpokenGate | Gate], list[str]] | Question:
    """The gates of the preparation with their qubits, and the names of those whose qubits are not said."""
    found: list[SpokenGate | Gate] = []
    vague: list[str] = []
    last: int | None = None
    for sentence in circuit.body.sentences:
        if sentence.is_heading:
            continue
        plain = _without_errors(active(sentence.text, n))
        read = _read(plain, n, circuit, last)
        last = read[-1].qubits[0] if read and read[-1].qubits else named_last(plain, n) or last
        for gate in read:
            if changes_basis(plain, gate):
                continue
            if not gate.qubits:
                vague.append(gate.name)
                continue
            if max(gate.qubits) >= n:
                return Question(
                    text=(
                        f"The task speaks of {n} qubits, but of a gate on qubit {max(gate.qubits)}. How many "
                        f"are there, counted from 0?"
                    )
                )
            found.append(gate)
        vague += _overlooked(plain, read)
    return found, vague


_APPLIED = re.compile(
    r"(?<![A-Za-z<|@_^])(?P<name>[HXYZST])(?:[- ]gates?)?\s+(?:(?:(?:on|to|at)\s+)?(?:the\s+)?(?:qubits?\s*|q_?\[?)\d|"
    r"(?:on|to|at)\s+(?:the\s+)?(?:\d|all|both|each|every|first|second|third|last))"
)
_MEASURED = re.compile(r"measur|expect|<|basis|observ|correlat|mean|average|error|noise|flip|of$", re.I)


def _overlooked(text: str, read: list[SpokenGate]) -> list[str]:
    """Letters that stand in front of a qubit like gates and that nobody has read."""
    if not read and not re.search(r"\b(?:apply|applied|then|gates?|followed)\b", text, re.I):
        return []
    return [
        f"{match['name'].lower()} (in {match[0]!r})"
        for match in _APPLIED.finditer(text)
        if not any(one.start <= match.start() < max(one.end, one.start + 1) for one in read)
        and not _MEASURED.search(re.split(r"[,;:.]", text[: match.start()])[-1].strip())
    ]


def _read(text: str, n: int, circuit: Circuit, last: int | None) -> list[SpokenGate]:
    """The gates of a sentence, as a list or in prose."""
    listed = listed_gates(text, n, circuit.sets)
    if listed:
        return listed
    read = gates(text, n)
    told = spoken_gates(text, n, circuit.sets, last)
    if any(not one.qubits for one in read) or sum(bool(one.qubits) for one in told) > len(read):
        read, told = told, read
    return _together(read, told)


def _together(read: list[SpokenGate], other: list[SpokenGate]) -> list[SpokenGate]:
    """Gates that one way of reading found, and those that only the other one did, in the order of the text."""
    more = [
        one
        for one in other
        if one.qubits and not any(has.start - 2 <= one.start < max(has.end, has.start + 3) for has in read)
    ]
    return sorted([*read, *more], key=lambda one: one.start) if more else read


_ERROR = re.compile(r"\b(?:probabilit\w+|chance|errors?|noise|noisy|channel|flips?|dephas\w+|damping)\b", re.I)
_PAULI = re.compile(r"\b(?:an?\s+)?(?:(?:random\s+)?Pauli[- ])?(?<![\w<|])[XYZ](?![\w>|(])(?:[- ]gate)?", re.I)


def _without_errors(text: str) -> str:
    """A sentence without what tells of errors: ``with probability q a Z is applied`` is no gate."""
    if not _ERROR.search(text):
        return text
    if re.search(r"\b(?:is|are|gets?|be) applied\b|\bapplies\b", text):
        text = re.sub(rf"[^,;:.]*{_ERROR.pattern}[^,;:.]*", lambda m: " " * len(m[0]), text, flags=re.I)
    return re.sub(
        rf"[^,;:.]*{_ERROR.pattern}[^,;:.]*", lambda m: _PAULI.sub(lambda p: " " * len(p[0]), m[0]), text, flags=re.I
    )


def changes_basis(text: str, gate: SpokenGate) -> bool:
    """Whether a gate belongs to a measurement: its clause speaks of one."""
    clauses = re.split(r"(?<=[;:])|(?<=\.)\s|,\s+(?=then|and then)", text)
    place = 0
    for clause in clauses:
        if place <= gate.start < place + len(clause) + 2:
            after = clause[max(0, gate.start - place) :]
            before = clause[: max(0, gate.start - place)]
            return bool(
                re.search(
                    r"insert|measur\w+ in the \w+ basis by|(?:change|rotate)\w* (?:of )?(?:the )?basis",
                    before,
                    re.I,
                )
            ) or bool(
                re.search(
                    (
                        r"\bto measure\b|\bbefore (?:the )?measur\w+\b(?! in Z)|to change (?:the )?basis|for "
                        r"the X basis|to rotate"
                    ),
                    re.split(r"\b(?:and|let|then|with)\b", after[:60])[0],
                    re.I,
                )
            )
        place += len(clause)
    return False
