"""A circuit with its noise as one list of gates and channels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Noise = Mapping[str, Any]
Gate = Sequence[Any]  # name, qubits, angle in radian or None
Step = dict[str, Any]  # as the tools take it

# Change of basis before a measurement in Z.
CHANGE = {"X": ("h",), "Y": ("sdg", "h"), "Z": (), "I": ()}
# CHSH settings: angles (from Z towards X) of the first and the second qubit, best for |00> + |11>.
CHSH_SETTINGS = {"a b": (0, 0), "a b'": (0, 1), "a' b": (1, 0), "a' b'": (1, 1)}
CHSH_ANGLES = ((0.0, 1.5707963267948966), (0.7853981633974483, -0.7853981633974483))
INVERSE = {"s": "sdg", "sdg": "s", "t": "tdg", "tdg": "t"}  # other gates without an angle undo themselves


def prepared(case: Mapping[str, Any], n_qubits: int) -> list[Step]:
    """The gates with the channels that follow them, then the channels after the preparation."""
    steps = list(_noisy(case["gates"], case["noise"]))
    for noise in case["noise"]:
        if noise["place"] == "after_preparation":
            qubits = noise["qubits"] or range(n_qubits)
            together = len(noise["qubits"]) == 2
            steps += _channels(noise, list(qubits)) if together else [s for q in qubits for s in _channels(noise, [q])]
    return steps


def measured(case: Mapping[str, Any], n_qubits: int, basis: str) -> list[Step]:
    """The circuit up to a measurement in Z that stands for one in `basis`, with its noise and readout errors."""
    change = [(name, [qubit], None) for qubit, letter in enumerate(basis) for name in CHANGE[letter]]
    steps = prepared(case, n_qubits) + list(_noisy(change, [one for one in case["noise"] if one["on_basis_change"]]))
    return steps + _readout(case, n_qubits)


def chsh(case: Mapping[str, Any], n_qubits: int, setting: str) -> list[Step]:
    """The circuit up to a measurement in Z that stands for a CHSH setting, whose turns are noiseless."""
    angles = [-CHSH_ANGLES[qubit][index] for qubit, index in enumerate(CHSH_SETTINGS[setting])]
    turns = [{"name": "ry", "qubits": [qubit], "value": angle} for qubit, angle in enumerate(angles)]
    return prepared(case, n_qubits) + turns + _readout(case, n_qubits)


def undone(gates: Sequence[Gate]) -> list[Step]:
    """The gates backwards, without noise: from the state that they give back to |0...0>."""
    turned = [(INVERSE.get(name, name), qubits, value and -value) for name, qubits, value in reversed(gates)]
    return [{"name": name, "qubits": qubits, "value": value} for name, qubits, value in turned]


def _readout(case: Mapping[str, Any], n_qubits: int) -> list[Step]:
    return [
        {"name": "bit_flip", "qubits": [qubit], "value": noise["probability"]}
        for noise in case["noise"]
        if noise["kind"] == "readout"
        for qubit in noise["qubits"] or range(n_qubits)
    ]


def _noisy(gates: Sequence[Gate], noises: Sequence[Noise]) -> Iterator[Step]:
    for name, qubits, value in gates:
        yield {"name": name, "qubits": qubits, "value": value}
        size = "two_qubit_gates" if len(qubits) > 1 else "one_qubit_gates"
        for noise in noises:
            if noise["place"] in ("every_gate", size):
                yield from _channels(noise, qubits)


def _channels(noise: Noise, qubits: list[int]) -> list[Step]:
    if noise["kind"] == "readout":
        return []
    if noise["kind"] == "depolarizing" and noise["joint"] and len(qubits) == 2:
        return [{"name": "depolarizing", "qubits": qubits, "value": _probability(noise, 2)}]
    return [{"name": noise["kind"], "qubits": [qubit], "value": _probability(noise, 1)} for qubit in qubits]


def _probability(noise: Noise, qubits: int) -> float:
    """As the tools take it; of depolarising noise, that of the completely mixed state."""
    value = float(noise["probability"])
    pauli = noise["kind"] == "depolarizing" and noise["convention"] == "pauli"
    return value * 4**qubits / (4**qubits - 1) if pauli else value
