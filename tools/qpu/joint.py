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
    """A virtual Z rotation by `angle` rad: the qubit's frame turns. It takes no time and has no error."""

    angle: float


JointOperation = Pulse | Delay | Stark | Turn
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
