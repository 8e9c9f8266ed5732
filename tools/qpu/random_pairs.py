"""Pairs of coupled transmons with drawn numbers, on which a search for two-qubit gates is judged."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.truth import DRIVE_SCALE, DeviceTruth, paper_device

CLOSEST = 15.0  # MHz between transitions that exchange would mix, such as 11 and 20


def drawn_pair(seed: int) -> DeviceTruth:
    """Q1 and Q2: 30-250 MHz apart with either one above, anharmonicities of 180-330 MHz, J of 0.5-1.5 MHz.

    A pair whose 11 and 20 nearly meet is drawn again, as nobody would build it; all else is like the paper's qubits.
    """
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 11], dtype=np.uint64)))
    while True:
        apart = rng.uniform(30, 250) * rng.choice([-1.0, 1.0])
        bends = -rng.uniform(180, 330, 2)
        if min(abs(apart + bends[0]), abs(apart - bends[1])) > CLOSEST:
            break
    return _pair(rng, apart, bends)


def _pair(rng: np.random.Generator, apart: float, bends: NDArray[np.float64]) -> DeviceTruth:
    """Two qubits with Q1 `apart` MHz above Q2 and everything else drawn."""
    middle = rng.uniform(4780, 4900)
    qubits = {}
    for place, (name, base) in enumerate(list(paper_device().qubits.items())[:2]):
        t1 = rng.uniform(50, 130)
        qubits[name] = replace(
            base,
            frequency=middle + (0.5 - place) * apart,
            anharmonicity=bends[place],
            t1=t1,
            t2_echo=t1 * rng.uniform(0.8, 1.3),
            detuning_sigma=rng.uniform(0.8e-3, 4e-3),
            thermal=rng.uniform(0.01, 0.02),
            drive_scale=DRIVE_SCALE * rng.uniform(0.85, 1.15),
            compression=rng.uniform(0.125, 0.38),
            cable_phase=rng.uniform(-math.pi, math.pi),
        )
    return DeviceTruth(qubits, (("Q1", "Q2", float(rng.uniform(0.5, 1.5))),))
