"""A circuit task: what is prepared, what disturbs it, how it is measured, and what is wanted of the counts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.circuits.bases import bases_and_observables
from labwright.agents.tool_forging.readers.circuits.cases import cases_of
from labwright.agents.tool_forging.readers.circuits.channels import noise_of
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit, CircuitBody
from labwright.agents.tool_forging.readers.circuits.preparation import preparation, size
from labwright.agents.tool_forging.readers.circuits.states import SpokenState
from labwright.agents.tool_forging.readers.circuits.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.tally import passed_over
from labwright.tools.forge.families.circuits.prepared import overlap
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec

_GATE_WORDS = re.compile(
    r"\b(?:Hadamards?|CNOTs?|controlled[- ](?:NOT|Z|X)|cluster[- ]state|entangled? state|"
    r"CNOT|CX|CZ|circuit|quantum gate|gates?|GHZ|Bell|W[- ]state|CHSH)\b"
)
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
        r"Hamiltonian|TD-?DFT)\b"
    ),
    re.I,
)
_SIMULATORS = re.compile(r"\b(?:qiskit|aer)\b|cuda-?\s?q", re.I)
_BEYOND = re.compile(
    r"\b(?:QAOA|Grover\w*|Shor's|teleport\w*|error[- ](?:correct|mitigat)\w*|surface code|tomograph\w*|"
    r"mid-?circuit|feed-?forward|"
    r"feed-?back|post-?select\w*|ancill\w+ (?:is|are) (?:measured|reset)|transpil\w*|coupling map|backend of "
    r"IBM|phase estimation|"
    r"randomi[sz]ed benchmarking|quantum volume|Fourier transform|repetition code|distill\w*|purif(?:y|ication))\b",
    re.I,
)
_OTHER_SOFTWARE = re.compile(
    r"\b(?:PennyLane|Cirq|Braket|pytket|tket|Stim|QuEST|ProjectQ|Strawberry Fields|qulacs|Q#|PyQuil)\b", re.I
)
_MOST = 10  # qubits of a target state that is compared
_MOST_EXACT = 6  # qubits of a density matrix
# numbers that are names: qubits, kets, bits
_NAMES_ONLY = re.compile(
    r"\|[^|<>]{1,14}>|\b(?:qubits?|q|bits?|outcomes?|bitstrings?|states?|index|numbered|control|target|from|to|"
    r"on|onto|CNOT|CX|CZ)\s*(?:\d(?:\s*(?:,|and|->|to|or)\s*)?)+(?![.\d])|[XYZ]_?\{?\d\}?"
    r"|\b[01]{2,8}\b|\bq\[?\d\]?|\d\s*->\s*\d|\b\d[- ]qubits?\b|sqrt\(?\d\)?|exp\([^()]*\)|\b\d+\s*%|"
    r"\(\s*\d\s*,\s*\d\s*\)|1\s*[-+]\s*\d?\s*[a-z]\b|\*pi/180"
)

Wants = Literal["fidelity", "purity", "entropy", "entanglement_entropy"]


class CircuitReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "circuits"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it is about gates and shots."""
        body = CircuitBody(task)
        text = body.text
        named = _SIMULATORS.search(text)
        if not _GATE_WORDS.search(text) or not (_SHOT_WORDS.search(text) or named):
            return None
        beyond = _BEYOND.search(text)
        if beyond and named:
            return Unread(
                body.original(*beyond.span()),
                "The book has circuits that are prepared, disturbed and measured at the end, nothing else.",
            )
        if beyond or _FOREIGN.search(text):
            return None
        return _whole(Circuit(body))


def _whole(circuit: Circuit) -> Reading | Question | Unread:
    other = _OTHER_SOFTWARE.search(circuit.text)
    if other:
        return Unread(
            other[0], f"There is no recipe that runs circuits with {other[0]}; there are for Qiskit and CUDA-Q."
        )
    simulator = backend_of(circuit)
    n = size(circuit)
    if n is None:
        return Question(text="How many qubits does the circuit have?")
    circuit.n = n
    prepared = preparation(circuit, n)
    if not isinstance(prepared, tuple):
        return prepared
    spoken, target = prepared
    noise = noise_of(circuit, simulator)
    if isinstance(noise, Question | Unread):
        return noise
    cases = cases_of(circuit, spoken, noise, n)
    if not isinstance(cases, list):
        return cases
    return specified(circuit, simulator, n, cases, target)


