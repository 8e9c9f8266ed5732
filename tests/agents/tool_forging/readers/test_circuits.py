"""Tasks about circuits, in many words: what is read, what is asked, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.circuits import READER
from labwright.tools.forge.families.circuits import CircuitSpec
from labwright.tools.forge.families.circuits.prepared import overlap


def _read(text: str) -> Any:
    return READER.read(TaskText(text))


def _spec(text: str) -> CircuitSpec:
    reply = _read(text)
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, CircuitSpec)
    return reply.spec


def test_a_plain_task() -> None:
    spec = _spec(
        "Use CUDA-Q: X on qubit 1, a Hadamard gate on qubit 0, then a CNOT from qubit 0 to qubit 1. Sample "
        "both qubits with 500 shots in the Z and the Y basis; report <ZZ> and <YY>."
    )
    assert spec.backend == "cudaq"
    assert [(gate.name, gate.qubits) for gate in spec.cases[0].gates] == [("x", [1]), ("h", [0]), ("cx", [0, 1])]
    assert (spec.bases, spec.observables, spec.shots) == (["ZZ", "YY"], ["ZZ", "YY"], 500)


@pytest.mark.parametrize(
    ("words", "gates"),
    [
        ("a CNOT with qubit 2 as control and qubit 0 as target", [("cx", [2, 0])]),
        ("a CNOT with control qubit 1 and target qubit 2", [("cx", [1, 2])]),
        ("a chain of CNOTs", [("cx", [0, 1]), ("cx", [1, 2])]),
        ("CNOTs from qubit 0 to each of the other qubits", [("cx", [0, 1]), ("cx", [0, 2])]),
        ("CZ gates between neighbouring qubits", [("cz", [0, 1]), ("cz", [1, 2])]),
        ("a Hadamard on every qubit", [("h", [0]), ("h", [1]), ("h", [2])]),
        ("Ry(pi/2) on qubit 1", [("ry", [1])]),
        ("CX(0,1), CX(1,2)", [("cx", [0, 1]), ("cx", [1, 2])]),
    ],
)
def test_gates_in_words(words: str, gates: list[tuple[str, list[int]]]) -> None:
    spec = _spec(
        f"With Qiskit apply an X gate on qubit 0 and then {words} to three qubits and count 100 shots in the Z basis."
    )
    assert [(gate.name, gate.qubits) for gate in spec.cases[0].gates] == [("x", [0]), *gates]


@pytest.mark.parametrize(
    "state",
    [
        "a four-qubit GHZ state",
        "a three-qubit W state",
        "the Bell state |Psi->",
        "the state (|001> + |010> + |100>)/sqrt(3)",
    ],
)
def test_named_states_get_a_circuit_that_prepares_them(state: str) -> None:
    spec = _spec(f"Use Qiskit gates to prepare {state} and sample it with 1000 shots in the computational basis.")
    target = [complex(*pair) for pair in spec.target]
    assert overlap(spec.cases[0].gates, spec.n_qubits, target) == pytest.approx(1)


BELL = (
    "Use Qiskit. Prepare a Bell state with a Hadamard gate on qubit 0 and a CNOT from qubit 0 to qubit 1; 4096 "
    "shots in the Z and the X basis."
)


def test_noise_sweeps_and_their_place() -> None:
    spec = _spec(f"{BELL} Add a depolarising channel with probability p, for p = 0, 0.1 and 0.2.")
    assert [case.labels for case in spec.cases] == [{"noise": 0.0}, {"noise": 0.1}, {"noise": 0.2}]
    noise = spec.cases[1].noise[0]
    assert (noise.kind, noise.place, noise.on_basis_change, noise.convention) == (
        "depolarizing",
        "every_gate",
        True,
        "mixing",
    )
    later = _spec(f"{BELL} Each qubit then suffers amplitude damping with strength gamma = 0.3.").cases[0].noise[0]
    assert (later.kind, later.place, later.probability) == ("amplitude_damping", "after_preparation", 0.3)
    two = (
        _spec(f"{BELL} There is 2% depolarizing noise after each two-qubit gate and a readout error of 3%.")
        .cases[0]
        .noise
    )
    assert [(one.kind, one.probability) for one in two] == [("readout", 0.03), ("depolarizing", 0.02)] or [
        (one.kind, one.probability) for one in two
    ] == [("depolarizing", 0.02), ("readout", 0.03)]


def test_the_backend_has_its_own_depolarising_convention() -> None:
    text = f"{BELL} Depolarizing noise with probability 0.1 after every gate."
    assert _spec(text).cases[0].noise[0].convention == "mixing"
    assert _spec(text.replace("Qiskit", "CUDA-Q")).cases[0].noise[0].convention == "pauli"


def test_angles_may_be_swept() -> None:
    spec = _spec(
        "With Qiskit apply Ry(theta) on qubit 0 and a CNOT from qubit 0 to qubit 1 for theta = 0, pi/2 and "
        "pi; 1000 shots, <ZZ> and <XX>."
    )
    assert spec.axis == "theta"
    assert [case.gates[0].value for case in spec.cases] == pytest.approx([0, 1.5707963, 3.1415927])


def test_chsh_is_measured_where_it_is_asked_for() -> None:
    assert _spec("Measure the CHSH inequality on a Bell pair with 1000 shots per setting, using Qiskit.").chsh
    assert not _spec(f"{BELL} Discuss the CHSH bound.").chsh


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BELL} A bit flip acts on each qubit with probability 0, 0.2 and 1.4.", "between 0 and 1"),
        (f"{BELL} Add bit-flip noise.", "probability"),
        (
            "Use Qiskit on three qubits: Hadamard gate on qubit 0 and a CNOT from qubit 0 to qubit 5; 100 shots.",
            "qubit 5",
        ),
        (
            (
                "Use Qiskit: Hadamard gate on qubit 0 and a CNOT from qubit 0 to qubit 1 make (|01> + |10>)/sqrt(2); "
                "100 shots."
            ),
            "another state",
        ),
    ],
)
def test_contradictions_are_asked_about(text: str, words: str) -> None:
    reply = _read(text)
    assert isinstance(reply, Question), reply
    assert words in reply.text


@pytest.mark.parametrize(
    "text",
    [
        f"{BELL} Compute the Wigner function.",
        f"{BELL} Apply zero-noise extrapolation.",
        f"{BELL} Include thermal relaxation noise.",
        BELL.replace("Qiskit", "PennyLane"),
        f"{BELL}\n\n## results.json\n\n- `tangle` with label `basis`.",
    ],
)
def test_what_no_recipe_does_is_refused(text: str) -> None:
    assert isinstance(_read(text), Unread)


@pytest.mark.parametrize(
    "text",
    [
        "Compute the band structure of silicon.",
        "Find with GRAPE pulses that make a Bell pair from |00>; plot the populations.",
        "Use QuTiP: a qubit with H = X decays; follow <Z>.",
    ],
)
def test_other_families_are_left_alone(text: str) -> None:
    assert _read(text) is None


def test_noise_on_every_qubit_is_not_on_the_qubit_of_a_gate() -> None:
    spec = _spec(
        "Prepare with Qiskit a GHZ state of 4 qubits (Hadamard on qubit 0, then CNOTs along the chain) and "
        "let every qubit suffer"
        " a phase flip with probability p = 0, 0.1 before the measurement; 100 shots, <XXXX>."
    )
    assert (spec.cases[1].noise[0].place, spec.cases[1].noise[0].qubits) == ("after_preparation", [])
    assert len(spec.cases[0].gates) == 4


def test_probabilities_of_outcomes() -> None:
    spec = _spec(
        "With CUDA-Q prepare the three-qubit GHZ state with a Hadamard on qubit 0 and a chain of CNOTs; 1000 shots."
        " Plot the probability of 000 and 111."
    )
    assert (spec.outcomes, spec.bases) == (["000", "111"], ["ZZZ"])
