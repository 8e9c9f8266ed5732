"""Drive crosstalk between the qubits of a joint program: which pulses of a slot arrive where, and as what.

In a joint program it is known which pulse meets which. Of every other qubit's pulse in the slot `truth.crosstalk` of
the voltage arrives, averaged over its phase as in `crosstalk`. Stark drives are left out: they are far from every line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.crosstalk import REACH, SHORT, felt_channels
from labwright.tools.qpu.dynamics import Matrix, Tone, Transmon
from labwright.tools.qpu.joint_program import NOTHING, JointOperation, JointProgram, Slot, duration_of
from labwright.tools.qpu.program import Delay, Operation, Pulse
from labwright.tools.qpu.transmon_register import Register


@dataclass(frozen=True, slots=True)
class Line:
    """The drive line of a qubit: its frequency in MHz, and what shapes the pulses on it."""

    frequency: float
    compression: float
    anharmonicity: float

    def reaches(self, transmon: Transmon, frame: float, detuning: float = 0.0) -> bool:
        """Whether a tone of this line, `detuning` MHz off its frequency, changes a gate of `transmon` by anything."""
        away = self.frequency + detuning - frame
        return min(abs(away), abs(away - transmon.truth.anharmonicity)) < REACH and transmon.truth.crosstalk > 0


def lines_of(register: Register) -> tuple[Line, ...]:
    """One line a qubit."""
    return tuple(
        Line(frame, transmon.truth.compression, transmon.truth.anharmonicity)
        for frame, transmon in zip(register.frames, register.transmons, strict=True)
    )


def tones_in(slot: Slot, lines: Sequence[Line], place: int, transmon: Transmon, whole: float) -> tuple[Tone, ...]:
    """What the qubit at `place` feels of the other qubits' pulses in a slot of `whole` us."""
    frame, tones = lines[place].frequency, []
    for other, (line, pulse) in enumerate(zip(lines, slot, strict=True)):
        if other == place or not isinstance(pulse, Pulse) or not pulse.amplitude:
            continue
        if line.reaches(transmon, frame, pulse.detuning):
            away = line.frequency + pulse.detuning - frame
            own = slot[place]
            time = own.duration if isinstance(own, Pulse) else whole
            share = 1.0 if time <= SHORT else min(1.0, pulse.duration / time)
            tones.append(Tone(away, replace(pulse, phase=0.0), share, line.compression, line.anharmonicity))
    return tuple(tones)


def felt_channel(transmon: Transmon, operation: Operation, tones: tuple[Tone, ...]) -> Matrix:
    """Channel (16, 16) of one operation, tones included."""
    return np.asarray(felt_channels(replace(transmon, tones=tones), (operation,))[0])


def surrounded(
    program: JointProgram, group: Sequence[str], register: Register, lines: Mapping[str, Line]
) -> tuple[JointProgram, tuple[Line, ...]]:
    """The part of `program` that a group of its qubits takes part in, and the lines behind its own.

    The columns behind the group's are what it feels: one for every qubit whose pulses arrive, and one with the time
    that a slot lasts because of the rest.
    """
    others = [name for name in program.qubits if name not in group]
    heard = [name for name in others if _arrives(program, name, register, lines[name])]
    alphabets = [program.operations[program.qubits.index(name)] for name in group]
    columns = [[sequence[:, program.qubits.index(name)] for sequence in program.sequences] for name in group]
    for name in heard:
        at = program.qubits.index(name)
        alphabet, table = _merged([_quiet(operation) for operation in program.operations[at]])
        alphabets.append(alphabet)
        columns.append([table[sequence[:, at]] for sequence in program.sequences])
    behind = [lines[name] for name in heard]
    if rest := [program.qubits.index(name) for name in others if name not in heard]:
        alphabet, waits = _waits(program, rest)
        alphabets.append(alphabet)
        columns.append(waits)
        behind.append(Line(np.inf, 0.0, 0.0))
        heard.append("the rest")
    sequences = tuple(np.stack(parts, axis=1) for parts in zip(*columns, strict=True))
    return JointProgram((*group, *heard), tuple(alphabets), sequences, program.shots), tuple(behind)


def _arrives(program: JointProgram, name: str, register: Register, line: Line) -> bool:
    detunings = {o.detuning for o in program.operations[program.qubits.index(name)] if isinstance(o, Pulse)}
    return any(
        line.reaches(transmon, frame, detuning)
        for detuning in detunings
        for frame, transmon in zip(register.frames, register.transmons, strict=True)
    )


def _quiet(operation: JointOperation) -> JointOperation:
    """What another qubit's operation is from outside: a tone without phase, or time."""
    return replace(operation, phase=0.0) if isinstance(operation, Pulse) else Delay(duration_of(operation))


def _merged(operations: Sequence[JointOperation]) -> tuple[tuple[JointOperation, ...], NDArray[np.intp]]:
    """The different operations, and the index of each one in them; `NOTHING` stays, as the last entry."""
    alphabet = {operation: k for k, operation in enumerate(dict.fromkeys(operations))}
    return tuple(alphabet), np.array([*(alphabet[operation] for operation in operations), NOTHING], dtype=np.intp)


def _waits(program: JointProgram, places: Sequence[int]) -> tuple[tuple[Delay, ...], list[NDArray[np.intp]]]:
    """The longest operation of some qubits in every slot, as delays."""
    tables = [np.array([*map(duration_of, program.operations[at]), 0.0]) for at in places]
    times = [
        np.max([table[sequence[:, at]] for table, at in zip(tables, places, strict=True)], axis=0)
        for sequence in program.sequences
    ]
    different = np.unique(np.concatenate([np.zeros(0), *times]))
    return tuple(Delay(float(time)) for time in different), [np.searchsorted(different, time) for time in times]
