"""Control points in front of an amplitude: pi/2 pulses about X and about Y, whose order a detuned drive tells apart."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments.base import Check, Estimate
from labwright.tools.experiments.gates import quarter_turn
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.settings import QubitSettings

GAPS = (0.0, 0.45, 1.1, 2.0, 4.3)  # between the two pulses, in pulse durations; uneven, so that few rates look alike
CENTRES = 1.1  # pulse durations by which the phase that counts exceeds the gap: from centre to centre
WIDEST = 0.6  # turns in a pulse duration that are searched for: 20 MHz for 30 ns, which is what such pulses reach
NAMES = tuple(f"{order}, gap {gap:g}" for order in ("X then Y", "Y then X") for gap in GAPS)


def orders(settings: QubitSettings) -> list[list[Operation]]:
    """X90 then Y90 for every gap, then Y90 then X90.

    The amplitude enters to second order. The difference of the two orders is a sine of the phase between the pulses,
    so that the detuning comes out with its sign; what a wrong DRAG coefficient adds is the same for every gap.
    """
    x, y = quarter_turn(settings), quarter_turn(settings, pi / 2)
    gaps = [[Delay(gap * settings.pulse_duration)] if gap else [] for gap in GAPS]
    return [[first, *gap, second] for first, second in ((x, y), (y, x)) for gap in gaps]


def detuning(
    fraction: NDArray[np.float64], error: NDArray[np.float64], contrast: float, settings: QubitSettings
) -> Estimate:
    """Qubit minus drive frequency in MHz from what `orders` gave, (10,); `contrast` is of 0 against 1.

    A sine through all gaps with a phase of its own for DRAG, at most a quarter turn, found on a grid.
    """
    a, b = fraction.reshape(2, -1)
    value, sigma = (b - a) / contrast, np.hypot(*error.reshape(2, -1)) / contrast
    time = (np.array(GAPS) + CENTRES) * settings.pulse_duration
    most = WIDEST / settings.pulse_duration
    rates, twists = np.arange(-most, most, 0.01), np.linspace(-0.5, 0.5, 41)
    # sin(a + twist) = sin(a) cos(twist) + cos(a) sin(twist): sums over the gaps first, then every twist
    angles, w = 2 * pi * rates[:, None] * time, sigma**-2.0
    sine, cosine, turn = np.sin(angles), np.cos(angles), np.stack([np.cos(twists), np.sin(twists)])
    crossed = np.stack([sine @ (w * value), cosine @ (w * value)], axis=1) @ turn
    squares = np.stack([sine**2 @ w, 2 * (sine * cosine) @ w, cosine**2 @ w], axis=1)
    squared = squares @ np.stack([turn[0] ** 2, turn[0] * turn[1], turn[1] ** 2])
    # a wrong amplitude only makes the sine smaller, so its height is free from 0.8 to one
    height = np.clip(crossed / squared.clip(1e-9), 0.8, 1.0)
    cost = value**2 @ w + height * (height * squared - 2 * crossed) + (twists / 0.25) ** 2
    weight = np.exp(-(cost - cost.min()) / 2).sum(axis=1)
    weight /= weight.sum()
    mean = float((weight * rates).sum())
    return Estimate(mean, float(np.sqrt((weight * (rates - mean) ** 2).sum() + 0.01**2)), "MHz")


def on_resonance(found: Estimate, most: float) -> Check:
    """Whether the drive is within `most` MHz of the qubit, as far as two errors tell."""
    detail = f"{found.value:+.2f} +- {found.error:.2f} MHz"
    return Check(f"drive within {most:g} MHz of the qubit", abs(found.value) - 2 * found.error < most, detail)
