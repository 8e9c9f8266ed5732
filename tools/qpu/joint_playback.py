"""Plays the sequences of a joint program on a register; what several points share is played once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.dynamics import COHERENCE, LEVELS, NUMBER, TURN, Matrix, Transmon, channels
from labwright.tools.qpu.dynamics import Tone as Felt
from labwright.tools.qpu.joint_crosstalk import Line, felt_channel, lines_of, tones_in
from labwright.tools.qpu.joint_program import (
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
from labwright.tools.qpu.stark import Apply, Tone, stark_action, tone_of
from labwright.tools.qpu.transmon_register import Register, sum_of

Real = NDArray[np.float64]
LARGEST = 3  # coupled qubits that are simulated together


def joint_populations(register: Register, program: JointProgram, around: tuple[Line, ...] = ()) -> Real:
    """Mean populations of the d levels before readout, (n_points, d), averaged over quasi-static detuning.

    `around` are the lines of the program's columns behind the register's; see `joint_crosstalk.surrounded`.
    """
    times = slot_times(program)
    offsets, weights = offsets_of(register, max((float(t.sum()) for t in times), default=0.0))
    player = Player(register, offsets, around)
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


SPLIT = 3e-4  # largest error of a wait, as a share of its coherence


class Table(NamedTuple):
    """What slots without Stark pulses do, one a row.

    Attributes:
        channels: (n_slots, n_qubits, 16, 16), of one piece of a slot.
        halves: (n_slots, d), phases of half a piece's coupling.
        durations: of whole slots, us, (n_slots,).
        pieces: (n_slots,), how many equal ones a slot has.
    """

    channels: Matrix
    halves: Matrix
    durations: Real
    pieces: NDArray[np.intp]

    def chosen(self, rows: NDArray[np.intp]) -> Table:
        """Some of the rows."""
        return Table(self.channels[rows], self.halves[rows], self.durations[rows], self.pieces[rows])


@dataclass
class Player:
    """Plays slots on states (m, n_offsets, d, d), and keeps what each kind of slot needs.

    A slot holds one operation for each of the register's qubits, and behind these one for each line of `around`.
    """

    register: Register
    offsets: Real
    around: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        self._starks: dict[Tone, Apply] = {}
        self._tables: dict[Slot, Table] = {}
        self._parts: dict[tuple[int, JointOperation | None, float, tuple[Felt, ...]], Matrix] = {}
        self._lines = (*lines_of(self.register), *self.around)

    def play(self, program: JointProgram) -> Matrix:
        """Final states (n_points, n_offsets, d, d)."""
        slots, coded = different_slots(program)
        tables = self._stacked(slots)
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
            states = self._step(states, unique, slots, tables)
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

    def _step(self, states: Matrix, unique: NDArray[np.intp], slots: list[Slot], tables: Table) -> Matrix:
        """New states, one a row (state, slot) of `unique`."""
        result = np.empty((len(unique), *states.shape[1:]), dtype=complex)
        groups: defaultdict[Tone | None, list[int]] = defaultdict(list)
        for row, code in enumerate(unique[:, 1]):
            groups[_tone(slots[code])].append(row)
        for tone, rows in groups.items():
            begun, codes = states[unique[rows, 0]], unique[rows, 1]
            if tone is None:
                result[rows] = self._locally(begun, tables.chosen(codes))
            else:
                result[rows] = self._driven(begun, tone, tables.durations[codes])
        return result

    def play_slot(self, slot: Slot, states: Matrix) -> Matrix:
        """Play one slot on all states (m, n_offsets, d, d)."""
        tone = _tone(slot)
        if tone is None:
            return self._locally(states, self._table(slot))
        return self._driven(states, tone, np.full(len(states), _duration(slot)))

    def _driven(self, states: Matrix, tone: Tone, durations: Real) -> Matrix:
        """Stark slots of one tone, each of its own duration."""
        m, k, d, _ = states.shape
        if tone not in self._starks:
            self._starks[tone] = stark_action(self.register, tone)
        flat = self._starks[tone](states.reshape(m * k, d, d), np.repeat(durations, k))
        return self._detuned(flat.reshape(m, k, d, d), durations)

    def _locally(self, states: Matrix, table: Table) -> Matrix:
        """Slots without Stark pulses: a channel a qubit, with the coupling's phases around it, piece by piece."""
        half = np.broadcast_to(
            table.halves[:, None, :, None] * table.halves.conj()[:, None, None, :], (len(states), 1, *states.shape[2:])
        )
        channels = np.broadcast_to(table.channels, (len(states), *table.channels.shape[1:]))
        pieces, moved = np.broadcast_to(table.pieces, len(states)), np.array(states)
        for done in range(int(pieces.max(initial=0))):
            rows = pieces > done
            moved[rows] = each_by_its_own(moved[rows] * half[rows], channels[rows]) * half[rows]
        return self._detuned(moved, np.broadcast_to(table.durations, len(states)))

    def _stacked(self, slots: list[Slot]) -> Table:
        """The tables of all slots, one below the other; those of Stark slots hold nothing but the duration."""
        n, d = len(self.register.transmons), self.register.dimension
        nothing = np.zeros((1, n, LEVELS**2, LEVELS**2), dtype=complex), np.zeros((1, d), dtype=complex)
        each = [
            Table(*nothing, np.array([_duration(slot)]), np.zeros(1, int)) if _tone(slot) else self._table(slot)
            for slot in slots
        ] or [Table(*nothing, np.zeros(1), np.zeros(1, int))]
        return Table(*(np.concatenate(parts) for parts in zip(*each, strict=True)))

    def _table(self, slot: Slot) -> Table:
        """What one slot without Stark pulses does."""
        if slot not in self._tables:
            whole = _duration(slot)
            pieces = self._pieces(slot, whole)
            part: Slot = slot if pieces == 1 else tuple(Delay(whole / pieces) for _ in slot)
            places = range(len(self.register.transmons))
            channels = np.array([self._part(place, part, whole / pieces) for place in places])
            half = np.exp(-TURN * self.register.mixing * whole / pieces / 2)
            self._tables[slot] = Table(channels[None], half[None], np.array([whole]), np.array([pieces]))
        return self._tables[slot]

    def _pieces(self, slot: Slot, whole: float) -> int:
        """Into how many a wait is cut, since a qubit that falls may do so at any time while the coupling turns another.

        Falling in the middle of every piece instead is off by the chance to fall times the turned angle squared over
        24, a piece: the whole wait by at most `SPLIT`.
        """
        if any(not isinstance(operation, Delay | None) for operation in slot):
            return 1
        n = len(self.register.transmons)
        low = np.indices((LEVELS,) * n).reshape(n, -1).max(axis=0) <= 1
        angle = 2 * np.pi * float(np.ptp(self.register.mixing[low])) * whole
        falls = whole / min(transmon.truth.t1 for transmon in self.register.transmons)
        return max(1, int(np.ceil(angle * np.sqrt(falls / 24 / SPLIT))))

    def _part(self, place: int, slot: Slot, whole: float) -> Matrix:
        """Channel (16, 16) of the qubit at `place`."""
        transmon = self.register.transmons[place]
        tones = tones_in(slot, self._lines[: len(slot)], place, transmon, whole)
        key = place, slot[place], whole, tones
        if key not in self._parts:
            self._parts[key] = _one_qubit(transmon, slot[place], whole, tones)
        return self._parts[key]

    def _detuned(self, states: Matrix, durations: Real) -> Matrix:
        if len(self.offsets) == 1 or not durations.any():
            return states
        extra = np.array([sum_of([NUMBER * float(o) for o in row]) for row in self.offsets])
        turn = np.exp(-TURN * durations[:, None, None] * extra)
        return np.asarray(states * turn[..., :, None] * turn.conj()[..., None, :])


