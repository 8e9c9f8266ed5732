"""The noise channels of a task as the family takes them: where each acts and what its probability means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.circuits.active import active
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate, gates
from labwright.agents.tool_forging.readers.circuits.noise import (
    SpokenNoise,
    noise_is_spoken_of,
    noises,
    other_noise,
)
from labwright.agents.tool_forging.readers.circuits.places import convention_of, named_gates, place_of
from labwright.agents.tool_forging.readers.language.sentences import Sentence
from labwright.tools.forge.families.circuits.spec import Gate, Noise, Place

_KNOWN = (
    "Which channel this is cannot be told; known are depolarising, bit and phase flips, "
    "amplitude and phase damping, readout errors."
)
_QUIET = re.compile(
    r"(?:noise-?less|ideal|perfect|error-free)[^.]{0,30}(?:measurement|basis|read-?out)|"
    r"(?:measurement|basis)[^.]{0,40}(?:noise-?less|ideal|perfect|error-free)",
    re.I,
)
_PREPARING = re.compile(
    r"(?:preparation|state preparation) (?:gates )?only|only (?:to|after|on) (?:the )?(?:state[- ])?preparation", re.I
)
_APART = re.compile(
    r"single[- ]qubit depol|on each (?:of (?:its|the gate's) )?qubits? separately|independent|\bindividually\b|"
    r"each of (?:its|the|the gate's) (?:two )?qubits (?:separately|individually|passes)|one-qubit depol",
    re.I,
)


def noise_of(
    circuit: Circuit, backend: str, applied: Sequence[SpokenGate | Gate]
) -> list[tuple[SpokenNoise, Noise]] | Question | Unread:
    """The channels of a task; none where it has no noise."""
    if circuit.body.defined[1]:
        return Unread(circuit.body.defined[1], "These Kraus operators are none of a channel that is known.")
    found = noises(list(circuit.body.sentences), circuit.text, circuit.body.defined[0])
    if not found:
        other = other_noise(circuit.text)
        if other or noise_is_spoken_of(circuit.text):
            return Unread(other or "noise", _KNOWN)
        return []
    made: list[tuple[SpokenNoise, Noise]] = []
    for one in found:
        if (doubt := _doubt(one)) is not None:
            return doubt
        built = channel(circuit, one, backend, applied)
        if isinstance(built, Unread):
            return built
        made.append((one, built))
    return made


def _doubt(one: SpokenNoise) -> Question | None:
    """A question where a channel has no probability, or an impossible one."""
    if not one.values:
        return Question(text=f"With which probability does the {one.words} noise act?")
    wrong = [value for value in one.values if not 0 <= value <= 1]
    if not wrong:
        return None
    return Question(
        text=(
            f"A probability must lie between 0 and 1, but the task gives {one.words} the value "
            f"{wrong[0]:g}. Which value is meant?"
        )
    )


def channel(circuit: Circuit, one: SpokenNoise, backend: str, applied: Sequence[SpokenGate | Gate]) -> Noise | Unread:
    """One channel as the family takes it."""
    others = [
        s for s in circuit.body.sentences if re.search(r"\b(?:channel|noise|errors?|imperfect|noisy)\b", s.text, re.I)
    ]
    near = " ".join(without_gates(circuit, sentence) for sentence in (one.sentence, *others))
    place, qubits, words = place_of(near, " ".join(s.text for s in (one.sentence, *others)))
    if one.kind != "readout" and (strange := _other_gates(place, words, applied)):
        return Unread(words, f"The noise follows these gates only, but the circuit has {strange} gates, too.")
    if not words and one.kind != "readout" and any(isinstance(gate, Gate) for gate in applied):
        place, words = "after_preparation", "the state that is named"
        circuit.assumed.append(
            "The task names the state and no gates, and does not say where the channel acts; it acts once on every "
            "qubit of the perfectly prepared state."
        )
    convention, said = convention_of(circuit.text, backend, [one.convention] if one.convention else ())
    follows = place == "every_gate" and not _QUIET.search(circuit.text) and not _PREPARING.search(circuit.text)
    _assume(circuit, one, words, convention, said)
    try:
        return Noise(
            kind=one.kind,
            probability=one.values[0] * one.factor,
            place=place,
            qubits=qubits,
            convention=convention,
            joint=not _APART.search(near),
            on_basis_change=follows,
        )
    except ValidationError:
        return Unread(one.words, f"The probability {one.values[0]:g} is beyond what random Paulis can do.")


def _other_gates(place: Place, words: str, applied: Sequence[SpokenGate | Gate]) -> str:
    """A two-qubit gate of the circuit that words such as ``after each CNOT`` leave out; empty if there is none."""
    named = named_gates(words)
    if place != "two_qubit_gates" or not named:
        return ""
    return next((one.name for one in applied if len(one.qubits) > 1 and one.name not in named), "")


def _assume(circuit: Circuit, one: SpokenNoise, words: str, convention: str, said: str) -> None:
    """Notes what the task leaves open about a channel."""
    if not words and one.kind != "readout":
        circuit.assumed.append(
            "The task does not say where the channel acts; it follows every gate on the gate's qubits, "
            "the Hadamard gates that change"
            " the basis included. <XX> would fall more slowly if it did not; the report gives both."
        )
    if one.kind == "depolarizing" and not said:
        circuit.assumed.append(
            "Depolarising with p: "
            + (
                "the state is replaced by the completely mixed one with probability p (Qiskit's convention)."
                if convention == "mixing"
                else "a random Pauli other than the identity acts with probability p (CUDA-Q's convention)."
            )
        )
    if one.words.lower().startswith("dephas") and not one.convention:
        circuit.assumed.append(
            "Dephasing with p is a phase flip, rho -> (1 - p) rho + p Z rho Z; coherences shrink by 1 - 2 p."
        )


def without_gates(circuit: Circuit, sentence: Sentence) -> str:
    """A sentence with its gates blank: the qubits that they act on are not those of the noise."""
    text = active(sentence.text, circuit.n)
    for gate in gates(text, circuit.n):
        text = text[: gate.start] + " " * (gate.end - gate.start) + text[gate.end :]
    return text
