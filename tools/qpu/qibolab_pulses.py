"""Programs in the words of qibolab: pulses with sampled envelopes, and sequences of them on a qubit's channels.

qibolab plays ``I cos(w t + phi) + Q sin(w t + phi)``, so its phase runs against ours: in the frame of the drive that is
(I + iQ) exp(-i phi). Times are ns there and us here.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from qibolab import Custom, Pulse, PulseSequence, Qubit, Readout, Rectangular
from qibolab import Delay as Wait

from labwright.tools.errors import InputError
from labwright.tools.qpu import program as ours
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.pulses import gaussian

NS = 1e3  # in a us
GRID = 1e-6  # samples by which a duration may miss the grid: rounding of decimals


def samples_of(duration: float, rate: float) -> int:
    """Samples of a pulse of `duration` us at `rate` samples a ns.

    Raises:
        InputError: the duration is not a whole number of samples, or none.
    """
    number = duration * NS * rate
    whole = round(number)
    if whole < 1 or abs(number - whole) > GRID * max(whole, 1):
        raise InputError(
            f"Argument `duration` must be a whole number of samples of {1 / rate:g} ns, but is {duration * NS:g} ns."
            " Choose another duration or step."
        )
    return whole


def pulse_of(operation: ours.Pulse, rate: float, anharmonicity: float) -> Pulse:
    """One drive pulse; `anharmonicity` (MHz) scales the DRAG quadrature."""
    samples = samples_of(operation.duration, rate)
    shape = envelope_of(operation, samples, anharmonicity)
    plain = not shape.imag.any() and bool((shape.real == 1).all())
    return Pulse(
        duration=_exactly(samples, rate),
        amplitude=operation.amplitude,
        envelope=Rectangular() if plain else Custom(i_=shape.real.copy(), q_=shape.imag.copy()),
        relative_phase=-operation.phase,
    )


def envelope_of(operation: ours.Pulse, samples: int, anharmonicity: float) -> NDArray[np.complex128]:
    """Complex envelope of unit amplitude (samples,), turning where the pulse is detuned from the drive."""
    if operation.shape == "square":
        shape = np.ones(samples, dtype=complex)
    else:
        drag = np.array([operation.drag])
        shape = gaussian(np.ones(1), drag, operation.duration, anharmonicity, samples)[0]
    times = (np.arange(samples) + 0.5) / samples * operation.duration
    return np.asarray(shape * np.exp(-2j * np.pi * operation.detuning * times))


def sequence_of(
    operations: list[Operation], qubit: Qubit, readouts: list[tuple[float, Readout]], rate: float, anharmonicity: float
) -> PulseSequence:
    """A sequence that plays `operations` and reads out at the given times (us after the start, growing).

    The delays before the readouts stand on the acquisition channel, so that both channels begin together.
    """
    made = PulseSequence()
    for operation in operations:
        if isinstance(operation, Delay):
            made.append((qubit.drive, Wait(duration=operation.duration * NS)))
        else:
            made.append((qubit.drive, pulse_of(operation, rate, anharmonicity)))
    now = 0.0
    for time, readout in readouts:
        made.append((qubit.acquisition, Wait(duration=max(time * NS - now, 0.0))))
        made.append((qubit.acquisition, readout))
        now = max(time * NS, now) + readout.duration
    return made


def _exactly(samples: int, rate: float) -> float:
    """A duration in ns that qibolab, which cuts off, reads as `samples` samples again."""
    duration = samples / rate
    while int(duration * rate) < samples:
        duration = math.nextafter(duration, math.inf)
    return duration
