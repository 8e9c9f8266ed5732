"""Drive crosstalk: what a qubit feels of the pulses that are played on others at the same time.

A share of every drive line's voltage arrives at every other qubit. There it is a tone at the other's frequency, off
resonance with this qubit, and its phase against this qubit's drive differs from shot to shot and from pulse to pulse.
So a gate that coincides with another qubit's pulse is this gate, followed by a small rotation that is averaged over
the phase of the tone: the rotation comes from the same four-level Hamiltonian, with the tone added to the envelope
sample by sample. Transitions 0-1 and 1-2, Stark shift and DRAG quadrature are all in it.

What is approximated: pulses begin together (a gate meets a whole pulse of the other qubit or none); several pulses
in a row meet tones of independent phase; a delay longer than `SHORT` feels the mean Stark shift alone; pulses
that a program plays only once (the sweep of a Rabi measurement) feel nothing, since their points are known to a
per cent and the tone costs less than a thousandth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.dynamics import LEVELS, TURN, Matrix, Tone, Transmon, channels, frames, slice_unitaries
from labwright.tools.qpu.program import Delay, Operation, Program, Pulse
from labwright.tools.qpu.pulses import gaussian, sample_count
from labwright.tools.qpu.timing import sequence_times

SHORT = 0.1  # us; operations up to this length are gates
REACH = 160.0  # MHz from both lines; a tone beyond it changes a gate by less than 1e-8
PHASES = np.exp(-0.5j * np.pi * np.arange(4))  # four phases average all terms below the fourth order of the tone


def tones_on(
    qubit: str, drives: Mapping[str, float], programs: Mapping[str, Program], transmons: Mapping[str, Transmon]
) -> tuple[Tone, ...]:
    """The tones that `qubit` feels while all of `programs` are played.

    Args:
        qubit: whose view it is.
        drives: qubit -> drive frequency of its program, MHz.
        programs: qubit -> what is played on it.
        transmons: qubit -> its truth at this moment.
    """
    own = float(sequence_times(programs[qubit]).mean())
    alpha = transmons[qubit].truth.anharmonicity
    found = []
    for other, program in programs.items():
        if other == qubit:
            continue
        truth = transmons[other].truth
        for pulse, share in _shares(program, own).items():
            away = drives[other] + pulse.detuning - drives[qubit]
            if min(abs(away), abs(away - alpha)) < REACH:
                found.append(Tone(away, replace(pulse, phase=0.0), share, truth.compression, truth.anharmonicity))
    return tuple(found)


def _shares(program: Program, own: float) -> dict[Pulse, float]:
    """Pulse -> share of the time of a gate of another qubit in which it is played, phases taken together.

    Args:
        program: of the qubit that makes the tone.
        own: mean duration of the sequences that feel it, us; both end at the common readout.
    """
    window = float(np.maximum(sequence_times(program), own).sum())
    if not window:
        return {}
    used = np.bincount(
        np.concatenate([*program.sequences, np.empty(0, np.intp)]).astype(np.intp), minlength=len(program.operations)
    )
    played: defaultdict[Pulse, float] = defaultdict(float)
    for operation, count in zip(program.operations, used, strict=True):
        if isinstance(operation, Pulse) and count and operation.amplitude:
            # Sweeps of a square pulse's length are one tone; so are gates that differ in phase alone.
            length = operation.duration if operation.shape == "gaussian" else SHORT
            played[replace(operation, phase=0.0, duration=length)] += float(count * operation.duration)
    longest = sorted(played.items(), key=lambda item: -item[1])
    largest = dict(longest[:4])  # a sweep of amplitudes is a few tones with the time of all
    scale = sum(played.values()) / sum(largest.values()) if largest else 0.0
    return {pulse: min(scale * time / window, 1.0) for pulse, time in largest.items()}


def felt_channels(transmon: Transmon, operations: tuple[Operation, ...]) -> Matrix:
    """The channel of every operation, tones included, (n_operations, 16, 16)."""
    table = channels(transmon, operations)
    if not transmon.tones:
        return table
    turned = frames(operations)
    shifts = _mean_shift(transmon)
    groups: defaultdict[Operation, list[int]] = defaultdict(list)
    for i, operation in enumerate(operations):
        if operation.duration <= SHORT:
            groups[replace(operation, phase=0.0) if isinstance(operation, Pulse) else operation].append(i)
        elif isinstance(operation, Delay):
            table[i] = np.exp(-TURN * operation.duration * shifts)[:, None] * table[i]
    for operation, chosen in groups.items():
        after = np.eye(LEVELS**2, dtype=complex)
        for tone in transmon.tones:
            after = _kick(transmon, operation, tone) @ after
        for i in chosen:
            table[i] = (turned[i][:, None] * after / turned[i][None, :]) @ table[i]
    return table


def _kick(transmon: Transmon, operation: Operation, tone: Tone) -> Matrix:
    """What follows an operation at phase zero because of a tone that meets it with probability `tone.share`."""
    detuning = operation.detuning if isinstance(operation, Pulse) else 0.0
    n = sample_count(operation.duration)
    step = operation.duration / n
    own = _own_envelope(transmon, operation, n)
    times = (np.arange(n) + 0.5) * step
    turning = np.exp(-TURN * (tone.detuning - detuning) * times)
    felt = transmon.truth.drive_scale * transmon.truth.crosstalk * _tone_envelope(tone, n, step) * turning
    rabi = np.concatenate([own[None], own + PHASES[:, None] * felt])
    slices = np.moveaxis(slice_unitaries(transmon, rabi, step, transmon.detuning - detuning), (0, 1), (2, 3))
    total = np.broadcast_to(np.eye(LEVELS, dtype=complex), (len(rabi), LEVELS, LEVELS))
    for sample in range(n):
        total = slices[:, sample] @ total
    moved = total[1:] @ total[0].conj().T
    mean = np.einsum("kab,kcd->acbd", moved, moved.conj()).reshape(LEVELS**2, LEVELS**2) / len(moved)
    return np.asarray((1 - tone.share) * np.eye(LEVELS**2) + tone.share * mean)


def _own_envelope(transmon: Transmon, operation: Operation, n: int) -> Matrix:
    """Complex Rabi rate of the operation itself, MHz, (n,)."""
    if isinstance(operation, Delay):
        return np.zeros(n, dtype=complex)
    if operation.shape == "square":
        return transmon.rabi_rate(np.full(n, operation.amplitude, dtype=complex))
    shape = gaussian(
        np.array([operation.amplitude]), np.array([operation.drag]), operation.duration, transmon.truth.anharmonicity
    )
    return transmon.rabi_rate(shape[0])


def _tone_envelope(tone: Tone, n: int, step: float) -> Matrix:
    """The other qubit's pulse in full scale units over the n samples of a gate: it begins with the gate."""
    pulse = tone.pulse
    if pulse.shape == "square":
        shape = np.full(n, pulse.amplitude, dtype=complex)
    else:
        whole = gaussian(np.array([pulse.amplitude]), np.array([pulse.drag]), pulse.duration, tone.anharmonicity)[0]
        at = ((np.arange(n) + 0.5) * step / pulse.duration * len(whole)).astype(int)
        shape = np.where(at < len(whole), whole[np.minimum(at, len(whole) - 1)], 0)
    return np.asarray(shape / (1 + tone.compression * np.abs(shape) ** 2))


def _mean_shift(transmon: Transmon) -> NDArray[np.float64]:
    """Mean Stark shift of every element of the flattened density matrix, MHz, (16,)."""
    levels = np.arange(LEVELS)
    total = np.zeros(LEVELS)
    for tone in transmon.tones:
        n = sample_count(min(tone.pulse.duration, SHORT))
        envelope = _tone_envelope(tone, n, min(tone.pulse.duration, SHORT) / n)
        squared = float(np.mean(np.abs(transmon.truth.drive_scale * transmon.truth.crosstalk * envelope) ** 2))
        # Second order in the tone: the transition n -> n + 1 lies `gaps` above it and moves both of its levels. On
        # resonance it moves none; the width keeps the formula finite there.
        gaps = transmon.truth.anharmonicity * levels[:-1] - tone.detuning
        pushed = squared / 4 * levels[1:] * gaps / (gaps**2 + squared)
        total[1:] += tone.share * pushed
        total[:-1] -= tone.share * pushed
    return np.asarray((total[:, None] - total[None, :]).ravel())
