"""What a program puts on the lines of every qubit: tones with frequency and amplitude, and the mean power."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from labwright.tools.qpu.joint_program import AnyProgram, JointProgram, Stark, duration_of, slot_times
from labwright.tools.qpu.program import Pulse
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.timing import sequence_times

Tone = tuple[str, str, Any, Any]  # qubit; drive, stark or readout; MHz; full scale: numbers or (n_points,)


def tones(program: AnyProgram, settings: Callable[[str], QubitSettings]) -> Iterator[Tone]:
    """Every tone that `program` may play; what it leaves open is in the settings of a qubit."""
    if isinstance(program, JointProgram):
        for qubit, alphabet in zip(program.qubits, program.operations, strict=True):
            own = settings(qubit)
            yield from _driven(qubit, alphabet, own.frequency)
            yield qubit, "readout", own.readout_frequency, own.readout_amplitude
        return
    own, alone = settings(program.qubit), program
    yield from _driven(alone.qubit, alone.operations, own.frequency if alone.frequency is None else alone.frequency)
    frequency = own.readout_frequency if alone.readout_frequency is None else alone.readout_frequency
    amplitude = own.readout_amplitude if alone.readout_amplitude is None else alone.readout_amplitude
    yield alone.qubit, "readout", np.asarray(frequency, dtype=float), np.asarray(amplitude, dtype=float)


def _driven(qubit: str, alphabet: Sequence[Any], base: float) -> Iterator[Tone]:
    for operation in alphabet:
        if isinstance(operation, Pulse):
            yield qubit, "drive", base + operation.detuning, operation.amplitude
        elif isinstance(operation, Stark):
            yield qubit, "stark", operation.frequency, operation.amplitude


def mean_power(program: AnyProgram, overhead: float) -> dict[str, float]:
    """Qubit -> largest mean of the squared amplitude over one shot of a point, with every pulse counted as square.

    Args:
        program: what is played.
        overhead: readout and reset of one shot, us.
    """
    if isinstance(program, JointProgram):
        times = [float(each.sum()) for each in slot_times(program)]
        columns = [[sequence[:, n] for sequence in program.sequences] for n in range(len(program.qubits))]
        played = list(zip(program.qubits, program.operations, columns, strict=True))
    else:
        times = list(sequence_times(program))
        played = [(program.qubit, program.operations, list(program.sequences))]
    found = {}
    for qubit, alphabet, sequences in played:
        energy = np.array([*(getattr(each, "amplitude", 0.0) ** 2 * duration_of(each) for each in alphabet), 0.0])
        shots = [
            energy[sequence].sum() / max(time + overhead, 1e-9) for sequence, time in zip(sequences, times, strict=True)
        ]
        found[qubit] = float(max(shots, default=0.0))
    return found
