"""Channels of one driven transmon: four levels, Lindblad noise, in the rotating frame of the drive.

H / 2 pi = d n + alpha/2 n (n - 1) + (E* a + E a+) / 2, where d is qubit minus drive frequency and E the complex
Rabi rate (MHz). Density matrices are flattened row by row, so a channel is a complex (16, 16) matrix. A pulse's phase
only turns the frame, hence every channel is computed at phase zero and turned afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from labwright.tools.qpu.program import Delay, Operation, Pulse
from labwright.tools.qpu.pulses import gaussian, sample_count
from labwright.tools.qpu.truth import QubitTruth

Matrix = NDArray[np.complex128]

LEVELS = 4
LOWER: NDArray[np.float64] = np.diag(np.sqrt(np.arange(1.0, LEVELS)), 1)
NUMBER = np.arange(LEVELS)
COHERENCE = (NUMBER[:, None] - NUMBER[None, :]).ravel()  # row minus column of every flattened element
TURN = 2j * np.pi


def _commutator(h: NDArray[np.float64]) -> Matrix:
    """-2 pi i [h, .] of a real symmetric h on flattened density matrices."""
    one = np.eye(LEVELS)
    return np.asarray(-TURN * (np.kron(h, one) - np.kron(one, h)))


# The three terms of the Hamiltonian, each for 1 MHz.
TURNING = _commutator(np.diag(NUMBER.astype(float)))
BENDING = _commutator(np.diag(NUMBER * (NUMBER - 1) / 2))
DRIVING = _commutator((LOWER + LOWER.T) / 2)


@dataclass(frozen=True, slots=True)
class Tone:
    """A pulse of another qubit, as it arrives through the drive lines' crosstalk; see `crosstalk`.

    Attributes:
        detuning: MHz, the tone's frequency minus this program's drive frequency.
        pulse: what the other qubit plays, its phase set to zero.
        share: probability that a gate of this qubit meets it.
        compression: of the other drive line, before the crosstalk.
        anharmonicity: MHz, of the other qubit; sets the scale of the pulse's DRAG quadrature.
    """

    detuning: float
    pulse: Pulse
    share: float
    compression: float
    anharmonicity: float


@dataclass(frozen=True, slots=True, eq=False)
class Transmon:
    """One qubit with its drift frozen: what an acquisition runs on.

    Attributes:
        truth: the hidden numbers.
        detuning: MHz, qubit minus the program's drive frequency.
        gain: factor on the drive scale, from the slow amplitude drift.
        tones: what arrives of the pulses that are played on other qubits at the same time.
    """

    truth: QubitTruth
    detuning: float
    gain: float = 1.0
    tones: tuple[Tone, ...] = ()

    def dissipator(self) -> Matrix:
        """Relaxation and thermal excitation of the ladder, and dephasing: (16, 16), 1/us."""
        return _dissipator(self.truth)

    def hamiltonian(self, rabi: NDArray[np.float64], detuning: float) -> Matrix:
        """(n, 4, 4) in MHz for real Rabi rates (n,)."""
        free = detuning * NUMBER + self.truth.anharmonicity / 2 * NUMBER * (NUMBER - 1)
        return np.asarray(np.diag(free) + np.asarray(rabi)[:, None, None] / 2 * (LOWER + LOWER.T), dtype=complex)

    def generator(self, rabi: float, detuning: float) -> Matrix:
        """Lindblad generator (16, 16) under a constant drive, 1/us."""
        coherent = detuning * TURNING + self.truth.anharmonicity * BENDING + rabi * DRIVING
        return np.asarray(coherent + self.dissipator())

    def rabi_rate(self, envelope: Matrix) -> Matrix:
        """Complex Rabi rate in MHz: the gain compresses the magnitude and keeps the phase."""
        compressed = 1 + self.truth.compression * np.abs(envelope) ** 2
        return np.asarray(self.gain * self.truth.drive_scale * envelope / compressed)

    def thermal_state(self) -> Matrix:
        """Flattened equilibrium state (16,)."""
        photons = self.truth.thermal_photons
        weights = (photons / (photons + 1)) ** NUMBER
        return np.diag(weights / weights.sum()).ravel().astype(complex)


@lru_cache(maxsize=64)
def _dissipator(truth: QubitTruth) -> Matrix:
    photons, one = truth.thermal_photons, np.eye(LEVELS)
    total = np.zeros((LEVELS**2, LEVELS**2), dtype=complex)
    for rate, jump in (
        ((photons + 1) / truth.t1, LOWER),
        (photons / truth.t1, LOWER.T),
        (2 * truth.dephasing_rate, np.diag(NUMBER.astype(float))),
    ):
        squared = jump.T @ jump
        total += rate * (np.kron(jump, jump) - 0.5 * (np.kron(squared, one) + np.kron(one, squared)))
    total.setflags(write=False)
    return total


def channels(transmon: Transmon, operations: tuple[Operation, ...]) -> Matrix:
    """The channel of every operation, (n_operations, 16, 16)."""
    result = np.empty((len(operations), LEVELS**2, LEVELS**2), dtype=complex)
    constant: defaultdict[tuple[float, float], list[int]] = defaultdict(list)
    shaped: defaultdict[tuple[float, float], list[int]] = defaultdict(list)
    for i, operation in enumerate(operations):
        if isinstance(operation, Delay):
            constant[0.0, 0.0].append(i)
        elif operation.shape == "square":
            constant[operation.amplitude, operation.detuning].append(i)
        else:
            shaped[operation.duration, operation.detuning].append(i)
    for (amplitude, detuning), chosen in constant.items():
        durations = np.array([operations[i].duration for i in chosen])
        rabi = float(transmon.rabi_rate(np.array([amplitude]))[0].real)
        result[chosen] = _constant_drive(transmon.generator(rabi, transmon.detuning - detuning), durations)
    for (duration, detuning), chosen in shaped.items():
        pulses = [p for i in chosen if isinstance(p := operations[i], Pulse)]
        result[chosen] = _shaped_channels(transmon, pulses, duration, detuning)
    return result * frames(operations)[:, :, None] * phases(operations).conj()[:, None, :]


def phases(operations: tuple[Operation, ...]) -> Matrix:
    """(n_operations, 16): turns a state from the frame of phase zero into that of the operation's phase."""
    angle = np.array([o.phase if isinstance(o, Pulse) else 0.0 for o in operations])
    return np.asarray(np.exp(1j * angle[:, None] * COHERENCE))


