"""The numpy engine: steps on a block of samples, amplitudes by samples, real and imaginary parts apart.

The samples stand last, so that one gate with another angle for each sample is one vectorised operation, and real
coefficients are multiplied as real numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.steps import Kind, Plan, Step

Planes = NDArray[np.floating[Any]]
LOOP = 1024  # numbers in an inner loop of numpy, if there are so many
N_COEFFICIENTS = {Kind.REAL: 4, Kind.CROSS: 4, Kind.DENSE: 8, Kind.SWAP: 0, Kind.FACTOR: 1, Kind.PHASE: 2}


class Engine:
    """Carries out the steps of a plan on blocks of at most `width` samples; one thread at a time.

    Slices are copied out, worked on and copied back: numpy copies strided memory at full speed, but multiplies it
    several times slower than contiguous memory. Coefficients are repeated so that its inner loops are long.
    """

    def __init__(self, plan: Plan, width: int, dtype: type[np.floating[Any]]) -> None:
        size = plan.planes * 2 ** max(plan.circuit.n_qubits - 1, 0) * width
        self.plan, self.dtype = plan, dtype
        self._buffers = np.empty((4, size), dtype=dtype)
        self._places = [_places(plan.circuit.n_qubits, step) for step in plan.steps]
        self._signs = {
            step.wires: _signs(plan.circuit.n_qubits, step.wires) for step in plan.steps if step.kind is Kind.PARITY
        }

    def run(self, coefficients: Planes, psi: Planes) -> None:
        """Write the states into `psi` of shape (planes, 2^n, n_samples), which is contiguous."""
        prepare(self.plan, coefficients, psi)
        for step, (shape, a, b) in zip(self.plan.steps, self._places, strict=True):
            if step.kind is Kind.PARITY:
                self._parity(psi, step, coefficients)
                continue
            view = psi.reshape(len(psi), *shape, psi.shape[-1])
            self._act(step.kind, view[a], view[b], coefficients[step.row : step.row + N_COEFFICIENTS[step.kind]])

    def _act(self, kind: Kind, a: Planes, b: Planes, coefficients: Planes) -> None:
        planes, width = len(a), a.shape[-1]
        rows = a.size // planes // width
        repeats = min(rows, max(LOOP // width, 1))
        repeats = 1 << (repeats.bit_length() - 1)  # a power of two, as `rows` is
        m = np.repeat(coefficients[:, None], repeats, axis=1).reshape(len(coefficients), repeats * width)
        at, bt, t, u = (buffer[: a.size].reshape(planes, -1, repeats * width) for buffer in self._buffers)
        np.copyto(at.reshape(a.shape), a)
        if kind is Kind.FACTOR:
            at *= m[0]
        elif kind is Kind.PHASE:
            np.multiply(at, m[1], out=t)
            at *= m[0]
            _add_turned(at, t)
        else:
            np.copyto(bt.reshape(b.shape), b)
            if kind is Kind.SWAP:
                at, bt = bt, at
            else:
                _mix(kind, at, bt, t, u, m)
            np.copyto(b, bt.reshape(b.shape))
        np.copyto(a, at.reshape(a.shape))

    def _parity(self, psi: Planes, step: Step, coefficients: Planes) -> None:
        cos, sin = coefficients[step.row], coefficients[step.row + 1]
        turned = psi[::-1] * self._signs[step.wires].astype(self.dtype)[:, None]
        turned *= sin
        psi *= cos
        psi[0] += turned[0]
        psi[1] -= turned[1]


def _mix(kind: Kind, a: Planes, b: Planes, t: Planes, u: Planes, m: Planes) -> None:
    """The 2x2 matrix `m` on (a, b), in place."""
    np.multiply(b, m[1], out=t)
    np.multiply(a, m[2], out=u)
    if kind is Kind.DENSE:
        turned_a, turned_b = a * m[4] if m[4].any() else None, b * m[5]
        back_a, back_b = a * m[6], b * m[7] if m[7].any() else None
    a *= m[0]
    b *= m[3]
    if kind is Kind.CROSS:
        _add_turned(a, t)
        _add_turned(b, u)
        return
    a += t
    b += u
    if kind is Kind.DENSE:
        for onto, parts in ((a, (turned_a, turned_b)), (b, (back_a, back_b))):
            for part in parts:
                if part is not None:
                    _add_turned(onto, part)


def _add_turned(z: Planes, w: Planes) -> None:
    """``z += i w``."""
    z[0] -= w[1]
    z[1] += w[0]


def prepare(plan: Plan, coefficients: Planes, psi: Planes) -> None:
    """The product state that the circuit starts from; `psi` as in `Engine.run`."""
    psi[...] = 0
    psi[0, 0] = 1
    size = 2**plan.circuit.n_qubits
    for wire, row in plan.starts.items():  # each wire doubles the amplitudes that are not 0
        stride = 2 ** (plan.circuit.n_qubits - 1 - wire)
        view = psi.reshape(len(psi), size // (2 * stride), 2, stride, -1)
        low, high = view[:, :, 0], view[:, :, 1]
        re, im = coefficients[row : row + 2], coefficients[row + 2 : row + 4]
        if len(psi) == 1:
            np.multiply(low, re[1], out=high)
            low *= re[0]
        else:
            real, imaginary = low.copy()
            high[0], high[1] = real * re[1] - imaginary * im[1], imaginary * re[1] + real * im[1]
            low[0], low[1] = real * re[0] - imaginary * im[0], imaginary * re[0] + real * im[0]


def _places(n_qubits: int, step: Step) -> tuple[tuple[int, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Shape that gives each wire of the step its own axis, the others merged, and the indices of slices a and b."""
    shape: list[int] = []
    a: list[Any] = [slice(None)]  # the planes
    b: list[Any] = [slice(None)]
    before = -1
    for wire in sorted(step.wires):
        bit = len(step.wires) - 1 - step.wires.index(wire)
        shape += [2 ** (wire - before - 1), 2]
        a += [slice(None), step.a >> bit & 1]
        b += [slice(None), max(step.b, 0) >> bit & 1]
        before = wire
    return (*shape, 2 ** (n_qubits - 1 - before)), tuple(a), tuple(b)


def _signs(n_qubits: int, wires: tuple[int, ...]) -> NDArray[np.float64]:
    """+1 where an even number of the bits of `wires` is set, else -1; shape (2^n,)."""
    signs = np.ones((1,))
    for wire in range(n_qubits):
        signs = np.multiply.outer(signs, [1.0, -1.0] if wire in wires else [1.0, 1.0]).reshape(-1)
    return signs
