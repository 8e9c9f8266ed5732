"""The card of a circuit: gates as text, angles and probabilities as expressions, a sweep by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from labwright.tools.forge.tasks.expressions import (
    Expression,
    ExpressionError,
    Varied,
    at,
    number,
    pairs,
    quoted,
    value,
)
from labwright.tools.forge.tasks.task_type import Computed

_ALONE, _TURNS = ("h", "x", "y", "z", "s", "sdg", "t", "tdg"), ("rx", "ry", "rz", "p")
_TWO, _TWO_TURNS = ("cx", "cy", "cz", "ch", "swap"), ("cp", "crx", "cry", "crz")
# gate -> (qubits, whether it has an angle)
GATES = {
    **dict.fromkeys(_ALONE, (1, False)), **dict.fromkeys(_TURNS, (1, True)),
    **dict.fromkeys(_TWO, (2, False)), **dict.fromkeys(_TWO_TURNS, (2, True)), "ccx": (3, False),
}  # fmt: skip
EXACT_QUBITS = 6  # beside counts: the density matrix of more takes longer than the sampling
MOST_EXACT_QUBITS = 10
Gate = tuple[str, list[int], float | None]  # name, qubits, angle in radian


class CardNoise(BaseModel, extra="forbid"):
    """A channel and where it acts."""

    kind: Literal[
        "depolarizing", "bit_flip", "phase_flip", "bit_phase_flip", "amplitude_damping", "phase_damping", "readout"
    ]
    probability: Expression = Field(description="Between 0 and 1; may name what is swept.")
    place: Literal["every_gate", "one_qubit_gates", "two_qubit_gates", "after_preparation"] = Field(
        default="every_gate", description="After which gates; or once, after the preparation."
    )
    convention: Literal["mixing", "pauli"] = Field(
        default="mixing",
        description="Of depolarising noise. mixing: with p the state is replaced by the completely mixed one (Qiskit);"
        " pauli: with p a random Pauli other than the identity acts (CUDA-Q).",
    )
    joint: bool = Field(default=True, description="One two-qubit depolarising channel after two-qubit gates.")
    on_basis_change: bool = Field(default=True, description="Gates that change the basis before a measurement count.")
    qubits: list[int] = Field(default_factory=list, description="For after_preparation and readout; all if empty.")


class CircuitCard(Varied):
    """A quantum circuit: gates, noise, counts in Pauli bases, correlators, fidelities, Bell tests."""

    title: str = "Circuit"
    qubits: int = Field(ge=1, le=24, description="Number of qubits, all in |0> at the beginning.")
    gates: list[str] = Field(description="In order: `h 0`, `cx 0 1` (controls first), `ry(theta/2) 1` in radian.")
    noise: list[CardNoise] = Field(default_factory=list)
    bases: list[str] = Field(default_factory=list, description="Pauli basis of each measurement, one letter a qubit.")
    observables: list[str] = Field(default_factory=list, description="Pauli strings, such as ZZI.")
    sampled: bool = Field(default=True, description="Whether counts are taken; else expectation values are exact.")
    shots: int = Field(default=4096, ge=1)
    target: str = Field(
        default="",
        description="State that was meant, such as ket(00) + exp(1j*phi)*ket(11), which is normalised; or noiseless:"
        " what the same gates give without noise.",
    )
    outcomes: list[str] = Field([], description="Bitstrings whose probabilities are wanted; - is any.")
    chsh: bool = Field(False, description="Measure the CHSH inequality at the best settings of ket(00) + ket(11).")
    wanted: list[Literal["fidelity", "purity", "entropy", "entanglement_entropy"]] = Field(default_factory=list)
    entropy_unit: Literal["bit", "nat"] = "bit"
    sweep_unit: str = Field(default="", description="Of the swept values, deg or rad; multiply with `deg` in angles.")
    backend: Literal["qiskit", "cudaq"] = "qiskit"
    names: dict[str, str] = Field(default_factory=dict, description="Pauli string -> its name in the results.")
    seed: int = Field(default=1, ge=1, description="Of the samples.")

    def compiled(self) -> Computed:
        """The gates, channels and meant states of all cases, and whether exact states are computed.

        Raises:
            ValidationError: a gate, a basis or an expression cannot be used; says which.
        """
        for field, letters in (("bases", "XYZ"), ("observables", "IXYZ"), ("outcomes", "01-")):
            for place, text in enumerate(getattr(self, field)):
                with at(field, place):
                    self._string(text, letters)
                    if self.sampled and field != "bases":
                        self._basis_for("Z" * self.qubits if field == "outcomes" else text)
        if self.chsh and (self.qubits < 2 or not self.sampled):
            raise ValueError("`chsh` takes counts of two qubits. Leave it out, or take counts of two qubits or more.")
        if "fidelity" in self.wanted and not self.target:
            raise ValueError("A fidelity is that to a `target`. Write one, such as ket(00) + ket(11), or noiseless.")
        if self.qubits > MOST_EXACT_QUBITS and (self.wanted or not self.sampled):
            raise ValueError(f"Exact values are of {MOST_EXACT_QUBITS} qubits or fewer. Take counts, without `wanted`.")
        return Computed(self, {
            "cases": [self._case(labels, names) for labels, names in self.settings()],
            "axis": next(iter(self.sweep), ""),
            "exact": not self.sampled or self.qubits <= EXACT_QUBITS or bool(self.wanted),
        })  # fmt: skip

    def _case(self, labels: dict[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
        """One circuit in numbers; amplitudes of the state that was meant as [re, im]."""
        gates, noises = [], []
        for place, text in enumerate(self.gates):
            with at("gates", place):
                gates.append(self._gate(text, names))
        for place, one in enumerate(self.noise):
            with at("noise", place, "probability"):
                p = number(one.probability, names)
                if not 0 <= p <= (0.75 if one.convention == "pauli" else 1):
                    raise ExpressionError(f"The probability is {p:g}, not between 0 and 1 (pauli: 3/4). Look at it.")
            with at("noise", place, "qubits"):
                if not {*one.qubits} <= {*range(self.qubits)}:
                    raise ExpressionError(f"Qubits are {one.qubits}. Write numbers from 0 to {self.qubits - 1}.")
            noises.append({**one.model_dump(), "probability": p})
        with at("target"):
            target = self._target(names) if self.target not in ("", "noiseless") else []
        return {"labels": labels, "gates": gates, "noise": noises, "target": target}

    def _string(self, text: str, letters: str) -> None:
        if len(text) != self.qubits or set(text) - set(letters):
            raise ExpressionError(f"{text!r} does not fit. Write {self.qubits} of {', '.join(letters)}, one a qubit.")

    def _basis_for(self, word: str) -> None:
        if not any(all(a in ("I", b) for a, b in zip(word, basis, strict=True)) for basis in self.bases):
            raise ExpressionError(f"No basis gives it. Add {word.replace('I', 'Z')} to `bases`.")

    def _gate(self, text: str, names: Mapping[str, Any]) -> Gate:
        head, turned, tail = text.partition("(")
        angle, closed, places = tail.rpartition(")") if turned else ("", "", "")
        name, *qubits = head.split() + places.split()
        if name not in GATES or bool(turned) != bool(closed):
            raise ExpressionError(f"There is no gate {text!r}. Gates are: {', '.join(GATES)}; angles as in rx(pi/4) 0.")
        count, has_angle = GATES[name]
        sound = all(one.isdecimal() and int(one) < self.qubits for one in qubits) and len({*qubits}) == len(qubits)
        if not sound or len(qubits) != count or bool(turned) != has_angle:
            form = f"{name}{'(angle)' if has_angle else ''} {' '.join('abc'[:count])}"
            raise ExpressionError(f"{text!r} is no gate here. Write `{form}` with qubits from 0 to {self.qubits - 1}.")
        return name, [int(one) for one in qubits], number(angle, names) if turned else None

    def _target(self, names: Mapping[str, Any]) -> list[list[float]]:
        def ket(bits: str) -> Any:
            self._string(bits, "01")
            return np.eye(2**self.qubits)[int(bits, 2)].astype(complex)

        found = value(quoted(self.target), {**names, "ket": ket})
        if np.shape(found) != (2**self.qubits,) or not np.linalg.norm(found):
            raise ExpressionError(f"{self.target!r} is no state. Write such as ket(00) + ket(11).")
        made: list[list[float]] = pairs(found / np.linalg.norm(found))
        return made
