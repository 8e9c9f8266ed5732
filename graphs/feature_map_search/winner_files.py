"""The files that a winner leaves in the run's folder."""

from __future__ import annotations

from typing import Any

import numpy as np

from labwright.graphs.feature_map_search.run_context import Workbench
from labwright.graphs.feature_map_search.trial_records import circuit_of
from labwright.graphs.feature_map_search.winner_pipeline import save
from labwright.tools.datasets.labelled_samples import Part
from labwright.tools.feature_maps.kernel import kernel_matrix

KERNEL_SAMPLES = 200  # of the training part; more would be finer than the figure's pixels
DRAWN = {"rbf_default": "RBF", "rbf_weighted": "RBF by rank"}  # level lines; more would hide one another


def save_winner(bench: Workbench, record: dict[str, Any]) -> dict[str, str]:
    """The pipeline, a class that runs by itself, the circuit as JSON and as OpenQASM 3; returns kind -> path."""
    from labwright.tools.feature_maps.export import as_pennylane, as_qasm3

    circuit = circuit_of(record)
    bench.run.save_text("feature_map.py", as_pennylane(circuit, record["class_name"]))
    bench.run.save_json("circuit.json", circuit.to_json())
    bench.run.save_text("circuit.qasm", as_qasm3(circuit))
    saved = {"class": "feature_map.py", "circuit": "circuit.json", "OpenQASM 3": "circuit.qasm"}
    return {**saved, "pipeline": save(bench, record)}


def draw(bench: Workbench, record: dict[str, Any], result: dict[str, Any]) -> None:
    """Trajectory, Pareto front, circuit and kernel."""
    from labwright.tools.feature_maps.draw_circuit import draw_circuit
    from labwright.tools.feature_maps.search_figures import (
        front_figure,
        kernel_figure,
        processor_figure,
        trajectory_figure,
    )

    name, circuit = record["tried"]["name"], circuit_of(record)
    shown = _spread(bench.split.train)
    kernel = kernel_matrix(circuit, shown.X)
    candidates = [(row["trial"], row["validation"]) for row in result["tried"] if row["validation"] is not None]
    selected = [(row["trial"], row["best_validation_so_far"]) for row in result["trajectory"] if row["best_so_far"]]
    baselines = result["baselines"].items()
    known = {DRAWN[label]: row["validation_accuracy"] for label, row in baselines if label in DRAWN}
    bench.run.save_figure("trajectory", trajectory_figure(candidates, known, selected))
    if result.get("processor"):
        bench.run.save_figure("processor", processor_figure(result["processor"]))
    if result["landscape"]:
        bench.run.save_figure("front", front_figure(result["landscape"]))
    bench.run.save_figure("circuit", draw_circuit(circuit, name))
    bench.run.save_figure("kernel", kernel_figure(kernel, shown.y, name, bench.split.classes))


def _spread(part: Part) -> Part:
    """Samples of every class, as many of each as there are in the whole."""
    order = np.argsort(part.y, kind="stable")
    taken = order[np.linspace(0, len(order) - 1, min(KERNEL_SAMPLES, len(order))).astype(int)]
    return Part(part.X[taken], part.y[taken], part.raw[taken], part.rows[taken])
