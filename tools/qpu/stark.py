"""Stark drives on a register: edges sample by sample, the flat top at once, and the frame on both sides.

In the frame of the drive a flat top is a constant Hamiltonian. On two qubits its Lindblad generator is diagonalised
once and serves every duration. On three it would not fit (4096, 4096); there the flat top is a unitary cut into slices
with the noise between them, of unequal lengths, so that no beat of the drive falls into step with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from labwright.tools.qpu.dynamics import LEVELS, NUMBER, TURN, Matrix
from labwright.tools.qpu.joint_program import Stark
from labwright.tools.qpu.pulses import SAMPLE
from labwright.tools.qpu.transmon_register import Register, drive, sum_of

Real = NDArray[np.float64]
Apply = Callable[[Matrix, Real], Matrix]  # (states (m, d, d), flat durations (m,) in us) -> states
Channel = Callable[[Matrix], Matrix]  # states (m, d, d) -> states
NOISE_PIECES = 2  # of one edge
APART = 1.0  # MHz
FEW = 64  # states
SLICE = 0.005  # us between two doses of noise on a flat top of three qubits
GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class Tone:
    """What makes two Stark slots differ by their duration alone: frequency, edge, amplitude and phase a qubit."""

    frequency: float
    edge: float
    drives: tuple[tuple[float, float], ...]  # (amplitude, phase); (0, 0) for a qubit that is not driven


def tone_of(operations: tuple[Stark | None, ...]) -> Tone:
    """The tone of a slot that `joint.require_one_tone` has passed."""
    first = next(operation for operation in operations if operation is not None)
    drives = tuple((o.amplitude, o.phase) if o else (0.0, 0.0) for o in operations)
    return Tone(first.frequency, first.edge, drives)


def edge_envelope(edge: float) -> Real:
    """Rising cosine edge, sampled at the middles of the samples; empty if there is none."""
    n = int(np.ceil(edge / SAMPLE - 1e-9)) if edge > 0 else 0
    return np.asarray((1 - np.cos(np.pi * (np.arange(n) + 0.5) / max(n, 1))) / 2)


def rabi_rates(register: Register, tone: Tone, envelope: Real) -> Matrix:
    """Complex Rabi rates (n_samples, n_qubits), MHz."""
    rates = [
        transmon.rabi_rate(np.asarray(amplitude * envelope, dtype=complex)) * np.exp(1j * phase)
        for transmon, (amplitude, phase) in zip(register.transmons, tone.drives, strict=True)
    ]
    return np.array(rates).T


def samples(register: Register, tone: Tone, envelope: Real, step: float) -> Matrix:
    """Unitary of every sample, (n_samples, d, d), in the frame of the drive."""
    h = np.diag(register.in_frame(tone.frequency)) + drive(register.lowering, rabi_rates(register, tone, envelope))
    values, vectors = np.linalg.eigh(h)
    return np.asarray((vectors * np.exp(-TURN * values * step)[:, None, :]) @ vectors.conj().transpose(0, 2, 1))


def edge_pieces(register: Register, tone: Tone, rising: bool = True) -> tuple[Matrix, float]:
    """Unitaries (pieces, d, d) of the parts of an edge between which noise acts, and the length of one in us."""
    envelope = edge_envelope(tone.edge)[:: 1 if rising else -1]
    if not len(envelope):
        return np.zeros((0, register.dimension, register.dimension), dtype=complex), 0.0
    u = samples(register, tone, envelope, tone.edge / len(envelope))
    return np.array([chained(part) for part in np.array_split(u, NOISE_PIECES)]), tone.edge / NOISE_PIECES


def chained(unitaries: Matrix) -> Matrix:
    """The product of unitaries (k, d, d), the first one acting first."""
    product = unitaries
    while len(product) > 1:
        paired = product[1::2] @ product[: len(product) - 1 : 2]
        product = paired if len(product) % 2 == 0 else np.concatenate([paired, product[-1:]])
    return np.asarray(product[0])


def flat_hamiltonian(register: Register, tone: Tone) -> Matrix:
    """(d, d) in MHz on the flat top, in the frame of the drive."""
    rates = rabi_rates(register, tone, np.ones(1))[0]
    return np.asarray(np.diag(register.in_frame(tone.frequency)) + drive(register.lowering, rates))


def gate_unitary(register: Register, tone: Tone, duration: float) -> Matrix:
    """A whole Stark pulse without noise, (d, d), in the qubits' own frames."""
    rise, fall = (edge_pieces(register, tone, rising)[0] for rising in (True, False))
    values, vectors = np.linalg.eigh(flat_hamiltonian(register, tone))
    flat = (vectors * np.exp(-TURN * values * (duration - 2 * tone.edge))) @ vectors.conj().T
    u = chained(np.concatenate([rise, flat[None], fall]))
    return np.asarray(back(register, tone, np.array([duration]))[0][:, None] * u)


def back(register: Register, tone: Tone, durations: Real) -> Matrix:
    """Phases (m, d) from the frame of the drive to the qubits' own, which agree at the beginning of the pulse."""
    apart = sum_of([NUMBER * (frame - tone.frequency) for frame in register.frames])
    return np.asarray(np.exp(TURN * np.outer(durations, apart)))


