"""Plays the sequences of a program on a transmon: all of them in lockstep, one position after the other."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.crosstalk import felt_channels
from labwright.tools.qpu.dynamics import COHERENCE, LEVELS, TURN, Matrix, Transmon, play_constant, play_shaped
from labwright.tools.qpu.program import Delay, Operation, Program, Pulse
from labwright.tools.qpu.telegraph import configurations, transfers
from labwright.tools.qpu.timing import sequence_times

FUSE_FROM = 32  # operations; longer sequences are worth a table of fused operations
TABLE_LIMIT = 4096  # entries of that table: 8 MB
DIAGONAL = np.arange(LEVELS) * (LEVELS + 1)

Sequences = tuple[NDArray[np.intp], ...]


def populations(transmon: Transmon, program: Program) -> NDArray[np.float64]:
    """Mean populations of the four levels before readout, (n_points, 4), averaged over quasi-static detuning."""
    operations, sequences = program.operations, program.sequences
    idle = float(sequence_times(program, delays_only=True).max(initial=0))
    offsets, weights = quasi_static(transmon.truth.detuning_sigma, idle)
    fluctuating = configurations(transmon.truth, idle)
    offsets, weights = np.repeat(offsets, fluctuating), np.repeat(weights / fluctuating, fluctuating)
    longest = max((len(s) for s in sequences), default=0)
    if len(offsets) == 1 and longest >= FUSE_FROM and len(operations) <= 64:
        return _play_fused(transmon, operations, sequences)
    states = _play(transmon, operations, sequences, offsets, fluctuating)
    return np.asarray(np.clip(np.einsum("nkl,k->nl", states[:, :, DIAGONAL].real, weights), 0, 1))


def quasi_static(sigma: float, idle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Offsets (MHz) and weights for a Gaussian detuning that is constant within a shot.

    Evenly spaced offsets average a wave of phi = 2 pi sigma idle rad over a Gaussian to exp(-(2 pi / h - phi)^2 / 2),
    h their distance in sigma. Below a tenth of a radian one is exact to half a per cent of contrast.
    """
    phi = 2 * np.pi * sigma * idle
    if phi < 0.1:
        return np.zeros(1), np.ones(1)
    nodes = np.linspace(-5.0, 5.0, int(np.ceil(10 * (phi + 6) / (2 * np.pi))) + 1)
    weights = np.exp(-(nodes**2) / 2)
    return nodes * sigma, weights / weights.sum()


def _play(
    transmon: Transmon, operations: tuple[Operation, ...], sequences: Sequences, offsets: NDArray[np.float64],
    fluctuating: int,
) -> Matrix:  # fmt: skip
    """Final states (n_points, n_offsets, 16); neighbouring offsets belong to the configurations of fluctuators."""
    single = _played_once(operations, sequences)
    reused = [i for i in range(len(operations)) if i not in single]
    place = np.full(len(operations), -1)
    place[reused] = np.arange(len(reused))
    table = felt_channels(transmon, tuple(operations[i] for i in reused))
    delays = np.array([o.duration if isinstance(o, Delay) else 0.0 for o in operations])
    switches = transfers(transmon.truth, delays) if fluctuating > 1 else None
    states = np.tile(transmon.thermal_state(), (len(sequences), len(offsets), 1))
    lengths = np.array([len(s) for s in sequences], dtype=int)
    for position in range(lengths.max(initial=0)):
        rows = np.flatnonzero(lengths > position)
        played = np.array([sequences[r][position] for r in rows])
        known = place[played] >= 0
        at, op = rows[known], played[known]
        if at.size:
            states[at] = states[at] @ table[place[op]].transpose(0, 2, 1)
            if len(offsets) > 1:
                states[at] *= np.exp(-TURN * (delays[op, None] * offsets)[:, :, None] * COHERENCE)
            if switches is not None:
                apart = states[at].reshape(len(at), -1, fluctuating, LEVELS**2)
                states[at] = np.einsum("ntab,nobt->noat", switches[op], apart).reshape(len(at), -1, LEVELS**2)
        _play_singles(transmon, operations, states, rows[~known], played[~known])
    return states


