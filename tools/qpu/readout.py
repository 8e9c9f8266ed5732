"""Dispersive readout: the resonator's answer for each level, jumps inside the window, and noise.

One table of jumps serves all three forms of data, so counts, averages and single shots agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from labwright.tools.qpu.truth import QubitTruth

LEVELS = 4
# Resonator shift of each level in units of chi. Levels 0 and 1 define chi; those above follow the dispersive
# series of a transmon, which flattens.
SHIFT = np.array([-1.0, 1.0, 2.6, 3.9])
RING_UP = 0.06  # share of the window in which the measurement itself makes the qubit jump


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """One readout a point: frequency (MHz), amplitude and length of the window (us), (n_points,).

    Without a `duration` the window is the truth's own.
    """

    truth: QubitTruth
    frequency: NDArray[np.float64]
    amplitude: NDArray[np.float64]
    duration: NDArray[np.float64] | None = None

    @property
    def longer(self) -> NDArray[np.float64]:
        """Length of the window in units of the truth's own, (n_points,)."""
        one = np.ones(len(self.amplitude))
        return one if self.duration is None else self.duration / self.truth.readout_duration

    @property
    def sigma(self) -> NDArray[np.float64]:
        """Noise a quadrature of one shot: white, so that it averages out with the window, (n_points,)."""
        return np.asarray(noise_sigma(self.truth) / np.sqrt(self.longer))

    def blobs(self) -> NDArray[np.complex128]:
        """Noiseless IQ point of every level, (n_points, 4): the mean over the window, in which the resonator fills."""
        steady = response(self.truth, self.frequency, self.amplitude)
        empty = np.exp(1j * self.truth.cable_phase)
        own = np.array([self.truth.readout_duration])
        share = _filled(self.truth, self.longer * own) / _filled(self.truth, own)
        return np.asarray(self.amplitude[:, None] * (empty + (steady - empty) * share[:, None]))

    def jumps(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities (n_points, from, to) of a jump while the resonator rings up, and later, by relaxation."""
        truth, n = self.truth, len(self.amplitude)
        power = (self.amplitude / truth.readout_nominal) ** 2
        down = 1 - (1 - truth.readout_decay) ** power
        up = 1 - (1 - truth.readout_excitation) ** power
        leak = 1 - np.exp(-((np.clip(self.amplitude - truth.overdrive, 0, None) / 0.15) ** 2))
        early = np.zeros((n, LEVELS, LEVELS))
        early[:, 0, 1], early[:, 1, 0] = up * (1 - leak), down * (1 - leak)
        early[:, 2, 1] = 1 - (1 - down) ** 2
        early[:, 3, 2] = 1 - (1 - down) ** 3
        early[:, 0, 2] = early[:, 1, 2] = leak
        late = np.zeros((n, LEVELS, LEVELS))
        window = self.longer[:, None] * truth.readout_duration
        decay = 1 - np.exp(-np.arange(LEVELS) * window / truth.t1)
        stays = 1 - early.sum(axis=2)
        for level in range(1, LEVELS):
            late[:, level, level - 1] = decay[:, level] * stays[:, level]
        return early, late

    def branches(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Every way a shot can go: probabilities and shares of the window before it (n_points, 4, b), targets (4, b).

        `share` is the length of the interval from 0 in which the jump time is uniform; 0 means no jump.
        """
        early, late = self.jumps()
        stays = 1 - early.sum(axis=2) - late.sum(axis=2)
        probability = np.concatenate([stays[:, :, None], early, late], axis=2)
        own = np.arange(LEVELS)[:, None]
        all_levels = np.tile(np.arange(LEVELS), (LEVELS, 1))
        target = np.concatenate([own, all_levels, all_levels], axis=1)
        # the ring-up takes as long in a long window as in a short one
        ring_up = np.minimum(RING_UP / self.longer, 1.0)[:, None, None]
        late_share = (
            np.repeat([0.0, 1.0], [1 + LEVELS, LEVELS]) + np.repeat([0.0, 1.0, 0.0], [1, LEVELS, LEVELS]) * ring_up
        )
        share = np.broadcast_to(late_share, probability.shape)
        return probability, target, share


def response(
    truth: QubitTruth, frequency: NDArray[np.float64], amplitude: NDArray[np.float64] | None = None
) -> NDArray[np.complex128]:
    """Transmission past the resonator (hanger) for every level, (n_points, 4): 1 far away, a dip on resonance.

    `amplitude` is that of the tone, (n_points,); without it the nominal one, for which the truth's numbers hold.
    """
    kappa = truth.kappa_ext + truth.resonator_frequency / truth.q_internal
    pulled = truth.chi * SHIFT
    offset = frequency[:, None] - (truth.resonator_frequency + pulled)
    if amplitude is not None:
        offset = offset - (truth.lamb_shift + pulled) * (remaining_pull(truth, amplitude)[:, None] - 1)
    return np.asarray(np.exp(1j * truth.cable_phase) * (1 - truth.kappa_ext / kappa / (1 + 2j * offset / kappa)))


def remaining_pull(truth: QubitTruth, amplitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """How strongly the qubit still pulls the resonator under a tone, relative to the nominal one, (n_points,).

    A photon costs w +- g^2 / D / sqrt(1 + n / n_crit), n_crit = D^2 / 4 g^2, which is the derivative of the ladder of
    Jaynes and Cummings (Gambetta et al., PRA 74, 042318): with ever more photons the pull dies, dispersive shift and
    all, and the resonator ends at its bare frequency, "punched out" (Reed et al., PRL 105, 173601). The photon number
    is that of a tone on resonance, where it is used; that the line leans over and jumps is left out.
    """
    photons = (amplitude / truth.critical_amplitude) ** 2  # in units of n_crit
    nominal = (truth.readout_nominal / truth.critical_amplitude) ** 2
    return np.asarray(np.sqrt((1 + nominal) / (1 + photons)))


def _filled(truth: QubitTruth, window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean filling of the resonator over a window (us): its field rises as 1 - exp(-kappa t / 2)."""
    x = np.pi * (truth.kappa_ext + truth.resonator_frequency / truth.q_internal) * window
    return np.asarray(1 - (1 - np.exp(-x)) / x)


def noise_sigma(truth: QubitTruth) -> float:
    """Noise a quadrature of one shot, in the units of the blobs."""
    _, distance = best_frequency(truth)
    return truth.readout_nominal * distance / truth.snr


@lru_cache(maxsize=64)
def best_frequency(truth: QubitTruth) -> tuple[float, float]:
    """Readout frequency (MHz) where blobs 0 and 1 lie farthest apart, and their distance at unit amplitude."""
    grid = truth.resonator_frequency + np.linspace(-4, 4, 4001)
    both = response(truth, grid)
    distance = np.abs(both[:, 1] - both[:, 0])
    return float(grid[distance.argmax()]), float(distance.max())


def read_as_one(readout: Readout, angle: float, threshold: float) -> NDArray[np.float64]:
    """Probability that a shot of each level is read as 1, (n_points, 4): projected, integrated over jump times."""
    projected = (readout.blobs() * np.exp(-1j * angle)).real
    probability, target, share = readout.branches()
    sigma = readout.sigma[:, None, None]
    end = (projected[:, target] - threshold) / sigma
    begin = (projected[:, :, None] - threshold) / sigma
    above = _mean_above(end, share * begin + (1 - share) * end)
    return np.asarray(np.einsum("nlb,nlb->nl", above, probability))


def _mean_above(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the normal distribution function between `a` and `b`; z F(z) + f(z) is its integral."""
    width = b - a
    narrow = np.abs(width) < 1e-4
    total = [z * ndtr(z) + np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) for z in (a, b)]
    mean = (total[1] - total[0]) / np.where(narrow, 1.0, width)
    return np.asarray(np.where(narrow, ndtr((a + b) / 2), mean))


def draw_shots(
    readout: Readout, levels: NDArray[np.float64], shots: int, rng: np.random.Generator
) -> NDArray[np.complex128]:
    """Single IQ points, (n_points, shots), for level populations (n_points, 4)."""
    blobs = readout.blobs()
    probability, target, share = readout.branches()
    n, _, b = probability.shape
    way = (levels[:, :, None] * probability).reshape(n, -1)
    edges = np.cumsum(way, axis=1)
    draws = rng.random((n, shots)) * edges[:, -1:]
    chosen = np.array([np.searchsorted(e, d, side="right") for e, d in zip(edges, draws, strict=True)])
    first, branch = np.divmod(np.minimum(chosen, way.shape[1] - 1), b)
    row = np.arange(n)[:, None]
    time = share[row, first, branch] * rng.random((n, shots))
    mean = time * blobs[row, first] + (1 - time) * blobs[row, target[first, branch]]
    noise = rng.standard_normal((n, shots, 2)) @ np.array([1, 1j])
    return np.asarray(mean + readout.sigma[:, None] * noise)


def draw_average(
    readout: Readout, levels: NDArray[np.float64], shots: int, rng: np.random.Generator
) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
    """Mean IQ point of `shots` shots and its standard error a quadrature, (n_points,) each.

    The covariance holds the amplifier's noise and the scatter of the projected levels and jump times.
    """
    blobs = readout.blobs()
    probability, target, share = readout.branches()
    way = levels[:, :, None] * probability
    way /= way.sum(axis=(1, 2), keepdims=True)
    first, last = blobs[:, :, None], blobs[:, target]
    centre = share / 2 * first + (1 - share / 2) * last
    mean = np.einsum("nlb,nlb->n", way, centre)
    spread = np.stack([(centre - mean[:, None, None]).real, (centre - mean[:, None, None]).imag], axis=-1)
    path = np.stack([(first - last).real, (first - last).imag], axis=-1) * share[..., None] / np.sqrt(12)
    covariance = np.einsum("nlb,nlbi,nlbj->nij", way, spread, spread)
    covariance += np.einsum("nlb,nlbi,nlbj->nij", way, path, path)
    covariance += readout.sigma[:, None, None] ** 2 * np.eye(2)
    factor = np.linalg.cholesky(covariance / shots)
    drawn = np.einsum("nij,nj->ni", factor, rng.standard_normal((len(mean), 2)))
    error = np.sqrt(np.einsum("nii->n", covariance) / 2 / shots)
    return mean + drawn @ np.array([1, 1j]), error
