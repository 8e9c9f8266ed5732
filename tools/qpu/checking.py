"""The hardware's own refusal: every number of a program or of the settings against the limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labwright.tools.errors import HardwareLimitError, InputError, UnknownQubitError
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.program import Delay, Program
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.timing import sequence_times


def check_program(program: Program, settings: Callable[[str], QubitSettings], limits: Limits) -> None:
    """Raise HardwareLimitError or InputError for the first number that the device would refuse."""
    settings(program.qubit)
    _within("points", len(program.sequences), limits.points, "")
    _within("shots", program.shots, limits.shots, "")
    if program.returns not in ("counts", "average", "shots"):
        raise InputError(f"Argument `returns` must be counts, average or shots, but is {program.returns!r}.")
    base = settings(program.qubit).frequency if program.frequency is None else program.frequency
    _within("frequency", base, limits.drive_frequency, "MHz")
    for operation in program.operations:
        if isinstance(operation, Delay):
            _within("delay", operation.duration, limits.sequence_duration, "us")
            continue
        _within("amplitude", operation.amplitude, limits.amplitude, "full scale")
        _within("pulse_duration", operation.duration, limits.pulse_duration, "us")
        _within("frequency", base + operation.detuning, limits.drive_frequency, "MHz")
        _within("phase", operation.phase, (-1e6, 1e6), "rad")
        _within("drag", operation.drag, (-10, 10), "")
    _check_sequences(program, limits)
    _check_readout(program, limits)


def _check_sequences(program: Program, limits: Limits) -> None:
    played = np.concatenate([np.zeros(0, np.intp), *program.sequences])
    if played.size and not (played.min() >= 0 and played.max() < len(program.operations)):
        raise InputError(
            f"The sequences name operations {played.min():g} to {played.max():g}, but there are only"
            f" {len(program.operations)}. Number operations from 0."
        )
    times = sequence_times(program)
    _within("sequence_duration", float(times.max(initial=0.0)), limits.sequence_duration, "us")


def _check_readout(program: Program, limits: Limits) -> None:
    for name, values, pair, unit in (
        ("readout_frequency", program.readout_frequency, limits.readout_frequency, "MHz"),
        ("readout_amplitude", program.readout_amplitude, limits.readout_amplitude, "full scale"),
    ):
        if values is None:
            continue
        flat = np.atleast_1d(np.asarray(values, dtype=float))
        if len(flat) not in (1, len(program.sequences)):
            raise InputError(
                f"Argument `{name}` must hold 1 or {len(program.sequences)} values, but holds {len(flat)}."
            )
        for value in flat:
            _within(name, float(value), pair, unit)


def check_settings(settings: QubitSettings, limits: Limits) -> None:
    """Raise HardwareLimitError if calibrated settings could not be played."""
    _within("frequency", settings.frequency, limits.drive_frequency, "MHz")
    _within("amplitude_pi", settings.amplitude_pi, limits.amplitude, "full scale")
    _within("amplitude_pi2", settings.amplitude_pi2, limits.amplitude, "full scale")
    _within("drag", settings.drag, (-10, 10), "")
    _within("pulse_duration", settings.pulse_duration, limits.pulse_duration, "us")
    _within("anharmonicity", settings.anharmonicity, (-1000, -1), "MHz")
    _within("readout_frequency", settings.readout_frequency, limits.readout_frequency, "MHz")
    _within("readout_amplitude", settings.readout_amplitude, limits.readout_amplitude, "full scale")
    _within("readout_angle", settings.readout_angle, (-100, 100), "rad")
    _within("readout_threshold", settings.readout_threshold, (-100, 100), "")


def require_qubit(qubit: str, known: tuple[str, ...]) -> None:
    """Raise UnknownQubitError unless the device has `qubit`."""
    if qubit not in known:
        raise UnknownQubitError(qubit, known)


def _within(quantity: str, value: float, pair: tuple[float, float], unit: str) -> None:
    if not pair[0] <= value <= pair[1]:  # also refuses nan
        raise HardwareLimitError(quantity, value, pair[0], pair[1], unit)
