"""How fast the simulated processor is: whole acquisitions, and state evolution alone beside `qutip.mesolve`.

Run with ``python -m labwright.evaluation.benchmarks.simulation``; set OMP_NUM_THREADS=1 for one core.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.cliffords import GATES, clifford_group
from labwright.tools.qpu.dynamics import LEVELS, Transmon
from labwright.tools.qpu.oracle import calibrated_gate
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Delay, Operation, Program, Pulse
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.qpu.truth import paper_device

REPEATS = 7
POINTS = 150
RABI_TIMES = np.linspace(0.002, 0.3, POINTS)
RABI_AMPLITUDES = np.linspace(0.0, 0.8, POINTS)
RABI_AMPLITUDE = 0.2


@dataclass(frozen=True, slots=True)
class Timing:
    """Median seconds of one task, and QuTiP's processor seconds for the same task where it was run."""

    task: str
    seconds: float
    processor: float  # processor seconds: what is left of `seconds` without waiting for the disk and for other programs
    qutip: float | None = None
    difference: float | None = None  # largest difference of any population

    def line(self) -> str:
        shown = f"{self.task:<44}{1e3 * self.seconds:>8.1f} ms{1e3 * self.processor:>8.1f} ms cpu"
        if self.qutip is None or self.difference is None:
            return shown
        ratio = self.qutip / self.processor
        return (
            f"{shown}  mesolve {1e3 * self.qutip:>8.1f} ms cpu  ratio {ratio:>7.0f}  difference {self.difference:.1e}"
        )


