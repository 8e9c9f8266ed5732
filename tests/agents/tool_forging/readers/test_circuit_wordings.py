"""Mechanisms by which circuit tasks are read: definitions, lists of gates, places of noise, units, wanted results."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.circuits import READER
from labwright.agents.tool_forging.readers.circuits.definitions import channel_definitions, rotation_definitions
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.tools.forge.families.circuits import CircuitSpec

PAIR = "Two qubits. A Hadamard on qubit 0, then a CNOT from qubit 0 to qubit 1."


def _read(text: str) -> Any:
    return READER.read(TaskText(text))


def _spec(text: str) -> CircuitSpec:
    reply = _read(text)
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, CircuitSpec)
    return reply.spec


def _gates(spec: CircuitSpec) -> list[tuple[str, list[int], float | None]]:
    return [(one.name, one.qubits, None if one.value is None else round(one.value, 4)) for one in spec.cases[0].gates]


@pytest.mark.parametrize(
    ("formula", "kind", "factor"),
    [
        ("rho -> (1 - p) rho + p I/4", "depolarizing", 1.0),
        (r"$\rho\mapsto(1-\lambda)\rho+\frac{\lambda}{2} I$", "depolarizing", 1.0),
        ("rho becomes 0.9 rho + 0.1 times the maximally mixed state of the pair", "depolarizing", 1.0),
        ("rho -> (1 - 3p/4) rho + p/4 (X rho X + Y rho Y + Z rho Z)", "depolarizing", 0.75),
        ("rho -> (1 - p/2) rho + (p/2) Z rho Z", "phase_flip", 0.5),
        ("K0 = diag(1, sqrt(1 - g)) and K1 = diag(0, sqrt(g))", "phase_damping", 1.0),
        ("K_0 = [[1, 0], [0, sqrt(1-gamma)]], K_1 = [[0, sqrt(gamma)], [0, 0]]", "amplitude_damping", 1.0),
        ("the pair diag(1, sqrt(1 - lambda)) and diag(0, sqrt(lambda))", "phase_damping", 1.0),
    ],
)
def test_channels_as_formulas(formula: str, kind: str, factor: float) -> None:
    found, strange = channel_definitions(clean(formula).text)
    assert strange == ""
    assert {(one.kind, one.factor) for one in found} == {(kind, factor)}


def test_a_formula_scales_the_probability() -> None:
    text = f"{PAIR} Once on every qubit: dephasing, rho -> (1 - p/2) rho + (p/2) Z rho Z, p = 0.2. Exact <XX>."
    assert _spec(text).cases[0].noise[0].probability == pytest.approx(0.1)


def test_strange_definitions_are_refused() -> None:
    assert rotation_definitions("RX(a) = exp(-i a X/2)") == ([(0, 21)], "")
    assert rotation_definitions("RX(a) = exp(-i a X)")[1] == "RX(a) = exp(-i a X)"
    for text in (
        "Two qubits, RX(0.3) on qubit 0 with RX(a) = exp(-i a X), then a CNOT from 0 to 1. Exact <ZZ>.",
        f"{PAIR} Then phase damping on every qubit, p = 0.1, K0 = sqrt(1 - p/2) I, K1 = sqrt(p/2) Z. Exact <XX>.",
        "Three qubits: H on qubit 0, a CCZ on all three, H on qubit 2. Exact <ZZZ>.",
        f"{PAIR} Exact probability that both qubits give the same result.",
    ):
        assert isinstance(_read(text), Unread), text


@pytest.mark.parametrize(
    ("told", "gates"),
    [
        ("H 0; CX 0 1; RZ(0.3) 1; X 2", [("h", [0], None), ("cx", [0, 1], None), ("rz", [1], 0.3), ("x", [2], None)]),
        ("ry(pi/2) q[1]; ccx q[0],q[1],q[2];", [("ry", [1], 1.5708), ("ccx", [0, 1, 2], None)]),
        ("X on qubit 0, then a Toffoli gate with target 0 and controls 1 and 2", [("x", [0], None), ("ccx", [1, 2, 0], None)]),
        ("rotate each about y by 60 degrees, then CZ 0-1", [*(("ry", [q], 1.0472) for q in range(3)), ("cz", [0, 1], None)]),
        ("H on qubit 2, then CP(0.5) with control 2 and target 0", [("h", [2], None), ("cp", [2, 0], 0.5)]),
        ("Hadamards on all", [("h", [q], None) for q in range(3)]),
    ],
)  # fmt: skip
def test_gates_as_lists_and_in_words(told: str, gates: list[tuple[str, list[int], float | None]]) -> None:
    assert _gates(_spec(f"A circuit of three qubits: {told}. Exact expectation values of ZZZ and XII.")) == gates


def test_values_of_a_symbol_are_no_qubits() -> None:
    spec = _spec("Two qubits: RX(theta) on qubit 0, then a CNOT from qubit 0 to qubit 1, theta = 0, 1, 2. Exact <ZZ>.")
    assert _gates(spec) == [("rx", [0], 0.0), ("cx", [0, 1], None)]
    assert len(spec.cases) == 3


def test_starts_become_gates() -> None:
    text = "Three qubits start in |011>. A CNOT from qubit 1 to qubit 0. Probability of 111, exactly."
    spec = _spec(text)
    assert _gates(spec) == [("x", [1], None), ("x", [2], None), ("cx", [1, 0], None)]
    assert spec.outcomes == ["111"]
    assert isinstance(_read(text.replace("|011>", "|01>")), Unread)


@pytest.mark.parametrize(
    ("noise", "place", "qubits", "joint"),
    [
        ("After each CNOT its two qubits suffer depolarising noise with p = 3 %.", "two_qubit_gates", [], True),
        ("Only the CNOT is noisy: depolarising with p = 0.03 on each of its qubits separately.", "two_qubit_gates", [], False),
        ("After every gate, depolarising noise with probability 0.03.", "every_gate", [], True),
        ("After every single-qubit gate, depolarising noise with probability 0.03.", "one_qubit_gates", [], True),
        ("The second qubit then goes through a depolarising channel with p = 0.03.", "after_preparation", [1], True),
    ],
)  # fmt: skip
def test_where_noise_acts(noise: str, place: str, qubits: list[int], joint: bool) -> None:
    found = _spec(f"{PAIR} {noise} Exact <ZZ> and <XX>.").cases[0].noise
    assert [(one.kind, one.probability, one.place, one.qubits) for one in found] == [
        ("depolarizing", 0.03, place, qubits)
    ]
    assert found[0].joint is joint


def test_noise_after_named_gates_leaves_no_other_gate_out() -> None:
    text = f"{PAIR} Then a CZ between 0 and 1. After each CNOT depolarising noise with p = 0.1. Exact <ZZ>."
    assert isinstance(_read(text), Unread)


def test_noise_that_is_told_to_be_absent_is_none() -> None:
    spec = _spec(f"{PAIR} gate noise: none\nreadout error: 0.02 on each qubit\nshots: 10^4, seed 6. Counts and <ZZ>.")
    assert [(one.kind, one.probability) for one in spec.cases[0].noise] == [("readout", 0.02)]
    assert (spec.shots, spec.seed) == (10_000, 6)


def test_one_channel_under_two_names() -> None:
    text = f"{PAIR} Pure dephasing: every qubit once passes a phase damping channel, lambda = 0 and 0.3. Exact <XX>."
    spec = _spec(text)
    assert [[(one.kind, one.probability) for one in case.noise] for case in spec.cases] == [
        [("phase_damping", 0.0)],
        [("phase_damping", 0.3)],
    ]


def test_degrees_stay_degrees_in_the_results() -> None:
    text = "Two qubits: RX(alpha) on qubit 0, CNOT 0 -> 1. alpha runs from 0 to 90 degrees in steps of 30. Exact <ZZ>."
    spec = _spec(text)
    assert [case.labels["alpha"] for case in spec.cases] == [0.0, 30.0, 60.0, 90.0]
    assert spec.axis_unit == "deg"
    assert spec.cases[1].gates[0].value == pytest.approx(0.5235988)
    spec = _spec(text.replace("runs from 0 to 90 degrees in steps of 30", "= 0, 20 and 80 degrees"))
    assert [case.labels["alpha"] for case in spec.cases] == [0.0, 20.0, 80.0]


@pytest.mark.parametrize(
    ("wish", "outcomes"),
    [
        ("the probabilities of all four bitstrings", ["00", "01", "10", "11"]),
        ("the probabilities of 00 ... 11", ["00", "01", "10", "11"]),
        ("the probability that qubit 1 is found in 1", ["-1"]),
        ("the probability of 10", ["10"]),
    ],
)
def test_probabilities(wish: str, outcomes: list[str]) -> None:
    assert _spec(f"{PAIR} Give {wish}, exactly.").outcomes == outcomes


def test_exact_or_sampled() -> None:
    assert not _spec(f"{PAIR} Statistical sampling is not wanted. <ZZ>.").sampled
    assert not _spec(f"{PAIR} shots: none. <ZZ> from the exact density matrix.").sampled
    assert _spec(f"{PAIR} 900 shots; compare <ZZ> with the exact value.").shots == 900


def test_entropies_in_nats() -> None:
    assert _spec(f"{PAIR} Exact von Neumann entropy with the natural logarithm.").entropy_unit == "nat"
    assert _spec(f"{PAIR} Exact von Neumann entropy in bits.").entropy_unit == "bit"


def test_sizes() -> None:
    text = "register: q0, q1, q2. H q0; CX q0 -> q1. After every two-qubit gate, acting on the two qubits of the gate, "
    assert _spec(f"{text} depolarising noise with p = 0.1. Exact <ZZI>.").n_qubits == 3
    assert isinstance(_read("Two qubits: H on qubit 0, CNOT from qubit 0 to qubit 2. Exact <ZZ>."), Question)
