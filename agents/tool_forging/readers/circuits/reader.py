"""A circuit task: what is prepared, what disturbs it, how it is measured, and what is wanted of the counts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from typing import Any, Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.circuits.bases import bases_and_observables
from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate, gates
from labwright.agents.tool_forging.readers.circuits.noise import (
    SpokenNoise,
    convention_of,
    noises,
    other_noise,
    place_of,
)
from labwright.agents.tool_forging.readers.circuits.states import SpokenState, ket_sum, named_state
from labwright.agents.tool_forging.readers.circuits.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.assignments import assignments, count, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.sentences import Sentence
from labwright.tools.forge.families.circuits.prepared import overlap
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec, Gate, Noise

_GATE_WORDS = re.compile(r"\b(?:Hadamard|CNOT|CX|CZ|circuit|quantum gate|gates?|GHZ|Bell|W[- ]state|CHSH)\b")
_SHOT_WORDS = re.compile(
    (
        r"\b(?:shots?|counts?|sampl\w+|bitstrings?|histograms?|CHSH|measure(?:d|ments?)? (?:both|all|each|every|"
        r"the qubits?|in))\b"
    ),
    re.I,
)
_FOREIGN = re.compile(
    (
        r"\b(?:GRAPE|CRAB|pulse|DMRG|TEBD|HEOM|VQE|variational|ansatz|Lindblad|master equation|mesolve|"
        r"Hamiltonian|TD-?DFT|QAOA|Grover|teleport\w*|error correction|surface code|tomograph\w*)\b"
    ),
    re.I,
)
_CHANGE = re.compile(
    (
        r"to (?:measure|rotate)|before (?:the )?measur|in(?:to)? the [XYZ]+[- ]basis|change (?:of )?(?:the "
        r")?basis|basis change|insert|rotat\w+ (?:into|to) the|measure (?:both|all|each|every|the qubits|it)? "
        r"?\w* ?in the"
    ),
    re.I,
)
_OTHER_SOFTWARE = re.compile(
    r"\b(?:PennyLane|Cirq|Braket|pytket|tket|Stim|QuEST|ProjectQ|Strawberry Fields|qulacs|Q#|PyQuil)\b", re.I
)
_MOST = 10  # qubits of a target state that is compared

Wants = Literal["fidelity", "purity", "entropy", "entanglement_entropy"]


class CircuitReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "circuits"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it is about gates and shots."""
        body = Body(task)
        text = body.text
        if not (_GATE_WORDS.search(text) and _SHOT_WORDS.search(text)) or _FOREIGN.search(text):
            return None
        return _Reading(body).whole()