def frames(operations: tuple[Operation, ...]) -> Matrix:
    """(n_operations, 16): what follows an operation: its phase, and the way back from a detuned pulse's frame."""
    turned = np.array([o.detuning * o.duration if isinstance(o, Pulse) else 0.0 for o in operations])
    return np.asarray(phases(operations) * np.exp(-TURN * turned[:, None] * COHERENCE))


def _constant_drive(generator: Matrix, durations: NDArray[np.float64]) -> Matrix:
    """exp(generator t) for every duration from one eigendecomposition, (n, 16, 16)."""
    values, vectors = np.linalg.eig(generator)
    inverse = np.linalg.inv(vectors)
    # A generator near an exceptional point has no good eigenbasis; it is rare, and then expm is slow but safe.
    if np.abs((vectors * values) @ inverse - generator).max() > 1e-9 * np.abs(generator).max():
        return np.array([expm(generator * t) for t in durations])
    return np.asarray((vectors * np.exp(durations[:, None, None] * values)) @ inverse)


def slice_unitaries(transmon: Transmon, rabi: Matrix, step: float, detuning: float) -> Matrix:
    """exp(-2 pi i H step) for complex Rabi rates of any shape, (4, 4, ...).

    The unitary is an entire function of the magnitude, so a Chebyshev series through a few
    eigendecompositions gives all of them to rounding error; the phase turns the frame.
    """
    size = np.abs(rabi)
    largest = max(float(size.max(initial=0.0)), 1e-9)
    n = 16 + int(np.ceil(4 * np.pi * largest * step))
    nodes = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    values, vectors = np.linalg.eigh(transmon.hamiltonian((nodes + 1) * largest / 2, detuning))
    exact = (vectors * np.exp(-TURN * values * step)[:, None, :]) @ vectors.conj().transpose(0, 2, 1)
    weights = 2 / n * np.cos(np.arange(n)[:, None] * np.arccos(nodes)[None, :])
    weights[0] /= 2
    coefficients = (weights @ exact.reshape(n, -1)).T
    series = np.ascontiguousarray(np.polynomial.chebyshev.chebvander(2 * size.ravel() / largest - 1, n - 1).T)
    flat = np.empty((LEVELS**2, series.shape[1]), dtype=complex)
    flat.real, flat.imag = coefficients.real @ series, coefficients.imag @ series
    if rabi.imag.any() or (rabi.real < 0).any():
        turn = np.exp(1j * np.angle(rabi).ravel() * np.arange(1 - LEVELS, LEVELS)[:, None])
        flat *= turn[COHERENCE + LEVELS - 1]
    return flat.reshape(LEVELS, LEVELS, *rabi.shape)


def _envelopes(transmon: Transmon, pulses: list[Pulse], duration: float) -> Matrix:
    amplitude = np.array([p.amplitude for p in pulses])
    drag = np.array([p.drag for p in pulses])
    return transmon.rabi_rate(gaussian(amplitude, drag, duration, transmon.truth.anharmonicity))


