"""The written signals: closed forms of what each experiment would see, with all that can be wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.inspection.scripted_device import (
    SETTINGS,
    Array,
    Signal,
    averaged,
    counted,
    delays,
    first_pulses,
    pulse_lengths,
    pulses,
)
from labwright.tools.qpu.program import Acquired, Delay, Program

Curve = Callable[[Array], Array]


def cosine(t: Array, low: float, contrast: float, rate: float, life: float) -> Array:
    """Rabi oscillation from `low` at t = 0 (us) with `rate` in MHz, decaying towards its middle with `life` in us."""
    return np.asarray(low + contrast / 2 * (1 - np.exp(-t / life) * np.cos(2 * np.pi * rate * t)))


def wandering(points: int, height: float, rng: np.random.Generator) -> Array:
    """A random walk, scaled to a standard deviation of `height`."""
    walk = np.cumsum(rng.normal(size=points))
    return np.asarray(height * (walk - walk.mean()) / walk.std())


def rabi_signal(probability: Curve, amplitude: float = 0.2) -> Signal:
    """Counts for a probability as a function of the length of square pulses of `amplitude`, us.

    The drive is linear and on resonance: a Gaussian pulse turns as a square one of its area, and two pulses about
    different axes leave the qubit where the first one alone does, since each is a quarter turn.
    """

    def signal(program: Program, rng: np.random.Generator) -> Acquired:
        return counted(program, probability(pulse_lengths(program, amplitude)), rng)

    return signal


def ramsey_signal(probability: Callable[[Array, Array], Array]) -> Signal:
    """Counts for a probability as a function of delay, us, and of what the last pulse adds to the phase, rad."""

    def signal(program: Program, rng: np.random.Generator) -> Acquired:
        t = delays(program)
        return counted(program, probability(t, np.repeat([0.0, np.pi / 2], len(t) // 2)), rng)

    return signal


def lifetime_signal(decay: Curve, low: float, contrast: float) -> Signal:
    """Counts of both preparations of a lifetime: the upper one decays as `decay`, 1 at delay 0, the lower one stays."""

    def signal(program: Program, rng: np.random.Generator) -> Acquired:
        upper = pulses(program) > 0
        return counted(program, low + contrast * np.where(upper, decay(delays(program)), 0.0), rng)

    return signal


# --- DRAG ---------------------------------------------------------------------------------------------------------


def drag_signal(rising: Curve, falling: Curve, noise: float = 0.0, seed: int = 0) -> Signal:
    """Counts of the two pulse trains as functions of the coefficient, with further noise of the line.

    The pulses that are played apart in time show a drive on resonance.
    """

    def signal(program: Program, rng: np.random.Generator) -> Acquired:
        first, apart = first_pulses(program), delays(program) > 0
        turned = np.array(
            [0.0 if isinstance(o := program.operations[int(s[-1])], Delay) else o.phase for s in program.sequences]
        )
        x = np.array([pulse.drag for pulse in first])
        plus = np.array([np.sin(pulse.phase) > 0 for pulse in first])
        extra = np.random.default_rng(seed).normal(0, noise, len(x)) if noise else 0.0
        trains = np.where(plus, rising(x), falling(x)) + extra
        return counted(program, np.where(apart, 0.4 + 0.3 * np.cos(turned), trains), rng)

    return signal


def drag_lines(
    optimum: float, level: float, rising: float, falling: float, noise: float = 0.0, seed: int = 0
) -> Signal:
    """Two straight lines that cross at `optimum`; slopes a unit of the coefficient."""
    return drag_signal(lambda x: level + rising * (x - optimum), lambda x: level + falling * (x - optimum), noise, seed)


# --- readout ------------------------------------------------------------------------------------------------------


def dip(x: Array, centre: float, width: float, depth: float) -> Array:
    """Transmission past a resonator, 1 far away; `width` is the full width at half maximum of the power, MHz."""
    return np.asarray(np.sqrt(1 - (1 - (1 - depth) ** 2) / (1 + (2 * (x - centre) / width) ** 2)))


def ripple(x: Array, periods: float, phase: float, height: float) -> Array:
    """The standing wave of a cable: `periods` of it within the sweep."""
    return np.asarray(1 + height * np.sin(2 * np.pi * periods * (x - x[0]) / (x[-1] - x[0]) + phase))


def resonator_signal(transmission: Curve, noise: float) -> Signal:
    """Mean IQ points of both preparations, the same for both: the pi pulse is not calibrated yet."""

    def signal(program: Program, rng: np.random.Generator) -> Acquired:
        assert program.readout_frequency is not None
        x = np.asarray(program.readout_frequency) - SETTINGS.readout_frequency
        half = len(x) // 2
        level = transmission(x[:half])
        return averaged(program, np.concatenate([level, level]) * np.exp(0.7j), noise, rng)

    return signal


@dataclass(frozen=True, slots=True)
class Blobs:
    """Round blobs of unit width.

    Attributes:
        distance: of 0 and 1.
        ground: share of blob 1 after nothing.
        excited: share of blob 1 after a pi pulse.
        third: share of a third blob after a pi pulse.
        third_of_ground: the same after nothing.
        aside: distance of the third blob from the line through the other two, on its middle.
        angle: of the line from 0 to 1, rad.
    """

    distance: float
    ground: float
    excited: float
    third: float = 0.0
    third_of_ground: float = 0.0
    aside: float = 4.0
    angle: float = 0.0


def blobs(drawn: Blobs, rng: np.random.Generator, row: int, shots: int) -> NDArray[np.complex128]:
    """Single shots of preparation `row`."""
    one = (drawn.ground, drawn.excited)[row]
    third = (drawn.third_of_ground, drawn.third)[row]
    level = rng.choice(3, shots, p=[(1 - one) * (1 - third), one * (1 - third), third])
    centres = np.array([0.0, drawn.distance, 0.7 * drawn.distance + 1j * drawn.aside]) * np.exp(1j * drawn.angle)
    noise = rng.normal(size=(2, shots))
    return np.asarray(centres[level] + noise[0] + 1j * noise[1])


def readout_signal(shots_of: Callable[[np.random.Generator, int, int], NDArray[np.complex128]]) -> Signal:
    """Single shots of both preparations."""
    return lambda program, rng: Acquired(
        program.shots, 1.0, 0.0, iq=np.stack([shots_of(rng, row, program.shots) for row in (0, 1)])
    )
