"""What amplitude and edge of a siZZle drive are worth: the best CZ at each, over all frequencies, on drawn pairs.

    python -m labwright.evaluation.benchmarks.sizzle_oracle pair 1 2 3      # kind (pair or hard_pair), seeds

Only the oracle can tell. Errors in per cent; amplitudes are shares of the usual 30 MHz of Rabi rate.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from labwright.evaluation.case import drawn_cases
from labwright.tools.experiments.pairs import DRIVE_LIMIT
from labwright.tools.qpu.oracle_pair import best_gate
from labwright.tools.qpu.simulated import open_simulated

EDGE = 0.08  # us, the usual one
POINTS = (*((EDGE, level) for level in (0.8, 0.9, 1.0, 1.3, 1.7)), (0.05, 1.0), (0.11, 1.0))


def errors(kind: str, seed: int) -> list[float]:
    """The smallest total error at each of `POINTS`."""
    [case] = drawn_cases({"seeds": 1, "first": seed, "kind": kind}, kind, "")
    with tempfile.TemporaryDirectory() as folder:
        device = open_simulated(Path(folder) / "device", seed, case.options)
        register, (one, two) = device.register(("Q1", "Q2")), map(device.settings.current, ("Q1", "Q2"))
        device.close()
    low, high = sorted((one.frequency, two.frequency))
    drives = np.arange(np.floor(low - 110), np.ceil(high + 70)).tolist()
    best = [best_gate(register, one, two, edge, DRIVE_LIMIT, drives, (level,), 3)[1] for edge, level in POINTS]
    return [error.best_turns for error in best]


def main(kind: str, seeds: Sequence[str]) -> None:
    """Print a row a pair."""
    sys.stdout.write(f"edge (us), share: {POINTS}\n")
    for seed in map(int, seeds):
        sys.stdout.write(f"{kind} {seed}: {' '.join(f'{100 * error:.2f}' for error in errors(kind, seed))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
