"""The paper's Fig. 5(b) for our processor: a search over what could be measured, and over what is true.

Left: a drive of 1 us, difference of the target's signal with the control in 0 and in 1. Right: the error of the best CZ
with each drive, which only the oracle knows: its pulses' own, and relaxation while it lasts. On both, the drives that a
search tried.

    python -m labwright.evaluation.sizzle_map docs/figures/sizzle_search.png
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from labwright.tools.experiments import figures
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.qubit_pairs import Pair
from labwright.tools.experiments.sizzle_policy import Attempt
from labwright.tools.experiments.sizzle_search import SizzleSearch, draw_attempts
from labwright.tools.qpu.oracle_pair import computational, idle_error_rate, timed
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.qpu.stark import Tone, gate_unitary
from labwright.tools.qpu.transmon_register import Register

DRIVE_TIME = 1.0  # us
EDGE = 0.08
LONGEST = 3.0  # us of one Stark pulse
BESIDE = (100.0, 60.0)  # MHz below the lower qubit and above the upper one


def maps(
    register: Register, pair: Pair, frequencies: Sequence[float], amplitudes: Sequence[float]
) -> tuple[Array, Array]:
    """Measurable difference (0 to 2) and error of a CZ (nan: none) on a grid, (n_amplitudes, n_frequencies) each."""
    measurable = np.zeros((len(amplitudes), len(frequencies)))
    errors, lost = np.full_like(measurable, np.nan), idle_error_rate(register)
    for row, amplitude in enumerate(amplitudes):
        for column, frequency in enumerate(frequencies):
            drive = pair.driven(frequency, amplitude, EDGE)
            both = (drive.amplitude_first, drive.amplitude_second)
            tone = Tone(frequency, EDGE, ((both[0], 0.0), (both[1], 0.0)))
            measurable[row, column] = _difference(gate_unitary(register, tone, DRIVE_TIME))
            gate = timed(register, frequency, both, EDGE, LONGEST)
            if gate is not None:
                length = 2 * (gate.duration + pair.one.pulse_duration)
                errors[row, column] = gate.unitary_error + lost * length
    return measurable, errors


def _difference(unitary: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]) -> float:
    """How far apart the target's <X> + i <Y> ends for the control in 0 and in 1, the target starting on the equator."""
    zero, target, control, both = computational(2)
    signals = []
    for low, high in ((zero, target), (control, both)):
        state = (unitary[:, low] + unitary[:, high]) / np.sqrt(2)
        levels = state.reshape(4, 4)
        signals.append(2 * np.sum(levels[:, 1] * levels[:, 0].conj()))
    return float(abs(signals[0] - signals[1]))


def draw(
    pair: Pair, frequencies: Array, amplitudes: Array, both: tuple[Array, Array], attempts: list[Attempt],
    best: Attempt | None,
) -> Figure:  # fmt: skip
    """Both maps with the drives that were tried."""
    made, axes = figures.figure(
        f"siZZle search on {pair.name}: what can be measured, and what is true", 1, 2, sharey=True
    )
    made.set_size_inches(11.0, 4.6)
    measurable, errors = both
    least = 100 * float(np.nanmin(errors))
    for axis, shown, shades, low, high, label in (
        (
            axes[0],
            measurable,
            "viridis",
            0.0,
            2.0,
            r"difference of the target's $\langle X\rangle + i\langle Y\rangle$",
        ),
        (axes[1], 100 * errors, "magma_r", least, 4 * least, "error of the CZ (%)"),
    ):
        image = axis.pcolormesh(frequencies, amplitudes, shown, cmap=shades, vmin=low, vmax=high, rasterized=True)
        made.colorbar(image, ax=axis, label=label)
        draw_attempts(axis, attempts, best, numbered=False)
        for frequency in (pair.one.frequency, pair.two.frequency):
            axis.axvline(frequency, color="white" if axis is axes[0] else "black", linestyle="--", linewidth=0.9)
        axis.set_xlim(frequencies[0], frequencies[-1])
        axis.set_ylim(amplitudes[0], amplitudes[-1])
    axes[1].set_ylabel("")
    return made


def main(path: Path) -> None:
    """Search on Q1 and Q2 of the paper's device, calibrated, and draw it to `path`."""
    calibrated: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}
    with tempfile.TemporaryDirectory() as folder:
        device = open_simulated(Path(folder) / "device", 0, calibrated)
        search = SizzleSearch(Bench(device, "search"))
        search.run("Q1", "Q2")
        pair, found = search.trials.pair, search.best
        low, high = sorted((pair.one.frequency, pair.two.frequency))
        frequencies = np.arange(low - BESIDE[0], high + BESIDE[1], 2.5)
        amplitudes = pair.amplitude_of() * np.linspace(0.3, 1.05, 16)
        both = maps(device.register(pair.names), pair, list(frequencies), list(amplitudes))
        device.close()
    made = draw(pair, frequencies, amplitudes, both, search.trials.attempts, found.attempt if found else None)
    made.savefig(path, dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
