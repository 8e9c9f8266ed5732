"""Run all: `python -m labwright.evaluation.peers.run --environments FOLDER`; `evaluation/results/peers.json` keeps it.

Ours and the peers take turns, so that all see the same machine; each has one thread. A ratio is the peer's median over
ours, in processor time and on the clock; its spread is the smallest and the largest of the repeats. A peer that is not
installed is named.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.benchmarks.orchestration import idle_run
from labwright.evaluation.benchmarks.robot_volume_agreement import examples
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.peers import environments, worker
from labwright.evaluation.result_provenance import provenance
from labwright.tools.atomic_files import write_atomic
from labwright.tools.datasets import load_dataset, prepare_split
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.liquid_handler.lsr_reader import read_lsr
from labwright.tools.liquid_handler.lsr_writer import write_lsr
from labwright.tools.liquid_handler.robots.deck import deck_of
from labwright.tools.liquid_handler.robots.opentrons import opentrons_script
from labwright.tools.liquid_handler.robots.scripts import pylabrobot_script
from labwright.tools.liquid_handler.robots.volume_tracker import holds, moves_of, track, usable
from labwright.tools.qpu.dynamics import LEVELS, Transmon
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Program, Pulse
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.truth import paper_device
from labwright.tools.runs.hashed_files import to_json

ONE_THREAD = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_ENABLE_X64": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}  # fmt: skip
GRADED = plain_recipe(axes=["RX"], entangler="CNOT", scale=3.0, decay=0.55, centre=0.5)
N_FEATURES, SAMPLES, POINTS, TURNS = 40, 32, 150, 20
AMPLITUDE, DURATION = 0.2, 0.03  # of the square pulse; us of a Gaussian one


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work.

    Attributes:
        ours: does it; gives what is compared with a peer's array, if anything is.
        peers: functions of `worker`.
        work: arrays that a peer gets.
    """

    name: str
    ours: Callable[[], Any]
    peers: tuple[str, ...]
    work: dict[str, Any]


def kernels(qubits: int) -> Task:
    """The kernel of digits samples under a map of the kind that the search finds."""
    samples = prepare_split(load_dataset("digits"), N_FEATURES, 0, (150, 75, 100)).train.X[:SAMPLES]
    circuit = circuit_of(GRADED, qubits, N_FEATURES)
    taken = [len(gate.angles) for gate in circuit.gates]
    wires = [(*gate.wires, -1)[:2] for gate in circuit.gates]
    work = {
        "qubits": qubits, "angles": circuit.angles(samples), "names": [gate.name for gate in circuit.gates],
        "wires": wires, "taken": taken, "rows": np.cumsum([0, *taken[:-1]]),
    }  # fmt: skip
    ours = lambda: kernel_matrix(circuit, samples, precision="complex128")  # noqa: E731
    return Task(f"kernel of {SAMPLES} samples, {qubits} qubits", ours, ("pennylane", "qiskit", "qibo"), work)


def pulses(shaped: bool) -> Task:
    """Populations after 150 pulses on a transmon of four levels with decay, dephasing and heat."""
    transmon = Transmon(paper_device().qubits["Q1"], 0.3)
    truth, photons = transmon.truth, transmon.truth.thermal_photons
    a = np.diag(np.sqrt(np.arange(1.0, LEVELS)), 1).astype(complex)
    n = np.diag(np.arange(LEVELS)).astype(complex)
    rates = [(photons + 1) / truth.t1, photons / truth.t1, 2 * truth.dephasing_rate]
    common = {
        "free": 2 * np.pi * (transmon.detuning * n + truth.anharmonicity / 2 * n @ (n - np.eye(LEVELS))),
        "drive": np.pi * (a + a.conj().T),
        "jumps": [np.sqrt(rate) * jump for rate, jump in zip(rates, (a, a.conj().T, n), strict=True)],
        "start": np.diag(transmon.thermal_state().reshape(LEVELS, LEVELS).diagonal()),
    }
    if not shaped:
        times = np.linspace(0.002, 0.3, POINTS)
        program = sweep([Pulse(AMPLITUDE, float(t), "square") for t in times])
        rate = float(transmon.rabi_rate(np.array([AMPLITUDE]))[0].real)
        work = {**common, "rate": rate, "times": np.concatenate([[0.0], times])}
    else:
        amplitudes = np.linspace(0.0, 0.8, POINTS)
        program = sweep([Pulse(float(one), DURATION) for one in amplitudes])
        shape = transmon.rabi_rate(gaussian(amplitudes, np.zeros(POINTS), DURATION, truth.anharmonicity)).real
        edges = np.linspace(0.0, DURATION, shape.shape[1] + 1)
        middles = (edges[1:] + edges[:-1]) / 2
        work = {**common, "rates": shape, "edges": edges, "times": np.concatenate([[0.0], middles, [DURATION]])}
    name = f"{POINTS} {'Gaussian' if shaped else 'square'} pulses"
    return Task(name, lambda: populations(transmon, program), ("qutip", "dynamiqs"), work)


def sweep(points: list[Pulse]) -> Program:
    """One point a pulse."""
    return Program("Q1", tuple(points), tuple(np.array([i], dtype=np.intp) for i in range(len(points))))


