"""How kernels go with the number of qubits: time beside PennyLane's lightning, accuracy and concentration.

Run with ``python -m labwright.evaluation.benchmarks.qubits``; ``--json FILE`` keeps the numbers, ``--figure FILE``
draws them. The data set is digits, 40 principal components, one split. Two maps are taken: X rotations whose angles
fall from block to block, with CNOT rings between (the kind that the search finds), and Y rotations of one scale with
CZ rings.
For the times each engine in turn computes the kernel of as many samples as ``--samples`` says, in double precision; a
ratio is the median over the repetitions of PennyLane's wall time over that of the engine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from labwright.evaluation.results import provenance
from labwright.tools.datasets import load_dataset, prepare_split
from labwright.tools.datasets.base import Split
from labwright.tools.durable import write_atomic
from labwright.tools.feature_maps.assess import assess
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.evolve import plain_recipe
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.feature_maps.simulate import n_threads
from labwright.tools.runs.files import to_json

N_FEATURES = 40
MAPS = {
    "graded": plain_recipe(axes=["RX"], entangler="CNOT", scale=3.0, decay=0.55, centre=0.5),
    "flat": plain_recipe(axes=["RY"], entangler="CZ", scale=1.5, decay=1.0),
}
THEIRS = "PennyLane"  # a QNode on lightning.qubit, as PennyLane's users write it
Samples = NDArray[np.float64]


def lightning(circuit: Circuit) -> Callable[[Samples], Samples]:
    """The kernel of samples by a QNode on PennyLane's lightning.qubit, one state after another."""
    import pennylane as qml

    @qml.qnode(qml.device("lightning.qubit", wires=circuit.n_qubits), diff_method=None)  # type: ignore[untyped-decorator]
    def state(angles: Samples) -> object:
        row = 0
        for gate in circuit.gates:
            getattr(qml, gate.name)(*angles[row : row + len(gate.angles)], wires=gate.wires)
            row += len(gate.angles)
        return qml.state()

    def kernel(samples: Samples) -> Samples:
        states = np.array([state(column) for column in circuit.angles(samples).T])
        found: Samples = np.abs(states @ states.conj().T) ** 2
        return found

    return kernel


def timed(circuit: Circuit, samples: Samples, repeats: int) -> dict[str, Any]:
    """Wall seconds of each engine, repetition by repetition, interleaved; and their largest difference."""
    engines: dict[str, Callable[[Samples], Any]] = {
        engine: lambda x, e=engine: kernel_matrix(circuit, x, precision="complex128", engine=e)  # type: ignore[misc]
        for engine in ("numpy", "lightning")
    }
    engines[THEIRS] = lightning(circuit)
    kernels = {name: engine(samples) for name, engine in engines.items()}  # compiles, and fills caches
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(repeats):
        for name, engine in engines.items():
            begin = time.perf_counter()
            engine(samples)
            seconds[name].append(time.perf_counter() - begin)
    ratios = {
        name: statistics.median(a / b for a, b in zip(seconds[THEIRS], seconds[name], strict=True)) for name in engines
    }
    difference = max(float(np.abs(kernel - kernels[THEIRS]).max()) for kernel in kernels.values())
    return {
        "seconds": {n: statistics.median(s) for n, s in seconds.items()},
        "ratios": ratios,
        "difference": difference,
    }


def judged(circuit: Circuit, split: Split) -> dict[str, float]:
    """Validation accuracy, and mean and deviation of the kernel off its diagonal."""
    found = assess(circuit, split, folds=3)
    return {
        "accuracy": found.validation.accuracy,
        "cross_validation": found.cross_validation,
        "mean": found.mean_kernel,
        "concentration": found.concentration,
        "seconds": found.kernel_seconds,
    }


def figure(rows: list[dict[str, Any]], samples: int) -> Figure:
    """Time, accuracy and concentration against the number of qubits."""
    made = Figure(figsize=(10.5, 3.6), dpi=120, layout="constrained")
    n = [row["qubits"] for row in rows]
    first, second, third = made.subplots(1, 3)
    for name, style in (("numpy", "o-"), ("lightning", "v-"), (THEIRS, "^--")):
        first.plot(n, [row["timing"]["seconds"][name] for row in rows], style, label=name, ms=5)
    first.set(yscale="log", ylabel=f"seconds for a kernel of {samples} samples", title="time, graded map")
    for name, style in (("graded", "o-"), ("flat", "s--")):
        second.plot(n, [row[name]["accuracy"] for row in rows], style, label=name, ms=5)
        third.plot(n, [row[name]["concentration"] for row in rows], style, label=name, ms=5)
    second.set(ylabel="validation accuracy", title="digits, 40 components")
    third.set(yscale="log", ylabel="deviation of the kernel off its diagonal", title="concentration")
    for axis in (first, second, third):
        axis.set_xlabel("number of qubits")
        axis.set_xticks(n)
        axis.grid(color="0.92")
        axis.legend(frameon=False, fontsize=9)
    return made


def main() -> None:
    """Print a row a number of qubits, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qubits", type=int, nargs="+", default=[4, 6, 8, 10, 12, 14, 16])
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--train", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--figure", type=Path)
    chosen = parser.parse_args()
    begun, rows = time.monotonic(), []
    split = prepare_split(load_dataset("digits"), N_FEATURES, 0, (chosen.train, chosen.train // 2, 100))
    for n in chosen.qubits:
        maps = {name: circuit_of(recipe, n, N_FEATURES) for name, recipe in MAPS.items()}
        timing = timed(maps["graded"], split.train.X[: chosen.samples], chosen.repeats)
        row = {"qubits": n, "gates": len(maps["graded"].gates), "timing": timing}
        rows.append({**row, **{name: judged(circuit, split) for name, circuit in maps.items()}})
        shown = ", ".join(f"{name} {ratio:.2f}" for name, ratio in timing["ratios"].items())
        sys.stdout.write(
            f"{n:>3} qubits: PennyLane {timing['seconds'][THEIRS]:.3f} s; faster by {shown};"
            f" accuracy {rows[-1]['graded']['accuracy']:.3f} {rows[-1]['flat']['accuracy']:.3f};"
            f" concentration {rows[-1]['graded']['concentration']:.2e} {rows[-1]['flat']['concentration']:.2e};"
            f" difference {timing['difference']:.0e}\n"
        )
        sys.stdout.flush()
    if chosen.figure:
        figure(rows, chosen.samples).savefig(chosen.figure)
    if chosen.json:
        facts = {**provenance(time.monotonic() - begun), "load": os.getloadavg()[0], "threads": n_threads()}
        plain = {**facts, "samples": chosen.samples, "train": chosen.train, "repeats": chosen.repeats, "rows": rows}
        write_atomic(chosen.json, to_json(json.loads(json.dumps(plain))))


if __name__ == "__main__":
    main()