def backend_of(circuit: Circuit) -> Literal["qiskit", "cudaq"]:
    if re.search(r"cuda-?\s?q(?:uantum)?\b", circuit.text, re.I):
        return "cudaq"
    if not re.search(r"\bqiskit|\baer\b", circuit.text, re.I):
        circuit.assumed.append("The task names no simulator; Qiskit Aer is used. The statistics do not depend on it.")
    return "qiskit"


def specified(
    circuit: Circuit, backend: Literal["qiskit", "cudaq"], n: int, cases: list[Case], target: SpokenState | None
) -> Reading | Question | Unread:
    """The specification, and whether it accounts for the text."""
    bases, observables, unknown = bases_and_observables(circuit.body, n)
    if unknown:
        return Unread(unknown, "Only Pauli strings, one letter a qubit, can be taken from counts.")
    if outcomes(circuit, n) and "Z" * n not in bases:
        bases.insert(0, "Z" * n)
    if not bases:
        bases = ["Z" * n]
        if not re.search(r"computational|measure", circuit.text, re.I):
            circuit.assumed.append("The task names no basis; all qubits are measured in Z.")
    if (doubt := _doubt(cases, n, target)) is not None:
        return doubt
    seeds = circuit.sets.get("seed")
    said = re.search(r"\bseed\w*\s*(?:=|:|of|is|number|to)?\s*(\d+)", circuit.text, re.I)
    sampled = is_sampled(circuit)
    if not sampled and n > _MOST_EXACT:
        return Unread(
            f"{n} qubits", f"Exact expectation values are known for up to {_MOST_EXACT} qubits; more are sampled."
        )
    spec = CircuitSpec(
        title=circuit.body.heading or "Circuit",
        n_qubits=n,
        cases=cases,
        axis=_axis(cases),
        bases=bases,
        observables=observables,
        sampled=sampled,
        shots=shots_of(circuit) if sampled else 1,
        seed=int(seeds[0]) if seeds else int(said[1]) if said else 1,
        target=[[one.real, one.imag] for one in target.amplitudes] if target and n <= _MOST else [],
        target_name=target.name if target else "",
        chsh=bool(re.search(r"\bCHSH\b", circuit.text)) and n == 2 and asked_chsh(circuit),
        wants=wants(circuit),
        outcomes=outcomes(circuit, n),
        backend=backend,
    )
    return accounted(circuit, spec)


def is_sampled(circuit: Circuit) -> bool:
    """Whether counts are taken: shots are spoken of and not ruled out."""
    if _NO_SHOTS.search(circuit.text):
        return False
    if _SHOTS.search(circuit.text) or "shots" in circuit.sets:
        return True
    circuit.assumed.append("The task speaks of no shots: probabilities and expectation values are exact.")
    return False


_NO_SHOTS = re.compile(
    r"\b(?:no|without|instead of|rather than|not? need(?:ed)?) (?:any )?(?:shots?|sampling|shot noise|"
    r"statistic\w*|counts)\b|"
    r"\bshot-free\b|\bnot? (?:be )?sampled?\b|\bdo not sample\b|\binfinitely many (?:shots|measurements)\b",
    re.I,
)
_SHOTS = re.compile(
    r"\b(?:shots?|counts?|sampl\w+|repetitions|histograms?|bitstrings?|standard errors?|runs each|trials)\b|"
    r"\b\d[\d,]{2,}\s+(?:times|measurements|pairs|runs|copies|detections|experiments|samples)\b|measured \d[\d,]{2,}",
    re.I,
)


def _doubt(cases: list[Case], n: int, target: SpokenState | None) -> Question | None:
    """A question where the gates prepare another state than the one that is named."""
    if target is None or not cases[0].gates or n > _MOST or len({str(case.gates) for case in cases}) > 1:
        return None
    have = overlap(cases[0].gates, n, target.amplitudes)
    if have > 1 - 1e-9:
        return None
    return Question(
        text=(
            f"The gates of the task prepare another state than {target.name} (overlap {have:.3f}). Which is meant, "
            f"the gates or the state?"
        ),
        options=["the gates", "the state"],
    )


def _axis(cases: list[Case]) -> str:
    """The label that varies; empty where cases differ in a kind of noise, too."""
    if len({case.labels.get("channel") for case in cases}) > 1:
        return ""
    return next(
        (name for name in cases[0].labels if len({case.labels[name] for case in cases}) > 1 and name != "channel"), ""
    )


