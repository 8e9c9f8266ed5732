"""Counts of a circuit measured in a Pauli basis, sampled with CUDA-Q.

Operations, in order. Gates: ``h x y z s sdg t tdg`` on one qubit; ``rx ry rz p`` on one qubit with an angle in radian
(rx = exp(-i angle X / 2), p = diag(1, exp(i angle))); ``cx cy cz ch`` and ``cp crx cry crz`` (with an angle) on
control and target; ``swap``; ``ccx`` on two controls and a target. Channels, whose value is a probability:
``depolarizing`` on one or two qubits, rho -> (1 - value) rho + value Tr(rho) I / d; ``bit_flip``, ``phase_flip``,
``bit_phase_flip``, rho -> (1 - value) rho + value P rho P with P = X, Z, Y; ``amplitude_damping``, |1> decays to |0>
with the value as probability; ``phase_damping``, off-diagonal elements shrink by sqrt(1 - value).

Before the measurement a noiseless change of basis is made: H for X; S^dagger, then H for Y. Noiseless circuits run on
the target ``qpp-cpu``, circuits with channels on ``density-matrix-cpu``. Bitstrings have qubit 0 on the left, as
CUDA-Q writes them. CUDA-Q's own two-qubit and one-qubit depolarising channels apply Paulis with probability q; they
equal the form above for q = value (d^2 - 1) / d^2, which is limited to value <= 1. Source: CUDA-Q documentation,
"Noisy simulators"; Nielsen and Chuang, section 8.3.
"""

import math
from typing import Any

import cudaq
from pydantic import BaseModel, Field, model_validator

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


class SampleCircuitCudaqInput(BaseModel):
    """A circuit from |0...0> and how it is measured."""

    class Operation(BaseModel):
        """A gate or a channel."""

        name: str = Field(description="Name of the gate or channel, as in the module's docstring.")
        qubits: list[int] = Field(min_length=1, max_length=3, description="Qubits it acts on, controls first, from 0.")
        value: float | None = Field(default=None, description="Angle in radian, or probability of a channel.")

        @model_validator(mode="after")
        def _sound(self) -> "SampleCircuitCudaqInput.Operation":
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
    operations: list["SampleCircuitCudaqInput.Operation"] = Field(description="Gates and channels in order.")
    basis: str = Field(pattern=r"^[XYZ]+$", description="Pauli basis of each qubit, such as XX; leftmost is qubit 0.")
    shots: int = Field(ge=1, le=10_000_000, description="Number of shots.")
    seed: int = Field(ge=1, lt=2**31, description="Seed of the simulator.")

    @model_validator(mode="after")
    def _sizes(self) -> "SampleCircuitCudaqInput":
        if len(self.basis) != self.n_qubits:
            raise ValueError(f"Basis {self.basis!r} must have one letter for each of the {self.n_qubits} qubits.")
        if any(qubit >= self.n_qubits for one in self.operations for qubit in one.qubits):
            raise ValueError(f"An operation acts on a qubit beyond the {self.n_qubits} of the circuit.")
        return self


class SampleCircuitCudaqOutput(BaseModel):
    """What was counted."""

    counts: dict[str, int] = Field(description="Outcome -> shots; leftmost bit is qubit 0; 0 is the +1 eigenstate.")
    shots: int = Field(description="Sum of the counts.")


def sample_circuit_cudaq(given: SampleCircuitCudaqInput) -> SampleCircuitCudaqOutput:
    """Run the circuit on CUDA-Q's CPU simulators and count the outcomes."""
    noisy = any(_OPERATIONS[one.name][1] == "channel" for one in given.operations)
    cudaq.set_target("density-matrix-cpu" if noisy else "qpp-cpu")
    kernel = cudaq.make_kernel()
    qubits = kernel.qalloc(given.n_qubits)
    for one in given.operations:
        _apply(kernel, [qubits[index] for index in one.qubits], one)
    for index, letter in enumerate(given.basis):
        if letter == "Y":
            kernel.sdg(qubits[index])
        if letter in "XY":
            kernel.h(qubits[index])
    kernel.mz(qubits)
    cudaq.set_random_seed(given.seed)
    # without a noise model CUDA-Q leaves the channels out
    more = {"noise_model": cudaq.NoiseModel()} if noisy else {}
    sampled = cudaq.sample(kernel, shots_count=given.shots, **more)
    counts = {str(bits): int(count) for bits, count in sorted(sampled.items())}
    return SampleCircuitCudaqOutput(counts=counts, shots=sum(counts.values()))


def _apply(kernel: Any, qubits: list[Any], one: SampleCircuitCudaqInput.Operation) -> None:
    value = 0.0 if one.value is None else one.value
    if _OPERATIONS[one.name][1] == "channel":
        _channel(kernel, qubits, one.name, value)
    elif one.name in {"rx", "ry", "rz"}:
        getattr(kernel, one.name)(value, qubits[0])
    elif one.name == "p":
        kernel.r1(value, qubits[0])
    elif one.name in {"crx", "cry", "crz"}:
        getattr(kernel, one.name)(value, qubits[0], qubits[1])
    elif one.name == "cp":
        kernel.cr1(value, qubits[0], qubits[1])
    elif one.name == "ccx":
        kernel.cx(qubits[:2], qubits[2])
    elif one.name == "tdg":
        kernel.r1(-math.pi / 4, qubits[0])
    else:
        getattr(kernel, one.name)(*qubits)


def _channel(kernel: Any, qubits: list[Any], name: str, value: float) -> None:
    if name == "depolarizing" and len(qubits) == 2:
        kernel.apply_noise(cudaq.Depolarization2, value * 15 / 16, *qubits)
    elif name == "depolarizing":
        kernel.apply_noise(cudaq.DepolarizationChannel, value * 3 / 4, *qubits)
    elif name == "bit_phase_flip":
        # S X S^dagger = Y
        kernel.sdg(qubits[0])
        kernel.apply_noise(cudaq.BitFlipChannel, value, *qubits)
        kernel.s(qubits[0])
    else:
        channels = {
            "bit_flip": cudaq.BitFlipChannel,
            "phase_flip": cudaq.PhaseFlipChannel,
            "amplitude_damping": cudaq.AmplitudeDampingChannel,
            "phase_damping": cudaq.PhaseDamping,
        }
        kernel.apply_noise(channels[name], value, *qubits)