def _duration(slot: Slot) -> float:
    return max((duration_of(operation) for operation in slot if operation is not None), default=0.0)


def _tone(slot: Slot) -> Tone | None:
    """The tone of a slot with Stark pulses."""
    driven = tuple(operation if isinstance(operation, Stark) else None for operation in slot)
    return tone_of(driven) if any(driven) else None


def each_by_its_own(states: Matrix, channels: Matrix) -> Matrix:
    """Channels (m or 1, n, 16, 16) of n qubits on states (m, k, d, d)."""
    m, k, d, _ = states.shape
    n = channels.shape[1]
    paired = [0, 1] + [axis for q in range(n) for axis in (2 + q, 2 + n + q)]
    tensor = states.reshape(m, k, *[LEVELS] * (2 * n)).transpose(paired)
    for q in range(n):
        tensor = channels[:, None, None, q] @ tensor.reshape(m, k, LEVELS ** (2 * q), LEVELS**2, -1)
    return np.asarray(tensor.reshape(m, k, *[LEVELS] * (2 * n)).transpose(np.argsort(paired)).reshape(m, k, d, d))


def _one_qubit(transmon: Transmon, operation: JointOperation | None, whole: float, tones: tuple[Felt, ...]) -> Matrix:
    """Channel (16, 16) of one qubit in a slot of `whole` us."""
    if isinstance(operation, Turn):
        angle = np.exp(1j * operation.angle * COHERENCE)
        return np.asarray(felt_channel(transmon, Delay(whole), tones) * angle[:, None])
    played: Operation = Delay(whole) if operation is None or isinstance(operation, Stark) else operation
    channel = felt_channel(transmon, played, tones)
    left = whole - played.duration
    return np.asarray(channels(transmon, (Delay(left),))[0] @ channel) if left > 0 else channel
