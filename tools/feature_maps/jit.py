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

    def run(self, coefficients: Planes, psi: Planes) -> None:
        """Write the states into `psi` of shape (planes, 2^n, n_samples), which is contiguous."""
        prepare(self.plan, coefficients, psi)
        if len(self._table):
            _carry_out(self._table, coefficients, psi)


def _row(n_qubits: int, step: Step) -> list[int]:
    """Kind, row, mask of the wires, bits of slice a, bits of slice b."""

    def spread(bits: int) -> int:
        chosen = reversed(list(enumerate(reversed(step.wires))))
        return sum(1 << (n_qubits - 1 - wire) for place, wire in chosen if bits >> place & 1)

    return [step.kind, step.row, spread((1 << len(step.wires)) - 1), spread(step.a), spread(max(step.b, 0))]


@numba.njit(nogil=True, fastmath={"contract"})
def _carry_out(table: NDArray[np.int64], m: Planes, psi: Planes) -> None:
    n_planes, size, width = psi.shape
    for step in range(len(table)):
        kind, row, mask, bits_a, bits_b = table[step]
        free = (size - 1) & ~mask
        count = size
        rest = mask
        while rest and kind != 6:
            count >>= 1
            rest &= rest - 1
        base = 0
        for _ in range(count):
            i, j = base | bits_a, base | bits_b
            if kind == 0:
                for plane in range(n_planes):
                    for s in range(width):
                        a, b = psi[plane, i, s], psi[plane, j, s]
                        psi[plane, i, s] = m[row, s] * a + m[row + 1, s] * b
                        psi[plane, j, s] = m[row + 2, s] * a + m[row + 3, s] * b
            elif kind == 1:
                for s in range(width):
                    ar, ai, br, bi = psi[0, i, s], psi[1, i, s], psi[0, j, s], psi[1, j, s]
                    psi[0, i, s] = m[row, s] * ar - m[row + 1, s] * bi
                    psi[1, i, s] = m[row, s] * ai + m[row + 1, s] * br
                    psi[0, j, s] = m[row + 3, s] * br - m[row + 2, s] * ai
                    psi[1, j, s] = m[row + 3, s] * bi + m[row + 2, s] * ar
            elif kind == 2:
                for s in range(width):
                    ar, ai, br, bi = psi[0, i, s], psi[1, i, s], psi[0, j, s], psi[1, j, s]
                    psi[0, i, s] = m[row, s] * ar + m[row + 1, s] * br - m[row + 4, s] * ai - m[row + 5, s] * bi
                    psi[1, i, s] = m[row, s] * ai + m[row + 1, s] * bi + m[row + 4, s] * ar + m[row + 5, s] * br
                    psi[0, j, s] = m[row + 2, s] * ar + m[row + 3, s] * br - m[row + 6, s] * ai - m[row + 7, s] * bi
                    psi[1, j, s] = m[row + 2, s] * ai + m[row + 3, s] * bi + m[row + 6, s] * ar + m[row + 7, s] * br
            elif kind == 3:
                for plane in range(n_planes):
                    for s in range(width):
                        psi[plane, i, s], psi[plane, j, s] = psi[plane, j, s], psi[plane, i, s]
            elif kind == 4:
                for plane in range(n_planes):
                    for s in range(width):
                        psi[plane, i, s] *= m[row, s]
            elif kind == 5:
                for s in range(width):
                    ar, ai = psi[0, i, s], psi[1, i, s]
                    psi[0, i, s] = m[row, s] * ar - m[row + 1, s] * ai
                    psi[1, i, s] = m[row, s] * ai + m[row + 1, s] * ar
            else:
                odd = 0
                rest = base & mask
                while rest:
                    odd ^= 1
                    rest &= rest - 1
                sign = psi.dtype.type(1 - 2 * odd)
                for s in range(width):
                    ar, ai = psi[0, base, s], psi[1, base, s]
                    psi[0, base, s] = m[row, s] * ar + sign * m[row + 1, s] * ai
                    psi[1, base, s] = m[row, s] * ai - sign * m[row + 1, s] * ar
            # The next number whose bits on the wires are 0; parity walks through all numbers.
            base = base + 1 if kind == 6 else ((base | mask) + 1) & free
