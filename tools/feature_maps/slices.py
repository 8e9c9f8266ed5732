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


class Engine:
    """Carries out the steps of a plan on blocks of at most `width` samples; one thread at a time."""

    def __init__(self, plan: Plan, width: int, dtype: type[np.floating[Any]]) -> None:
        size = plan.planes * 2 ** max(plan.circuit.n_qubits - 1, 0) * width
        self.plan, self.dtype = plan, dtype
        self._t, self._u = np.empty(2 * size, dtype=dtype), np.empty(size, dtype=dtype)
        self._plus_minus = np.array([1.0, -1.0], dtype=dtype)[: plan.planes, None]
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
            self._act(step.kind, view[a], view[b], coefficients[step.row : step.row + 8])

    def _act(self, kind: Kind, a: Planes, b: Planes, m: Planes) -> None:
        t = self._t[: a.size].reshape(a.shape)
        if kind is Kind.FACTOR:
            np.multiply(a, m[0], out=a)
        elif kind is Kind.PHASE:
            np.multiply(a[::-1], self._turned(m[1], a), out=t)
            np.multiply(a, m[0], out=a)
            a += t
        elif kind is Kind.SWAP:
            np.copyto(t, a)
            np.copyto(a, b)
            np.copyto(b, t)
        elif kind is Kind.DENSE:
            self._dense(a, b, m)
        else:
            u = self._u[: a.size].reshape(a.shape)
            turn = kind is Kind.CROSS
            np.multiply(b[::-1] if turn else b, self._turned(m[1], a) if turn else m[1], out=t)
            np.multiply(a[::-1] if turn else a, self._turned(m[2], a) if turn else m[2], out=u)
            np.multiply(a, m[0], out=a)
            np.multiply(b, m[3], out=b)
            a += t
            b += u

    def _turned(self, m: Planes, like: Planes) -> Planes:
        """Coefficients of ``i m z`` on (imaginary, real): -m and m, with axes between for broadcasting."""
        both: Planes = -self._plus_minus * m
        return both.reshape(len(both), *(1,) * (like.ndim - 2), -1)

    def _dense(self, a: Planes, b: Planes, m: Planes) -> None:
        t, u = self._t[: a.size].reshape(a.shape), self._u[: a.size].reshape(a.shape)
        new = np.empty((2, *a.shape), dtype=a.dtype)
        for row in (0, 1):
            np.multiply(a, m[2 * row], out=new[row])
            for z, place in ((a, 2 * row), (b, 2 * row + 1)):
                np.multiply(z[::-1], self._turned(m[4 + place], a), out=t)
                new[row] += t
            np.multiply(b, m[2 * row + 1], out=u)
            new[row] += u
        np.copyto(a, new[0])
        np.copyto(b, new[1])

    def _parity(self, psi: Planes, step: Step, coefficients: Planes) -> None:
        cos, sin = coefficients[step.row], coefficients[step.row + 1]
        t = self._t[: psi.size].reshape(psi.shape)
        np.multiply(psi[::-1], self._signs[step.wires].astype(self.dtype)[:, None], out=t)
        t *= self._turned(-sin, psi)
        psi *= cos
        psi += t


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
