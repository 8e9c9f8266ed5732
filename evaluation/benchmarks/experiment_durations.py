"""How long each experiment takes with its defaults: acquire, fit, judge, update; no figure.

python -m labwright.evaluation.benchmarks.experiment_durations
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.opening import open_device

QUBIT = "Q1"
ROUNDS = 5  # counted, after one that is not
CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.49}


def medians(rounds: int = ROUNDS) -> dict[str, float]:
    """Experiment -> median milliseconds of a run on a calibrated simulated qubit, its journal on disk included."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        device = open_device("simulated", Path(folder) / "device", 1, CALIBRATED)
        for name, kind in experiments().items():
            taken = []
            for number in range(rounds + 1):
                began = time.perf_counter()
                perform(kind, ExperimentCall(name, {"qubit": QUBIT}), device, f"{name}-{number}")
                taken.append(1e3 * (time.perf_counter() - began))
            found[name] = statistics.median(taken[1:])
        device.close()
    return found


def main() -> None:
    """Print the medians, slowest last."""
    for name, milliseconds in sorted(medians().items(), key=lambda item: item[1]):
        sys.stdout.write(f"{name:24} {milliseconds:7.1f} ms\n")


if __name__ == "__main__":
    main()
