"""The numba engine: the steps of a block of samples in one compiled loop, without temporaries.

One function interprets every circuit, so it is compiled once a process and precision, not once a circuit. The
compiled code is not cached on disk: the cache would be written beside this file, which an installed package or a
sandbox may not allow, and a stale one is harder to notice than some seconds are to wait.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.slices import prepare
from labwright.tools.feature_maps.steps import Plan, Step

Planes = NDArray[np.floating[Any]]


class Engine:
    """Carries out the steps of a plan on blocks of samples."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._table = np.array([_row(plan.circuit.n_qubits, step) for step in plan.steps], dtype=np.int64)

    def run(self, coefficients: Planes, out: Planes) -> None:
        """Write the states into `out` of shape (planes, 2^n, n_samples)."""
        coefficients = np.ascontiguousarray(coefficients)
        psi = np.empty(out.shape, dtype=out.dtype)
        prepare(self.plan, coefficients, psi, tuple(range(self.plan.circuit.n_qubits)))
        if len(self._table):
            _carry_out(self._table, coefficients, psi)
        np.copyto(out, psi)


def _row(n_qubits: int, step: Step) -> list[int]:
    """Kind, row, mask of the wires, bits of slice a, bits of slice b."""

    def spread(bits: int) -> int:
        chosen = reversed(list(enumerate(reversed(step.wires))))
        return sum(1 << (n_qubits - 1 - wire) for place, wire in chosen if bits >> place & 1)

    return [step.kind, step.row, spread((1 << len(step.wires)) - 1), spread(step.a), spread(max(step.b, 0))]


@numba.njit(nogil=True, fastmath={"contract"})
def _carry_out(table: NDArray[np.int64], m: Planes, psi: Planes) -> None:
    size = psi.shape[1]
    for step in range(len(table)):
        kind, row, mask, bits_a, bits_b = table[step]
        base = 0
        while base < size:
            a, b = base | bits_a, base | bits_b
            if kind == 0 or kind == 3 or kind == 4:
                for plane in range(len(psi)):
                    _act_on_plane(kind, m[row:], psi[plane, a], psi[plane, b])
            elif kind == 6:
                _turn(m[row], m[row + 1], 2 * _odd(base & mask) - 1, psi[:, base])
            elif kind == 5:
                _turn(m[row], m[row + 1], 1, psi[:, a])
            else:
                _act_on_both(kind, m[row:], psi[:, a], psi[:, b])
            # The next number whose bits on the wires are 0; parity walks through all numbers.
            base = base + 1 if kind == 6 else ((base | mask) + 1) & ~mask


@numba.njit(nogil=True, fastmath={"contract"}, inline="always")
def _act_on_plane(kind: int, m: Planes, a: Planes, b: Planes) -> None:
    """Real, swap and factor: the planes do not mix."""
    if kind == 0:
        for s in range(len(a)):
            x, y = a[s], b[s]
            a[s] = m[0, s] * x + m[1, s] * y
            b[s] = m[2, s] * x + m[3, s] * y
    elif kind == 3:
        for s in range(len(a)):
            a[s], b[s] = b[s], a[s]
    else:
        for s in range(len(a)):
            a[s] *= m[0, s]


@numba.njit(nogil=True, fastmath={"contract"}, inline="always")
def _act_on_both(kind: int, m: Planes, a: Planes, b: Planes) -> None:
    """Cross and dense."""
    for s in range(a.shape[1]):
        ar, ai, br, bi = a[0, s], a[1, s], b[0, s], b[1, s]
        if kind == 1:
            a[0, s] = m[0, s] * ar - m[1, s] * bi
            a[1, s] = m[0, s] * ai + m[1, s] * br
            b[0, s] = m[3, s] * br - m[2, s] * ai
            b[1, s] = m[3, s] * bi + m[2, s] * ar
        else:
            a[0, s] = m[0, s] * ar + m[1, s] * br - m[4, s] * ai - m[5, s] * bi
            a[1, s] = m[0, s] * ai + m[1, s] * bi + m[4, s] * ar + m[5, s] * br
            b[0, s] = m[2, s] * ar + m[3, s] * br - m[6, s] * ai - m[7, s] * bi
            b[1, s] = m[2, s] * ai + m[3, s] * bi + m[6, s] * ar + m[7, s] * br


@numba.njit(nogil=True, fastmath={"contract"}, inline="always")
def _turn(cos: Planes, sin: Planes, sign: int, a: Planes) -> None:
    """``a <- (cos + i sign sin) a``."""
    for s in range(len(cos)):
        re, im, turned = a[0, s], a[1, s], a.dtype.type(sign) * sin[s]
        a[0, s] = cos[s] * re - turned * im
        a[1, s] = cos[s] * im + turned * re


@numba.njit(nogil=True)
def _odd(bits: int) -> int:
    """1 if an odd number of bits is set, else 0."""
    odd = 0
    while bits:
        odd ^= 1
        bits &= bits - 1
    return odd
