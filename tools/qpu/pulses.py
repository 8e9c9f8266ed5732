"""Envelopes: what a pulse of the alphabet plays, sample by sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SAMPLE = 0.5e-3  # us; the generator's sample period
LONGEST = 400  # samples of one pulse; a longer pulse varies so slowly that it is sampled more coarsely


def sample_count(duration: float) -> int:
    """Number of equal samples that a pulse of `duration` us is cut into."""
    return int(np.clip(np.ceil(duration / SAMPLE - 1e-9), 1, LONGEST))


def gaussian(
    amplitude: NDArray[np.float64],
    drag: NDArray[np.float64],
    duration: float,
    anharmonicity: float,
    samples: int | None = None,
) -> NDArray[np.complex128]:
    """Complex envelopes (n_pulses, n_samples) in full scale units, sampled at the middles of the samples.

    The Gaussian is 4 sigma long and lifted so that it starts and ends at zero. The quadrature is
    -drag * d(in-phase)/dt / (2 pi anharmonicity) (Motzoi et al., PRL 103, 110501), `anharmonicity` in MHz. Without
    `samples` there are as many as our generator plays.
    """
    n = sample_count(duration) if samples is None else samples
    sigma = duration / 4
    t = (np.arange(n) + 0.5) * duration / n - duration / 2
    edge = np.exp(-0.5 * (duration / 2 / sigma) ** 2)
    bell = np.exp(-0.5 * (t / sigma) ** 2)
    in_phase = (bell - edge) / (1 - edge)
    slope = -t / sigma**2 * bell / (1 - edge)
    quadrature = -np.outer(drag, slope) / (2 * np.pi * anharmonicity)
    return np.asarray(amplitude[:, None] * (in_phase[None, :] + 1j * quadrature))
