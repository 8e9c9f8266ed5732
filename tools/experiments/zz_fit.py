"""The phase of a target qubit against time, with the control in 0 and in 1, and the ZZ rate in it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from labwright.tools.errors import FitError
from labwright.tools.experiments.fits import Array, fit_decay
from labwright.tools.qpu.coherence_limit import EXCITED, EXCITED_ERROR

Complex = NDArray[np.complex128]
Echo = Literal["none", "middle", "each"]
HALF_TURNS = (0.0, np.array([0, 0, 0, 0, np.pi, 0, 0]))  # half of the offset enters: its 2 pi are a sign of the signal
NAMES = ("amplitude", "decay", "common", "rate", "start", "offset", "zero")


@dataclass(frozen=True, slots=True, eq=False)
class ZzFit:
    """``A exp(-G t) exp(-i (a + 2 pi d t +- (b + 2 pi nu t) / 2))``, plus for control in 1, fitted to both at once.

    Attributes:
        values: amplitude A, decay G (1/us), common d (MHz), rate nu (MHz), start a (rad), offset b (rad),
            zero of <X> and <Y>.
        errors: one sigma, from the data's errors.
        reduced_chi_square: 1 for a true model.
        r_squared: share of the data's power that the model explains.
        relaxation: 1/us at which a control in 1 falls to 0 meanwhile.
        excited: chance that the control is in 1 where it should be at rest.
        echo: which pi pulses both qubits get: none, one in the middle, or, t being a number of gates, two in each.
    """

    values: Array
    errors: Array
    reduced_chi_square: float
    r_squared: float
    relaxation: float
    excited: float
    echo: Echo

    def __getitem__(self, name: str) -> float:
        return float(self.values[NAMES.index(name)])

    def error(self, name: str) -> float:
        """One-sigma error of a parameter."""
        return float(self.errors[NAMES.index(name)])

    def curve(self, t: Array) -> Complex:
        """(2, n): control in 0, control in 1."""
        return _model(self.values, t, self.relaxation, self.excited, self.echo)

    def time_of(self, turns: float) -> float:
        """Time in us at which the conditional phase is `turns` of the rate's own sign, edges accounted for."""
        sign = 1.0 if self["rate"] >= 0 else -1.0
        return float((sign * turns * 2 * np.pi - self["offset"]) / (2 * np.pi * self["rate"]))


def _model(values: Array, t: Array, relaxation: float, excited: float, echo: Echo) -> Complex:
    amplitude, decay, common, rate, start, offset, zero = values
    envelope = amplitude * np.exp(-np.clip(decay * t, -20, 50))
    turning = start + 2 * np.pi * common * t
    prepared = np.array([[1 - excited, excited], [excited, 1 - excited]])  # chance of the control's 0 and 1 in each row
    if echo == "none":
        steps = _half(t, np.pi * rate, relaxation, excited)
    else:
        length = t / 2 if echo == "middle" else np.full(1, 0.5)
        first = _half(length, np.pi * rate, relaxation, excited)
        second = _half(length, -np.pi * rate, relaxation, excited)
        steps = second[:, ::-1] @ first[:, ::-1]  # the pi pulses swap the control's levels
    if echo == "each":
        powers, vectors = np.linalg.eig(steps[0])
        steps = (vectors * np.exp(np.outer(t, np.log(powers)))[:, None, :]) @ np.linalg.inv(vectors)
    edges = np.exp(0.5j * offset * np.array([1, -1]))[:, None]
    turned = np.einsum("tij,rj->rt", steps, prepared)
    return np.asarray(envelope * np.exp(-1j * turning) * edges * turned + (1 + 1j) * zero)


def _half(t: Array, turned: float, relaxation: float, excited: float) -> Complex:
    """(n, 2, 2): the target's phasor with the control in 0 or 1 after `t`, from either before, averaged over its jumps.

    The control falls at (1 - excited) relaxation and rises at excited relaxation (1/us); the phasor turns by
    `turned` (rad/us) with it in 0 and back with it in 1. Exponential of this 2 x 2 generator.
    """
    falls, rises = (1 - excited) * relaxation, excited * relaxation
    apart = (falls - rises) / 2 + 1j * turned
    root = np.sqrt(apart**2 + falls * rises + 1e-24)
    rest = np.array([[apart, falls], [rises, -apart]])
    grown = np.cosh(root * t)[:, None, None] * np.eye(2) + (np.sinh(root * t) / root)[:, None, None] * rest
    return np.asarray(np.exp(-relaxation / 2 * t)[:, None, None] * grown)


