"""How fast the simulated processor evolves states, beside `qutip.mesolve`.

Run with ``python -m labwright.evaluation.benchmarks.simulation``; set OMP_NUM_THREADS=1 for one core.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labwright.tools.qpu.dynamics import LEVELS, Transmon
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Program, Pulse
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.truth import paper_device

REPEATS = 7
POINTS = 150
RABI_TIMES = np.linspace(0.002, 0.3, POINTS)
RABI_AMPLITUDES = np.linspace(0.0, 0.8, POINTS)
RABI_AMPLITUDE = 0.2


@dataclass(frozen=True, slots=True)
class Timing:
    """Median seconds of one task, and QuTiP's processor seconds for the same task."""

    task: str
    seconds: float
    processor: float  # processor seconds: what is left of `seconds` without waiting for the disk and for other programs
    qutip: float
    difference: float  # largest difference of any population

    def line(self) -> str:
        shown = f"{self.task:<44}{1e3 * self.seconds:>8.1f} ms{1e3 * self.processor:>8.1f} ms cpu"
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


def sweep(pulses: Sequence[Pulse]) -> Program:
    """One point a pulse."""
    return Program("Q1", tuple(pulses), tuple(np.array([i], dtype=np.intp) for i in range(len(pulses))))


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
    sys.stdout.writelines(timing.line() + "\n" for timing in beside_qutip())


if __name__ == "__main__":
    main()
