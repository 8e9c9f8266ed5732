"""The numpy engine: steps on a block of samples, amplitudes by samples, real and imaginary parts apart.

The samples stand last, so that one gate with another angle for each sample is one vectorised operation, and real
coefficients are multiplied as real numbers. A factor i exchanges the two planes and changes a sign, so that it costs
no more than a real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.numpy_engine_schedule import Order, schedule
from labwright.tools.feature_maps.simulation_steps import Kind, Plan, Step

Planes = NDArray[np.floating[Any]]
RUN = 512  # numbers in an inner loop of numpy, if there are so many; measured
PIECE = 1 << 17  # bytes that are worked on at once, so that they are still in the level-2 cache for the next pass
LARGEST_GATE = 3  # wires
CACHE_LINE = 64  # bytes
SMALLEST_BUFFER = 16  # numbers; numpy's least
N_COEFFICIENTS = {Kind.REAL: 4, Kind.CROSS: 4, Kind.DENSE: 8, Kind.SWAP: 0, Kind.FACTOR: 1, Kind.PHASE: 2}
TURNED = {Kind.CROSS: slice(1, 3), Kind.DENSE: slice(4, 8), Kind.PHASE: slice(1, 2)}  # coefficients that belong to i


class Engine:
    """Carries out the steps of a plan on blocks of at most `width` samples; one thread at a time.

    The state lies in one array, and where a stage wants another order of the wires it is copied to a second one. All
    views of the arrays are made once.
    """

    def __init__(self, plan: Plan, width: int, dtype: type[np.floating[Any]]) -> None:
        n_qubits, planes = plan.circuit.n_qubits, plan.planes
        self.plan, self.width = plan, width
        self._psi, self._spare = (_aligned((planes, 2**n_qubits, width), dtype) for _ in range(2))
        self._coefficients = np.zeros((plan.n_rows, width), dtype=dtype)
        self._buffers = _aligned((3, max(PIECE // np.dtype(dtype).itemsize, planes * max(RUN, width))), dtype)
        self._repeated = _aligned((8, planes, max(RUN, width)), dtype)
        reach = max(n_qubits - max((RUN // width).bit_length() - 1, 0), LARGEST_GATE)
        stages = schedule(plan.steps, n_qubits, reach)
        self._start, self._order = self._psi, stages[0].order
        self._first_order = self._order
        self._tasks: list[Callable[[], None]] = []
        for stage in stages:
            self._lay_out(stage.order)
            self._tasks += [self._task(step) for step in stage.steps]

    def run(self, coefficients: Planes, out: Planes) -> None:
        """Write the states into `out` of shape (planes, 2^n, n_samples)."""
        n_samples = out.shape[-1]
        self._coefficients[:, :n_samples] = coefficients
        prepare(self.plan, self._coefficients, self._start, self._first_order)
        with _small_buffers():
            for task in self._tasks:
                task()
        order = tuple(range(len(self._order)))
        np.copyto(_by_wires(out, order, order), _by_wires(self._psi[..., :n_samples], self._order, order))

    def _lay_out(self, order: Order) -> None:
        """A task that copies the state into this order of the wires."""
        if order == self._order:
            return
        there, here = _by_wires(self._spare, order, order), _by_wires(self._psi, self._order, order)
        self._tasks.append(partial(np.copyto, there, here))
        self._psi, self._spare, self._order = self._spare, self._psi, order

    def _task(self, step: Step) -> Callable[[], None]:
        """The step on the state where it lies now."""
        if step.kind is Kind.PARITY:
            return self._parity(step)
        a, b = _slices(step, self._psi, self._order)
        run = min(a.shape[-1], max(RUN, self.width))
        a, b = (each.reshape(*each.shape[:-1], -1, run) for each in (a, b))
        pieces = [(a, b, *self._scratch(a.shape)) for a, b in _cut(a, b, PIECE // a.itemsize)]
        if step.kind is Kind.SWAP:
            return partial(_swap, pieces)
        count = N_COEFFICIENTS[step.kind]
        rows = self._coefficients[step.row : step.row + count, None, None]
        m = self._repeated[:count, :, :run]
        turned = m[TURNED.get(step.kind, slice(0, 0)), :1]
        places = m.reshape(count, len(self._psi), -1, self.width)
        m = m.reshape(count, len(self._psi), *(1,) * (a.ndim - 2), run)
        return partial(_mix, MIXES[step.kind], pieces, m, rows, places, turned)

    def _parity(self, step: Step) -> Callable[[], None]:
        """As a phase step on everything, whose sine has another sign for every other amplitude."""
        signs = _signs(step, self._order).astype(self._psi.dtype)
        rows = min(self._buffers.shape[1] // self.width, len(signs))
        pieces = [
            (
                signs[i : i + rows, None],
                self._psi[:, i : i + rows],
                *self._scratch((len(signs[i : i + rows]), self.width)),
            )
            for i in range(0, len(signs), rows)
        ]
        return partial(_turn_by_parity, pieces, self._coefficients[step.row : step.row + 2])

    def _scratch(self, shape: tuple[int, ...]) -> tuple[Planes, ...]:
        size = int(np.prod(shape))
        return tuple(buffer[:size].reshape(shape) for buffer in self._buffers)


Piece = tuple[Planes, ...]  # slices a and b, and three buffers of their shape
Mix = Callable[[Piece, Planes], None]


def _mix(mix: Mix, pieces: list[Piece], m: Planes, rows: Planes, places: Planes, turned: Planes) -> None:
    """Repeat the coefficients as often as a run is long, give those of i their signs, and mix piece by piece."""
    np.copyto(places, rows)
    np.negative(turned, out=turned)  # i (re, im) = (-im, re)
    for piece in pieces:
        mix(piece, m)


def _real(piece: Piece, m: Planes) -> None:
    a, b, t, u, _ = piece
    np.multiply(b, m[1, :1], out=t)
    np.multiply(a, m[2, :1], out=u)
    _scale_and_add(a, b, t, u, m)


def _cross(piece: Piece, m: Planes) -> None:
    a, b, t, u, _ = piece
    np.multiply(b[::-1], m[1], out=t)
    np.multiply(a[::-1], m[2], out=u)
    _scale_and_add(a, b, t, u, m)


def _dense(piece: Piece, m: Planes) -> None:
    a, b, t, u, v = piece
    np.multiply(b, m[1, :1], out=t)
    np.multiply(a, m[2, :1], out=u)
    for onto, turned, i in ((t, a, 4), (t, b, 5), (u, a, 6), (u, b, 7)):
        np.multiply(turned[::-1], m[i], out=v)
        onto += v
    _scale_and_add(a, b, t, u, m)


def _scale_and_add(a: Planes, b: Planes, t: Planes, u: Planes, m: Planes) -> None:
    a *= m[0, :1]
    b *= m[3, :1]
    a += t
    b += u


def _factor(piece: Piece, m: Planes) -> None:
    a = piece[0]
    a *= m[0, :1]


def _phase(piece: Piece, m: Planes) -> None:
    a, _, t, _, _ = piece
    np.multiply(a[::-1], m[1], out=t)
    a *= m[0, :1]
    a += t


def _swap(pieces: list[Piece]) -> None:
    for a, b, t, _, _ in pieces:
        np.copyto(t, a)
        np.copyto(a, b)
        np.copyto(b, t)


MIXES: dict[Kind, Mix] = {
    Kind.REAL: _real,
    Kind.CROSS: _cross,
    Kind.DENSE: _dense,
    Kind.FACTOR: _factor,
    Kind.PHASE: _phase,
}


def _turn_by_parity(pieces: list[Piece], coefficients: Planes) -> None:
    cos, sin = coefficients
    for signs, (re, im), t, u, v in pieces:
        np.multiply(signs, sin, out=t)
        np.multiply(im, t, out=u)
        np.multiply(re, t, out=v)
        re *= cos
        im *= cos
        re += u
        im -= v


def prepare(plan: Plan, coefficients: Planes, psi: Planes, order: Order) -> None:
    """The product state that the circuit starts from.

    Args:
        plan: of the circuit.
        coefficients: shape (n_rows, n_samples).
        psi: where to, shape (planes, 2^n, n_samples).
        order: of the wires in `psi`.
    """
    psi[:, 0] = 0
    psi[0, 0] = 1
    size = 1
    for wire in reversed(order):  # each wire doubles the amplitudes
        low, high = psi[:, :size], psi[:, size : 2 * size]
        row = plan.starts.get(wire)
        if row is None:
            high[...] = 0
        else:
            _double(low, high, coefficients[row : row + 2], coefficients[row + 2 : row + 4])
        size *= 2


def _double(low: Planes, high: Planes, re: Planes, im: Planes) -> None:
    """``low, high <- low (re[0] + i im[0]), low (re[1] + i im[1])``."""
    if len(low) == 1:
        np.multiply(low, re[1], out=high)
        low *= re[0]
        return
    real, imaginary = low.copy()
    high[0], high[1] = real * re[1] - imaginary * im[1], imaginary * re[1] + real * im[1]
    low[0], low[1] = real * re[0] - imaginary * im[0], imaginary * re[0] + real * im[0]


@contextmanager
def _small_buffers() -> Iterator[None]:
    """Keeps numpy from copying a repeated operand to a buffer, which halves its speed; of this thread only."""
    before = np.setbufsize(SMALLEST_BUFFER)
    try:
        yield
    finally:
        np.setbufsize(before)


def _aligned(shape: tuple[int, ...], dtype: type[np.floating[Any]]) -> Planes:
    """An empty array that begins with a cache line, as vector units like it."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + CACHE_LINE, dtype=np.uint8)
    begin = -raw.ctypes.data % CACHE_LINE
    return raw[begin : begin + size].view(dtype).reshape(shape)