def _shaped_channels(transmon: Transmon, pulses: list[Pulse], duration: float, detuning: float) -> Matrix:
    """Channels of pulses of one duration, phase zero: unitary samples with the dissipator between them."""
    step = duration / sample_count(duration)
    half = expm(transmon.dissipator() * step / 2)
    result = np.empty((len(pulses), LEVELS**2, LEVELS**2), dtype=complex)
    keys = [(p.amplitude, p.drag) for p in pulses]
    unique = dict(zip(keys, pulses, strict=True))
    places = {key: [i for i, k in enumerate(keys) if k == key] for key in unique}
    for key, pulse in unique.items():
        u = slice_unitaries(transmon, _envelopes(transmon, [pulse], duration)[0], step, transmon.detuning - detuning)
        product = np.einsum("abk,cdk->kacbd", u, u.conj()).reshape(-1, LEVELS**2, LEVELS**2) @ (half @ half)
        while len(product) > 1:
            paired = product[1::2] @ product[: len(product) - 1 : 2]
            product = paired if len(product) % 2 == 0 else np.concatenate([paired, product[-1:]])
        result[places[key]] = half @ product[0] @ np.linalg.inv(half)
    return result


def play_constant(transmon: Transmon, pulses: list[Pulse], states: Matrix) -> Matrix:
    """Square pulses, each on its own state (n, m, 16); for pulses that occur once."""
    result = states * phases(tuple(pulses)).conj()[:, None, :]
    groups: defaultdict[tuple[float, float], list[int]] = defaultdict(list)
    for i, pulse in enumerate(pulses):
        groups[pulse.amplitude, pulse.detuning].append(i)
    for (amplitude, detuning), chosen in groups.items():
        rabi = float(transmon.rabi_rate(np.array([amplitude]))[0].real)
        generator = transmon.generator(rabi, transmon.detuning - detuning)
        durations = np.array([pulses[i].duration for i in chosen])
        result[chosen] = _evolved(generator, durations, result[chosen])
    return np.asarray(result * frames(tuple(pulses))[:, None, :])


def _evolved(generator: Matrix, durations: NDArray[np.float64], states: Matrix) -> Matrix:
    """exp(generator t) on the state (n, m, 16) of every duration (n,)."""
    values, vectors = np.linalg.eig(generator)
    flat = states.reshape(-1, LEVELS**2)
    parts = np.linalg.solve(vectors, flat.T)
    if np.abs((vectors * values) @ parts - generator @ flat.T).max() > 1e-9 * np.abs(generator).max():
        return np.asarray(states @ _constant_drive(generator, durations).transpose(0, 2, 1))
    grown = parts.T.reshape(states.shape) * np.exp(durations[:, None, None] * values)
    return np.asarray(grown @ vectors.T)


def play_shaped(transmon: Transmon, pulses: list[Pulse], states: Matrix) -> Matrix:
    """Shaped pulses of one duration, each on its own state (n, m, 16); for pulses that occur once.

    Cheaper than channels: a sample costs two products of (4, 4) matrices instead of one of (16, 16). The batch is the
    last axis of every array, where numpy is fastest for matrices this small.
    """
    duration = pulses[0].duration
    step = duration / sample_count(duration)
    half = expm(transmon.dissipator() * step / 2)
    u = _samples_of(transmon, pulses, step)
    n, m, _ = states.shape
    start = (states * phases(tuple(pulses)).conj()[:, None, :]) @ half.T
    rho = np.ascontiguousarray(np.moveaxis(start, 2, 0))
    whole = half @ half
    for sample in range(u.shape[2]):
        now = u[:, :, sample]
        square = rho.reshape(LEVELS, LEVELS, n, m)
        square = (now[:, :, None, :, None] * square[None]).sum(1)
        square = (square[:, None] * now.conj()[None, :, :, :, None]).sum(2)
        rho = (whole @ square.reshape(LEVELS**2, n * m)).reshape(LEVELS**2, n, m)
    end = np.moveaxis(rho, 0, 2) @ np.linalg.inv(half).T
    return np.asarray(end * frames(tuple(pulses))[:, None, :])


def _samples_of(transmon: Transmon, pulses: list[Pulse], step: float) -> Matrix:
    """Unitary of every sample, (4, 4, n_samples, n_pulses)."""
    rabi = _envelopes(transmon, pulses, pulses[0].duration)
    u = np.empty((LEVELS, LEVELS, *rabi.T.shape), dtype=complex)
    detunings = np.array([p.detuning for p in pulses])
    for detuning in np.unique(detunings):
        chosen = detunings == detuning
        u[..., chosen] = slice_unitaries(transmon, rabi[chosen].T, step, transmon.detuning - detuning)
    return u
