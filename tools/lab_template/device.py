"""device.py: the door to our processor.

`RecordedDevice` keeps the memory of what was measured, the settings with their history, the limits and the device
clock. What is left is `measure`: play a program, give back IQ points. Fill in `Instruments`, `LIMITS` and `QUBITS`, run
`pytest`, and then

    labwright calibrate "Calibrate qubit Q1" --device device.py:open_device
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.lab_device import RecordedDevice, Shots, readout_of
from labwright.tools.qpu.program import Operation, Program, Pulse
from labwright.tools.qpu.settings import QubitSettings

# What the instruments accept. Nothing beyond is ever sent to them, whoever asks for it.
LIMITS = Limits(
    amplitude=(0.0, 1.0),  # full scale
    caution_amplitude=0.8,  # above it a person is asked first
    pulse_duration=(0.004, 2.0),  # us
    sequence_duration=(0.0, 500.0),  # us
    drive_frequency=(4000.0, 6000.0),  # MHz
    readout_frequency=(6000.0, 8000.0),  # MHz
    shots=(1, 20000),
    points=(1, 500),
)
READOUT_AND_RESET = 250.0  # us of one shot
# The best guess before the first calibration; later the device's folder remembers what was calibrated.
QUBITS = {
    "Q1": QubitSettings(
        frequency=4900.0,  # MHz
        amplitude_pi=0.3,  # peak of a Gaussian of `pulse_duration`, full scale
        amplitude_pi2=0.15,
        drag=0.0,
        pulse_duration=0.03,  # us
        anharmonicity=-200.0,  # MHz
        readout_frequency=7000.0,  # MHz
        readout_amplitude=0.3,
        readout_angle=0.0,  # rad
        readout_threshold=0.5,
    ),
}


class Instruments:
    """Your control stack. Until you fill it in, it measures the noise of an amplifier, whatever is played."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def connect(self) -> None:
        """Open the connections."""

    def measure(
        self,
        timeline: list[tuple[float, Pulse]],
        drive_frequency: float,
        readout_frequency: float,
        readout_amplitude: float,
        shots: int,
    ) -> Shots:
        """Play one sequence `shots` times and return the integrated IQ point of every shot.

        Args:
            timeline: start in us and pulse, in playing order. A pulse has amplitude (full scale), duration (us), shape
                (``gaussian``: 4 sigma long, lifted so that it starts at zero; or ``square``), phase (rad), drag, and
                detuning (MHz, added to the drive frequency).
            drive_frequency: MHz.
            readout_frequency: MHz.
            readout_amplitude: full scale.
            shots: repetitions.

        Returns:
            Complex array (shots,).
        """
        return np.asarray(self._rng.normal(size=(shots, 2)) @ np.array([1, 1j]))

    def rest(self) -> None:
        """Every output off, whatever was under way."""

    def disconnect(self) -> None:
        """Close the connections."""


class Processor(RecordedDevice):
    """Our processor."""

    shot_overhead = READOUT_AND_RESET  # by which the device time of a call is told before it is played

    def __init__(self, folder: Path, instruments: Instruments) -> None:
        super().__init__(folder, "our processor", QUBITS, LIMITS, READOUT_AND_RESET)
        self._instruments = instruments
        instruments.connect()

    def measure(self, program: Program, settings: QubitSettings) -> Iterator[Shots]:
        """Play the sequences one after the other."""
        drive = settings.frequency if program.frequency is None else program.frequency
        for point, sequence in enumerate(program.sequences):
            operations = [program.operations[i] for i in sequence]
            frequency, amplitude = readout_of(program, settings, point)
            yield self._instruments.measure(scheduled(operations), drive, frequency, amplitude, program.shots)

    def safe_state(self) -> None:
        """At the end of a run, when one stops or breaks, and after a crash before anything else."""
        self._instruments.rest()

    def close(self) -> None:
        """Give the device back."""
        self._instruments.disconnect()
        super().close()


def scheduled(operations: list[Operation]) -> list[tuple[float, Pulse]]:
    """The pulses with the times in us at which they start; delays only move what follows."""
    timeline, now = [], 0.0
    for operation in operations:
        if isinstance(operation, Pulse):
            timeline.append((now, operation))
        now += operation.duration
    return timeline


def open_device(folder: Path, seed: int, options: dict[str, float | str]) -> Processor:
    """What ``--device device.py:open_device`` calls; `options` are the ``--device-option name=value`` of the call."""
    return Processor(folder, Instruments(seed))
