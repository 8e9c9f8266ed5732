"""A feature map in other languages: a PennyLane class that runs by itself, and OpenQASM 3.

Each gives the same kernel as the circuit. Global phases may differ, since no kernel depends on them. Wire i is qubit
i everywhere; Qiskit counts its qubits from the least significant bit of a state's index, PennyLane from the most
significant one, so that their amplitudes stand in bit-reversed order.
"""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Sequence
from itertools import pairwise

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate

WIDTH = 110  # columns of written code
TAKEN = ("np", "qml", "states", "kernel", "kernel_on", "template", "N_QUBITS", "N_FEATURES")  # by the written file

PENNYLANE_FILE = '''\
"""{docstring}

The file needs only numpy and PennyLane. `kernel(X, Y)` is the quantum kernel |<psi(x)|psi(y)>|^2, ready for
scikit-learn's SVC(kernel="precomputed") or SVC(kernel=kernel). Features are expected as the search prepared them.
`template(x)` stands in any QNode, on any device; `kernel_on(device, X, Y, shots)` estimates the kernel there.
"""

import numpy as np
import pennylane as qml

N_QUBITS = {n_qubits}
N_FEATURES = {n_features}


class {class_name}:
    """Apply the gates for one sample x of shape (N_FEATURES,)."""

    n_qubits = N_QUBITS

    def feature_map(self, x):
{gates}

    __call__ = feature_map


def template(x, wires=range(N_QUBITS)):
    """The gates on any wires, for a QNode on any device: a PennyLane template."""
    qml.map_wires({class_name}().feature_map, dict(enumerate(wires)))(x)


def states(X):
    """One state vector a sample, shape (n_samples, 2**N_QUBITS)."""
    encode = {class_name}()

    @qml.qnode(qml.device("default.qubit", wires=N_QUBITS))
    def circuit(x):
        encode.feature_map(x)
        return qml.state()

    return np.array([circuit(x) for x in np.asarray(X, dtype=float)])


def kernel(X, Y=None):
    """Squared overlaps of the states of X and Y (of X with itself if Y is None), shape (n, m)."""
    left = states(X)
    right = left if Y is None or Y is X else states(Y)
    return np.abs(left @ right.conj().T) ** 2


def kernel_on(device, X, Y=None, shots=None):
    """The kernel as a device measures it, by encoding x, undoing the encoding of y and reading all zeros."""

    @qml.qnode(device, shots=shots)
    def overlap(x, y):
        template(x)
        qml.adjoint(template)(y)
        return qml.probs(wires=range(N_QUBITS))

    return np.array([[overlap(x, y)[0] for y in (X if Y is None else Y)] for x in X])


if __name__ == "__main__":
    samples = np.random.default_rng(0).random((4, N_FEATURES))
    print(np.round(kernel(samples), 4))
'''

# Gates of `GATES` that OpenQASM's standard library holds, by their names there.
QASM_STANDARD = {
    "Hadamard": "h", "PauliX": "x", "PauliY": "y", "PauliZ": "z", "S": "s", "T": "t", "SX": "sx",
    "RX": "rx", "RY": "ry", "RZ": "rz", "PhaseShift": "p", "U1": "p", "U2": "u2", "U3": "u3",
    "CNOT": "cx", "CY": "cy", "CZ": "cz", "CH": "ch", "SWAP": "swap", "CSWAP": "cswap", "Toffoli": "ccx",
    "CRX": "crx", "CRY": "cry", "CRZ": "crz", "ControlledPhaseShift": "cp",
}  # fmt: skip
# The others, made of those: name there, what it needs first, definition.
QASM_DEFINED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "Rot": ("rot", (), "gate rot(a, b, c) q { rz(a) q; ry(b) q; rz(c) q; }"),
    "CRot": ("crot", (), "gate crot(a, b, c) p, q { crz(a) p, q; cry(b) p, q; crz(c) p, q; }"),
    "CCZ": ("ccz", (), "gate ccz p, q, r { h r; ccx p, q, r; h r; }"),
    "IsingZZ": ("rzz", (), "gate rzz(a) p, q { cx p, q; rz(a) q; cx p, q; }"),
    "IsingXX": ("rxx", ("IsingZZ",), "gate rxx(a) p, q { h p; h q; rzz(a) p, q; h p; h q; }"),
    "IsingYY": (
        "ryy",
        ("IsingZZ",),
        "gate ryy(a) p, q { rx(pi/2) p; rx(pi/2) q; rzz(a) p, q; rx(-pi/2) p; rx(-pi/2) q; }",
    ),
    # exp(i a/4 (XX + YY)); its two factors commute.
    "IsingXY": ("rxy", ("IsingXX", "IsingYY"), "gate rxy(a) p, q { rxx(-a/2) p, q; ryy(-a/2) p, q; }"),
    "ISWAP": ("iswap", ("IsingXY",), "gate iswap p, q { rxy(pi) p, q; }"),
    "SISWAP": ("siswap", ("IsingXY",), "gate siswap p, q { rxy(pi/2) p, q; }"),
    # (X x I) exp(-i pi/4 Z x X)
    "ECR": ("ecr", ("IsingZZ",), "gate ecr p, q { h q; rzz(pi/2) p, q; h q; x p; }"),
}


