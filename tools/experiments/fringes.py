"""Fringes in two quadratures: the last pi/2 pulse about X and about Y, so that their frequency has a sign.

With the one quadrature alone a fringe gives |error + offset|, and delays on a grid give that modulo 1 / step. The
second quadrature tells the sign; a few short delays between the first two of the grid tell the multiple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import FitError
from labwright.tools.experiments.fits import Array, Fit, falling, fit_within
from labwright.tools.experiments.gates import quarter_turn
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.settings import QubitSettings

FARTHEST = 60.0  # MHz; a pi/2 pulse of 30 ns has lost its contrast when it is 35 MHz off
VISIBLE = 5.0  # sigma of the contrast after a delay that is used
QUARTERS = np.pi / 2 * np.arange(4)  # phases of the last pulse that give both quadratures without their baseline


@dataclass(frozen=True, slots=True, eq=False)
class Fringes:
    """Fringes of a signed frequency.

    Attributes:
        fit: parameters offset, slope (over the sweep), amplitude, frequency, phase, rate, and width where they decay.
        other: the next best frequency, MHz.
        margin: by how much chi square it is worse; infinite if there is none.
    """

    fit: Fit
    other: float
    margin: float

    def curve(self, t: Array, quadrature: int) -> Array:
        """The fitted fraction at delays `t` in one of the two quadratures."""
        return self.fit.curve(t + quadrature * _shift(self.fit.x[: len(self.fit.x) // 2]))


def delays(start: float, stop: float, step: float) -> Array:
    """A grid from `start` to `stop`, and between its first two points a ladder whose rungs are twice as far each.

    The first rung is short enough to tell the frequencies up to `FARTHEST` of either sign apart.
    """
    grid = start + step * np.arange(int((stop - start) / step + 1e-6) + 1)
    rungs = 0.5 / FARTHEST * 2.0 ** np.arange(24)
    return np.sort(np.concatenate([grid, start + rungs[rungs < 0.75 * step]]))


def played(settings: QubitSettings, t: Array, offset: float) -> list[list[Operation]]:
    """Sequences (2 x delays): a pi/2 pulse, the delay, and one whose phase runs ahead by `offset` MHz, from X and Y.

    A detuned qubit turns during the pulses too, as in 4 / pi of their length. The phase runs ahead by that as well, so
    that an error that cancels the offset leaves the one quadrature at its top and the other one in the middle.
    """
    first, pulses = quarter_turn(settings), 4 / np.pi * settings.pulse_duration
    return [
        [first, Delay(float(d)), quarter_turn(settings, 2 * np.pi * offset * float(d + pulses) + quadrature)]
        for quadrature in (0.0, np.pi / 2)
        for d in t
    ]


def fit_fringes(t: Array, y: Array, sigma: Array, step: float, centre: float) -> Fringes:
    """Fit fringes of a signed frequency within `FARTHEST` of `centre`, and say which other one comes closest.

    Args:
        t: delays, (n,), us.
        y: fractions of both quadratures, (2, n).
        sigma: their errors, (2, n).
        step: of the delays that form a grid, us: it tells which frequencies look alike there.
        centre: MHz.

    Raises:
        FitError: the data determine no fringe.
    """
    span, fits = float(t[-1] - t[0]), []
    x = np.concatenate([t, t + _shift(t)])
    for frequency, rate in _candidates(t, y, step, centre):
        try:
            fits.append(_fitted(x, y.ravel(), sigma.ravel(), t, frequency, rate))
        except FitError:
            continue
    if not fits:
        raise FitError("The data determine no fringe. Change the sweep.")
    fits.sort(key=_chi_square)
    best = fits[0]
    others = [each for each in fits[1:] if abs(each["frequency"] - best["frequency"]) > 0.5 / span]
    if not others:
        return Fringes(best, np.nan, np.inf)
    margin = (_chi_square(others[0]) - _chi_square(best)) / max(1.0, best.reduced_chi_square)
    return Fringes(best, others[0]["frequency"], margin)


def _chi_square(fit: Fit) -> float:
    return float(np.sum(fit.pulls**2))


def _shift(t: Array) -> float:
    """By how much the abscissa of the second quadrature is moved, so that one array holds both."""
    return float(2 * t[-1] + 1)


def _fitted(x: Array, y: Array, sigma: Array, t: Array, frequency: float, rate: float) -> Fit:
    """The fit that starts from one frequency and one rate of decay."""
    shift, first, span = _shift(t), float(t[0]), float(t[-1] - t[0])

    def model(
        at: Array, offset: float, slope: float, amplitude: float, frequency: float, phase: float, rate: float,
        width: float = 0.0,
    ) -> Array:  # fmt: skip
        second = at > t[-1] + 0.5
        late = np.where(second, at - shift, at)
        envelope = amplitude * falling(rate * late + (width * late) ** 2 / 2)
        turned = 2 * np.pi * frequency * late + phase + np.pi / 2 * second
        return np.asarray(offset + slope * (late - first) / span + envelope * np.cos(turned))

    wave = _signal(y.reshape(2, -1)) * np.exp(-2j * np.pi * frequency * t - rate * t)
    at = complex(wave.sum() / np.sum(np.exp(-2 * rate * t)))
    names = ["offset", "slope", "amplitude", "frequency", "phase", "rate"]
    start = [float(y.mean()), 0.0, min(abs(at), 0.45), frequency, float(np.angle(at)), rate + 0.1 / span]
    far = 0.6 / span + 0.3 * rate
    low = [-0.5, -0.5, 0.0, frequency - far, -np.inf, -0.5 / span]
    high = [1.5, 0.5, 0.6, frequency + far, np.inf, 60 / span]
    fit = fit_within(model, names, (x, y, sigma), start, (low, high))
    if fit["rate"] * span < 0.5:
        return fit
    decays = fit["rate"]
    start = [*fit.values[:5], 0.6 * decays, 0.6 * decays]
    top = 20 * decays + 1 / span
    low, high = [*low[:5], 0.0, 0.0], [*high[:5], top, top]
    return fit_within(model, [*names, "width"], (x, y, sigma), start, (low, high))


def _signal(y: Array) -> NDArray[np.complex128]:
    """Both quadratures as one complex signal amplitude * exp(i turned), (n,)."""
    level = y.mean()
    return np.asarray((y[0] - level) - 1j * (y[1] - level))


def _candidates(t: Array, y: Array, step: float, centre: float, most: int = 3) -> list[tuple[float, float]]:
    """The frequencies with the strongest fringes, strongest first, each with the rate of decay that suits it.

    A periodogram on the delays gives the frequency modulo 1 / step; all that are equal there are then compared.
    """
    span, signal = float(t[-1] - t[0]), _signal(y)
    rates = np.array([0.0, 2.0, 8.0, 30.0]) / span
    envelopes = np.exp(-rates[:, None] * (t - t[0]))
    weighed = (envelopes * signal / np.sqrt(np.sum(envelopes**2, axis=1))[:, None]).T  # (n, rates)

    def power(frequency: Array) -> Array:
        return np.asarray(np.abs(np.exp(-2j * np.pi * np.outer(frequency, t)) @ weighed) ** 2)

    zone = min(0.5 / step, FARTHEST)
    trial = centre + np.arange(-zone, zone, 0.2 / span)
    strength, found = power(trial).max(axis=1), []
    for _ in range(most):
        place = int(np.argmax(strength))
        found.append(trial[place])
        strength[np.abs(trial - trial[place]) < 0.8 / span] = 0
    reach = int(np.ceil(FARTHEST * step))
    alike = np.add.outer(found, np.arange(-reach, reach + 1) / step).ravel()
    alike = alike[np.abs(alike - centre) <= FARTHEST]
    strengths = power(alike)
    order = np.argsort(-strengths.max(axis=1))[:most]
    return [(float(alike[n]), float(rates[np.argmax(strengths[n])])) for n in order]


# --- the detuning from a few delays ------------------------------------------------------------------------------


def quarters(settings: QubitSettings, at: Sequence[float]) -> list[list[Operation]]:
    """Sequences (delays x 4): two pi/2 pulses, the second one at four phases, for each delay in us."""
    first = quarter_turn(settings)
    return [[first, Delay(each), quarter_turn(settings, float(phase))] for each in at for phase in QUARTERS]


def detuning(fractions: Array, errors: Array, at: Sequence[float]) -> tuple[float, float, Array]:
    """Qubit minus drive frequency with its error, MHz, and the contrast after each delay in sigma, (delays,).

    Each delay tells the next one's whole turns apart, so that the first two bound what can be told. The pulses' own
    phase errors are the same after every delay and drop out. Delays after which nothing is left are not used; where
    there are not two of them the error is infinite.

    Args:
        fractions: of the sequences of `quarters`, (4 x delays,).
        errors: of these.
        at: the delays, us, ascending.
    """
    # the fraction is middle + contrast / 2 cos(phase + 2 pi detuning delay)
    wave = fractions.reshape(-1, 4) @ np.exp(-1j * QUARTERS) / 2
    variance = (errors.reshape(-1, 2, 2) ** 2).sum(axis=1) / 4  # of real and imaginary part; across the wave counts
    sigma = np.sqrt(variance[:, 0] * wave.imag**2 + variance[:, 1] * wave.real**2) / np.abs(wave)
    left = np.abs(wave) / sigma
    found, error = 0.0, np.inf
    for n, (shorter, longer) in enumerate(pairwise(at)):
        if min(left[n], left[n + 1]) < VISIBLE:
            break
        # what the estimate so far predicts, and the rest, which is less than half a turn
        apart = 2 * np.pi * (longer - shorter)
        found += float(np.angle(wave[n + 1] * wave[n].conj() * np.exp(-1j * apart * found))) / apart
        error = float(np.hypot(1 / left[n], 1 / left[n + 1])) / apart
    return found, error, left
