"""Plays the sequences of a joint program on a register; what several points share is played once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.dynamics import COHERENCE, LEVELS, NUMBER, TURN, Matrix, Transmon, channels
from labwright.tools.qpu.joint import (
    JointOperation,
    JointProgram,
    Slot,
    Stark,
    Turn,
    different_slots,
    duration_of,
    slot_times,
)
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.register import Register, sum_of
from labwright.tools.qpu.stark import Apply, Tone, local, stark_action, tone_of

Real = NDArray[np.float64]
LARGEST = 3  # coupled qubits that are simulated together


def joint_populations(register: Register, program: JointProgram) -> Real:
    """Mean populations of the d levels before readout, (n_points, d), averaged over quasi-static detuning."""
    times = slot_times(program)
    offsets, weights = offsets_of(register, max((float(t.sum()) for t in times), default=0.0))
    player = Player(register, offsets)
    states = player.play(program)
    diagonal = np.einsum("noaa,o->na", states, weights).real
    return np.asarray(np.clip(diagonal, 0, 1))


def offsets_of(register: Register, idle: float) -> tuple[Real, Real]:
    """Quasi-static detunings (n_offsets, n_qubits) in MHz and their weights.

    Two points a qubit at +-sqrt(n) sigma average every polynomial up to the third degree (the unscented rule); where
    the phase exceeds a radian a product of Gauss-Hermite rules takes over.
    """
    sigma = np.array([transmon.truth.detuning_sigma for transmon in register.transmons])
    phase = 2 * np.pi * float(sigma.max()) * idle
    n = len(sigma)
    if phase < 0.1:
        return np.zeros((1, n)), np.ones(1)
    if phase < 1.0 or n > 2:
        steps = np.sqrt(n) * np.diag(sigma)
        return np.concatenate([steps, -steps]), np.full(2 * n, 1 / (2 * n))
    nodes, weights = np.polynomial.hermite_e.hermegauss(int(np.clip(np.ceil(phase**2 / 1.5), 3, 12)))
    grid = np.array(np.meshgrid(*[nodes] * n, indexing="ij")).reshape(n, -1).T
    product = np.array(np.meshgrid(*[weights] * n, indexing="ij")).reshape(n, -1).prod(axis=0)
    return grid * sigma, product / product.sum()


@dataclass
class Player:
    """Plays slots on states (m, n_offsets, d, d), and keeps what each kind of slot needs."""

    register: Register
    offsets: Real

    def __post_init__(self) -> None:
        self._starks: dict[Tone, Apply] = {}
        self._locals: dict[Slot, Callable[[Matrix], Matrix]] = {}

    def play(self, program: JointProgram) -> Matrix:
        """Final states (n_points, n_offsets, d, d)."""
        slots, coded = different_slots(program)
        states = self.start()[None]
        at = np.zeros(len(coded), dtype=np.intp)  # which state every point is in
        lengths = np.array([len(code) for code in coded], dtype=int)
        ended: dict[int, tuple[NDArray[np.intp], Matrix]] = {}
        for position in range(lengths.max(initial=0)):
            if (done := np.flatnonzero(lengths == position)).size:
                ended[position] = (done, states[at[done]])
            rows = np.flatnonzero(lengths > position)
            pairs = np.stack([at[rows], np.array([coded[r][position] for r in rows])], axis=1)
            unique, place = np.unique(pairs, axis=0, return_inverse=True)
            states = self._step(states, unique, slots)
            at[rows] = place.reshape(-1)
        last = int(lengths.max(initial=0))
        rows = np.flatnonzero(lengths == last)
        ended[last] = (rows, states[at[rows]])
        result = np.empty((len(coded), *self.start().shape), dtype=complex)
        for chosen, final in ended.values():
            result[chosen] = final
        return result

    def start(self) -> Matrix:
        """Thermal equilibrium for every offset, (n_offsets, d, d)."""
        state = np.ones((1, 1), dtype=complex)
        for transmon in self.register.transmons:
            state = np.kron(state, transmon.thermal_state().reshape(LEVELS, LEVELS))
        return np.tile(state, (len(self.offsets), 1, 1))

    def _step(self, states: Matrix, unique: NDArray[np.intp], slots: list[Slot]) -> Matrix:
        """New states, one a row (state, slot) of `unique`."""
        result = np.empty((len(unique), *states.shape[1:]), dtype=complex)
        groups: defaultdict[Tone | int, list[int]] = defaultdict(list)
        for row, code in enumerate(unique[:, 1]):
            slot = slots[code]
            driven = tuple(o if isinstance(o, Stark) else None for o in slot)
            groups[tone_of(driven) if any(driven) else int(code)].append(row)
        for kind, rows in groups.items():
            chosen = [slots[code] for code in unique[rows, 1]]
            result[rows] = self.slot(kind, chosen, states[unique[rows, 0]])
        return result

    def play_slot(self, slot: Slot, states: Matrix) -> Matrix:
        """Play one slot on all states (m, n_offsets, d, d)."""
        driven = tuple(o if isinstance(o, Stark) else None for o in slot)
        kind = tone_of(driven) if any(driven) else -1
        return self.slot(kind, [slot] * len(states), states)

    def slot(self, kind: Tone | int, chosen: list[Slot], states: Matrix) -> Matrix:
        """Play one slot a state (m, n_offsets, d, d): Stark slots of one tone, or one slot without Stark pulses."""
        m, k, d, _ = states.shape
        durations = np.array([max((duration_of(o) for o in slot if o is not None), default=0.0) for slot in chosen])
        flat = states.reshape(m * k, d, d)
        if isinstance(kind, Tone):
            if kind not in self._starks:
                self._starks[kind] = stark_action(self.register, kind)
            flat = self._starks[kind](flat, np.repeat(durations, k))
        else:
            if chosen[0] not in self._locals:
                self._locals[chosen[0]] = self._local_action(chosen[0])
            flat = self._locals[chosen[0]](flat)
        return self._detuned(flat.reshape(m, k, d, d), durations)

    def _detuned(self, states: Matrix, durations: Real) -> Matrix:
        if len(self.offsets) == 1 or not durations.any():
            return states
        extra = np.array([sum_of([NUMBER * float(o) for o in row]) for row in self.offsets])
        turn = np.exp(-TURN * durations[:, None, None] * extra)
        return np.asarray(states * turn[..., :, None] * turn.conj()[..., None, :])

    def _local_action(self, slot: Slot) -> Callable[[Matrix], Matrix]:
        """Pulses, delays and virtual Z of one slot: a channel a qubit, with the coupling's phases around it."""
        whole = max((duration_of(o) for o in slot if o is not None), default=0.0)
        parts = [_one_qubit(transmon, o, whole) for transmon, o in zip(self.register.transmons, slot, strict=True)]
        half = np.exp(-TURN * self.register.mixing * whole / 2)
        phases = half[:, None] * half.conj()[None, :]
        return lambda states: local(states * phases, parts) * phases


def _one_qubit(transmon: Transmon, operation: JointOperation | None, whole: float) -> Matrix:
    """Channel (16, 16) of one qubit in a slot of `whole` us."""
    if isinstance(operation, Turn):
        angle = np.exp(1j * operation.angle * COHERENCE)
        return np.asarray(channels(transmon, (Delay(whole),))[0] * angle[:, None])
    played: tuple[Operation, ...] = () if operation is None or isinstance(operation, Stark) else (operation,)
    left = whole - sum(o.duration for o in played)
    channel = np.eye(LEVELS**2, dtype=complex)
    for part in channels(transmon, (*played, *((Delay(left),) if left > 0 else ()))):
        channel = part @ channel
    return channel
