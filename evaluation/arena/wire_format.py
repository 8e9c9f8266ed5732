"""Programs and acquisitions as JSON-plain values, so that nothing but plain data passes between agent and grader."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.qpu.joint_program import AnyProgram, JointOperation, JointProgram, Stark, Turn
from labwright.tools.qpu.program import Acquired, Delay, Program, Pulse

Plain = dict[str, Any]
MOST_OPERATIONS, MOST_PLAYED = 20_000, 5_000_000  # of an alphabet; of all sequences together
READOUT = ("readout_frequency", "readout_amplitude", "readout_duration")
ARRAYS = ("counts", "average", "average_error", "iq")


def program_of(plain: Plain) -> AnyProgram:
    """The program that `plain` writes out.

    Raises:
        InputError: a field is missing, unknown or of the wrong kind.
    """
    try:
        many = [float(np.asarray(plain[name]).size) for name in READOUT if plain.get(name) is not None]
        if sum(map(len, plain["sequences"])) + sum(many) > MOST_PLAYED or len(plain["operations"]) > MOST_OPERATIONS:
            raise InputError(f"A program may play {MOST_PLAYED} operations at most. Split it.")
        if "qubits" in plain:
            return _joint(plain)
        return Program(
            qubit=str(plain["qubit"]),
            operations=tuple(map(_single, plain["operations"])),
            sequences=tuple(np.array(each, dtype=np.intp) for each in plain["sequences"]),
            shots=int(plain.get("shots", 1000)),
            returns=plain.get("returns", "counts"),
            frequency=None if plain.get("frequency") is None else float(plain["frequency"]),
            **{name: _numbers(plain.get(name)) for name in READOUT},
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"The program cannot be read: {type(error).__name__} {error}. Compare it with `play`."
        ) from error


def _joint(plain: Plain) -> JointProgram:
    qubits = tuple(map(str, plain["qubits"]))
    sequences = (np.array(each, dtype=np.intp).reshape(-1, len(qubits)) for each in plain["sequences"])
    alphabets = tuple(tuple(map(_operation, alphabet)) for alphabet in plain["operations"])
    return JointProgram(
        qubits, alphabets, tuple(sequences), int(plain.get("shots", 1000)), plain.get("returns", "counts")
    )


def _operation(plain: Plain) -> JointOperation:
    """Which operation it is, its fields say: angle, edge or frequency, amplitude, or only a duration."""
    kind: Any = Delay
    if "angle" in plain:
        kind = Turn
    elif "edge" in plain or "frequency" in plain:
        kind = Stark
    elif "amplitude" in plain:
        kind = Pulse
    known = {each.name for each in fields(kind)}
    if unknown := sorted(plain.keys() - known):
        raise InputError(f"An operation with the fields {sorted(plain)} has no {unknown[0]!r}; it has {sorted(known)}.")
    numbers = {name: value if name == "shape" else float(value) for name, value in plain.items()}
    if numbers.get("shape", "square") not in ("square", "gaussian"):
        raise InputError("The shape of a pulse must be square or gaussian.")
    made: JointOperation = kind(**numbers)
    return made


def _single(plain: Plain) -> Pulse | Delay:
    made = _operation(plain)
    if not isinstance(made, Pulse | Delay):
        raise InputError("A program of one qubit holds pulses and delays only. Use `play_together`.")
    return made


def _numbers(value: Any) -> float | NDArray[np.float64] | None:
    if value is None or isinstance(value, int | float):
        return value
    return np.array(value, dtype=float)


def plain_program(program: AnyProgram) -> Plain:
    """`program` as `program_of` reads it."""
    shared: Plain = {"shots": program.shots, "returns": program.returns}
    shared["sequences"] = [sequence.tolist() for sequence in program.sequences]
    if isinstance(program, JointProgram):
        alphabets = [[asdict(operation) for operation in alphabet] for alphabet in program.operations]
        return {**shared, "qubits": list(program.qubits), "operations": alphabets}
    readout = {name: getattr(program, name) for name in READOUT}
    readout = {name: np.asarray(value).tolist() for name, value in readout.items() if value is not None}
    plain = {"qubit": program.qubit, "operations": [asdict(operation) for operation in program.operations]}
    return {**shared, **plain, **readout, "frequency": program.frequency}


def plain_acquired(acquired: Acquired) -> Plain:
    """`acquired` with lists for arrays and [real, imaginary] for complex ones."""
    plain: Plain = {"shots": acquired.shots, "seconds": acquired.seconds, "clock": acquired.clock}
    return plain | {name: listed(getattr(acquired, name)) for name in ARRAYS if getattr(acquired, name) is not None}


def acquired_of(plain: Plain) -> Acquired:
    """What `plain_acquired` wrote."""
    found: dict[str, Any] = {name: np.array(plain[name]) for name in ARRAYS if name in plain}
    for name in found.keys() & {"average", "iq"}:
        found[name] = found[name][..., 0] + 1j * found[name][..., 1]
    return Acquired(int(plain["shots"]), float(plain["seconds"]), float(plain["clock"]), **found)


def significant(value: float, digits: int) -> float:
    """`value` with so many digits; what is not finite stays."""
    return float(f"{value:.{digits}g}")


def listed(values: NDArray[Any]) -> Any:
    """Nested lists of plain numbers."""
    return np.stack([values.real, values.imag], axis=-1).tolist() if np.iscomplexobj(values) else values.tolist()
