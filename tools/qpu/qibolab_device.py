"""Any platform of qibolab as a `Device`: its instruments play our programs, its natives are our first settings.

``--device qibolab --device-option platform=NAME`` opens the platform that qibolab finds under this name. One qubit at a
time is played; readout comes as integrated IQ points of single shots, discriminated by our settings.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import qibolab
from qibolab import AcquisitionType, AveragingMode, Platform, PulseSequence, Readout

from labwright.tools.errors import InputError
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.joint_program import AnyProgram, one_qubit
from labwright.tools.qpu.lab_device import RecordedDevice, Shots, readout_of
from labwright.tools.qpu.program import Program, Pulse
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.qibolab_pulses import NS, samples_of, sequence_of
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.timing import sequence_times

MHZ = 1e6  # Hz
ANHARMONICITY = -200.0  # MHz, where the platform does not tell: it only scales the DRAG coefficient
LIMITS = Limits(
    pulse_duration=(0.002, 2.0),
    sequence_duration=(0.0, 1000.0),
    drive_frequency=(2000.0, 9000.0),
    readout_frequency=(3000.0, 12000.0),
    shots=(1, 20000),
    points=(1, 500),
)


class QibolabDevice(RecordedDevice):
    """A qibolab platform."""

    def __init__(self, folder: Path, platform: Platform, start: dict[str, QubitSettings], limits: Limits) -> None:
        self._platform, self._rate = platform, float(platform.sampling_rate)
        self._elements = {name_of(key): (key, element) for key, element in platform.qubits.items()}
        rest = max(float(platform.settings.relaxation_time) / NS, 1.0)
        super().__init__(folder, f"qibolab {platform.name}", start, limits, rest)
        try:
            platform.connect()
        except BaseException:
            super().close()
            raise

    def check(self, program: AnyProgram) -> None:
        """As every device, and that pulses fit the sampling grid."""
        super().check(program)
        if one_qubit(program).readout_duration is not None:
            raise InputError("A platform reads out with its own acquisition window. Leave `readout_duration` out.")
        for operation in one_qubit(program).operations:
            if isinstance(operation, Pulse):
                samples_of(operation.duration, self._rate)

    def measure(self, program: Program, settings: QubitSettings) -> Iterator[Shots]:
        """Play all sequences with one readout frequency in one execution, one frequency after the other."""
        points = len(program.sequences)
        readouts = [readout_of(program, settings, point) for point in range(points)]
        found: dict[int, Shots] = {}
        for frequency in dict.fromkeys(frequency for frequency, _ in readouts):
            chosen = [point for point in range(points) if readouts[point][0] == frequency]
            found |= self._played(program, settings, chosen, [readouts[point][1] for point in chosen], frequency)
        yield from (found[point] for point in range(points))

    def close(self) -> None:
        """Disconnect the instruments and give the device back."""
        self._platform.disconnect()
        super().close()

    def _played(
        self,
        program: Program,
        settings: QubitSettings,
        points: Sequence[int],
        amplitudes: Sequence[float],
        frequency: float,
    ) -> dict[int, Shots]:
        """Shots of some points, which share one readout frequency."""
        key, element = self._elements[program.qubit]
        times = sequence_times(program)
        events = {point: self._readout(key, amplitude) for point, amplitude in zip(points, amplitudes, strict=True)}
        sequences = [
            sequence_of(
                [program.operations[i] for i in program.sequences[point]],
                element,
                [(float(times[point]), events[point])],
                self._rate,
                settings.anharmonicity,
            )
            for point in points
        ]
        got = self._executed(sequences, program, settings, frequency)
        return {point: got[event.id] for point, event in events.items()}

    def _executed(
        self, sequences: list[PulseSequence], program: Program, settings: QubitSettings, frequency: float
    ) -> dict[Any, Shots]:
        """Acquisition -> IQ points of every shot."""
        _, element = self._elements[program.qubit]
        drive = settings.frequency if program.frequency is None else program.frequency
        results = self._platform.execute(
            sequences,
            nshots=program.shots,
            acquisition_type=AcquisitionType.INTEGRATION,
            averaging_mode=AveragingMode.SINGLESHOT,
            updates=[{element.drive: {"frequency": drive * MHZ}, element.probe: {"frequency": frequency * MHZ}}],
        )
        return {key: np.asarray(value) @ np.array([1, 1j]) for key, value in results.items()}

    def _readout(self, key: Any, amplitude: float) -> Readout:
        """The platform's native measurement, with our amplitude."""
        native = self._platform.natives.single_qubit[key].ensure("MZ")()
        event = next(event for _, event in native if isinstance(event, Readout))
        return event.model_copy(update={"probe": event.probe.model_copy(update={"amplitude": amplitude})})