def median_seconds(task: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """Median wall and processor time of `task`, after one call that is not timed."""
    task()
    wall, processor = [], []
    for _ in range(repeats):
        begin = time.perf_counter(), time.process_time()
        task()
        wall.append(time.perf_counter() - begin[0])
        processor.append(time.process_time() - begin[1])
    return statistics.median(wall), statistics.median(processor)


def sweep(
    operations: Iterable[Operation],
    before: tuple[Operation, ...] = (),
    after: tuple[Operation, ...] = (),
) -> Program:
    """One point an operation, each between the same `before` and `after`."""
    swept = tuple(operations)
    alphabet = (*before, *after, *swept)
    first, last = np.arange(len(before)), len(before) + np.arange(len(after))
    offset = len(before) + len(after)
    sequences = tuple(np.concatenate([first, [offset + i], last]).astype(np.intp) for i in range(len(swept)))
    return Program("Q1", alphabet, sequences)


def benchmarking(settings: QubitSettings, longest: int, kinds: int, seed: int = 0) -> Program:
    """Randomized benchmarking at 1, 2, 4 ... `longest` Cliffords; every sequence ends once in 0 and once in 1."""
    group, rng = clifford_group(), np.random.default_rng(seed)
    number = {gate: i for i, gate in enumerate(GATES)}
    sequences = []
    for length in 2 ** np.arange(int(np.log2(longest)) + 1):
        for drawn in rng.integers(0, 24, (kinds, length)):
            total = 0
            for element in drawn:
                total = int(group.product[total, element])
            for end in (0, group.element("X180")):
                back = int(group.product[group.inverse[total], end])
                gates = [number[g] for element in (*drawn, back) for g in group.decompositions[element]]
                sequences.append(np.array(gates, dtype=np.intp))
    return Program("Q1", tuple(calibrated_gate(gate, settings) for gate in GATES), tuple(sequences))


def programs(settings: QubitSettings) -> dict[str, Program]:
    """One program of each kind of experiment, 1000 shots."""
    x90, x180, y180 = (
        Pulse(amplitude, settings.pulse_duration, phase=phase, drag=settings.drag)
        for amplitude, phase in (
            (settings.amplitude_pi2, 0.0),
            (settings.amplitude_pi, 0.0),
            (settings.amplitude_pi, np.pi / 2),
        )
    )
    empty = np.array([], dtype=np.intp)
    echo = Program(
        "Q1",
        (x90, y180, *(Delay(t / 2) for t in np.linspace(0, 300, 60))),
        tuple(np.array([0, i, 1, i, 0]) for i in range(2, 62)),
    )
    pingpong = Program("Q1", (x90, x180), tuple(np.array([0] + [1] * n) for n in range(61)))
    dragged = [replace(x180, drag=float(d), phase=p) for d in np.linspace(-1, 2, 41) for p in (0.0, np.pi)]
    drag = Program("Q1", tuple(dragged), tuple(np.tile([2 * i, 2 * i + 1], 8) for i in range(41)))
    square = sweep(Pulse(RABI_AMPLITUDE, float(t), "square") for t in RABI_TIMES)
    frequencies = np.linspace(9985, 10009, 121)
    return {
        "rabi, 150 square pulses": square,
        "rabi, 150 square pulses, single shots": replace(square, returns="shots"),
        "rabi, 150 Gaussian pulses": sweep(Pulse(float(a), 0.03) for a in RABI_AMPLITUDES),
        "ramsey, 100 delays": sweep((Delay(float(t)) for t in np.linspace(0, 100, 100)), (x90,), (x90,)),
        "t1, 60 delays": sweep((Delay(float(t)) for t in np.linspace(0, 500, 60)), (x180,)),
        "spin echo, 60 delays": echo,
        "amplitude ping-pong, 61 x up to 60 pulses": pingpong,
        "drag, 41 coefficients x 16 pulses": drag,
        "qubit spectroscopy, 101 square pulses": sweep(
            Pulse(0.003, 2.0, "square", detuning=float(d)) for d in np.linspace(-15, 15, 101)
        ),
        "qubit spectroscopy, 101 Gaussian pulses": sweep(
            Pulse(0.01, 1.0, detuning=float(d)) for d in np.linspace(-15, 15, 101)
        ),
        "resonator spectroscopy, 121 points": Program(
            "Q1", (), (empty,) * 121, returns="average", readout_frequency=frequencies
        ),
        "readout, 2 x 5000 single shots": Program("Q1", (x180,), (empty, np.array([0])), 5000, "shots"),
        "rb to 2048 x 10 kinds x 2 ends": benchmarking(settings, 2048, 10),
    }


def acquisitions(folder: Path) -> list[Timing]:
    """Median time of `acquire`: simulation, readout noise, and the synchronised write to disk."""
    device = open_simulated(folder, 1, {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5})
    timings = []
    for name, program in programs(device.settings.current("Q1")).items():
        keys = iter(f"{name}.{i}" for i in range(REPEATS + 1))
        timings.append(Timing(name, *median_seconds(lambda p=program, k=keys: device.acquire(p, next(k)))))  # type: ignore[misc]
    device.close()
    return timings


def beside_qutip() -> list[Timing]:
    """Evolution of the state alone, for the same pulses, samples and collapse operators."""
    try:
        import qutip
    except ModuleNotFoundError as error:
        raise SystemExit("The comparison needs QuTiP: pip install 'labwright[test]'.") from error
    transmon = Transmon(paper_device().qubits["Q1"], 0.3)
    truth = transmon.truth
    a, n = qutip.destroy(LEVELS), qutip.num(LEVELS)
    free = 2 * np.pi * (transmon.detuning * n + truth.anharmonicity / 2 * n * (n - 1))
    drive = np.pi * (a + a.dag())
    photons = truth.thermal_photons
    jumps = [
        np.sqrt((photons + 1) / truth.t1) * a,
        np.sqrt(photons / truth.t1) * a.dag(),
        np.sqrt(2 * truth.dephasing_rate) * n,
    ]
    start = qutip.Qobj(np.diag(transmon.thermal_state().reshape(LEVELS, LEVELS).diagonal()))
    levels = [qutip.fock_dm(LEVELS, k) for k in range(LEVELS)]

    def square() -> NDArray[np.float64]:
        rabi = float(transmon.rabi_rate(np.array([RABI_AMPLITUDE]))[0].real)
        times = np.concatenate([[0.0], RABI_TIMES])  # one solution serves all durations
        solved = qutip.mesolve(free + rabi * drive, start, times, jumps, e_ops=levels, options={"nsteps": 10**6})
        return np.array(solved.expect).T[1:]

    def shaped() -> NDArray[np.float64]:
        shape = gaussian(RABI_AMPLITUDES, np.zeros(POINTS), 0.03, truth.anharmonicity)
        rates = transmon.rabi_rate(shape).real
        middles = (np.arange(shape.shape[1]) + 0.5) * 0.03 / shape.shape[1]
        knots = np.concatenate([[0.0], middles, [0.03]])
        final = []
        for rate in rates:
            # A spline through the samples: smooth coefficients are QuTiP's fastest.
            h = [free, [drive, qutip.coefficient(np.concatenate([[0.0], rate, [0.0]]), tlist=knots)]]
            final.append(qutip.mesolve(h, start, [0, 0.03], jumps, e_ops=levels, options={"nsteps": 10**6}).expect)
        return np.array(final)[:, :, -1]

    timings = []
    for name, pulses, reference, repeats in (
        ("states: 150 square pulses", [Pulse(RABI_AMPLITUDE, float(t), "square") for t in RABI_TIMES], square, REPEATS),
        ("states: 150 Gaussian pulses", [Pulse(float(a), 0.03) for a in RABI_AMPLITUDES], shaped, 3),
    ):
        program = sweep(pulses)
        ours = median_seconds(lambda p=program: populations(transmon, p))  # type: ignore[misc]
        _, theirs = median_seconds(reference, repeats)
        difference = float(np.abs(populations(transmon, program) - reference()).max())
        timings.append(Timing(name, *ours, theirs, difference))
    return timings


def main() -> None:
    """Print one line a task."""
    with tempfile.TemporaryDirectory() as folder:
        timings = [*acquisitions(Path(folder)), *beside_qutip()]
    sys.stdout.writelines(timing.line() + "\n" for timing in timings)


if __name__ == "__main__":
    main()
