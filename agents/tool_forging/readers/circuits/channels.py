"""The noise channels of a task as the family takes them: where each acts and what its probability means."""

from __future__ import annotations

import re

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.circuits.active import active
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit
from labwright.agents.tool_forging.readers.circuits.gates import gates
from labwright.agents.tool_forging.readers.circuits.noise import (
    SpokenNoise,
    convention_of,
    noises,
    other_noise,
    place_of,
)
from labwright.agents.tool_forging.readers.language.sentences import Sentence
from labwright.tools.forge.families.circuits.spec import Noise


def noise_of(circuit: Circuit, backend: str) -> list[tuple[SpokenNoise, Noise]] | Question | Unread:
    body = list(circuit.body.sentences)
    found = noises(body, circuit.text)
    if not found:
        other = other_noise(circuit.text)
        if other or re.search(r"\bnois[ey]\w*\b", circuit.text, re.I):
            words = other or "noise"
            if other or not re.search(r"noise-?less|without noise|shot noise|no noise", circuit.text, re.I):
                return Unread(
                    words,
                    (
                        "Which channel this is cannot be told; known are depolarising, bit and phase flips, "
                        "amplitude and phase damping, readout errors."
                    ),
                )
        return []
    made: list[tuple[SpokenNoise, Noise]] = []
    for one in found:
        if not one.values:
            return Question(text=f"With which probability does the {one.words} noise act?")
        wrong = [value for value in one.values if not 0 <= value <= 1]
        if wrong:
            return Question(
                text=(
                    f"A probability must lie between 0 and 1, but the task gives {one.words} the value "
                    f"{wrong[0]:g}. Which value is meant?"
                )
            )
        built = channel(circuit, one, backend)
        if isinstance(built, Unread):
            return built
        made.append((one, built))
    return made


def channel(circuit: Circuit, one: SpokenNoise, backend: str) -> Noise | Unread:
    others = [s for s in circuit.body.sentences if re.search(r"\b(?:channel|noise|errors?)\b", s.text, re.I)]
    near = " ".join(without_gates(circuit, sentence) for sentence in (one.sentence, *others))
    place, qubits, words = place_of(near, " ".join(s.text for s in (one.sentence, *others)))
    convention, said = convention_of(circuit.text, backend)
    quiet = re.search(
        (
            r"(?:noise-?less|ideal|perfect|error-free)[^.]{0,30}(?:measurement|basis|read-?out)|"
            r"(?:measurement|basis)[^.]{0,40}(?:noise-?less|ideal|perfect|error-free)"
        ),
        circuit.text,
        re.I,
    )
    only_first = re.search(
        (
            r"(?:preparation|state preparation) (?:gates )?only|only (?:to|after|on) (?:the )?(?:state[- "
            r"])?preparation"
        ),
        circuit.text,
        re.I,
    )
    follows = place == "every_gate" and not quiet and not only_first
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
    if one.words.lower().startswith("dephas"):
        circuit.assumed.append(
            "Dephasing with p is a phase flip, rho -> (1 - p) rho + p Z rho Z; coherences shrink by 1 - 2 p."
        )
    joint = not re.search(
        r"single[- ]qubit depol|on each (?:of (?:its|the gate's) )?qubits? separately|independent", near, re.I
    )
    try:
        return Noise(
            kind=one.kind,
            probability=one.values[0],
            place=place,
            qubits=qubits,
            convention=convention,
            joint=joint,
            on_basis_change=follows,
        )
    except ValidationError:
        return Unread(one.words, f"The probability {one.values[0]:g} is beyond what random Paulis can do.")


def without_gates(circuit: Circuit, sentence: Sentence) -> str:
    """A sentence with its gates blank: the qubits that they act on are not those of the noise."""
    text = active(sentence.text, circuit.n)
    for gate in gates(text, circuit.n):
        text = text[: gate.start] + " " * (gate.end - gate.start) + text[gate.end :]
    return text
