"""A drawn chip: a square lattice, 4x4 unless said otherwise, whose nearest neighbours couple."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from labwright.tools.qpu.truth import DRIVE_SCALE, QubitTruth, paper_device

SIDE, MOST = 4, 12
# MHz. Rows take turns between two bands of three. Neighbours in a row lie 62 or 124 MHz apart, inside the straddling
# regime, where gates are made; those above each other lie 250 MHz and more apart. Of the six, none comes near another's
# 0-1 or 1-2 line (197 MHz below it), so that one qubit of each may be driven at a time.
FREQUENCIES = ((4582.0, 4644.0, 4706.0), (4968.0, 5030.0, 5092.0))
SCATTER = 2.5  # MHz, of the fabrication about these
RESONATORS = (9380.0, 40.0)  # MHz: the first, and the distance to the next on its line, which reads sixteen
LINE = 16


def drawn_grid(seed: int, side: int = SIDE) -> tuple[dict[str, QubitTruth], tuple[tuple[str, str, float], ...]]:
    """Q1 and so on, row by row, and the couplings J in MHz of all pairs of neighbours.

    Coherence, readout and drive lie around the paper's averages: T1 uniform in 40-130 us, T2E / T1 in 0.8-1.3.
    """
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 16], dtype=np.uint64)))
    base = paper_device().qubits["Q1"]
    turn, first = rng.integers(0, 3), rng.integers(0, 2)
    qubits = {}
    for site in range(side**2):
        row, column = divmod(site, side)
        band = FREQUENCIES[(row + first) % 2]
        qubits[f"Q{site + 1}"] = _drawn(base, band[(column - row + turn) % 3], site, rng)
    return qubits, tuple((*pair, float(rng.uniform(0.6, 0.9))) for pair in neighbours(side))


def neighbours(side: int = SIDE) -> list[tuple[str, str]]:
    """The pairs that couple."""
    names = [[f"Q{side * row + column + 1}" for column in range(side)] for row in range(side)]
    across = [pair for row in names for pair in pairwise(row)]
    return across + [pair for rows in pairwise(names) for pair in zip(*rows, strict=True)]


def _drawn(base: QubitTruth, frequency: float, site: int, rng: np.random.Generator) -> QubitTruth:
    t1 = rng.uniform(40, 130)
    return replace(
        base,
        frequency=frequency + rng.uniform(-SCATTER, SCATTER),
        anharmonicity=base.anharmonicity + rng.uniform(-3, 3),
        t1=t1,
        t2_echo=t1 * rng.uniform(0.8, 1.3),
        detuning_sigma=rng.uniform(0.8e-3, 5e-3),
        thermal=rng.uniform(0.01, 0.02),
        drive_scale=DRIVE_SCALE * rng.uniform(0.97, 1.03),
        compression=rng.uniform(0.125, 0.38),
        resonator_frequency=RESONATORS[0] + RESONATORS[1] * (site % LINE) + rng.uniform(-5, 5),
        kappa_ext=rng.uniform(1.3, 2.7),
        q_internal=rng.uniform(6e4, 1.2e5),
        chi=-rng.uniform(0.17, 0.23),
        cable_phase=rng.uniform(-math.pi, math.pi),
        snr=rng.uniform(2.8, 3.3),
    )
