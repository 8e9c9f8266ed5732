"""How many qubits a circuit has and which gates prepare its state."""

from __future__ import annotations

import re

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.circuits.active import active
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate, gates
from labwright.agents.tool_forging.readers.circuits.spoken_gates import named_last, spoken_gates
from labwright.agents.tool_forging.readers.circuits.states import SpokenState, ket_sum, named_state
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.tools.forge.families.circuits.spec import Gate


def size(circuit: Circuit) -> int | None:
    said = count(circuit.body.plain, r"qubits?") or count(circuit.body.plain, r"particle")
    said = said or count(circuit.body.plain, r"(?:\w+[- ])?(?:GHZ|cluster|W)[- ]states?|-qubit \w+")
    kets = [len(one) for one in re.findall(r"\|([01]{2,})>", circuit.text)]
    named = circuit.sets.get("N") or circuit.sets.get("n")
    if said and said[0] > 1:
        return said[0]
    if kets:
        return max(kets)
    if named:
        return int(named[0])
    if re.search(r"\bBell\b|\bEPR\b|\bCHSH\b|\bboth qubits\b|\bsinglet\b", circuit.text):
        return 2
    highest = [int(one) for one in re.findall(r"qubit\s*(\d+)", circuit.text)]
    return max(highest) + 1 if highest else (said[0] if said else None)


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
        read = gates(plain, n)
        told = spoken_gates(plain, n, circuit.sets, last)
        if any(not one.qubits for one in read) or sum(bool(one.qubits) for one in told) > len(read):
            read = told
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
    return found, vague


def _without_errors(text: str) -> str:
    """A sentence without the clauses that tell of errors: ``a Z is applied with probability q`` is no gate."""
    return (
        re.sub(
            r"[^,;.]*\b(?:probabilit\w+|chance|errors?|noise|noisy|channel)\b[^,;.]*",
            lambda m: " " * len(m[0]),
            text,
            flags=re.I,
        )
        if re.search(r"\b(?:is|are|gets?|be) applied\b|\bapplies\b", text)
        else text
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
