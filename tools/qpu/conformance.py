"""Whether a device keeps what the `Device` Protocol promises: run it on a device of your own before a calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import get_args

import numpy as np

from labwright.tools.errors import HardwareLimitError, ToolError, UnknownQubitError
from labwright.tools.qpu.device import Device, SafeDevice
from labwright.tools.qpu.hardware_limits import check_settings
from labwright.tools.qpu.program import Acquired, Delay, Program, Pulse, Returns


def broken_device_promises(open_again: Callable[[], Device], shots: int = 50) -> list[str]:
    """What a device does otherwise than the Protocol says; empty if nothing. It plays six short programs.

    Args:
        open_again: opens the device; called twice, with the same memory both times.
        shots: repetitions of the programs' points.
    """
    device = open_again()
    try:
        found = [*_described(device), *_refusals(device)]
        if found:
            return found
        program = _program(device, shots)
        key = f"conformance.{device.settings.version}.{device.clock!r}"  # a key of its own each time it is run
        found += [*_data(device, program, key), *_clock(device, program, key), *_settings(device, key)]
        if isinstance(device, SafeDevice):
            device.safe_state()  # may be called at any time, and the device goes on
            device.safe_state()
            device.acquire(program, f"{key}.rested")
        first = device.acquire(program, key)
        found += [] if _equal(first, device.acquire(program, key)) else ["The same key gave other data."]
        version, amplitude = device.settings.version, device.settings.current(program.qubit).amplitude_pi
    finally:
        device.close()
    device = open_again()
    try:
        if not _equal(first, device.acquire(program, key)):
            found.append("Opened again, the same key gave other data: the device has no memory of what it measured.")
        if device.status(key) == "absent":
            found.append("Opened again, `status` says that a key was never played, though it was.")
        if (version, amplitude) != (device.settings.version, device.settings.current(program.qubit).amplitude_pi):
            found.append("Opened again, the settings are not those that were written.")
    finally:
        device.close()
    return found


def _program(device: Device, shots: int, returns: Returns = "counts") -> Program:
    """Nothing, a pi pulse, and a pi pulse with a short wait."""
    qubit = device.qubits[0]
    book = device.settings.current(qubit)
    pulse = Pulse(book.amplitude_pi, book.pulse_duration, drag=book.drag)
    sequences = (np.zeros(0, dtype=np.intp), np.array([0]), np.array([0, 1]))
    return Program(qubit, (pulse, Delay(0.1)), sequences, shots, returns)


def _described(device: Device) -> Iterator[str]:
    if not device.name:
        yield "The device has no name."
    if not device.qubits or len(set(device.qubits)) < len(device.qubits):
        yield f"`qubits` must be different names, but is {device.qubits!r}."
        return
    for name in device.qubits:
        try:
            check_settings(device.settings.current(name), device.limits)
        except ToolError as error:
            yield f"The settings of {name} could not be played: {error}"
    for limit in fields(device.limits):
        pair = getattr(device.limits, limit.name)
        if isinstance(pair, tuple) and not pair[0] <= pair[1]:
            yield f"Limit `{limit.name}` is {pair!r}, smallest first."


def _refusals(device: Device) -> Iterator[str]:
    program = _program(device, 50)
    loud = Pulse(2 * device.limits.amplitude[1] + 1, 0.03)
    late = Delay(2 * device.limits.sequence_duration[1] + 1)
    for wrong, error, what in (
        (replace(program, qubit="no such qubit"), UnknownQubitError, "a qubit that it has not"),
        (replace(program, operations=(loud, Delay(0.1))), HardwareLimitError, "an amplitude beyond its limits"),
        (replace(program, operations=(program.operations[0], late)), HardwareLimitError, "a sequence that is too long"),
        (replace(program, shots=device.limits.shots[1] + 1), HardwareLimitError, "more shots than its limit"),
    ):
        try:
            device.check(wrong)
        except error:
            continue
        except ToolError as other:
            yield f"`check` refuses {what} with {type(other).__name__} instead of {error.__name__}."
        else:
            yield f"`check` accepts {what}."


def _data(device: Device, program: Program, key: str) -> Iterator[str]:
    points, shots = len(program.sequences), program.shots
    shapes = {"counts": ("counts", (points,)), "average": ("average", (points,)), "shots": ("iq", (points, shots))}
    for returns in get_args(Returns):
        got = device.acquire(replace(program, returns=returns), f"{key}.{returns}")
        name, shape = shapes[returns]
        values = getattr(got, name)
        if values is None or values.shape != shape:
            yield f"A program that returns {returns} must fill `{name}` with shape {shape}."
        elif returns == "counts" and not (values.min() >= 0 and values.max() <= shots):
            yield f"Counts must lie between 0 and {shots}, but are {values.tolist()}."
        elif returns == "average" and (got.average_error is None or not (got.average_error > 0).all()):
            yield "An average needs an `average_error` above zero for every point."
        if got.shots != shots:
            yield f"{shots} shots were asked for, but {got.shots} are reported."


def _clock(device: Device, program: Program, key: str) -> Iterator[str]:
    before = device.clock
    got = device.acquire(program, f"{key}.clock")
    if got.seconds <= 0 or got.clock < before:
        yield "An acquisition must state its device seconds and the device clock at its start."
    if abs(device.clock - before - got.seconds) > 1e-6 + 0.01 * got.seconds:
        yield f"The clock went on by {device.clock - before:g} s in an acquisition of {got.seconds:g} s."


def _settings(device: Device, key: str) -> Iterator[str]:
    book, qubit = device.settings, device.qubits[0]
    amplitude, version = book.current(qubit).amplitude_pi, book.version
    entry = book.update(qubit, {"amplitude_pi": 0.99 * amplitude}, key=f"{key}.update", reason="conformance")
    if book.current(qubit).amplitude_pi != 0.99 * amplitude or book.version <= version:
        yield "`settings.update` does not change the settings."
    if book.update(qubit, {"amplitude_pi": amplitude}, key=f"{key}.update", reason="again").changes != entry.changes:
        yield "`settings.update` with a key that was written before must return the first entry and change nothing."
    book.revert(entry.version, key=f"{key}.revert", reason="conformance")
    if book.current(qubit).amplitude_pi != amplitude:
        yield "`settings.revert` does not bring the old value back."


def _equal(one: Acquired, two: Acquired) -> bool:
    names = ("counts", "average", "average_error", "iq", "shots", "seconds", "clock")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in names)
