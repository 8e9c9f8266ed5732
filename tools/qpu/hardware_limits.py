"""The hardware's own refusal: every number of a program or of the settings against the limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labwright.tools.errors import HardwareLimitError, InputError, UnknownQubitError
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.joint_program import (
    NOTHING,
    JointOperation,
    JointProgram,
    Stark,
    Turn,
    different_slots,
    require_one_tone,
    slot_times,
)
from labwright.tools.qpu.program import Delay, Operation, Program
from labwright.tools.qpu.settings import PairSettings, QubitSettings
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
        _check_operation(operation, base, limits)
    _check_sequences(program, limits)
    _check_readout(program, limits)


def check_joint(program: JointProgram, settings: Callable[[str], QubitSettings], limits: Limits) -> None:
    """Raise HardwareLimitError or InputError for the first number of a joint program that the device would refuse."""
    n = len(program.qubits)
    _within("qubits", n, (1, limits.joint_qubits), "")
    if len(set(program.qubits)) != n or len(program.operations) != n:
        raise InputError(f"A joint program needs different qubits and one alphabet each, but has {program.qubits}.")
    _within("points", len(program.sequences), limits.points, "")
    _within("shots", program.shots, limits.shots, "")
    if program.returns not in ("counts", "marginals"):
        raise InputError(f"Argument `returns` must be counts or marginals, but is {program.returns!r}.")
    for qubit, alphabet in zip(program.qubits, program.operations, strict=True):
        base = settings(qubit).frequency
        for operation in alphabet:
            _check_joint_operation(operation, base, limits)
    _check_slots(program)
    for slot in different_slots(program)[0]:
        require_one_tone(slot)
    longest = max((float(times.sum()) for times in slot_times(program)), default=0.0)
    _within("sequence_duration", longest, limits.sequence_duration, "us")


def _check_slots(program: JointProgram) -> None:
    sizes = np.array([len(alphabet) for alphabet in program.operations])
    for sequence in program.sequences:
        if sequence.ndim != 2 or sequence.shape[1] != len(program.qubits):
            raise InputError(f"A sequence must be (n_slots, {len(program.qubits)}), but is {sequence.shape}.")
        if (sequence < NOTHING).any() or (sequence >= sizes).any():
            raise InputError("A sequence names an operation that its qubit's alphabet lacks. Number them from 0.")


def _check_joint_operation(operation: JointOperation, base: float, limits: Limits) -> None:
    if isinstance(operation, Turn):
        _within("phase", operation.angle, (-1e6, 1e6), "rad")
    elif isinstance(operation, Stark):
        _within("amplitude", operation.amplitude, limits.amplitude, "full scale")
        _within("frequency", operation.frequency, limits.drive_frequency, "MHz")
        _within("stark_duration", operation.duration, limits.stark_duration, "us")
        _within("edge", operation.edge, (0.0, operation.duration / 2 + 1e-12), "us")
        _within("phase", operation.phase, (-1e6, 1e6), "rad")
    else:
        _check_operation(operation, base, limits)


def _check_operation(operation: Operation, base: float, limits: Limits) -> None:
    if isinstance(operation, Delay):
        _within("delay", operation.duration, limits.sequence_duration, "us")
        return
    _within("amplitude", operation.amplitude, limits.amplitude, "full scale")
    _within("pulse_duration", operation.duration, limits.pulse_duration, "us")
    _within("frequency", base + operation.detuning, limits.drive_frequency, "MHz")
    _within("phase", operation.phase, (-1e6, 1e6), "rad")
    _within("drag", operation.drag, (-10, 10), "")


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
        ("readout_duration", program.readout_duration, limits.readout_duration, "us"),
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


def check_pair_settings(settings: PairSettings, limits: Limits) -> None:
    """Raise HardwareLimitError if a pair's calibrated gate could not be played."""
    _within("frequency", settings.frequency, limits.drive_frequency, "MHz")
    _within("amplitude_first", settings.amplitude_first, limits.amplitude, "full scale")
    _within("amplitude_second", settings.amplitude_second, limits.amplitude, "full scale")
    _within("phase", settings.phase, (-100, 100), "rad")
    _within("edge", settings.edge, (0.0, limits.pulse_duration[1] / 2), "us")
    if settings.duration:
        _within("duration", settings.duration, (2 * settings.edge, limits.stark_duration[1]), "us")
    for name in ("z_first", "z_second"):
        _within(name, getattr(settings, name), (-100, 100), "rad")


def require_qubit(qubit: str, known: tuple[str, ...]) -> None:
    """Raise UnknownQubitError unless the device has `qubit`."""
    if qubit not in known:
        raise UnknownQubitError(qubit, known)


def _within(quantity: str, value: float, pair: tuple[float, float], unit: str) -> None:
    if not pair[0] <= value <= pair[1]:  # also refuses nan
        raise HardwareLimitError(quantity, value, pair[0], pair[1], unit)
