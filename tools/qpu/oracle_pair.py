"""The truth about a pair: its ZZ map, the true process of its gate, and the best gate there is.

For tests and evaluation only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize

from labwright.tools.qpu.cz_gate_operations import cz_slots
from labwright.tools.qpu.dynamics import LEVELS, TURN, Matrix
from labwright.tools.qpu.joint_playback import Player
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.program import Delay
from labwright.tools.qpu.settings import PairSettings, QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.stark import Tone, back, chained, edge_pieces, flat_hamiltonian
from labwright.tools.qpu.transmon_register import Register, drive

Real = NDArray[np.float64]
CZ: Matrix = np.diag([1.0, 1.0, 1.0, -1.0]).astype(complex)
STEP = 0.25  # MHz of Rabi rate, in which dressed states are followed


@dataclass(frozen=True, slots=True)
class PairError:
    """Average error of a two-qubit gate, and what it is made of.

    Attributes:
        total: 1 - average fidelity to CZ.
        best_turns: total with the best virtual Z on both qubits.
        leakage: mean population lost from levels 0 and 1.
        conditional_phase: of the gate, turns; 0.5 for CZ.
    """

    total: float
    best_turns: float
    leakage: float
    conditional_phase: float


def computational(n: int) -> list[int]:
    """Places of the states with all levels 0 or 1 among the 4^n."""
    return [sum((k >> (n - 1 - q) & 1) * LEVELS ** (n - 1 - q) for q in range(n)) for k in range(2**n)]


def true_process(register: Register, slots: Sequence[Slot]) -> Matrix:
    """E(|i><j|) of what `slots` do on the qubits' levels 0 and 1, (2^n, 2^n, 2^n, 2^n): [i, j] holds the operator."""
    n = len(register.transmons)
    player = Player(register, np.zeros((1, n)))
    chosen = computational(n)
    d, k = register.dimension, len(chosen)
    states = np.zeros((k * k, 1, d, d), dtype=complex)
    for i in range(k):
        for j in range(k):
            states[i * k + j, 0, chosen[i], chosen[j]] = 1
    for slot in slots:
        states = player.play_slot(slot, states)
    return np.asarray(states[:, 0][:, chosen][:, :, chosen].reshape(k, k, k, k))


def average_error(process: Matrix, ideal: Matrix) -> float:
    """1 - average fidelity; what leaves the computational states counts as lost."""
    k = len(ideal)
    wanted = np.einsum("ai,bj->ijab", ideal, ideal.conj())
    entanglement = np.einsum("ijab,ijab->", wanted.conj(), process).real / k**2
    kept = np.einsum("iiaa->", process).real / k
    return float(1 - (k * entanglement + kept) / (k + 1))


def pair_error(device: SimulatedProcessor, name: str, pair: PairSettings | None = None) -> PairError:
    """Error of the pair's calibrated gate, or of another, as the device would play it now."""
    first, second = name.split("-")
    settings = [device.settings.current(qubit) for qubit in (first, second)]
    chosen = device.settings.pair(name) if pair is None else pair
    return gate_error(device.register((first, second)), chosen, settings[0], settings[1])


def gate_error(register: Register, pair: PairSettings, first: QubitSettings, second: QubitSettings) -> PairError:
    """Error of the CZ that `pair` stands for."""
    process = true_process(register, cz_slots(pair, first, second))
    total = average_error(process, CZ)

    def turned(z: Real) -> float:
        phases = np.exp(1j * np.array([0.0, z[1], z[0], z[0] + z[1]]))
        return average_error(process, np.diag(phases) @ CZ)

    found = minimize(turned, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-9})
    phase = np.angle(process[3, 0][3, 0] * process[2, 0][2, 0].conj() * process[1, 0][1, 0].conj()) / (2 * np.pi)
    kept = np.einsum("iiaa->", process).real / 4
    return PairError(total, min(total, float(found.fun)), float(1 - kept), float(phase % 1))


def zz_rate(register: Register, frequency: float, amplitudes: Sequence[float]) -> float:
    """nu = E11 - E10 - E01 + E00 in MHz of the driven dressed states, followed as the drive is raised."""
    tone = Tone(frequency, 0.0, tuple((float(a), 0.0) for a in amplitudes))
    top = drive(register.lowering, _rates(register, tone))
    count = max(2, int(np.abs(_rates(register, tone)).max() / STEP))
    free = np.diag(register.in_frame(frequency)).astype(complex)
    chosen = computational(2)
    values, vectors = np.linalg.eigh(free + np.linspace(0, 1, count)[:, None, None] * top)
    followed = np.eye(register.dimension)[:, chosen].astype(complex)
    energies = np.zeros(4)
    for energy, states in zip(values, vectors, strict=True):
        place = (np.abs(states.conj().T @ followed) ** 2).argmax(axis=0)
        followed, energies = states[:, place], energy[place]
    return float(energies[3] - energies[2] - energies[1] + energies[0])


def _rates(register: Register, tone: Tone) -> Matrix:
    return np.array(
        [
            t.rabi_rate(np.array([a], dtype=complex))[0]
            for t, (a, _) in zip(register.transmons, tone.drives, strict=True)
        ]
    )


