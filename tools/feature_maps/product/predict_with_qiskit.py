"""Predict with a saved pipeline through Qiskit. Needs numpy, qiskit, qiskit-qasm3-import and qiskit-machine-learning.

The file stands beside ``pipeline.json``, ``arrays.npz`` and ``feature_map.qasm`` and needs nothing else:

    python predict_with_qiskit.py samples.csv        # columns as in the data set, with a header, without the label

In Python, `feature_map()` is the circuit with its parameters, `quantum_kernel()` the FidelityStatevectorKernel, which
is exact, or, with a fidelity such as ``ComputeUncompute(sampler)``, the FidelityQuantumKernel that runs on any backend.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent


def saved(folder: Path = FOLDER) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``pipeline.json`` and ``arrays.npz`` hold."""
    with np.load(folder / "arrays.npz", allow_pickle=False) as file:
        return json.loads((folder / "pipeline.json").read_text("utf-8")), {name: file[name] for name in file.files}


def prepared(samples: Any, folder: Path = FOLDER) -> Any:
    """Raw samples of shape (n, n_raw) as the features that the circuit takes."""
    known = {name: np.array(value) for name, value in saved(folder)[0]["preparation"].items() if name.endswith("_")}
    projected = ((np.asarray(samples, dtype=float) - known["mean_"]) / known["raw_scale_"]) @ known["components_"].T
    return (projected - known["low_"]) / known["span_"]


def feature_map(folder: Path = FOLDER) -> Any:
    """The circuit, with a parameter ``x_i`` for each prepared feature that it uses."""
    from qiskit import qasm3  # type: ignore[import-untyped]

    return qasm3.loads((folder / "feature_map.qasm").read_text("utf-8"))


def used(circuit: Any) -> list[int]:
    """The features that the circuit's parameters stand for, in the order in which a kernel binds them."""
    return [int(parameter.name.removeprefix("x_")) for parameter in circuit.parameters]


def quantum_kernel(folder: Path = FOLDER, fidelity: Any = None) -> Any:
    """A kernel of qiskit-machine-learning: exact, or by `fidelity` on whatever it samples."""
    from qiskit_machine_learning.kernels import FidelityQuantumKernel, FidelityStatevectorKernel

    circuit = feature_map(folder)
    if fidelity is None:
        return FidelityStatevectorKernel(feature_map=circuit)
    return FidelityQuantumKernel(feature_map=circuit, fidelity=fidelity)


def overlaps(samples: Any, folder: Path = FOLDER, fidelity: Any = None) -> Any:
    """The kernel of prepared samples and the support vectors, shape (n, n_support)."""
    kernel = quantum_kernel(folder, fidelity)
    columns = used(kernel.feature_map)
    return kernel.evaluate(samples[:, columns], saved(folder)[1]["support_vectors_"][:, columns])


def predict(samples: Any, folder: Path = FOLDER, fidelity: Any = None) -> Any:
    """The class of each raw sample, by one vote a pair of classes."""
    about, arrays = saved(folder)
    kernel = overlaps(prepared(samples, folder), folder, fidelity)
    dual, intercept, classes = arrays["dual_coef_"], arrays["intercept_"], np.array(about["classes"])
    if len(classes) == 2:
        return classes[(kernel @ dual[0] + intercept[0] >= 0).astype(int)]
    ends, votes, pair = np.cumsum([0, *arrays["n_support_"]]), np.zeros((len(kernel), len(classes))), 0
    for i in range(len(classes)):
        for j in range(i + 1, len(classes)):
            one, other = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
            decision = kernel[:, one] @ dual[j - 1, one] + kernel[:, other] @ dual[i, other] + intercept[pair]
            votes[:, i] += decision > 0
            votes[:, j] += decision <= 0
            pair += 1
    return classes[votes.argmax(axis=1)]


if __name__ == "__main__":
    for label in predict(np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, ndmin=2)):
        sys.stdout.write(f"{label}\n")
