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
    return _pair(rng, apart, bends, (0.5, 1.5))


def hard_pair(seed: int) -> DeviceTruth:
    """A pair that leaves a drive little room: J of 0.5-0.7 MHz, and by turns one of three distances.

    Seeds 0, 3, ...: the upper qubit's 1-2 transition 8-25 MHz from the lower qubit's 0-1 (11 and 20 nearly meet). Seeds
    1, 4, ...: the upper qubit's 1-2 or two-photon transition 20-40 MHz above or below the lower qubit, where a drive
    would begin. Seeds 2, 5, ...: 200-250 MHz apart.
    """
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 12], dtype=np.uint64)))
    upper = int(rng.integers(2))
    bends = -rng.uniform(180, 330, 2)
    side = rng.choice([-1.0, 1.0])
    if seed % 3 == 0:
        apart = -bends[upper] + side * rng.uniform(8, 25)
    elif seed % 3 == 1:
        apart = -bends[upper] * rng.choice([0.5, 1.0]) + side * rng.uniform(20, 40)
    else:
        apart = rng.uniform(200, 250)
    return _pair(rng, float(apart) * (1 - 2 * upper), bends, (0.5, 0.7))


def _pair(
    rng: np.random.Generator, apart: float, bends: NDArray[np.float64], coupling: tuple[float, float]
) -> DeviceTruth:
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
    return DeviceTruth(qubits, (("Q1", "Q2", float(rng.uniform(*coupling))),))