def as_pennylane(circuit: Circuit, class_name: str, docstring: str = "") -> str:
    """A Python file with the feature map as a class, and its kernel.

    Args:
        circuit: the feature map.
        class_name: of the class.
        docstring: a sentence or more about the map; it cannot end its own quotes.

    Raises:
        InputError: the name is none that Python allows.
    """
    allowed = class_name.isidentifier() and class_name.isascii() and not keyword.iskeyword(class_name)
    if not allowed or class_name in TAKEN:
        raise InputError(
            f"{class_name!r} is no name of a Python class, or taken in its file. Use letters and digits only."
        )
    words = _harmless(docstring) or f"{class_name}: a quantum feature map."
    lines = [line for gate in circuit.gates for line in _pennylane_lines(gate)]
    return PENNYLANE_FILE.format(
        docstring=textwrap.fill(words, WIDTH, subsequent_indent=""),
        n_qubits=circuit.n_qubits,
        n_features=circuit.n_features,
        class_name=class_name,
        gates="\n".join(" " * 8 + line for line in lines) or " " * 8 + "pass  # the map has no gates",
    )


def as_qasm3(circuit: Circuit) -> str:
    """The feature map as OpenQASM 3 with the inputs ``x_0``, ``x_1``, ...; wire i on ``q[i]``.

    Raises:
        InputError: a gate is none of the allowed list.
    """
    names = list(dict.fromkeys(gate.name for gate in circuit.gates))
    widths = sorted({len(gate.wires) for gate in circuit.gates if gate.name == "MultiRZ"})
    inputs = [f"input float[64] x_{i};" for i in range(circuit.n_features)]
    lines = ["OPENQASM 3.0;", 'include "stdgates.inc";', *_definitions(names), *map(_multi_rz, widths)]
    lines += [*inputs, f"qubit[{circuit.n_qubits}] q;"]
    return "\n".join([*lines, *map(_qasm_line, circuit.gates)]) + "\n"


def formula(angle: Angle, feature: str) -> str:
    """An angle as code, such as ``0.5 * x[3] - 1.2``; numbers are exact.

    Args:
        angle: affine in the features.
        feature: how feature i is written, such as ``x[{}]``.
    """
    terms = [(weight, feature.format(number)) for number, weight in angle.weights if weight]
    if angle.offset or not terms:
        terms.append((angle.offset, ""))
    text = ""
    for value, name in terms:
        size = f"{abs(value)!r}" + (f" * {name}" if name else "")
        text += (" - " if value < 0 else " + ") + size if text else ("-" if value < 0 else "") + size
    return text


def _pennylane_lines(gate: Gate) -> list[str]:
    wires = gate.wires[0] if len(gate.wires) == 1 else list(gate.wires)
    arguments = [formula(angle, "x[{}]") for angle in gate.angles]
    line = f"qml.{gate.name}({', '.join([*arguments, f'wires={wires}'])})"
    if len(line) <= WIDTH:
        return [line]
    inner = [part for each in arguments for part in textwrap.wrap(f"{each},", WIDTH - 4, break_long_words=False)]
    return [f"qml.{gate.name}(", *(f"    {part}" for part in inner), f"    wires={wires},", ")"]


def _harmless(text: str) -> str:
    """Text on one line that cannot end a docstring."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(plain.replace("\\", "/").replace('"', "'").split())


def _definitions(names: Sequence[str]) -> list[str]:
    """Definitions of the gates that the standard library lacks, each after those that it needs."""
    ordered: dict[str, str] = {}

    def define(name: str) -> None:
        _, needs, text = QASM_DEFINED[name]
        for need in needs:
            define(need)
        ordered.setdefault(name, text)

    for name in names:
        if name in QASM_DEFINED:
            define(name)
    return list(ordered.values())


def _multi_rz(width: int) -> str:
    wires = [f"q{i}" for i in range(width)]
    ladder = [f"cx {a}, {b};" for a, b in pairwise(wires)]
    body = " ".join([*ladder, f"rz(a) {wires[-1]};", *reversed(ladder)])
    return f"gate multirz{width}(a) {', '.join(wires)} {{ {body} }}"


def _qasm_line(gate: Gate) -> str:
    if gate.name == "MultiRZ":
        name = f"multirz{len(gate.wires)}"
    elif gate.name in QASM_DEFINED:
        name = QASM_DEFINED[gate.name][0]
    elif gate.name in QASM_STANDARD:
        name = QASM_STANDARD[gate.name]
    else:
        raise InputError(f"Gate {gate.name} cannot be written in OpenQASM. Use gates of the allowed list.")
    angles = [formula(angle, "x_{}") for angle in gate.angles]
    numbers = f"({', '.join(angles)})" if angles else ""
    return f"{name}{numbers} {', '.join(f'q[{wire}]' for wire in gate.wires)};"