@dataclass(frozen=True, slots=True)
class Timed:
    """A drive with the duration that makes it a CZ: one Stark pulse in us, and the error of the pulses alone."""

    frequency: float
    amplitudes: tuple[float, float]
    duration: float
    unitary_error: float


def timed(
    register: Register, frequency: float, amplitudes: tuple[float, float], edge: float, longest: float
) -> Timed | None:
    """The shortest pair of Stark pulses whose phases add up to a CZ; None if that takes longer than `longest` us each.

    Without noise, with perfect X180 and the best virtual Z.
    """
    tone = Tone(frequency, edge, ((amplitudes[0], 0.0), (amplitudes[1], 0.0)))
    rate = zz_rate(register, frequency, amplitudes)
    rise, fall = (chained(edge_pieces(register, tone, rising)[0]) for rising in (True, False))
    values, vectors = np.linalg.eigh(flat_hamiltonian(register, tone))
    chosen = computational(2)

    def pulse(duration: float) -> Matrix:
        flat = (vectors * np.exp(-TURN * values * (duration - 2 * edge))) @ vectors.conj().T
        return np.asarray(back(register, tone, np.array([duration]))[0][:, None] * (fall @ flat @ rise))

    def missing(duration: float) -> float:
        a = np.angle(np.diag(pulse(duration))[chosen])
        wound = (a[3] - a[2] - a[1] + a[0]) / (2 * np.pi)
        expected = -rate * (duration - edge)  # about; takes the measured phase to the right turn
        return float(wound + round(expected - wound) + np.sign(rate) * 0.25)

    guess = 0.25 / abs(rate) + edge if rate else np.inf
    if not guess < longest:
        return None
    low, high = max(2 * edge, 0.5 * guess), 1.6 * guess
    try:
        duration = float(brentq(missing, low, high, xtol=1e-5))
    except ValueError:
        return None
    return Timed(frequency, amplitudes, duration, _echo_error(pulse(duration)[np.ix_(chosen, chosen)]))


def _echo_error(half: Matrix) -> float:
    """Error of pulse, X X, pulse, X X against CZ up to virtual Z, on levels 0 and 1."""
    both = np.fliplr(np.eye(4))
    u = both @ half @ both @ half
    d = np.diag(u * np.diag(CZ)[:, None])
    inner = abs(
        d[0] + d[1] * np.exp(1j * _z(d, 1)) + d[2] * np.exp(1j * _z(d, 2)) + d[3] * np.exp(1j * (_z(d, 1) + _z(d, 2)))
    )
    kept = float((np.abs(u) ** 2).sum()) / 4
    return float(1 - (inner**2 / 4 + kept) / 5)


def _z(diagonal: Matrix, place: int) -> float:
    return float(np.angle(diagonal[0]) - np.angle(diagonal[place]))


def idle_error_rate(register: Register) -> float:
    """Average two-qubit error a us of waiting, from relaxation and dephasing."""
    still = replace(register, energies=np.zeros(register.dimension))
    transmons = tuple(replace(t, detuning=0.0) for t in register.transmons)
    process = true_process(replace(still, transmons=transmons), [(Delay(0.2), Delay(0.2))])
    phases = np.exp(1j * np.angle(np.array([process[i, 0][i, 0] for i in range(4)])))
    return average_error(process, np.diag(phases)) / 0.2


def best_gate(
    register: Register, first: QubitSettings, second: QubitSettings, edge: float, limit: float,
    frequencies: Sequence[float], levels: Sequence[float] = (0.7, 0.8, 0.9, 1.0), exact: int = 6,
) -> tuple[PairSettings, PairError, Real]:  # fmt: skip
    """The best gate on a grid of drive frequencies (MHz) and amplitudes up to `limit` (MHz of Rabi rate on both).

    All points are ranked by their pulses' own error and the noise of their length; the `exact` best are then played
    with everything. Also gives the rank table (n, 4): frequency, share of the limit, length of a pulse, estimate.
    """
    rate = idle_error_rate(register)
    rows, gates = [], []
    for frequency in frequencies:
        for level in levels:
            amplitudes = (_amplitude(register, 0, level * limit), _amplitude(register, 1, level * limit))
            found = timed(register, frequency, amplitudes, edge, 3.0)
            if found:
                length = 2 * (found.duration + first.pulse_duration)
                rows.append((frequency, level, found.duration, found.unitary_error + rate * length))
                gates.append(found)
    table = np.array(rows)
    judged = [_exact(register, gates[i], edge, first, second) for i in np.argsort(table[:, 3])[:exact]]
    best = min(judged, key=lambda item: item[1].best_turns)
    return (*best, table)


def _exact(
    register: Register, gate: Timed, edge: float, first: QubitSettings, second: QubitSettings
) -> tuple[PairSettings, PairError]:
    pair = PairSettings(gate.frequency, *gate.amplitudes, 0.0, gate.duration, edge, 0.0, 0.0)
    return pair, gate_error(register, pair, first, second)


def _amplitude(register: Register, place: int, rabi: float) -> float:
    """Amplitude (full scale) that drives one qubit at `rabi` MHz."""
    transmon = register.transmons[place]
    grid = (
        np.linspace(0, 1 / np.sqrt(transmon.truth.compression), 2001)
        if transmon.truth.compression
        else np.linspace(0, 2, 2001)
    )
    return float(np.interp(rabi, transmon.gain * transmon.truth.gain(grid), grid))
