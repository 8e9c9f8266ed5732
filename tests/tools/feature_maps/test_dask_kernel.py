"""Kernels over a Dask cluster of processes on this machine, of which one is killed."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from drawn_circuits import circuit_of_all_gates, samples_of

from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.feature_maps import dask_kernel
from labwright.tools.feature_maps.dask_kernel import kernel_matrix_on_dask
from labwright.tools.feature_maps.kernel import kernel_matrix

CIRCUIT = circuit_of_all_gates(6, 3)
SAMPLES = samples_of(0, 200)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, worker_dashboard_address=None
    ) as started:
        yield started


@pytest.mark.slow  # starts a cluster
def test_the_kernel_is_that_of_one_machine(cluster: object) -> None:
    address = cluster.scheduler_address  # type: ignore[attr-defined]
    heard: list[float] = []
    settings = {"precision": "complex128", "engine": "numpy"}
    ours = kernel_matrix_on_dask(
        CIRCUIT, SAMPLES, scheduler=address, block=64, progress=heard.append, precision="complex128", engine="numpy"
    )
    np.testing.assert_allclose(ours, kernel_matrix(CIRCUIT, SAMPLES, **settings), atol=1e-14)  # type: ignore[arg-type]
    assert np.array_equal(ours, ours.T)
    assert heard == sorted(heard)
    assert heard[-1] == 1
    others = samples_of(1, 70)
    beside = kernel_matrix_on_dask(CIRCUIT, SAMPLES, others, scheduler=address, block=64, engine="numpy")
    np.testing.assert_allclose(beside, kernel_matrix(CIRCUIT, SAMPLES, others, engine="numpy"), atol=1e-6)


@pytest.mark.slow  # starts a cluster
def test_a_worker_killed_in_mid_run_changes_nothing(
    cluster: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_kernel, "IN_FLIGHT", 8)
    victims = [worker.pid for worker in cluster.workers.values()]  # type: ignore[attr-defined]
    killed: list[int] = []

    def kill_one(done: float) -> None:
        if done > 0.2 and not killed:
            os.kill(victims[0], signal.SIGKILL)
            killed.append(victims[0])
            time.sleep(0.1)

    path = tmp_path / "kernel.npy"
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(200, 200))
    kernel_matrix_on_dask(
        CIRCUIT,
        SAMPLES,
        scheduler=cluster.scheduler_address,  # type: ignore[attr-defined]
        precision="complex128",
        engine="numpy",
        block=16,
        out=out,
        progress=kill_one,
    )
    out.flush()
    assert killed
    expected = kernel_matrix(CIRCUIT, SAMPLES, precision="complex128", engine="numpy")
    np.testing.assert_allclose(np.load(path), expected, atol=1e-14)


def test_a_result_too_large_for_memory_wants_a_file() -> None:
    with pytest.raises(MemoryLimitError, match="open_memmap"):
        kernel_matrix_on_dask(CIRCUIT, np.zeros((20_000, 3)), scheduler="tcp://127.0.0.1:1", memory_mb=100)


def test_a_wrong_file_is_refused() -> None:
    with pytest.raises(InputError, match=r"shape \(200, 200\)"):
        kernel_matrix_on_dask(CIRCUIT, SAMPLES, scheduler="tcp://127.0.0.1:1", out=np.empty((3, 3)))


def test_a_missing_scheduler_is_named() -> None:
    with pytest.raises(InputError, match="No Dask scheduler answers"):
        kernel_matrix_on_dask(CIRCUIT, SAMPLES, scheduler="tcp://127.0.0.1:1", patience=0.5)


def test_missing_dask_is_said_with_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'labwright\[dask\]'"):
        kernel_matrix_on_dask(CIRCUIT, SAMPLES, scheduler="tcp://127.0.0.1:1")
