"""How fast kernels are: beside PennyLane's simulators, at 10,000 samples, and within a memory limit.

Run with ``python -m labwright.evaluation.benchmarks.kernels``; ``--json FILE`` keeps the numbers. The case is the best
map of the published search. PennyLane is timed with as many samples as ``--theirs`` says; its time a sample does not
depend on how many there are, so that it is multiplied up to ours, and the output says so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.results import provenance
from labwright.tools.durable import write_atomic
from labwright.tools.feature_maps.kernel import TILE, kernel_matrix, own_overlaps, squared_overlaps
from labwright.tools.feature_maps.listing22 import N_FEATURES, N_QUBITS, listing22
from labwright.tools.feature_maps.simulate import Simulator, n_threads
from labwright.tools.runs.files import to_json

BIG = 10_000
BOUND_SAMPLES, BOUND_MB = 6000, 500.0  # the states alone are 98 MB in double precision, the kernel 288 MB
Task = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timing:
    """Median seconds of a kernel; `measured` samples were run, and the time is for `samples`."""

    name: str
    samples: int
    measured: int
    wall: float
    processor: float

    def line(self, ours: Timing) -> str:
        scaled = "" if self.samples == self.measured else f", states of {self.measured} samples times {self.factor:g}"
        ratios = f"{self.wall / ours.wall:>7.1f} x wall{self.processor / ours.processor:>7.1f} x cpu"
        return f"{self.name:<38}{self.wall:>8.2f} s{self.processor:>8.2f} s cpu{ratios}{scaled}"

    @property
    def factor(self) -> float:
        return self.samples / self.measured


def drawn(n_samples: int) -> NDArray[np.float64]:
    """Samples as the preparation leaves them, in 0 .. 1."""
    return np.random.default_rng(0).uniform(0, 1, (n_samples, N_FEATURES))


def seconds(task: Task) -> tuple[float, float]:
    """Wall and processor seconds."""
    begin = time.perf_counter(), time.process_time()
    task()
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


def pennylane_states(device: str, broadcast: bool) -> Callable[[NDArray[np.float64]], NDArray[np.complex128]]:
    """A function that computes the states of samples with PennyLane, all at once or one by one."""
    import pennylane as qml

    circuit = listing22()

    @qml.qnode(qml.device(device, wires=N_QUBITS), diff_method=None)  # type: ignore[untyped-decorator]
    def state(angles: NDArray[np.float64]) -> object:
        row = 0
        for gate in circuit.gates:
            given = [
                angles[row + i] if angle.weights else angle.offset  # one number for all where the data do not matter
                for i, angle in enumerate(gate.angles)
            ]
            row += len(given)
            getattr(qml, gate.name)(*given, wires=gate.wires)
        return qml.state()

    def all_states(samples: NDArray[np.float64]) -> NDArray[np.complex128]:
        angles = circuit.angles(samples)
        return np.asarray(state(angles)) if broadcast else np.array([state(column) for column in angles.T])

    return all_states


def beside_pennylane(n_samples: int, theirs: int, repeats: int) -> tuple[list[Timing], float]:
    """Interleaved runs of ours and PennyLane's; and the largest difference of any entry of the kernel."""
    circuit, samples = listing22(), drawn(n_samples)
    ours: dict[str, Task] = {
        f"labwright, {engine} {precision}": lambda e=engine, p=precision: kernel_matrix(  # type: ignore[misc]
            circuit, samples, precision=p, engine=e
        )
        for engine in ("numpy",)
        for precision in ("complex128", "complex64")
    }
    pennylane = {
        "PennyLane lightning.qubit, one by one": pennylane_states("lightning.qubit", False),
        "PennyLane default.qubit, broadcast": pennylane_states("default.qubit", True),
    }
    for states in pennylane.values():
        states(samples[:2])  # imports and caches
    for task in ours.values():
        task()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in (*ours, *pennylane)}
    difference = 0.0
    for _ in range(repeats):
        for name, task in ours.items():
            found[name].append(seconds(task))
        for name, states in pennylane.items():
            psi: list[NDArray[np.complex128]] = []
            wall, processor = seconds(lambda s=states, keep=psi: keep.append(s(samples[:theirs])))  # type: ignore[misc]
            full = np.resize(psi[0], (n_samples, 2**N_QUBITS))
            product = seconds(lambda p=full: np.abs(p @ p.conj().T) ** 2)  # type: ignore[misc]
            factor = n_samples / theirs
            found[name].append((factor * wall + product[0], factor * processor + product[1]))
            kernel = kernel_matrix(circuit, samples[:theirs], precision="complex128", engine="numpy")
            difference = max(difference, float(np.abs(kernel - np.abs(psi[0] @ psi[0].conj().T) ** 2).max()))
    timings = []
    for name, pairs in found.items():
        wall, processor = (statistics.median(column) for column in zip(*pairs, strict=True))
        timings.append(Timing(name, n_samples, theirs if name in pennylane else n_samples, wall, processor))
    return timings, difference


