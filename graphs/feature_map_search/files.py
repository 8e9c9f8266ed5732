"""The files that a winner leaves in the run's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from labwright.graphs.feature_map_search.records import circuit_of
from labwright.graphs.feature_map_search.workbench import Workbench

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KERNEL_SAMPLES = 200  # of the training part, sorted by class; more would be finer than the figure's pixels


def save_winner(bench: Workbench, record: dict[str, Any]) -> dict[str, str]:
    """A class that runs by itself, the circuit as JSON and as OpenQASM 3; returns kind -> path."""
    from labwright.tools.feature_maps.export import as_pennylane, as_qasm3

    circuit = circuit_of(record)
    bench.run.save_text("feature_map.py", as_pennylane(circuit, record["class_name"]))
    bench.run.save_json("circuit.json", circuit.to_json())
    bench.run.save_text("circuit.qasm", as_qasm3(circuit))
    return {"class": "feature_map.py", "circuit": "circuit.json", "OpenQASM 3": "circuit.qasm"}


def draw(bench: Workbench, record: dict[str, Any], trials: list[dict[str, Any]], baselines: dict[str, Any]) -> None:
    """Trajectory, circuit and kernel."""
    from matplotlib import pyplot as plt

    from labwright.tools.feature_maps.draw import circuit_figure

    name, circuit = record["tried"]["name"], circuit_of(record)
    figures = {
        "trajectory": trajectory_figure(trials, baselines),
        "circuit": circuit_figure(circuit, name),
        "kernel": kernel_figure(bench, record),
    }
    for title, figure in figures.items():
        bench.run.save_figure(title, figure)
        plt.close(figure)


def trajectory_figure(trials: list[dict[str, Any]], baselines: dict[str, Any]) -> Figure:
    """Validation accuracy of each trial's best map and of the best so far, beside the RBF kernel's."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    numbers = [row["trial"] for row in trials]
    own = [np.nan if row["validation_accuracy"] is None else row["validation_accuracy"] for row in trials]
    top = [np.nan if row["best_validation_so_far"] is None else row["best_validation_so_far"] for row in trials]
    axes.plot(numbers, own, "o", color="0.6", label="best map of the trial")
    axes.step(numbers, top, where="post", color="C0", label="selected so far")
    for label, style in (("rbf_default", "--"), ("rbf_tuned", ":")):
        if label in baselines:
            height = baselines[label]["validation_accuracy"]
            axes.axhline(height, color="C3", linestyle=style, label=label.replace("_", ", ").replace("rbf", "RBF"))
    axes.set(xlabel="trial", ylabel="validation accuracy")
    axes.legend()
    return figure


def kernel_figure(bench: Workbench, record: dict[str, Any]) -> Figure:
    """The kernel matrix of training samples in the order of their classes."""
    from matplotlib.figure import Figure

    from labwright.tools.feature_maps.kernel import kernel_matrix

    train = bench.split.train
    order = np.argsort(train.y, kind="stable")
    shown = order[np.linspace(0, len(order) - 1, min(KERNEL_SAMPLES, len(order))).astype(int)]
    kernel = kernel_matrix(circuit_of(record), train.X[shown])
    figure = Figure(figsize=(5.4, 4.6), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(kernel, cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    figure.colorbar(image, label="kernel")
    for edge in np.flatnonzero(np.diff(train.y[shown])):
        axes.axhline(edge + 0.5, color="white", linewidth=0.4)
        axes.axvline(edge + 0.5, color="white", linewidth=0.4)
    axes.set(title=record["tried"]["name"], xlabel="training sample, by class", ylabel="training sample, by class")
    return figure