def volumes() -> Iterator[Task]:
    """Where every drop of the templates and published experiments ends, from the written file or script on."""
    protocols = [made.protocol for made in examples()]
    files = [write_lsr(protocol) for protocol in protocols]

    def ours() -> NDArray[np.bool_]:
        read = [read_lsr(file) for file in files]
        return np.array([not track(moves_of(one), usable(one), holds(one)).problems for one in read])

    for peer, script in (("pylabrobot", pylabrobot_script), ("opentrons", opentrons_script)):
        texts = [script(deck_of(protocol)) for protocol in protocols]
        yield Task(f"volumes of {len(files)} protocols", ours, (peer,), {"scripts": texts})


def loops() -> Task:
    """A run of so many stages, or turns, that measure nothing."""

    def ours() -> NDArray[np.int64]:
        with tempfile.TemporaryDirectory() as folder:
            done = idle_run(Path(folder), TURNS)
            return np.array(len(done.result["stages"]))

    return Task(f"{TURNS} idle stages, or turns of a loop", ours, ("create_agent", "deepagents"), {"turns": TURNS})


def measured(task: Task, folder: Path, repeats: int) -> list[dict[str, Any]]:
    """A row a peer."""
    place = Path(tempfile.mkdtemp())
    np.savez(place / "work.npz", **task.work)
    ours = task.ours()
    peers: dict[str, Any] = {peer: started(peer, place, folder) for peer in task.peers}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in ("", *peers)}
    running = {peer: process for peer, process in peers.items() if said(process) == "ready"}
    for _ in range(repeats):
        began, used = time.perf_counter(), worker.spent()
        task.ours()
        spent[""].append((time.perf_counter() - began, worker.spent() - used))
        for peer, process in running.items():
            process.stdin.write("again\n")
            process.stdin.flush()
            clock, processor = map(float, said(process).split())
            spent[peer].append((clock, processor))
    rows = []
    for peer, process in peers.items():
        with process:  # its pipes are closed, which ends it
            pass
        row: dict[str, Any] = {"task": task.name, "peer": peer}
        if peer not in running:
            rows.append({**row, "missing": "not installed, or it failed"})
            continue
        theirs = np.load(place / f"{peer}.npy")
        rows.append({**row, "difference": float(np.abs(ours.astype(float) - theirs.astype(float)).max()),
                     **ratios(spent[""], spent[peer])})  # fmt: skip
    return rows


def started(peer: str, place: Path, folder: Path) -> subprocess.Popen[str]:
    """The peer's process, in its own environment if it has one."""
    own = folder.absolute() / peer / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    command = [python, "-W", "ignore", str(Path(worker.__file__)), peer, str(place / "work.npz")]
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=kept | ONE_THREAD,
    )


def said(process: Any) -> str:
    """The process's next line."""
    return str(process.stdout.readline()).strip()


def ratios(ours: list[tuple[float, float]], theirs: list[tuple[float, float]]) -> dict[str, Any]:
    """Medians in seconds and their ratios, on the clock and of the processor, with the spread over the repeats."""
    found: dict[str, Any] = {"repeats": len(ours)}
    for which, kind in enumerate(("clock", "processor")):
        mine, other = ([one[which] for one in each] for each in (ours, theirs))
        each = [b / a for a, b in zip(mine, other, strict=True)]
        middle = statistics.median(mine), statistics.median(other)
        found[kind] = {"ours": middle[0], "theirs": middle[1], "ratio": middle[1] / middle[0],
                       "spread": [min(each), max(each)]}  # fmt: skip
    return found


def versions(folder: Path) -> dict[str, str]:
    """Of what was compared, where it is installed."""
    found = {}
    for name in ("pennylane-lightning", "qiskit", "qutip", "pylabrobot", "langchain", "deepagents"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    own = {name: packages[0].partition("==")[0] for name, packages in environments.PACKAGES.items()}
    for name, package in own.items():
        python = folder.absolute() / name / "bin" / "python"
        ask = f"from importlib.metadata import version; print(version({package!r}))"
        done = subprocess.run([str(python), "-c", ask], capture_output=True, text=True) if python.exists() else None
        found[name] = done.stdout.strip() if done else "not installed"
    return found


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", type=Path, default=environments.FOLDER)
    parser.add_argument("--qubits", type=int, nargs="+", default=[6, 10, 14])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path, default=FOLDER / "peers.json")
    given = parser.parse_args()
    began, rows = time.monotonic(), []
    tasks = [*map(kernels, given.qubits), pulses(False), pulses(True), *volumes(), loops()]
    for task in tasks:
        for row in measured(task, given.environments, given.repeats):
            rows.append(row)
            cpu = row.get("processor")
            shown = f"{cpu['ratio']:.2f} ({cpu['spread'][0]:.2f}-{cpu['spread'][1]:.2f})" if cpu else row["missing"]
            sys.stdout.write(f"{task.name:36} {row['peer']:14} {shown}  difference {row.get('difference', '-')}\n")
            sys.stdout.flush()
    head = {
        **provenance(time.monotonic() - began),
        "load": os.getloadavg()[0],
        "versions": versions(given.environments),
    }
    write_atomic(given.output.absolute(), to_json({**head, "rows": rows}))


if __name__ == "__main__":
    os.environ.update(ONE_THREAD)
    main()
