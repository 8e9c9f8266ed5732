"""A feature map as data: gates on wires, every angle an affine function of the features.

This is the only form in which a feature map leaves the sandbox. What is not in it has no effect on a kernel.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

MAX_QUBITS = 20  # a state then has 2^20 amplitudes, 16 MB a sample


@dataclass(frozen=True, slots=True)
class Angle:
    """``angle = sum_j weight_j x_j + offset``, in radians.

    Attributes:
        weights: (feature, weight) pairs in the order of the features; empty if the data do not matter.
        offset: what the angle is at x = 0.
    """

    weights: tuple[tuple[int, float], ...]
    offset: float


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate.

    Attributes:
        name: as PennyLane spells it, a key of `labwright.tools.feature_maps.gates.GATES`.
        wires: qubits, controls first.
        angles: one a parameter.
    """

    name: str
    wires: tuple[int, ...]
    angles: tuple[Angle, ...] = ()


@dataclass(frozen=True, slots=True)
class Circuit:
    """A feature map: ``|psi(x)> = U(x) |0...0>``; wire 0 is the most significant bit, as in PennyLane.

    Attributes:
        n_qubits: number of wires.
        n_features: length of x.
        gates: in the order in which they act.
    """

    n_qubits: int
    n_features: int
    gates: tuple[Gate, ...]

    def affine(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``W`` of shape (n_angles, n_features) and ``b`` of shape (n_angles,), angles in the order of the gates."""
        angles = [angle for gate in self.gates for angle in gate.angles]
        weights = np.zeros((len(angles), self.n_features))
        for row, angle in enumerate(angles):
            for feature, weight in angle.weights:
                weights[row, feature] = weight
        return weights, np.array([angle.offset for angle in angles])

    def angles(self, samples: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """All angles of all samples, shape (n_angles, n_samples), in radians.

        Args:
            samples: shape (n_samples, n_features).

        Raises:
            InputError: another number of features.
        """
        if samples.ndim != 2 or samples.shape[1] != self.n_features:
            raise InputError(
                f"The samples must have shape (n_samples, {self.n_features}), but have {samples.shape}."
                " Prepare the data with as many components as the feature map was made for."
            )
        weights, offsets = self.affine()
        found: NDArray[np.float64] = weights @ samples.T.astype(np.float64) + offsets[:, None]
        return found

    def size(self) -> dict[str, int]:
        """Gates, gates on two or more wires, and depth: the longest chain of gates that share wires."""
        level = [0] * self.n_qubits
        for gate in self.gates:
            deepest = 1 + max(level[wire] for wire in gate.wires)
            for wire in gate.wires:
                level[wire] = deepest
        wide = sum(len(gate.wires) > 1 for gate in self.gates)
        return {"gates": len(self.gates), "two_qubit_gates": wide, "depth": max(level, default=0)}

    def to_json(self) -> dict[str, Any]:
        """JSON-plain, the same text for the same circuit."""
        return {
            "n_qubits": self.n_qubits,
            "n_features": self.n_features,
            "gates": [
                {
                    "gate": gate.name,
                    "wires": list(gate.wires),
                    "angles": [
                        {"weights": [[feature, weight] for feature, weight in angle.weights], "offset": angle.offset}
                        for angle in gate.angles
                    ],
                }
                for gate in self.gates
            ],
        }

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Circuit:
        """The circuit of `to_json`.

        Raises:
            InputError: a field is missing or has another type.
        """
        try:
            gates = tuple(_gate(item) for item in plain["gates"])
            return cls(int(plain["n_qubits"]), int(plain["n_features"]), gates)
        except (KeyError, TypeError, ValueError) as wrong:
            raise InputError(f"This is not a circuit: {wrong!r}. Compile the feature map again.") from wrong

    def digest(self) -> str:
        """64 hex digits that name the circuit."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


def _gate(item: dict[str, Any]) -> Gate:
    angles = tuple(
        Angle(tuple((int(feature), float(weight)) for feature, weight in angle["weights"]), float(angle["offset"]))
        for angle in item["angles"]
    )
    return Gate(str(item["gate"]), tuple(int(wire) for wire in item["wires"]), angles)
