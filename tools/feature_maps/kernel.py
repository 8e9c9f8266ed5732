"""The quantum kernel of a feature map: ``K[i, j] = |<psi(x_i)|psi(y_j)>|^2``, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import MemoryLimitError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.simulate import Engine, Planes, Precision, Samples, Simulator

TILE = 1024  # rows and columns of a block: large enough for full speed of the matrix product
SMALLEST_TILE = 16
MB = 1e6

Kernel = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a kernel is computed within the memory it may use.

    Attributes:
        strip: rows whose states are held at once.
        tile: rows and columns of a block.
        bytes: what will be needed at the most.
    """

    strip: int
    tile: int
    bytes: float


def kernel_matrix(
    circuit: Circuit,
    samples: Samples,
    others: Samples | None = None,
    *,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    engine: Engine = "auto",
) -> Kernel:
    """Squared overlaps, shape (n_samples, n_others), real, between 0 and 1.

    Without `others` the kernel is that of the samples with themselves: half of the blocks are computed, and the
    diagonal is exactly 1.

    Args:
        circuit: the feature map.
        samples: shape (n_samples, n_features).
        others: shape (n_others, n_features).
        precision: of the states; the kernel is float32 with complex64, else float64.
        memory_mb: what this call may allocate, the result included, in 10^6 bytes. States that do not fit are
            computed again for each strip of rows.
        engine: as in `states`.

    Raises:
        MemoryLimitError: it does not fit; nothing has been allocated yet.
        InputError: see `states`.
    """
    simulator = Simulator(circuit, precision, engine)
    layout = plan_memory(simulator, len(samples), len(samples if others is None else others), memory_mb)
    kernel = np.empty((len(samples), len(samples if others is None else others)), dtype=simulator.dtype)
    for row, column, block in _blocks(simulator, layout, samples, others):
        kernel[row : row + len(block), column : column + block.shape[1]] = block
        if others is None and column != row:
            kernel[column : column + block.shape[1], row : row + len(block)] = block.T
    if others is None:
        np.fill_diagonal(kernel, 1)
    return kernel


def _blocks(
    simulator: Simulator, layout: Layout, samples: Samples, others: Samples | None
) -> Iterator[tuple[int, int, Kernel]]:
    """First row, first column and entries of each block; without `others` those on and above the diagonal."""
    columns = samples if others is None else others
    for begin in range(0, len(samples), layout.strip):
        end = min(begin + layout.strip, len(samples))
        rows = simulator.planes(samples[begin:end])
        for column in range(begin if others is None else 0, len(columns), layout.tile):
            stop = min(column + layout.tile, len(columns))
            inside = others is None and column < end
            right = rows[:, :, column - begin : stop - begin] if inside else simulator.planes(columns[column:stop])
            for row in range(begin, min(end, stop) if inside else end, layout.tile):
                left = rows[:, :, row - begin : min(row + layout.tile, end) - begin]
                yield (
                    row,
                    column,
                    own_overlaps(left) if others is None and row == column else squared_overlaps(left, right),
                )


def squared_overlaps(left: Planes, right: Planes) -> Kernel:
    """``|left^dagger right|^2`` of states as planes (planes, 2^n, a) and (planes, 2^n, b); shape (a, b).

    Gauss's trick: three real products make one complex product.
    """
    if len(left) == 1:
        real: Kernel = left[0].T @ right[0]
        np.multiply(real, real, out=real)
    else:
        real, imaginary = left[0].T @ right[0], left[1].T @ right[1]
        cross = (left[0] + left[1]).T @ (right[0] - right[1])
        cross -= real
        cross += imaginary  # the imaginary part, but for its sign
        real += imaginary
        np.multiply(real, real, out=real)
        np.multiply(cross, cross, out=cross)
        real += cross
    return np.minimum(real, 1, out=real)


def own_overlaps(states: Planes) -> Kernel:
    """`squared_overlaps` of states with themselves, in two products of three, and exactly symmetric."""
    if len(states) == 1:
        real: Kernel = states[0].T @ states[0]
    else:
        both = states.reshape(-1, states.shape[2])
        real = both.T @ both  # numpy sees that this is symmetric, and computes a half
        cross = states[0].T @ states[1]
        cross -= cross.T.copy()
        np.multiply(cross, cross, out=cross)
    np.multiply(real, real, out=real)
    if len(states) == 2:
        real += cross
    return np.minimum(real, 1, out=real)


def plan_memory(simulator: Simulator, n_rows: int, n_columns: int, memory_mb: float) -> Layout:
    """The largest strips and tiles that fit into `memory_mb`.

    Raises:
        MemoryLimitError: not even the smallest fit.
    """
    item = np.dtype(simulator.dtype).itemsize
    fixed = n_rows * n_columns * item + simulator.scratch_bytes()
    smallest = min(SMALLEST_TILE, max(n_rows, n_columns, 1))
    tile = min(TILE, max(n_rows, n_columns, 1))
    while tile > smallest and fixed + _tile_bytes(simulator, tile, tile) > memory_mb * MB:
        tile = max(tile // 2, smallest)
    needed = fixed + _tile_bytes(simulator, tile, tile)
    if needed > memory_mb * MB:
        raise MemoryLimitError(
            f"A kernel of {n_rows} x {n_columns} entries on {simulator.circuit.n_qubits} qubits",
            needed / MB,
            memory_mb,
            "Raise `memory_mb`, or take fewer samples or complex64.",
        )
    spare = memory_mb * MB - needed
    strip = min(tile + int(spare // simulator.bytes_a_state), max(n_rows, 1))
    if strip < n_rows:
        strip = max(strip // tile, 1) * tile
    return Layout(strip, tile, fixed + _tile_bytes(simulator, tile, strip))


def _tile_bytes(simulator: Simulator, tile: int, strip: int) -> float:
    """States of a strip of rows and of a tile of columns, their sum and difference, and four blocks of the kernel."""
    item = float(np.dtype(simulator.dtype).itemsize)
    sum_and_difference: float = 2 * tile * 2**simulator.circuit.n_qubits * item
    states = float((strip + tile) * simulator.bytes_a_state)
    return states + sum_and_difference + 4 * tile**2 * item
