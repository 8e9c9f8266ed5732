"""States of a feature map for many samples at once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.feature_maps import lightning, numpy_engine
from labwright.tools.feature_maps.circuit import MAX_QUBITS, Circuit
from labwright.tools.feature_maps.simulation_steps import plan

Precision = Literal["complex64", "complex128"]
Engine = Literal["auto", "numpy", "lightning"]
Samples = NDArray[np.floating[Any]]
Planes = NDArray[np.floating[Any]]

BLOCK_BYTES = 1 << 19  # with its temporaries in a level-2 cache; measured
CHUNK = 512  # samples whose coefficients are held at once
LIGHTNING_PAYS = 15  # qubits: a state no longer fits a cache; see evaluation/results/kernels_by_qubits.json


def states(
    circuit: Circuit, samples: Samples, *, precision: Precision = "complex64", engine: Engine = "auto"
) -> NDArray[np.complexfloating[Any, Any]]:
    """``|psi(x)>`` of every sample, shape (n_samples, 2**n_qubits); wire 0 is the most significant bit.

    Args:
        circuit: the feature map.
        samples: shape (n_samples, n_features).
        precision: of the amplitudes; angles and gate coefficients are always computed in double precision.
        engine: ``auto`` takes lightning for wide circuits where it is installed.

    Raises:
        InputError: wrong shape, a number that is not finite, or too many qubits.
    """
    simulator = Simulator(circuit, precision, engine)
    found = np.empty((len(samples), 2**circuit.n_qubits), dtype=precision)
    for begin in range(0, len(samples), CHUNK):
        part = simulator.planes(samples[begin : begin + CHUNK])
        found[begin : begin + CHUNK].real = part[0].T
        found[begin : begin + CHUNK].imag = part[1].T if len(part) == 2 else 0
    if not len(samples):
        circuit.angles(samples)
    return found


class Simulator:
    """Simulates one circuit, for as many samples as come."""

    def __init__(self, circuit: Circuit, precision: Precision, engine: Engine) -> None:
        if not 1 <= circuit.n_qubits <= MAX_QUBITS:
            raise InputError(
                f"A circuit must have 1 to {MAX_QUBITS} qubits, but this one has {circuit.n_qubits}. Change `n_qubits`."
            )
        self.circuit, self.plan = circuit, plan(circuit)
        self.dtype: type[np.floating[Any]] = np.float32 if precision == "complex64" else np.float64
        self.bytes_a_state: int = self.plan.planes * 2**circuit.n_qubits * np.dtype(self.dtype).itemsize
        self.engine = chosen_engine(engine, circuit.n_qubits)
        self.width = block_width(self.bytes_a_state, BLOCK_BYTES)
        self.threads = n_threads()
        self._lightning = lightning.Engine(circuit, self.dtype) if self.engine == "lightning" else None
        self._runners: list[numpy_engine.Engine] = []  # one a thread, made when first needed

    def scratch_bytes(self) -> int:
        """What is needed beside the states themselves: coefficients of a chunk, blocks of the threads."""
        coefficients = self.plan.n_rows * CHUNK * 16  # and their angles and matrices in double precision
        return coefficients + self.threads * (6 * self.width * self.bytes_a_state + 4 * numpy_engine.PIECE)

    def planes(self, samples: Samples) -> Planes:
        """Real parts, and imaginary parts unless all are real: shape (planes, 2^n_qubits, n_samples)."""
        found = np.empty((self.plan.planes, 2**self.circuit.n_qubits, len(samples)), dtype=self.dtype)
        if not np.isfinite(samples).all():
            raise InputError("The samples hold a number that is not finite. Remove or replace NaN and infinity.")
        for begin in range(0, len(samples), CHUNK):
            angles = self.circuit.angles(samples[begin : begin + CHUNK])
            if self._lightning is not None:
                self._lightning.run(angles, found[:, :, begin : begin + CHUNK])
                continue
            coefficients = self.plan.coefficients(angles, self.dtype)
            self._run(coefficients, found[:, :, begin : begin + CHUNK])
        return found

    def _run(self, coefficients: Planes, found: Planes) -> None:
        """Blocks of samples, dealt to the threads in turn; numpy releases the interpreter's lock."""
        blocks = [(i, min(i + self.width, found.shape[2])) for i in range(0, found.shape[2], self.width)]

        def work(runner: numpy_engine.Engine, blocks: list[tuple[int, int]]) -> None:
            for begin, end in blocks:
                runner.run(coefficients[:, begin:end], found[:, :, begin:end])

        threads = min(self.threads, len(blocks))
        self._runners += [
            numpy_engine.Engine(self.plan, self.width, self.dtype) for _ in range(len(self._runners), threads)
        ]
        if threads == 1:
            work(self._runners[0], blocks)
            return
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(work, self._runners[i], blocks[i::threads]) for i in range(threads)]:
                done.result()


def chosen_engine(engine: Engine, n_qubits: int) -> Literal["numpy", "lightning"]:
    """The engine to use."""
    if engine != "auto":
        return engine
    return "lightning" if n_qubits >= LIGHTNING_PAYS and find_spec("pennylane_lightning") is not None else "numpy"


def block_width(bytes_a_state: int, block_bytes: int) -> int:
    """Samples in a block: a power of two, 16 at least so that vector units are filled."""
    fitting = max(block_bytes // bytes_a_state, 1)
    return int(min(max(2 ** (fitting.bit_length() - 1), 16), 256))


def n_threads() -> int:
    """Threads to use: OMP_NUM_THREADS if it is set, else the processors that this process may run on."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))
