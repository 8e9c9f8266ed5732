"""What a device plays on several qubits at once: slots, in which every qubit has one operation.

A one-qubit experiment keeps to `program.Program`. A `JointProgram` adds what that cannot say: operations at the same
time, an off-resonant drive on two qubits, and readout of all qubits in the same shot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.qpu.program import Delay, Program, Pulse


@dataclass(frozen=True, slots=True)
class Stark:
    """An off-resonant drive: flat, with cosine edges. Two qubits driven in one slot at one frequency interact (siZZle).

    `amplitude` is that of the flat top in units of full scale, `frequency` in MHz, `duration` in us with both edges,
    `edge` the length of one edge in us, `phase` in rad. The generator restarts its phase with the pulse.
    """

    frequency: float
    amplitude: float
    duration: float
    edge: float = 0.03
    phase: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """A virtual Z rotation diag(1, e^(i angle)), `angle` in rad: the qubit's frame turns, at once and without error."""

    angle: float


JointOperation = Pulse | Delay | Stark | Turn
Slot = tuple[JointOperation | None, ...]  # one operation a qubit
JointReturns = Literal["counts", "marginals"]
NOTHING = -1  # in a sequence: the qubit idles for the whole slot


@dataclass(frozen=True, slots=True, eq=False)
class JointProgram:
    """One acquisition on several qubits: every sequence is played, and all qubits are read out, `shots` times.

    A slot lasts as long as its longest operation. All operations of a slot begin together; a qubit whose operation is
    shorter idles for the rest.

    Attributes:
        qubits: names, in the order of the outcome's bits: the first is the most significant.
        operations: one alphabet a qubit.
        sequences: one array (n_slots, n_qubits) a point: indices into the alphabets, or `NOTHING`.
        shots: repetitions of every point.
        returns: ``counts`` (of the 2^n joint outcomes) or ``marginals`` (shots that each qubit reads as 1; for many
            qubits).
    """

    qubits: tuple[str, ...]
    operations: tuple[tuple[JointOperation, ...], ...]
    sequences: tuple[NDArray[np.intp], ...]
    shots: int = 1000
    returns: JointReturns = "counts"


AnyProgram = Program | JointProgram


def different_slots(program: JointProgram) -> tuple[list[Slot], list[NDArray[np.intp]]]:
    """The different slots of a program, and every sequence as numbers of slots."""
    lengths = [len(sequence) for sequence in program.sequences]
    rows = np.concatenate([np.zeros((0, len(program.qubits)), np.intp), *program.sequences])
    unique, place = np.unique(rows, axis=0, return_inverse=True)
    slots = [
        tuple(None if i == NOTHING else alphabet[i] for i, alphabet in zip(row, program.operations, strict=True))
        for row in unique
    ]
    coded = np.split(place.reshape(-1), np.cumsum(lengths)[:-1]) if lengths else []
    return slots, coded


def require_one_tone(slot: Slot) -> None:
    """Raise unless all Stark pulses of a slot have one frequency, duration and edge, and nothing else is played.

    Raises:
        InputError: they do not, or a pulse or virtual Z stands beside them.
    """
    driven = [operation for operation in slot if isinstance(operation, Stark)]
    if driven and any(not isinstance(operation, Stark | Delay | None) for operation in slot):
        raise InputError("A slot with a Stark pulse may hold nothing else. Put pulses and virtual Z into their own.")
    if len({(operation.frequency, operation.duration, operation.edge) for operation in driven}) > 1:
        raise InputError("Stark pulses of one slot must have one frequency, duration and edge. Use a slot for each.")


def one_qubit(program: AnyProgram) -> Program:
    """`program`, if it is for one qubit; what a device that plays nothing else begins `check` with.

    Raises:
        InputError: it is a `JointProgram`.
    """
    if isinstance(program, Program):
        return program
    raise InputError(
        f"This device plays one qubit at a time, but the program is for {', '.join(program.qubits)}. Use experiments on"
        " one qubit, or a device that reads out several."
    )


def duration_of(operation: JointOperation) -> float:
    """How long an operation takes, us."""
    return 0.0 if isinstance(operation, Turn) else operation.duration


def slot_times(program: JointProgram) -> tuple[NDArray[np.float64], ...]:
    """Duration of every slot of every sequence, us: one array (n_slots,) a point."""
    tables = [np.array([*map(duration_of, alphabet), 0.0]) for alphabet in program.operations]  # -1 is the last: 0
    return tuple(
        np.max([table[column] for table, column in zip(tables, sequence.T, strict=True)], axis=0)
        if len(sequence)
        else np.zeros(0)
        for sequence in program.sequences
    )
