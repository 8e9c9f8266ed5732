"""Noise near 1/f within a shot: a few two-level fluctuators that pull the qubit's frequency up or down.

Fluctuators that switch at rates spread evenly over the decades make a 1/f spectrum (Paladino et al., RMP 86, 361).
Qubit and fluctuators together are a Markov process, so that its mean is exact, without drawn histories.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.dynamics import COHERENCE, LEVELS, Matrix
from labwright.tools.qpu.truth import QubitTruth

RATES = (0.004, 0.04, 0.4)  # 1/us; the correlation of one fluctuator falls as exp(-rate t)
ORDERS = np.arange(1 - LEVELS, LEVELS)  # row minus column of an element of the density matrix


def configurations(truth: QubitTruth, idle: float) -> int:
    """How many configurations of fluctuators a program that idles `idle` us has to follow."""
    return 2 ** len(RATES) if 2 * np.pi * truth.telegraph * idle > 0.1 else 1


def transfers(truth: QubitTruth, delays: NDArray[np.float64]) -> Matrix:
    """What a delay does to the configurations, (n_delays, 16, after, before), for every element of the flattened state.

    `truth.telegraph` is the rms detuning of all fluctuators together; each pulls by +- telegraph / sqrt(3) MHz.
    """
    pull = 2 * np.pi * truth.telegraph / np.sqrt(len(RATES)) * ORDERS[None, :]
    total = np.ones((len(delays), len(ORDERS), 1, 1), dtype=complex)
    for rate in RATES:
        half, t = rate / 2, delays[:, None]
        root = np.sqrt((half**2 - pull**2).astype(complex)) + 1e-12
        even, odd = np.exp(-half * t) * np.cosh(root * t), np.exp(-half * t) * np.sinh(root * t) / root
        one = np.array([[even - 1j * pull * odd, half * odd], [half * odd, even + 1j * pull * odd]])
        pair = np.moveaxis(one, (0, 1), (2, 3))
        size = 2 * total.shape[2]
        total = np.einsum("tkab,tkcd->tkacbd", total, pair).reshape(len(delays), len(ORDERS), size, size)
    return np.asarray(total[:, COHERENCE + LEVELS - 1])


def coherence(truth: QubitTruth, waits: tuple[float, ...]) -> float:
    """|<0|rho|1>| relative to its start after `waits` us with ideal pi pulses between them, fluctuators alone."""
    left = 1.0
    for rate in RATES:
        state = np.full(2, 0.5, dtype=complex)
        for number, wait in enumerate(waits):
            pull = (-1) ** number * 2 * np.pi * truth.telegraph / np.sqrt(len(RATES))
            values, vectors = np.linalg.eig(
                np.array([[-rate / 2 + 1j * pull, rate / 2], [rate / 2, -rate / 2 - 1j * pull]])
            )
            state = vectors @ (np.exp(values * wait) * np.linalg.solve(vectors, state))
        left *= float(abs(state.sum()))
    return left