def stark_action(register: Register, tone: Tone) -> Apply:
    """What a Stark pulse does to states (m, d, d), each with a duration of its own (us, edges included)."""
    pair = len(register.transmons) <= 2
    rise, fall = (_edge(register, tone, rising) for rising in (True, False))
    if pair:
        rise, fall = tabulated(rise, register.dimension), tabulated(fall, register.dimension)
    flat = _flat_pair(register, tone) if pair else _flat_sliced(register, tone)

    def act(states: Matrix, durations: Real) -> Matrix:
        states = fall(flat(rise(states), durations - 2 * tone.edge))
        turn = back(register, tone, durations)
        return np.asarray(states * turn[:, :, None] * turn.conj()[:, None, :])

    return act


def _edge(register: Register, tone: Tone, rising: bool) -> Channel:
    """One edge, noise between its pieces."""
    pieces, length = edge_pieces(register, tone, rising)
    noise = _noise(register, length)

    def act(states: Matrix) -> Matrix:
        for unitary in pieces:
            states = noise(unitary @ noise(states) @ unitary.conj().T)
        return states

    return act


def tabulated(channel: Channel, d: int) -> Channel:
    """The same channel; for many states as one product with a (d^2, d^2) matrix, made when it is first needed."""
    tables: list[Matrix] = []

    def act(states: Matrix) -> Matrix:
        if len(states) < FEW:
            return channel(states)
        if not tables:
            basis = np.eye(d * d, dtype=complex).reshape(-1, d, d)
            tables.append(channel(basis).reshape(d * d, d * d))
        return np.asarray((states.reshape(len(states), -1) @ tables[0]).reshape(-1, d, d))

    return act


def _noise(register: Register, duration: float) -> Channel:
    """Half a `duration` us of relaxation and dephasing of every qubit."""
    channels = [expm(transmon.dissipator() * duration / 2) for transmon in register.transmons]
    return lambda states: local(states, channels)


def local(states: Matrix, channels: list[Matrix]) -> Matrix:
    """One channel (16, 16) on each qubit of states (m, d, d)."""
    n, m = len(channels), len(states)
    paired = [0] + [axis for q in range(n) for axis in (1 + q, 1 + n + q)]
    tensor = states.reshape(m, *[LEVELS] * (2 * n)).transpose(paired)
    for q, channel in enumerate(channels):
        tensor = channel @ tensor.reshape(m * LEVELS ** (2 * q), LEVELS**2, -1)
    unpaired = np.argsort(paired)
    return np.asarray(tensor.reshape(m, *[LEVELS] * (2 * n)).transpose(unpaired).reshape(m, LEVELS**n, LEVELS**n))


def dissipator(register: Register) -> Matrix:
    """Relaxation and dephasing of all qubits on row-by-row flattened states, (d^2, d^2), 1/us."""
    d = register.dimension
    basis = np.eye(d * d, dtype=complex).reshape(-1, d, d)
    total = np.zeros((d * d, d * d), dtype=complex)
    for q, transmon in enumerate(register.transmons):
        parts = [np.eye(LEVELS**2, dtype=complex) for _ in register.transmons]
        parts[q] = transmon.dissipator()
        total += local(basis, parts).reshape(d * d, d * d).T
    return total


def _flat_pair(register: Register, tone: Tone) -> Apply:
    """Evolution under the flat top for every duration, in the eigenbasis of its Hamiltonian.

    There a coherence only turns, and noise is slow: it can move weight only between coherences that turn nearly alike.
    What turns faster than `APART` against each other averages out (an amplitude of noise rate / 2 pi APART, 1e-3),
    which leaves small blocks to diagonalise instead of one generator of (256, 256).
    """
    energies, vectors = np.linalg.eigh(flat_hamiltonian(register, tone))
    d = register.dimension
    into = np.kron(vectors.conj().T, vectors.T)
    total = into @ dissipator(register) @ into.conj().T
    beats = (energies[:, None] - energies[None, :]).ravel()
    np.fill_diagonal(total, np.diag(total) - TURN * beats)
    order = np.argsort(beats)
    blocks = np.split(order, np.flatnonzero(np.diff(beats[order]) > APART) + 1)
    solved = [(block, *_eigen(total[np.ix_(block, block)])) for block in blocks]

    def act(states: Matrix, durations: Real) -> Matrix:
        parts = (vectors.conj().T @ states @ vectors).reshape(len(states), -1)
        for block, values, right, left in solved:
            parts[:, block] = ((parts[:, block] @ left.T) * np.exp(durations[:, None] * values)) @ right.T
        return np.asarray(vectors @ parts.reshape(-1, d, d) @ vectors.conj().T)

    return act


def _eigen(block: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Eigenvalues, eigenvectors and their inverse."""
    values, right = np.linalg.eig(block)
    return values, right, np.linalg.inv(right)


def _flat_sliced(register: Register, tone: Tone) -> Apply:
    values, vectors = np.linalg.eigh(flat_hamiltonian(register, tone))
    adjoint = vectors.conj().T

    def one(state: Matrix, duration: float) -> Matrix:
        count = max(1, int(np.ceil(duration / SLICE)))
        cuts = np.sort(np.modf(0.5 + GOLDEN * np.arange(count - 1))[0])
        for length in np.diff(np.concatenate([[0.0], cuts, [1.0]])) * duration:
            noise = _noise(register, float(length))
            u = (vectors * np.exp(-TURN * values * length)) @ adjoint
            state = noise(u @ noise(state) @ u.conj().T)
        return state

    def act(states: Matrix, durations: Real) -> Matrix:
        result = np.empty_like(states)
        for duration in np.unique(durations):
            chosen = durations == duration
            result[chosen] = one(states[chosen], float(duration))
        return result

    return act
