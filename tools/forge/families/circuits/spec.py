"""What a circuit task is: gates, noise, measurement bases, and what to make of the counts."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Label = str | float | int
NoiseKind = Literal[
    "depolarizing", "bit_flip", "phase_flip", "bit_phase_flip", "amplitude_damping", "phase_damping", "readout"
]
Place = Literal["every_gate", "one_qubit_gates", "two_qubit_gates", "after_preparation"]


class Gate(BaseModel):
    """One gate; `name` and `value` as in the recipes ``sample_circuit_*``."""

    model_config = ConfigDict(extra="forbid")
    name: str
    qubits: list[int]
    value: float | None = Field(default=None, description="Angle in radian.")


class Noise(BaseModel):
    """One channel and where it acts.

    Attributes:
        probability: as the task means it, see `convention`.
        place: after every gate on the gate's qubits, after gates on one or on several qubits only, or once on `qubits`
            after the preparation.
        convention: of depolarising noise. ``mixing``: with the probability p the state is replaced by the completely
            mixed one (Qiskit). ``pauli``: with the probability p a random Pauli other than the identity acts (CUDA-Q).
        joint: whether two-qubit gates are followed by one two-qubit depolarising channel instead of one on each qubit.
        on_basis_change: whether gates that change the basis before the measurement count as gates of the circuit.
        qubits: for ``after_preparation``; empty for all.
    """

    model_config = ConfigDict(extra="forbid")
    kind: NoiseKind
    probability: float = Field(ge=0, le=1)
    place: Place = "every_gate"
    convention: Literal["mixing", "pauli"] = "mixing"
    joint: bool = True
    on_basis_change: bool = True
    qubits: list[int] = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_mixture(self) -> Noise:
        if self.convention == "pauli" and self.probability > 0.75:
            raise ValueError(
                "With more than 3/4 of random Paulis the state is no mixture with the completely mixed one."
            )
        return self


class Case(BaseModel):
    """One circuit with its noise; `labels` tell it from the others in the results."""

    model_config = ConfigDict(extra="forbid")
    labels: dict[str, Label] = Field(default_factory=dict)
    gates: list[Gate]
    noise: list[Noise] = Field(default_factory=list)


class CircuitSpec(BaseModel):
    """A circuit task.

    Attributes:
        cases: the circuits, in order: one, or one for each value of a sweep.
        axis: label that the sweep varies; empty if there is one case or the cases are not numbers.
        axis_unit: of the label's values, ``deg`` or ``rad`` for angles; empty for numbers without a unit.
        bases: Pauli basis of each measurement, one letter a qubit.
        observables: Pauli strings with identities, such as ``ZZI``.
        target: amplitudes of the state that was meant, as [re, im]; empty for none.
        target_name: such as ``(|00> + |11>)/sqrt(2)``.
        outcomes: bitstrings whose probabilities in the computational basis are wanted; ``-`` stands for a qubit
            whose value does not matter.
        chsh: measure the four settings of the CHSH inequality that are best for the target state.
        sampled: whether counts are taken; else expectation values are exact.
        wants: quantities to report besides what follows from the counts.
        entropy_unit: of the entropies in the results.
        backend: simulator.
    """

    model_config = ConfigDict(extra="forbid")
    title: str = "Circuit"
    n_qubits: int = Field(ge=1, le=24)
    cases: list[Case] = Field(min_length=1)
    axis: str = ""
    axis_unit: str = ""
    bases: list[str] = Field(default_factory=list)
    observables: list[str] = Field(default_factory=list)
    sampled: bool = True
    shots: int = Field(default=4096, ge=1)
    seed: int = Field(default=1, ge=1)
    target: list[list[float]] = Field(default_factory=list)
    target_name: str = ""
    chsh: bool = False
    outcomes: list[str] = Field(default_factory=list)
    wants: list[Literal["fidelity", "purity", "entropy", "entanglement_entropy"]] = Field(default_factory=list)
    entropy_unit: Literal["bit", "nat"] = "bit"
    backend: Literal["qiskit", "cudaq"] = "qiskit"
    label_names: dict[str, str] = Field(default_factory=dict, description="Pauli string -> how the task calls it.")