def gram_share(n_samples: int, repeats: int) -> dict[str, float]:
    """Speed of the Gram step beside that of a large real matrix product, complex64, interleaved.

    Counted are the real multiplications and additions that are carried out: three real products a block, or two where
    a block is symmetric (one and two halves).
    """
    simulator = Simulator(listing22(), "complex64", "auto")
    planes = simulator.planes(drawn(n_samples))
    square = np.random.default_rng(0).normal(size=(4096, 4096)).astype(np.float32)
    peaks, grams = [], []
    tiles = range(0, n_samples, TILE)
    blocks = [(i, j) for i in tiles for j in tiles if j >= i]

    def gram() -> None:
        for i, j in blocks:
            left, right = planes[:, :, i : i + TILE], planes[:, :, j : j + TILE]
            own_overlaps(left) if i == j else squared_overlaps(left, right)

    products = sum((2 if i == j else 3) * min(TILE, n_samples - i) * min(TILE, n_samples - j) for i, j in blocks)
    for _ in range(repeats):
        peaks.append(2 * 4096**3 / seconds(lambda: square @ square)[0])
        grams.append(2 * 2**N_QUBITS * products / seconds(gram)[0])
    gram_rate, peak_rate = statistics.median(grams) / 1e9, max(peaks) / 1e9
    return {"gram GFlop/s": gram_rate, "peak GFlop/s": peak_rate, "share": gram_rate / peak_rate}


def in_fresh_process(n_samples: int, precision: str, memory_mb: float, engine: str) -> dict[str, float]:
    """A kernel in a process of its own: its seconds, and its peak memory before and after, in 10^6 bytes."""
    command = [sys.executable, "-m", "labwright.evaluation.benchmarks.kernels", "--one"]
    done = subprocess.run(
        [*command, str(n_samples), precision, str(memory_mb), engine], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def one_kernel(n_samples: int, precision: Any, memory_mb: float, engine: Any) -> dict[str, float]:
    """What `in_fresh_process` runs: the limit is of what the call allocates, so a small kernel loads all code first."""
    circuit, samples = listing22(), drawn(n_samples)
    kernel_matrix(circuit, samples[:300], precision=precision, engine=engine)
    before = peak_mb()
    wall, processor = seconds(
        lambda: kernel_matrix(circuit, samples, precision=precision, memory_mb=memory_mb, engine=engine)
    )
    return {"wall": wall, "processor": processor, "before_mb": before, "peak_mb": peak_mb()}


def peak_mb() -> float:
    """Largest resident memory of this process so far, 10^6 bytes.

    Not from `getrusage`: there a child begins with the peak of the process that started it.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    """Print the numbers, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--theirs", type=int, default=2000, help="samples that PennyLane is timed with")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--big", type=int, default=BIG)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        n_samples, precision, memory_mb, engine = chosen.one
        sys.stdout.write(json.dumps(one_kernel(int(n_samples), precision, float(memory_mb), engine)))
        return
    begun = time.monotonic()
    timings, difference = beside_pennylane(chosen.samples, min(chosen.theirs, chosen.samples), chosen.repeats)
    say = sys.stdout.write
    say(f"kernel of {chosen.samples} samples, {N_QUBITS} qubits, 226 gates, {n_threads()} threads\n")
    sys.stdout.writelines(timing.line(timings[0]) + "\n" for timing in timings)
    say(f"largest difference from PennyLane, complex128: {difference:.1e}\n")
    gram = gram_share(chosen.samples, chosen.repeats)
    say("Gram step: {gram GFlop/s:.0f} GFlop/s of {peak GFlop/s:.0f}, {share:.0%}\n".format(**gram))
    big = {engine: in_fresh_process(chosen.big, "complex64", 4000.0, engine) for engine in ("numpy",)}
    bound = in_fresh_process(BOUND_SAMPLES, "complex128", BOUND_MB, "numpy")
    for engine, one in big.items():
        say(f"{chosen.big} samples, complex64, {engine}: {one['wall']:.1f} s, peak {one['peak_mb']:.0f} MB\n")
    grown = bound["peak_mb"] - bound["before_mb"]
    limited = f"{BOUND_SAMPLES} samples, complex128, memory_mb={BOUND_MB:.0f}"
    say(f"{limited}: grown by {grown:.0f} MB, {bound['wall']:.1f} s\n")
    if chosen.json:
        facts = {
            **provenance(time.monotonic() - begun),
            "load": os.getloadavg()[2],
            "machine": platform.processor() or platform.machine(),
            "threads": n_threads(),
            "gates": 226,
        }
        document = {**facts, "timings": [asdict(t) for t in timings], "difference": difference, "gram": gram}
        write_atomic(chosen.json, to_json({**document, "big": big, "bound": {**bound, "grown_mb": grown}}))


if __name__ == "__main__":
    main()