def fit_zz(
    t: Array, signal: Complex, error: Array, control: Array, control_error: Array, zero: float, echo: Echo
) -> ZzFit:
    """Fit the target's <X> + i <Y>, with the control's own relaxation and heat.

    Args:
        t: us, or number of gates, (n,).
        signal: of control 0 and 1, (2, n).
        error: one sigma of each part, (2, n).
        control: its <Z>, (2, n).
        control_error: of that, (2, n).
        zero: one-sigma error of where zero is, which all points share.
        echo: as in `ZzFit`.

    Raises:
        FitError: there is no oscillation to fit.
    """
    relaxation = 0.0
    with suppress(FitError):
        relaxation = max(fit_decay(t, control[0] - control[1], np.hypot(*control_error))["rate"], 0.0)
    fit, hotter = (
        _fitted(t, signal, error, (relaxation, share, zero), echo) for share in (EXCITED, EXCITED + EXCITED_ERROR)
    )
    return replace(fit, errors=np.hypot(fit.errors, hotter.values - fit.values))


def _fitted(t: Array, signal: Complex, error: Array, known: tuple[float, float, float], echo: Echo) -> ZzFit:
    peaks = [_peak(t, row) for row in signal]
    if min(abs(amplitude) for _, amplitude in peaks) < 3 * float(np.median(error)) / np.sqrt(len(t)):
        raise FitError("The target's phase shows no oscillation. Take more shots, or another drive.")
    frequencies = [frequency for frequency, _ in peaks]
    angles = [float(np.angle(amplitude)) for _, amplitude in peaks]
    first = [
        abs(peaks[0][1]), 0.05, -(frequencies[0] + frequencies[1]) / 2, frequencies[0] - frequencies[1],
        -(angles[0] + angles[1]) / 2, angles[0] - angles[1], 0.0,
    ]  # fmt: skip
    return min(
        (_refined(t, signal, error, np.array(first) + turn, known, echo) for turn in HALF_TURNS),
        key=_misfit,
    )


def _misfit(fit: ZzFit) -> float:
    return fit.reduced_chi_square


def _peak(t: Array, row: Complex) -> tuple[float, complex]:
    """Strongest frequency of a complex signal (MHz, signed, below Nyquist) and its amplitude at t = 0."""
    spacing = float(np.diff(t).min())
    trial = np.linspace(-0.5 / spacing, 0.5 / spacing, 16 * len(t) + 1)
    power = np.exp(-2j * np.pi * np.outer(trial, t)) @ row / len(t)
    place = int(np.abs(power).argmax())
    return float(trial[place]), complex(power[place])


def _refined(
    t: Array, signal: Complex, error: Array, first: Array, known: tuple[float, float, float], echo: Echo
) -> ZzFit:
    relaxation, excited, zero = known

    def pulls(values: Array) -> Array:
        missing = (signal - _model(values, t, relaxation, excited, echo)) / error
        return np.concatenate([missing.real.ravel(), missing.imag.ravel(), values[6:] / max(zero, 1e-6)])

    found = least_squares(
        pulls, first, x_scale=[0.3, 0.05, 0.05, 0.05, 0.5, 0.5, max(zero, 1e-6)], method="trf", max_nfev=200
    )
    values = found.x
    if values[0] < 0:
        values = values * np.array([-1, 1, 1, 1, 1, 1, 1]) + HALF_TURNS[1]
    whole = np.round(values[5] / (2 * np.pi))  # the offset comes back to (-pi, pi]
    values[5] -= 2 * np.pi * whole
    values[4] += np.pi * whole
    freedom = 4 * len(t) - len(values) + 1
    covariance = np.linalg.pinv(found.jac.T @ found.jac)
    power = float((np.abs(signal) ** 2).sum())
    rest = float((np.abs(signal - _model(values, t, relaxation, excited, echo)) ** 2).sum())
    spread = np.sqrt(np.diag(covariance))
    return ZzFit(values, spread, float(2 * found.cost / freedom), 1 - rest / power, relaxation, excited, echo)
