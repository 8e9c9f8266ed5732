"""How often a qubit begins in level 1: Rabi amplitudes on its second transition, from level 1 as it is and from 0.

A pulse on the second transition moves what is in level 1. After a pi pulse that is what began in level 0, without one
what began in level 1; a last pi pulse puts the difference where readout sees it. The ratio of both amplitudes is the
population of level 1, whatever the readout, and however good the pulse (Geerlings et al., PRL 110, 120501; Jin et al.,
PRL 114, 240501). Readout errors alone cannot tell it: a 0 that is read as 1 looks the same.
"""

from __future__ import annotations

from math import sqrt

from labwright.tools.experiments.base import Bench, Estimate
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.qpu.program import Delay, Operation, Pulse
from labwright.tools.qpu.settings import QubitSettings

REPEATS = 10  # of the two small points for every large one: they set the error
POINTS = 2 * REPEATS + 2
SEEN = 5.0  # errors of the large amplitude, below which nothing can be said


def thermal_population(bench: Bench, qubit: str, shots: int) -> Estimate | None:
    """Population of level 1 relative to levels 0 and 1 together, in one acquisition; None if readout sees nothing.

    At 20000 shots and a separation of three noise widths it is known to about 0.002.
    """
    settings = bench.settings(qubit)
    pi, second, wait = half_turn(settings), second_half_turn(settings), Delay(settings.pulse_duration)
    small: list[list[Operation]] = [[second, pi], [wait, pi]]
    large: list[list[Operation]] = [[pi, second, pi], [pi, wait, pi]]
    average, errors = bench.averages(program(qubit, small * REPEATS + large, shots, "average"))
    moved, still = average[:-2].reshape(REPEATS, 2).mean(axis=0)
    amplitude = complex(average[-2] - average[-1])
    error = float(errors.mean()) * sqrt(2)
    if abs(amplitude) < SEEN * error:
        return None
    value = complex((moved - still) / amplitude).real
    return Estimate(value, error / sqrt(REPEATS) / abs(amplitude))


def second_half_turn(settings: QubitSettings) -> Pulse:
    """About a pi pulse on the second transition, which a drive moves sqrt(2) times as fast."""
    return Pulse(settings.amplitude_pi / sqrt(2), settings.pulse_duration, "gaussian", detuning=settings.anharmonicity)
