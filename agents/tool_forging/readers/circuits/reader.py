"""A circuit task: what is prepared, what disturbs it, how it is measured, and what is wanted of the counts."""

from __future__ import annotations

import re
from typing import Literal

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.circuits.accounted import accounted
from labwright.agents.tool_forging.readers.circuits.bases import bases_and_observables
from labwright.agents.tool_forging.readers.circuits.cases import cases_of
from labwright.agents.tool_forging.readers.circuits.channels import noise_of
from labwright.agents.tool_forging.readers.circuits.circuit import Circuit, CircuitBody
from labwright.agents.tool_forging.readers.circuits.gates import SpokenGate
from labwright.agents.tool_forging.readers.circuits.measured import (
    asked_chsh,
    entropy_unit,
    is_sampled,
    outcomes,
    rooted_fidelity,
    shots_of,
    wants,
)
from labwright.agents.tool_forging.readers.circuits.preparation import preparation
from labwright.agents.tool_forging.readers.circuits.size import size
from labwright.agents.tool_forging.readers.circuits.starts import starting_gates
from labwright.agents.tool_forging.readers.circuits.states import SpokenState
from labwright.tools.forge.families.circuits.prepared import overlap
from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec

_GATE_WORDS = re.compile(
    r"\b(?:Hadamards?|CNOTs?|controlled[- ](?:NOT|Z|X)|cluster[- ]state|entangled? state|"
    r"CNOT|CX|CZ|[Cc]ircuit|[Qq]uantum gate|[Gg]ates?|GHZ|Bell|W[- ]state|CHSH)\b"
)
_SHOT_WORDS = re.compile(
    (
        r"\b(?:shots?|counts?|sampl\w+|bitstrings?|histograms?|CHSH|measure(?:d|ments?)? (?:both|all|each|every|"
        r"the qubits?|in))\b"
    ),
    re.I,
)
_APPLIED = re.compile(
    r"\b(?:Hadamards?|C-?NOTs?|CX|CZ|CCX|Toffoli|SWAP|controlled[- ](?:NOT|Z|X)|quantum circuit|"
    r"CP(?=\s*\()|C?R_?[XYZ](?=\s*\()|H (?:gate )?on (?:qubit )?\d|R_?[XYZxyz](?=\s*\()|"
    r"(?:r[xyz]|h|x|cx|cz|ccx)(?=\s*(?:\([^()]*\))?\s*q\[\d))\b"
)
_STATES = re.compile(r"\b(?:GHZ|Bell|EPR|W[- ]state|W state|cluster[- ]state|singlet)\b|\|[01]{2,}>")
_CHANNELS = re.compile(
    r"\bdepolari[sz]\w+|\b(?:bit|phase)[- ]?flips?\b|\bdamping\b|\bdephas\w+|\bKraus\b|\bchannels?\b", re.I
)
_RESULTS = re.compile(
    r"\bexpectation|\bfidelit|\bpurity\b|\bprobabilit|\bentrop|\bdensity matrix|\bcorrelator|\bstabili[sz]er|"
    r"<[XYZI]{1,8}>|"
    r"\b[XYZI]{2,8}\b",
    re.I,
)
# what evolves in time is of other families
_CLOCK = re.compile(
    r"\b(?:lifetimes?|(?:decay|relaxation|dephasing) rates?|master equation|evolv\w*|time[- ]evolution|durations?|"
    r"collapse|"
    r"(?:in|over|versus|against|of|with) time|[kMG]Hz|\d\s*(?:ns|us|ms|ps|fs)|T1|T2|t\s*=)\b",
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
_OTHER_GATES = re.compile(
    r"\b(?:CCZ|CSWAP|Fredkin|i-?SWAP|fSim|ECR|SX|R_?[XYZ]{2}|M(?:o|\u00f8)lmer|MS gate|multi-?controlled|CCC\w+|"
    r"C{2,}NOTs?(?<!CCNOT)|"
    r"controlled[- ](?:S|T|swap|U|SWAP)\b|CS\b|CT\b|Deutsch gate|Peres)(?![a-z])|\bsqrt\(?(?:X|NOT|SWAP|iSWAP)\b|"
    r"\bU[123]?\([^)]*,"
)
_OTHER_SOFTWARE = re.compile(
    r"\b(?:PennyLane|Cirq|Braket|pytket|tket|Stim|QuEST|ProjectQ|Strawberry Fields|qulacs|Q#|PyQuil)\b", re.I
)
_MOST = 10  # qubits of a target state that is compared
_MOST_EXACT = 6  # qubits of a density matrix


class CircuitReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "circuits"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it is about gates and shots."""
        body = CircuitBody(task)
        text = body.text
        named = _SIMULATORS.search(text)
        if not _is_of_circuits(text, bool(named)):
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


def _is_of_circuits(text: str, named: bool) -> bool:
    """Whether a text is about a circuit: gates that are measured, or gates and channels without any clock."""
    if _GATE_WORDS.search(text) and (_SHOT_WORDS.search(text) or named):
        return True
    if _CLOCK.search(text) or not _RESULTS.search(text):
        return False
    return bool(_APPLIED.search(text) or (_STATES.search(text) and _CHANNELS.search(text)))


def _whole(circuit: Circuit) -> Reading | Question | Unread:
    other = _OTHER_SOFTWARE.search(circuit.text)
    if other:
        return Unread(
            other[0], f"There is no recipe that runs circuits with {other[0]}; there are for Qiskit and CUDA-Q."
        )
    if circuit.body.strange_rotation:
        return Unread(
            circuit.body.strange_rotation, "Rotations are exp(-i angle P/2) here; this one is defined otherwise."
        )
    gate = _OTHER_GATES.search(circuit.text)
    if gate:
        return Unread(gate[0], "This gate is none of those that the recipes of circuits have.")
    simulator = backend_of(circuit)
    n = size(circuit)
    if n is None:
        return Question(text="How many qubits does the circuit have?")
    circuit.n = n
    prepared = preparation(circuit, n)
    if not isinstance(prepared, tuple):
        return prepared
    spoken, target = prepared
    begun = starting_gates(circuit.text, n)
    if isinstance(begun, Unread):
        return begun
    if any(isinstance(one, SpokenGate) for one in spoken):
        spoken = [*begun, *spoken]
    noise = noise_of(circuit, simulator, spoken)
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
    if rooted_fidelity(circuit):
        return Unread(rooted_fidelity(circuit), "Fidelities are <psi|rho|psi> here, without a square root.")
    asked = outcomes(circuit, n)
    if isinstance(asked, Unread):
        return asked
    if asked and "Z" * n not in bases:
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
        axis_unit=circuit.angle_units.get(_axis(cases), ""),
        bases=bases,
        observables=observables,
        sampled=sampled,
        shots=shots_of(circuit) if sampled else 1,
        seed=int(seeds[0]) if seeds else int(said[1]) if said else 1,
        target=[[one.real, one.imag] for one in target.amplitudes] if target and n <= _MOST else [],
        target_name=target.name if target else "",
        chsh=bool(re.search(r"\bCHSH\b", circuit.text)) and n == 2 and asked_chsh(circuit),
        wants=wants(circuit),
        entropy_unit=entropy_unit(circuit),
        outcomes=asked,
        backend=backend,
    )
    return accounted(circuit, spec)


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
