"""Counts of a circuit measured in a Pauli basis, sampled with Qiskit Aer.

Operations, in order. Gates: ``h x y z s sdg t tdg`` on one qubit; ``rx ry rz p`` on one qubit with an angle in radian
(rx = exp(-i angle X / 2), p = diag(1, exp(i angle))); ``cx cy cz ch`` and ``cp crx cry crz`` (with an angle) on
control and target; ``swap``; ``ccx`` on two controls and a target. Channels, whose value is a probability:
``depolarizing`` on one or two qubits, rho -> (1 - value) rho + value Tr(rho) I / d; ``bit_flip``, ``phase_flip``,
``bit_phase_flip``, rho -> (1 - value) rho + value P rho P with P = X, Z, Y; ``amplitude_damping``, |1> decays to |0>
with the value as probability; ``phase_damping``, off-diagonal elements shrink by sqrt(1 - value).

Before the measurement a noiseless change of basis is made: H for X; S^dagger, then H for Y. Noiseless circuits run
with the method ``statevector``, circuits with channels with ``density_matrix``. Bitstrings have qubit 0 on the left,
unlike Qiskit's own. Channels are those of ``qiskit_aer.noise``, put into the circuit where they act. Source: Qiskit
Aer documentation, "Building noise models"; Nielsen and Chuang, section 8.3.
"""

import math

from pydantic import BaseModel, Field, model_validator
from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator
from qiskit_aer.noise import (
    QuantumError,
    amplitude_damping_error,
    depolarizing_error,
    pauli_error,
    phase_damping_error,
)

# name -> (how many qubits, what its value is)
_OPERATIONS: dict[str, tuple[tuple[int, ...], str]] = {
    **dict.fromkeys(("h", "x", "y", "z", "s", "sdg", "t", "tdg"), ((1,), "gate")),
    **dict.fromkeys(("rx", "ry", "rz", "p"), ((1,), "angle")),
    **dict.fromkeys(("cx", "cy", "cz", "ch", "swap"), ((2,), "gate")),
    **dict.fromkeys(("cp", "crx", "cry", "crz"), ((2,), "angle")),
    "ccx": ((3,), "gate"),
    "depolarizing": ((1, 2), "channel"),
    **dict.fromkeys(
        ("bit_flip", "phase_flip", "bit_phase_flip", "amplitude_damping", "phase_damping"), ((1,), "channel")
    ),
}


class SampleCircuitQiskitInput(BaseModel):
    """A circuit from |0...0> and how it is measured."""

    class Operation(BaseModel):
        """A gate or a channel."""

        name: str = Field(description="Name of the gate or channel, as in the module's docstring.")
        qubits: list[int] = Field(min_length=1, max_length=3, description="Qubits it acts on, controls first, from 0.")
        value: float | None = Field(default=None, description="Angle in radian, or probability of a channel.")

        @model_validator(mode="after")
        def _sound(self) -> "SampleCircuitQiskitInput.Operation":
            if self.name not in _OPERATIONS:
                raise ValueError(f"Operation {self.name!r} is not known. Use one of: {', '.join(_OPERATIONS)}.")
            sizes, kind = _OPERATIONS[self.name]
            if len(self.qubits) not in sizes or len(set(self.qubits)) != len(self.qubits) or min(self.qubits) < 0:
                raise ValueError(f"Operation {self.name!r} cannot act on qubits {self.qubits}.")
            if (self.value is None) != (kind == "gate"):
                raise ValueError(f"Operation {self.name!r} must {'not ' if kind == 'gate' else ''}have a value.")
            if self.value is not None and not math.isfinite(self.value):
                raise ValueError(f"The value of {self.name!r} is not finite.")
            if kind == "channel" and self.value is not None and not 0 <= self.value <= 1:
                raise ValueError(f"The probability of {self.name!r} must lie in [0, 1], but is {self.value}.")
            return self

    n_qubits: int = Field(ge=1, le=24, description="Number of qubits, all in |0> at the beginning.")
    operations: list["SampleCircuitQiskitInput.Operation"] = Field(description="Gates and channels in order.")
    basis: str = Field(pattern=r"^[XYZ]+$", description="Pauli basis of each qubit, such as XX; leftmost is qubit 0.")
    shots: int = Field(ge=1, le=10_000_000, description="Number of shots.")
    seed: int = Field(ge=1, lt=2**31, description="Seed of the simulator.")

    @model_validator(mode="after")
    def _sizes(self) -> "SampleCircuitQiskitInput":
        if len(self.basis) != self.n_qubits:
            raise ValueError(f"Basis {self.basis!r} must have one letter for each of the {self.n_qubits} qubits.")
        if any(qubit >= self.n_qubits for one in self.operations for qubit in one.qubits):
            raise ValueError(f"An operation acts on a qubit beyond the {self.n_qubits} of the circuit.")
        return self


class SampleCircuitQiskitOutput(BaseModel):
    """What was counted."""

    counts: dict[str, int] = Field(description="Outcome -> shots; leftmost bit is qubit 0; 0 is the +1 eigenstate.")
    shots: int = Field(description="Sum of the counts.")


def sample_circuit_qiskit(given: SampleCircuitQiskitInput) -> SampleCircuitQiskitOutput:
    """Run the circuit on Aer and count the outcomes."""
    circuit = QuantumCircuit(given.n_qubits, given.n_qubits)
    for one in given.operations:
        _apply(circuit, one)
    for index, letter in enumerate(given.basis):
        if letter == "Y":
            circuit.sdg(index)
        if letter in "XY":
            circuit.h(index)
    circuit.measure(range(given.n_qubits), range(given.n_qubits))
    noisy = any(_OPERATIONS[one.name][1] == "channel" for one in given.operations)
    simulator = AerSimulator(method="density_matrix" if noisy else "statevector")
    found = simulator.run(circuit, shots=given.shots, seed_simulator=given.seed).result().get_counts()
    # Qiskit writes the last classical bit first
    counts = {bits[::-1]: int(count) for bits, count in sorted(found.items(), key=lambda pair: pair[0][::-1])}
    return SampleCircuitQiskitOutput(counts=counts, shots=sum(counts.values()))


def _apply(circuit: QuantumCircuit, one: SampleCircuitQiskitInput.Operation) -> None:
    kind = _OPERATIONS[one.name][1]
    if one.name == "ch":
        # Aer has no controlled Hadamard; H = Ry(pi/4) Z Ry(-pi/4)
        circuit.ry(-math.pi / 4, one.qubits[1])
        circuit.cz(*one.qubits)
        circuit.ry(math.pi / 4, one.qubits[1])
    elif kind == "channel":
        circuit.append(_channel(one).to_instruction(), one.qubits)
    elif kind == "angle":
        getattr(circuit, one.name)(one.value, *one.qubits)
    else:
        getattr(circuit, one.name)(*one.qubits)


def _channel(one: SampleCircuitQiskitInput.Operation) -> QuantumError:
    value = 0.0 if one.value is None else one.value
    if one.name == "depolarizing":
        return depolarizing_error(value, len(one.qubits))
    if one.name == "amplitude_damping":
        return amplitude_damping_error(value)
    if one.name == "phase_damping":
        return phase_damping_error(value)
    letter = {"bit_flip": "X", "phase_flip": "Z", "bit_phase_flip": "Y"}[one.name]
    return pauli_error([(letter, value), ("I", 1 - value)])