def _by_wires(psi: Planes, order: Order, wanted: Order) -> Planes:
    """A view of `psi`, whose wires are in `order`, with an axis for each wire, as `wanted`."""
    view = psi.reshape(len(psi), *(2,) * len(order), psi.shape[-1])
    return view.transpose(0, *(1 + order.index(wire) for wire in wanted), len(order) + 1)


def _slices(step: Step, psi: Planes, order: Order) -> tuple[Planes, Planes]:
    """Slices a and b of the step (a twice if there is no b), with one axis between one wire of the step and the next.

    The last axis is contiguous.
    """
    shape: list[int] = []
    a: list[Any] = [slice(None)]  # the planes
    b: list[Any] = [slice(None)]
    before = -1
    for position, wire in sorted((order.index(wire), wire) for wire in step.wires):
        bit = len(step.wires) - 1 - step.wires.index(wire)
        shape += [2 ** (position - before - 1), 2]
        a += [slice(None), step.a >> bit & 1]
        b += [slice(None), (step.b if step.b >= 0 else step.a) >> bit & 1]
        before = position
    view = psi.reshape(len(psi), *shape, -1)
    return view[tuple(a)], view[tuple(b)]


def _cut(a: Planes, b: Planes, most: int) -> Iterator[tuple[Planes, Planes]]:
    """Both in halves of halves until they have `most` elements, or only one run is left."""
    axis = next((axis for axis in range(1, a.ndim - 1) if a.shape[axis] > 1), None)
    if a.size <= most or axis is None:
        yield a, b
        return
    for half in zip(np.split(a, 2, axis), np.split(b, 2, axis), strict=True):
        yield from _cut(*half, most)


def _signs(step: Step, order: Order) -> NDArray[np.float64]:
    """+1 where an even number of the bits of the step's wires is set, else -1; shape (2^n,)."""
    signs = np.ones(1)
    for wire in order:
        signs = np.multiply.outer(signs, [1.0, -1.0] if wire in step.wires else [1.0, 1.0]).reshape(-1)
    return signs
