"""A circuit with its noise as one list of operations, and the other ways in which its noise could be meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labwright.tools.forge.families.circuits.spec import Case, CircuitSpec, Gate, Noise

# Basis change before a measurement in Z, and CHSH angles (from Z towards X) of the first and the second qubit.
CHANGE = {"X": ("h",), "Y": ("sdg", "h"), "Z": ()}
CHSH_SETTINGS = {"a b": (0, 0), "a b'": (0, 1), "a' b": (1, 0), "a' b'": (1, 1)}
CHSH_ANGLES = ((0.0, 1.5707963267948966), (0.7853981633974483, -0.7853981633974483))


def operations(case: Case, n_qubits: int, basis: str) -> tuple[list[dict[str, Any]], str]:
    """All gates and channels of one measurement, and the basis that is left for the sampler to change to.

    Where noise follows the change of basis, or errors of the readout come after it, that change is written out as gates
    and the sampler measures in Z.
    """
    made = list(_noisy(case.gates, case.noise))
    made += [one for noise in case.noise if noise.place == "after_preparation" for one in _after(noise, n_qubits)]
    follows = any(noise.on_basis_change and noise.place == "every_gate" for noise in case.noise)
    readout = [noise for noise in case.noise if noise.kind == "readout"]
    if not follows and not readout:
        return made, basis
    change = [Gate(name=name, qubits=[q]) for q, letter in enumerate(basis) for name in CHANGE[letter]]
    made += _noisy(change, case.noise if follows else [])
    for noise in readout:
        flipped = noise.qubits or range(n_qubits)
        made += [{"name": "bit_flip", "qubits": [qubit], "value": noise.probability} for qubit in flipped]
    return made, "Z" * n_qubits


def conventions(spec: CircuitSpec) -> dict[str, list[Case]]:
    """The cases under other readings of the noise; empty where there is nothing to choose."""
    if not any(noise.place == "every_gate" and noise.kind != "readout" for case in spec.cases for noise in case.noise):
        return {}
    if set("".join(spec.bases)) == {"Z"}:
        changes: dict[str, dict[str, Any]] = {}
    else:
        changes = {
            "after every gate, the change of basis included": {"on_basis_change": True, "place": "every_gate"},
            "after every gate of the preparation only": {"on_basis_change": False, "place": "every_gate"},
        }
    changes["once on every qubit after the preparation"] = {"on_basis_change": False, "place": "after_preparation"}
    return {
        name: [
            case.model_copy(update={"noise": [noise.model_copy(update=change) for noise in case.noise]})
            for case in spec.cases
        ]
        for name, change in changes.items()
    }


def _noisy(gates: Iterable[Gate], noises: list[Noise]) -> Iterable[dict[str, Any]]:
    for gate in gates:
        yield {"name": gate.name, "qubits": gate.qubits, "value": gate.value}
        for noise in noises:
            size = "two_qubit_gates" if len(gate.qubits) > 1 else "one_qubit_gates"
            if noise.place in {"every_gate", size}:
                yield from _channel(noise, gate.qubits)


def _after(noise: Noise, n_qubits: int) -> list[dict[str, Any]]:
    qubits = noise.qubits or list(range(n_qubits))
    joint = noise.joint and noise.kind == "depolarizing" and len(qubits) == 2 and bool(noise.qubits)
    return _channel(noise, qubits) if joint else [one for qubit in qubits for one in _channel(noise, [qubit])]


def _channel(noise: Noise, qubits: list[int]) -> list[dict[str, Any]]:
    if noise.kind == "readout":
        return []
    if noise.kind == "depolarizing" and noise.joint and len(qubits) == 2:
        return [{"name": noise.kind, "qubits": qubits, "value": mixing(noise, 2)}]
    value = mixing(noise, 1) if noise.kind == "depolarizing" else noise.probability
    return [{"name": noise.kind, "qubits": [qubit], "value": value} for qubit in qubits]


def mixing(noise: Noise, qubits: int) -> float:
    """The probability of the completely mixed state that the noise's own probability stands for."""
    full = 4**qubits
    return noise.probability if noise.convention == "mixing" else noise.probability * full / (full - 1)