def shots_of(circuit: Circuit) -> int:
    """How many shots each basis takes."""
    for words in (
        r"shots?",
        (
            r"times|samples|repetitions|measurements|runs|trials|events|repeats|experiments|executions|measured "
            r"pairs|pairs|copies|detections"
        ),
        "measurement shots",
    ):
        for match in re.finditer(rf"(?<![\w.])(\d[\d,]*)\s+(?:\w+\s+){{0,2}}?(?:{words})\b", circuit.text, re.I):
            number = int(match[1].replace(",", ""))
            if number > 9:
                circuit.used.append(match.span())
                return number
    if "shots" in circuit.sets:
        return int(circuit.sets["shots"][0])
    said = re.search(
        r"\b(?:shots?|repetitions|samples|runs|trials)\b[^.;\n\d]{0,24}?(\d[\d,]+)", circuit.text, re.I
    ) or re.search(r"\bsampl\w+[^.;\n\d]{0,30}?(\d[\d,]{2,})\s+times", circuit.text, re.I)
    if said:
        circuit.used.append(said.span())
        return int(said[1].replace(",", ""))
    spoken = count(circuit.body.plain, r"shots?|samples")
    if spoken and spoken[0] > 1:
        return spoken[0]
    circuit.assumed.append("The task gives no number of shots; 4096 are taken, a standard error of at most 0.016.")
    return 4096


def asked_chsh(circuit: Circuit) -> bool:
    """CHSH is measured where it is asked for, not where it is to be discussed."""
    asked = re.search(
        r"(?:measure|test|estimate|compute|determine|evaluate|report|give|check|violat\w+|verify|show)[^.;]{0,60}CHSH|"
        r"CHSH (?:value|parameter|quantity|combination|sum)",
        circuit.text,
        re.I,
    )
    return bool(asked) or any("chsh" in one.quantities for one in circuit.body.wanted)


def outcomes(circuit: Circuit, n: int) -> list[str]:
    """Bitstrings whose probabilities are asked for, in words or by the section of results."""
    found = [one.value for one in label_values(wanted(circuit.body.wanted, "probability"), "outcome")]
    found += re.findall(rf"\bP\(\s*\|?\s*([01]{{{n}}})\s*>?\s*\)", circuit.text)
    for match in re.finditer(
        r"\b(?:probabilit\w+|fractions?)\s+(?:of|for|to (?:find|measure))\s+([^.;]{1,60})", circuit.text
    ):
        found += re.findall(rf"(?<![\d.])[01]{{{n}}}(?![\d.])", match[1])
    return list(dict.fromkeys(found))


def wants(circuit: Circuit) -> list[Wants]:
    """Measures of the state that the text names."""
    every: list[Wants] = ["fidelity", "purity", "entropy", "entanglement_entropy"]
    named = {quantity for one in circuit.body.wanted for quantity in one.quantities}
    return [one for one in every if one in named or re.search(rf"\b{one.replace('_', ' ')}\b", circuit.text, re.I)]


def accounted(circuit: Circuit, spec: CircuitSpec) -> Reading | Unread:
    """Which sentences the specification covers; words that nobody knows make a sentence unread."""
    spans = []
    for sentence in circuit.body.sentences:
        strange = unknown_words(sentence.text, VOCABULARY)
        if strange and not sentence.is_heading:
            words = circuit.body.original(sentence.start, sentence.end)
            return Unread(words, f"These words are not understood: {', '.join(dict.fromkeys(strange))}.")
        spans.append(circuit.body.span(sentence))
    used = [*circuit.used, *(one.span() for one in _NAMES_ONLY.finditer(circuit.text))]
    left = passed_over(circuit.body, used, spec.model_dump(mode="json", exclude={"target"}), [spec.shots])
    if left is not None:
        return Unread(left[0], f"The number {left[1]} in it is nothing that the reader of circuits has used.")
    missing = list(_not_given(circuit.body, spec))
    if missing:
        return Unread(missing[0], "The family of circuits does not give this quantity.")
    spans += [one.span for one in circuit.body.wanted]
    return Reading("circuits", spec, spans, tuple(dict.fromkeys(circuit.assumed)))


def _not_given(body: CircuitBody, spec: CircuitSpec) -> Iterable[str]:
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