class _Reading:
    """One task on the way to its specification; `assumed` gathers what the text does not say."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.assumed: list[str] = []
        self.n = 0
        self.sets = resolved(assignments(body.plain))

    def whole(self) -> Reading | Question | Unread:
        other = _OTHER_SOFTWARE.search(self.text)
        if other:
            return Unread(
                other[0], f"There is no recipe that runs circuits with {other[0]}; there are for Qiskit and CUDA-Q."
            )
        backend = self.backend()
        n = self.size()
        if n is None:
            return Question(text="How many qubits does the circuit have?")
        self.n = n
        prepared = self.preparation(n)
        if not isinstance(prepared, tuple):
            return prepared
        spoken, target = prepared
        noise = self.noise(backend)
        if isinstance(noise, Question | Unread):
            return noise
        cases = self.cases(spoken, noise, n)
        if not isinstance(cases, list):
            return cases
        return self.specified(backend, n, cases, target, noise)

    def backend(self) -> Literal["qiskit", "cudaq"]:
        if re.search(r"cuda-?\s?q(?:uantum)?\b", self.text, re.I):
            return "cudaq"
        if not re.search(r"\bqiskit|\baer\b", self.text, re.I):
            self.assumed.append("The task names no simulator; Qiskit Aer is used. The statistics do not depend on it.")
        return "qiskit"

    def size(self) -> int | None:
        said = count(self.body.plain, r"qubits?") or count(self.body.plain, r"particle")
        kets = [len(one) for one in re.findall(r"\|([01]{2,})>", self.text)]
        named = self.sets.get("N") or self.sets.get("n")
        if said and said[0] > 1:
            return said[0]
        if kets:
            return max(kets)
        if named:
            return int(named[0])
        if re.search(r"\bBell\b|\bEPR\b|\bCHSH\b|\bboth qubits\b|\bsinglet\b", self.text):
            return 2
        highest = [int(one) for one in re.findall(r"qubit\s*(\d+)", self.text)]
        return max(highest) + 1 if highest else (said[0] if said else None)

    def preparation(self, n: int) -> tuple[list[SpokenGate | Gate], SpokenState | None] | Question | Unread:
        target = ket_sum(self.text)
        if target and len(target.amplitudes) != 2**n:
            return Question(
                text=(
                    f"The task speaks of {n} qubits, but the state {target.name} has "
                    f"{len(target.amplitudes).bit_length() - 1}. Which is right?"
                )
            )
        target = target or named_state(self.text, n)
        found: list[SpokenGate | Gate] = []
        vague = False
        for sentence in self.body.sentences:
            if sentence.is_heading:
                continue
            for gate in gates(sentence.text, n):
                if self.changes_basis(sentence, gate):
                    continue
                if not gate.qubits:
                    vague = True
                    continue
                if max(gate.qubits) >= n:
                    return Question(
                        text=(
                            f"The task speaks of {n} qubits, but of a gate on qubit {max(gate.qubits)}. How many "
                            f"are there, counted from 0?"
                        )
                    )
                found.append(gate)
        if vague and target and target.gates and len(found) < len(target.gates):
            self.assumed.append(
                f"The task does not say on which qubits its gates act; the standard circuit of the "
                f"{target.name} is taken."
            )
            return list(target.gates), target
        if found:
            return found, target
        if target and target.gates:
            self.assumed.append(
                f"The task names the {target.name} but no gates; a standard circuit of Hadamard, CNOT and "
                f"rotations prepares it."
            )
            return list(target.gates), target
        words = target.name if target else self.body.title
        return Unread(
            words,
            (
                "The gates that prepare the state are not given, and it is no Bell, GHZ or W state. A tool that "
                "synthesises circuits would be needed."
            ),
        )

    def changes_basis(self, sentence: Sentence, gate: SpokenGate) -> bool:
        """Whether a gate belongs to a measurement: its clause speaks of one."""
        clauses = re.split(r"(?<=[;:])|(?<=\.)\s|,\s+(?=then|and then)", sentence.text)
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

    def noise(self, backend: str) -> list[tuple[SpokenNoise, Noise]] | Question | Unread:
        body = list(self.body.sentences)
        found = noises(body, self.text)
        if not found:
            other = other_noise(self.text)
            if other or re.search(r"\bnois[ey]\w*\b", self.text, re.I):
                words = other or "noise"
                if other or not re.search(r"noise-?less|without noise|shot noise|no noise", self.text, re.I):
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
            built = self.channel(one, backend)
            if isinstance(built, Unread):
                return built
            made.append((one, built))
        return made

    def channel(self, one: SpokenNoise, backend: str) -> Noise | Unread:
        others = [s for s in self.body.sentences if re.search(r"\b(?:channel|noise|errors?)\b", s.text, re.I)]
        near = " ".join(self.without_gates(sentence) for sentence in (one.sentence, *others))
        place, qubits, words = place_of(near)
        convention, said = convention_of(self.text, backend)
        quiet = re.search(
            (
                r"(?:noise-?less|ideal|perfect|error-free)[^.]{0,30}(?:measurement|basis|read-?out)|"
                r"(?:measurement|basis)[^.]{0,40}(?:noise-?less|ideal|perfect|error-free)"
            ),
            self.text,
            re.I,
        )
        only_first = re.search(
            (
                r"(?:preparation|state preparation) (?:gates )?only|only (?:to|after|on) (?:the )?(?:state[- "
                r"])?preparation"
            ),
            self.text,
            re.I,
        )
        follows = place == "every_gate" and not quiet and not only_first
        if not words and one.kind != "readout":
            self.assumed.append(
                "The task does not say where the channel acts; it follows every gate on the gate's qubits, "
                "the Hadamard gates that change"
                " the basis included. <XX> would fall more slowly if it did not; the report gives both."
            )
        if one.kind == "depolarizing" and not said:
            self.assumed.append(
                "Depolarising with p: "
                + (
                    "the state is replaced by the completely mixed one with probability p (Qiskit's convention)."
                    if convention == "mixing"
                    else "a random Pauli other than the identity acts with probability p (CUDA-Q's convention)."
                )
            )
        if one.words.lower().startswith("dephas"):
            self.assumed.append(
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

    def without_gates(self, sentence: Sentence) -> str:
        """A sentence with its gates blank: the qubits that they act on are not those of the noise."""
        text = sentence.text
        for gate in gates(text, self.n):
            text = text[: gate.start] + " " * (gate.end - gate.start) + text[gate.end :]
        return text

    def cases(
        self, spoken: list[SpokenGate | Gate], noise: list[tuple[SpokenNoise, Noise]], n: int
    ) -> list[Case] | Question:
        angles = self.swept_angle(spoken)
        if isinstance(angles, Question):
            return angles
        name, values = angles
        compare = len(noise) > 1 and re.search(
            (
                r"\bcompar\w+|\bversus\b|\bseparately\b|\beither\b|\beach (?:of the )?(?:channel|kind|type)|one "
                r"at a time|three channels|two channels|for each channel"
            ),
            self.text,
            re.I,
        )
        sets: list[tuple[dict[str, Any], list[Noise]]] = []
        if compare:
            for one, channel in noise:
                sets += [
                    ({"channel": one.kind, "noise": v}, [channel.model_copy(update={"probability": v})])
                    for v in one.values
                ]
        else:
            swept = [one for one, _ in noise if len(one.values) > 1]
            lengths = {one.values for one in swept}
            if len(lengths) > 1:
                return Question(
                    text=(
                        "Several kinds of noise have several values. Do they vary together, or is each pair of "
                        "values a case?"
                    )
                )
            for k in range(len(swept[0].values) if swept else 1):
                channels = [
                    c.model_copy(update={"probability": o.values[k] if len(o.values) > 1 else o.values[0]})
                    for o, c in noise
                ]
                labels: dict[str, Any] = {"noise": swept[0].values[k]} if swept else {}
                sets.append((labels, channels))
        made = []
        for value, (labels, channels) in product(values, sets):
            own = {name: value} if name else {}
            made.append(
                Case(
                    labels={**own, **labels},
                    gates=[self.gate(one, {name: value} if name else {}) for one in spoken],
                    noise=channels,
                )
            )
        return made

    def swept_angle(self, spoken: list[SpokenGate | Gate]) -> tuple[str, list[float]] | Question:
        free = {name for one in spoken if isinstance(one, SpokenGate) and one.angle for name in one.angle.names}
        for name in free:
            if name not in self.sets:
                return Question(text=f"What is the value of the angle {name}?")
        swept = [name for name in free if len(self.sets[name]) > 1]
        if len(swept) > 1:
            return Question(
                text=f"Several angles have several values ({', '.join(swept)}). Which combinations are meant?"
            )
        return (swept[0], self.sets[swept[0]]) if swept else ("", [0.0])

    def gate(self, one: SpokenGate | Gate, values: dict[str, float]) -> Gate:
        if isinstance(one, Gate):
            return one
        names = {name: found[0] for name, found in self.sets.items()} | values
        return Gate(name=one.name, qubits=list(one.qubits), value=one.angle.value(names) if one.angle else None)

    def specified(
        self,
        backend: Literal["qiskit", "cudaq"],
        n: int,
        cases: list[Case],
        target: SpokenState | None,
        noise: list[tuple[SpokenNoise, Noise]],
    ) -> Reading | Question | Unread:
        bases, observables, unknown = bases_and_observables(self.body, n)
        if unknown:
            return Unread(unknown, "Only Pauli strings, one letter a qubit, can be taken from counts.")
        if self.outcomes(n) and "Z" * n not in bases:
            bases.insert(0, "Z" * n)
        if not bases:
            bases = ["Z" * n]
            if not re.search(r"computational|measure", self.text, re.I):
                self.assumed.append("The task names no basis; all qubits are measured in Z.")
        said = count(self.body.plain, r"shots?|times|samples|repetitions|measurements") or count(
            self.body.plain, "measurement shots"
        )
        shots = said[0] if said and said[0] > 1 else (int(self.sets["shots"][0]) if "shots" in self.sets else 4096)
        if not said and "shots" not in self.sets:
            self.assumed.append("The task gives no number of shots; 4096 are taken, a standard error of at most 0.016.")
        if target and len(cases[0].gates) and n <= _MOST:
            have = overlap(cases[0].gates, n, target.amplitudes)
            if have < 1 - 1e-9 and len({str(case.gates) for case in cases}) == 1:
                return Question(
                    text=(
                        f"The gates of the task prepare another state than {target.name} (overlap {have:.3f}). Which "
                        f"is meant, the gates or the state?"
                    ),
                    options=["the gates", "the state"],
                )
        seeds = self.sets.get("seed")
        axis = next(
            (name for name in cases[0].labels if len({case.labels[name] for case in cases}) > 1 and name != "channel"),
            "",
        )
        if len({case.labels.get("channel") for case in cases}) > 1:
            axis = ""
        spec = CircuitSpec(
            title=self.body.heading or "Circuit",
            n_qubits=n,
            cases=cases,
            axis=axis,
            bases=bases,
            observables=observables,
            shots=shots,
            seed=int(seeds[0]) if seeds else 1,
            target=[[one.real, one.imag] for one in target.amplitudes] if target and n <= _MOST else [],
            target_name=target.name if target else "",
            chsh=bool(re.search(r"\bCHSH\b", self.text)) and n == 2 and self.asked_chsh(),
            wants=self.wants(),
            outcomes=self.outcomes(n),
            backend=backend,
        )
        return self.accounted(spec)

    def asked_chsh(self) -> bool:
        """CHSH is measured where it is asked for, not where it is to be discussed."""
        asked = re.search(
            r"(?:measure|test|estimate|compute|determine|evaluate|report|give)[^.;]{0,60}CHSH", self.text, re.I
        )
        return bool(asked) or any("chsh" in one.quantities for one in self.body.wanted)

    def outcomes(self, n: int) -> list[str]:
        """Bitstrings whose probabilities are asked for, in words or by the section of results."""
        found = [one.value for one in label_values(wanted(self.body.wanted, "probability"), "outcome")]
        for match in re.finditer(
            r"\b(?:probabilit\w+|fractions?)\s+(?:of|for|to (?:find|measure))\s+([^.;]{1,60})", self.text
        ):
            found += re.findall(rf"(?<![\d.])[01]{{{n}}}(?![\d.])", match[1])
        return list(dict.fromkeys(found))

    def wants(self) -> list[Wants]:
        every: list[Wants] = ["fidelity", "purity", "entropy", "entanglement_entropy"]
        named = {quantity for one in self.body.wanted for quantity in one.quantities}
        return [one for one in every if one in named or re.search(rf"\b{one.replace('_', ' ')}\b", self.text, re.I)]

    def accounted(self, spec: CircuitSpec) -> Reading | Unread:
        """Which sentences the specification covers; words that nobody knows make a sentence unread."""
        spans = []
        for sentence in self.body.sentences:
            strange = unknown_words(sentence.text, VOCABULARY)
            if strange and not sentence.is_heading:
                words = self.body.original(sentence.start, sentence.end)
                return Unread(words, f"These words are not understood: {', '.join(dict.fromkeys(strange))}.")
            spans.append(self.body.span(sentence))
        missing = list(_not_given(self.body, spec))
        if missing:
            return Unread(missing[0], "The family of circuits does not give this quantity.")
        spans += [one.span for one in self.body.wanted]
        return Reading("circuits", spec, spans, tuple(dict.fromkeys(self.assumed)))


def _not_given(body: Body, spec: CircuitSpec) -> Iterable[str]:
    given = {
        "counts",
        "expectation",
        "parameters",
        "exact_expectation",
        "standard_error",
        "fidelity",
        "purity",
        "entropy",
        "entanglement_entropy",
    }
    if spec.chsh:
        given.add("chsh")
    if spec.outcomes:
        given.add("probability")
    for one in body.wanted:
        yield from (f"`{quantity}`" for quantity in one.quantities if quantity not in given)
