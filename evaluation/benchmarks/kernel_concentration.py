"""How accurate kernels are, and how concentrated, by the number of qubits.

Run with ``python -m labwright.evaluation.benchmarks.kernel_concentration``; ``--json FILE`` keeps the numbers,
``--figure FILE`` draws them. The data set is digits, 40 principal components, one split. Two maps are taken: X
rotations whose angles fall from block to block, with CNOT rings between (the kind that the search finds), and Y
rotations of one scale with CZ rings. How long a kernel takes beside other simulators is in
`labwright.evaluation.peers`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from labwright.evaluation.result_provenance import provenance
from labwright.tools.atomic_files import write_atomic
from labwright.tools.datasets import load_dataset, prepare_split
from labwright.tools.datasets.labelled_samples import Split
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.feature_maps.simulate import n_threads
from labwright.tools.feature_maps.svm_assessment import assess
from labwright.tools.runs.hashed_files import to_json

N_FEATURES = 40
MAPS = {
    "graded": plain_recipe(axes=["RX"], entangler="CNOT", scale=3.0, decay=0.55, centre=0.5),
    "flat": plain_recipe(axes=["RY"], entangler="CZ", scale=1.5, decay=1.0),
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


def figure(rows: list[dict[str, Any]]) -> Figure:
    """Accuracy and concentration against the number of qubits."""
    made = Figure(figsize=(7.2, 3.6), dpi=120, layout="constrained")
    n = [row["qubits"] for row in rows]
    left, right = made.subplots(1, 2)
    for name, style in (("graded", "o-"), ("flat", "s--")):
        left.plot(n, [row[name]["accuracy"] for row in rows], style, label=name, ms=5)
        right.plot(n, [row[name]["concentration"] for row in rows], style, label=name, ms=5)
    left.set(ylabel="validation accuracy", title="digits, 40 components")
    right.set(yscale="log", ylabel="deviation of the kernel off its diagonal", title="concentration")
    for axis in (left, right):
        axis.set_xlabel("number of qubits")
        axis.set_xticks(n)
        axis.grid(color="0.92")
        axis.legend(frameon=False, fontsize=9)
    return made


def main() -> None:
    """Print a row a number of qubits, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qubits", type=int, nargs="+", default=[4, 6, 8, 10, 12, 14, 16])
    parser.add_argument("--train", type=int, default=300)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--figure", type=Path)
    chosen = parser.parse_args()
    begun, rows = time.monotonic(), []
    split = prepare_split(load_dataset("digits"), N_FEATURES, 0, (chosen.train, chosen.train // 2, 100))
    for n in chosen.qubits:
        maps = {name: circuit_of(recipe, n, N_FEATURES) for name, recipe in MAPS.items()}
        row = {"qubits": n, "gates": len(maps["graded"].gates)}
        rows.append({**row, **{name: judged(circuit, split) for name, circuit in maps.items()}})
        sys.stdout.write(
            f"{n:>3} qubits: accuracy {rows[-1]['graded']['accuracy']:.3f} {rows[-1]['flat']['accuracy']:.3f};"
            f" concentration {rows[-1]['graded']['concentration']:.2e} {rows[-1]['flat']['concentration']:.2e}\n"
        )
        sys.stdout.flush()
    if chosen.figure:
        figure(rows).savefig(chosen.figure)
    if chosen.json:
        facts = {**provenance(time.monotonic() - begun), "load": os.getloadavg()[0], "threads": n_threads()}
        plain = {**facts, "train": chosen.train, "rows": rows}
        write_atomic(chosen.json, to_json(json.loads(json.dumps(plain))))


if __name__ == "__main__":
    main()
