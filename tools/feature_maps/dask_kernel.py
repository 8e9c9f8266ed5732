"""Kernels that outgrow one machine: blocks over the workers of a Dask cluster.

A block depends on nothing but the circuit and its samples, so the scheduler computes it again, to the same numbers,
when the worker that had it dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.kernel import MB, Kernel, kernel_matrix
from labwright.tools.feature_maps.simulate import Engine, Precision, Samples

BLOCK = 2048  # rows and columns of a task: seconds of work for 16 MB of result
IN_FLIGHT = 64  # tasks submitted at once, so that neither scheduler nor client holds the whole kernel

Task = tuple[int, int]  # first row and first column


def kernel_matrix_on_dask(
    circuit: Circuit,
    samples: Samples,
    others: Samples | None = None,
    *,
    scheduler: str,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    engine: Engine = "auto",
    block: int = BLOCK,
    out: NDArray[Any] | None = None,
    patience: float = 60.0,
    progress: Callable[[float], None] | None = None,
) -> Kernel:
    """The kernel of `kernel_matrix`, computed in blocks by the workers of a cluster.

    Args:
        circuit: the feature map.
        samples: shape (n_samples, n_features).
        others: shape (n_others, n_features); None for the samples themselves.
        scheduler: address of the cluster, such as ``tcp://10.0.0.1:8786``; the workers need this package.
        precision: of the states.
        memory_mb: what a worker may allocate for a block, and the limit of a result that is held in memory.
        engine: as in `states`; with ``auto`` every worker chooses for itself.
        block: rows and columns of a task.
        out: where to write, such as an `numpy.lib.format.open_memmap` of the right shape; else a new array.
        patience: seconds to wait for the scheduler and its first worker.
        progress: called with the fraction that is done.

    Raises:
        InputError: Dask is not installed, nobody answers, or `out` has another shape.
        MemoryLimitError: the result does not fit and no `out` was given.
    """
    shape = (len(samples), len(samples if others is None else others))
    found = _result(shape, precision, memory_mb, out)
    circuit.angles(samples[:0]), circuit.angles((samples if others is None else others)[:0])
    tasks = _tasks(shape, block, symmetric=others is None)
    columns = samples if others is None else others
    settings = {"precision": precision, "memory_mb": memory_mb, "engine": engine}
    plain = circuit.to_json()
    with _connected(scheduler, patience) as client:
        blocks = _computed(client, tasks, samples, columns, others is None, block, plain, settings)
        for done, ((row, column), part) in enumerate(blocks, 1):
            found[row : row + len(part), column : column + part.shape[1]] = part
            if others is None:
                found[column : column + part.shape[1], row : row + len(part)] = part.T
            if progress:
                progress(done / len(tasks))
    return found


def compute_block(
    circuit: dict[str, Any], rows: Samples, columns: Samples | None, settings: dict[str, Any]
) -> NDArray[np.floating[Any]]:
    """One task, on a worker; `columns` None for a block on the diagonal."""
    return kernel_matrix(Circuit.from_json(circuit), rows, columns, **settings)


def _tasks(shape: tuple[int, int], block: int, symmetric: bool) -> list[Task]:
    """All blocks; of a symmetric kernel those on and above the diagonal."""
    rows, columns = (range(0, size, block) for size in shape)
    return [(row, column) for row in rows for column in columns if not symmetric or column >= row]


def _computed(
    client: Any,
    tasks: list[Task],
    samples: Samples,
    columns: Samples,
    symmetric: bool,
    block: int,
    circuit: dict[str, Any],
    settings: dict[str, Any],
) -> Iterator[tuple[Task, NDArray[np.floating[Any]]]]:
    """Each task with its block, as they come; a result leaves the cluster before its place is taken by a new task."""
    from distributed import as_completed

    waiting = iter(tasks)
    places: dict[str, Task] = {}

    def submit(task: Task) -> Any:
        row, column = task
        right = None if symmetric and row == column else columns[column : column + block]
        future = client.submit(
            compute_block, circuit, samples[row : row + block], right, settings, pure=False, retries=2
        )
        places[future.key] = task
        return future

    first = [submit(task) for _, task in zip(range(IN_FLIGHT), waiting, strict=False)]
    running: Any = as_completed(first, loop=client.loop)  # type: ignore[no-untyped-call]
    for future in running:
        part = future.result()
        yield places.pop(future.key), part
        future.release()
        following = next(waiting, None)
        if following is not None:
            running.add(submit(following))


def _result(shape: tuple[int, int], precision: Precision, memory_mb: float, out: NDArray[Any] | None) -> Kernel:
    """`out`, checked, or a new array."""
    dtype = np.dtype(np.float32 if precision == "complex64" else np.float64)
    if out is None:
        needed = shape[0] * shape[1] * dtype.itemsize / MB
        if needed > memory_mb:
            mend = "Give `out`, an array on disk made with numpy.lib.format.open_memmap."
            raise MemoryLimitError(f"A kernel of {shape[0]} x {shape[1]} entries", needed, memory_mb, mend)
        return np.empty(shape, dtype=dtype)
    if out.shape != shape or out.dtype != dtype:
        raise InputError(
            f"Argument `out` must have shape {shape} and type {dtype}, but has {out.shape} and {out.dtype}."
            " Make it so, or leave it out."
        )
    return out


def _connected(scheduler: str, patience: float) -> AbstractContextManager[Any]:
    """A client of the cluster, which has a worker."""
    try:
        from distributed import Client
    except ModuleNotFoundError as missing:
        raise InputError("Kernels on a cluster need Dask: pip install 'labwright[dask]'.") from missing
    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            scheduler, timeout=patience, set_as_default=False
        )
    except (OSError, TimeoutError, ValueError) as silent:
        raise InputError(
            f"No Dask scheduler answers at {scheduler!r} ({silent})."
            " Start one with `dask scheduler`, and check the address."
        ) from silent
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError as alone:
        client.close()
        raise InputError(
            f"The Dask scheduler at {scheduler!r} has no workers. Start one with `dask worker {scheduler}`."
        ) from alone
    connected: AbstractContextManager[Any] = client
    return connected