def _play_singles(
    transmon: Transmon,
    operations: tuple[Operation, ...],
    states: Matrix,
    rows: NDArray[np.intp],
    played: NDArray[np.intp],
) -> None:
    """Play pulses that occur once on their rows: square ones together, Gaussian ones in batches of one duration."""
    groups: dict[float, list[int]] = {}
    pulses = [p for i in played if isinstance(p := operations[i], Pulse)]
    for k, pulse in enumerate(pulses):
        groups.setdefault(0.0 if pulse.shape == "square" else pulse.duration, []).append(k)
    for duration, chosen in groups.items():
        play = play_shaped if duration else play_constant
        at = rows[chosen]
        states[at] = play(transmon, [pulses[k] for k in chosen], states[at])


def _played_once(operations: tuple[Operation, ...], sequences: Sequences) -> set[int]:
    """Indices of pulses whose envelope occurs once in the whole program."""
    uses = np.bincount(np.concatenate([*sequences, np.empty(0, np.intp)]).astype(np.intp), minlength=len(operations))
    envelopes: Counter[tuple[str | float, ...]] = Counter()
    for operation, count in zip(operations, uses, strict=True):
        if isinstance(operation, Pulse):
            envelopes[_envelope(operation)] += int(count)
    return {
        i
        for i, operation in enumerate(operations)
        if isinstance(operation, Pulse) and envelopes[_envelope(operation)] <= 1
    }


def _envelope(pulse: Pulse) -> tuple[str | float, ...]:
    return (pulse.shape, pulse.amplitude, pulse.duration, pulse.drag, pulse.detuning)


def _play_fused(transmon: Transmon, operations: tuple[Operation, ...], sequences: Sequences) -> NDArray[np.float64]:
    """Final populations (n_points, 4) of long sequences over a small alphabet, such as randomized benchmarking.

    Works in real 16-vectors (an orthonormal Hermitian basis), and replaces runs of k operations by one
    product from a table of all len(operations)^k of them.
    """
    basis = hermitian_basis()
    real = np.ascontiguousarray((basis.conj().T @ felt_channels(transmon, operations) @ basis).real)
    real = np.concatenate([real, np.eye(LEVELS**2)[None]])  # the last entry pads a sequence to full runs
    radix, table, run = len(real), real, 1
    while len(table) * radix <= TABLE_LIMIT:
        # entry (run, next) -> run first, then next
        table = (real[None, :] @ table[:, None]).reshape(-1, LEVELS**2, LEVELS**2)
        run += 1
    order = np.argsort([-len(s) for s in sequences], kind="stable")
    codes = [_encode(sequences[i], radix, run) for i in order]
    counts = np.array([len(c) for c in codes])
    padded = np.zeros((len(codes), counts.max()), dtype=np.intp)
    for row, code in zip(padded, codes, strict=True):
        row[: len(code)] = code
    states = np.tile((basis.conj().T @ transmon.thermal_state()).real[:, None], (len(codes), 1, 1))
    for step in range(padded.shape[1]):
        active = int(np.searchsorted(-counts, -step, side="left"))
        states[:active] = table[padded[:active, step]] @ states[:active]
    result = np.empty((len(codes), LEVELS))
    result[order] = (states[:, :, 0] @ basis.T[:, DIAGONAL]).real
    return np.clip(result, 0, 1)


def _encode(sequence: NDArray[np.intp], radix: int, run: int) -> NDArray[np.intp]:
    """Sequence as numbers of `run` digits to base `radix`, first operation in the highest digit."""
    missing = -len(sequence) % run
    digits = np.concatenate([sequence, np.full(missing, radix - 1)]).reshape(-1, run)
    return np.asarray(digits @ (radix ** np.arange(run - 1, -1, -1)), dtype=np.intp)


def hermitian_basis() -> Matrix:
    """Unitary (16, 16) whose columns are flattened orthonormal Hermitian matrices; in it states are real."""
    columns = []
    for i in range(LEVELS):
        for j in range(LEVELS):
            m = np.zeros((LEVELS, LEVELS), dtype=complex)
            if i == j:
                m[i, i] = 1
            elif i < j:
                m[i, j] = m[j, i] = np.sqrt(0.5)
            else:
                m[i, j], m[j, i] = 1j * np.sqrt(0.5), -1j * np.sqrt(0.5)
            columns.append(m.ravel())
    return np.array(columns).T