def name_of(key: int | str) -> str:
    """How we call a qubit of a platform: qubits with a number get a letter."""
    return f"Q{key}" if isinstance(key, int) else str(key)


def settings_of(platform: Platform, key: int | str) -> QubitSettings:
    """A qubit's natives and channel frequencies as our settings: pulses of the same area in our Gaussian shape.

    Raises:
        InputError: the platform has no native X rotation or measurement of this qubit.
    """
    natives, element, rate = platform.natives.single_qubit[key], platform.qubits[key], float(platform.sampling_rate)
    if natives.RX is None or natives.MZ is None:
        raise InputError(f"Qubit {key!r} of {platform.name} has no native RX or MZ. Add them to its parameters.")
    half = next(event for _, event in natives.RX())
    quarter = next(event for _, event in natives.RX90()) if natives.RX90 is not None else None
    probe = next(event for _, event in natives.MZ() if isinstance(event, Readout)).probe
    acquisition = platform.config(element.acquisition)
    duration = max(round(half.duration * rate), 4) / rate / NS
    drive = platform.config(element.drive).frequency / MHZ
    amplitude = _same_area(half, duration, rate)
    return QubitSettings(
        frequency=drive,
        amplitude_pi=amplitude,
        amplitude_pi2=_same_area(quarter, duration, rate) if quarter is not None else amplitude / 2,
        drag=0.0,
        pulse_duration=duration,
        anharmonicity=_anharmonicity(platform, key, drive),
        readout_frequency=platform.config(element.probe).frequency / MHZ,
        readout_amplitude=probe.amplitude,
        readout_angle=-float(acquisition.iq_angle or 0.0),  # qibolab turns the points by its angle, we by minus ours
        readout_threshold=float(acquisition.threshold or 0.0),
    )


def _same_area(pulse: qibolab.Pulse, duration: float, rate: float) -> float:
    """Peak of our Gaussian of `duration` us that turns as far as `pulse`, to first order."""
    ours = gaussian(np.ones(1), np.zeros(1), duration, ANHARMONICITY)[0].real.mean() * duration
    theirs = float(np.sum(pulse.i(rate))) / rate / NS
    return abs(theirs) / float(ours)


def _anharmonicity(platform: Platform, key: int | str, drive: float) -> float:
    """From the drive line of the second transition, if there is one that makes sense."""
    second = platform.qubits[key].drive_extra.get((1, 2))
    found = platform.config(second).frequency / MHZ - drive if second else ANHARMONICITY
    return found if -1000 < found < -1 else ANHARMONICITY


@contextmanager
def signals_left_alone() -> Iterator[None]:
    """While a platform is made, which would take SIGINT and SIGTERM from the run, and cannot do so in a thread."""
    kept = signal.signal
    signal.signal = lambda *_: None
    try:
        yield
    finally:
        signal.signal = kept


def open_platform(folder: Path, seed: int, options: dict[str, float | str]) -> QibolabDevice:
    """The platform named by the option ``platform``; qibolab looks for it in the folders of ``QIBOLAB_PLATFORMS``.

    Raises:
        InputError: no such platform, or an unknown option.
    """
    left = dict(options)
    name = str(left.pop("platform", ""))
    if not name or left:
        raise InputError(
            f"The device `qibolab` takes the option `platform` and no other, but was given {sorted(options) or 'none'}."
        )
    try:
        with signals_left_alone():
            platform = qibolab.create_platform(name)
    except (ValueError, RuntimeError) as error:
        raise InputError(f"qibolab has no platform {name!r}: {error}") from error
    start = {name_of(key): settings_of(platform, key) for key in platform.qubits}
    return QibolabDevice(folder, platform, start, LIMITS)
