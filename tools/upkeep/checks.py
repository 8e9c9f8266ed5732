"""check_data: a handful of points for each calibration, and whether they are what a calibrated qubit shows.

Every check compares with what was measured when the node was calibrated, or with a tolerance in the unit of its
parameter. A parameter counts as out of spec only if it is so beyond two sigma of the check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.fringes import QUARTERS, VISIBLE, detuning, quarters
from labwright.tools.experiments.gates import gate, half_turn, program, quarter_turn
from labwright.tools.experiments.needs import FINE
from labwright.tools.experiments.single_qubit_rb import random_sequence
from labwright.tools.qpu.cliffords import GATES, GATES_PER_CLIFFORD
from labwright.tools.qpu.program import Operation, Program
from labwright.tools.qpu.settings import QubitSettings

Array = NDArray[np.float64]
FEWEST = 0.2  # contrast below which nothing can be told
KEPT = 0.9  # of the readout contrast that was measured when it was calibrated
FREQUENCY, AMPLITUDE, DRAG = (need.error or 0.0 for need in FINE)  # MHz; relative; of the coefficient
WORSE = 1.25  # error per gate, relative to the benchmark that is remembered
# Setting -> the number of its check that says how far off it is.
OFF = {"frequency": "detuning", "amplitude_pi": "pi", "amplitude_pi2": "pi2", "drag": "drag_error"}
DELAYS = (0.02, 0.2, 1.6, 12.8)  # us; each tells the next one's whole turns apart, up to 2.7 MHz
PI_TRAIN, QUARTER_TRAIN = 20, 41  # pulses; trains that end on the equator whatever their number of whole turns
DRAG_PAIRS, DRAG_REACH = 3, 0.25
RB_LENGTHS, RB_KINDS = (2, 800), 20


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found.

    Attributes:
        found: ``in_spec``; ``out_of_spec``: this node's parameter is off; ``bad_data``: something below it is.
        detail: the deciding number in words.
        numbers: name -> value, errors among them, in the units of `detail`.
    """

    found: Literal["in_spec", "out_of_spec", "bad_data"]
    detail: str
    numbers: dict[str, float] = field(default_factory=dict)


Check = Callable[[Bench, str, Mapping[str, float]], Checked]


def check_readout(bench: Bench, qubit: str, reference: Mapping[str, float]) -> Checked:
    """Two points: what nothing and what a pi pulse read."""
    settings = bench.settings(qubit)
    (low, high), error = bench.fractions(program(qubit, [[], [half_turn(settings)]], 1000))
    contrast = float(high - low)
    wanted = KEPT * reference.get("contrast", 0.4 / KEPT)
    numbers = {"contrast": contrast, "contrast_error": float(np.hypot(*error)), "wanted": wanted}
    good = contrast + 2 * numbers["contrast_error"] >= wanted
    return Checked("in_spec" if good else "out_of_spec", f"contrast {contrast:.3f}, wanted {wanted:.3f}", numbers)


def check_frequency(bench: Bench, qubit: str, reference: Mapping[str, float]) -> Checked:
    """Ramsey at four delays with four phases of the second pulse: the phase against the delay is the detuning."""
    settings = bench.settings(qubit)
    fractions, errors = bench.fractions(program(qubit, quarters(settings, DELAYS), 500))
    contrast = float(np.abs(fractions[:4] @ np.exp(-1j * QUARTERS)))
    if contrast < FEWEST:
        return Checked("bad_data", f"contrast {contrast:.3f}", {"contrast": contrast})
    off, error, left = detuning(fractions, errors, DELAYS)
    numbers = {"detuning": off, "detuning_error": error, "tolerance": FREQUENCY}
    detail = f"{1e3 * off:+.1f} +- {1e3 * error:.1f} kHz off, tolerated {1e3 * FREQUENCY:g} kHz"
    if left[-1] < VISIBLE:
        return Checked("bad_data", f"no fringe after {DELAYS[-1]:g} us", numbers)
    return Checked(_within(off, error, FREQUENCY), detail, numbers)


def check_amplitude(bench: Bench, qubit: str, reference: Mapping[str, float]) -> Checked:
    """Trains of pi and of pi/2 pulses that end on the equator, begun from either side: errors of angle add up."""
    settings = bench.settings(qubit)
    plus, minus = quarter_turn(settings), quarter_turn(settings, np.pi)
    flip = half_turn(settings)
    sequences: list[list[Operation]] = [
        [],
        [flip],
        [plus, *[flip] * PI_TRAIN],
        [minus, *[flip] * PI_TRAIN],
        [plus] * QUARTER_TRAIN,
        [minus] * QUARTER_TRAIN,
    ]
    fractions, errors = bench.fractions(program(qubit, sequences, 1500))
    contrast = float(fractions[1] - fractions[0])
    if contrast < FEWEST:
        return Checked("bad_data", f"contrast {contrast:.3f}", {"contrast": contrast})
    # from +: 1/2 + sin(n e)/2 of the contrast; from -: the pi train turns the other way round
    middle = (fractions[0] + fractions[1]) / 2
    pi = _angle(fractions[2] - fractions[3], contrast, PI_TRAIN * np.pi)
    quarter = _angle(fractions[4] + fractions[5] - 2 * middle, contrast, QUARTER_TRAIN * np.pi / 2)
    spread = float(np.hypot(errors[2], errors[3])) / contrast
    pi_error = spread / (PI_TRAIN * np.pi)
    quarter_error = float(np.sqrt(spread**2 + 2 * (errors[0] / contrast) ** 2)) / (QUARTER_TRAIN * np.pi / 2)
    numbers = {
        "pi": pi, "pi_error": pi_error, "pi2": quarter, "pi2_error": quarter_error, "tolerance": AMPLITUDE,
    }  # fmt: skip
    detail = (
        f"X180 {100 * pi:+.2f} +- {100 * pi_error:.2f} %, X90 {100 * quarter:+.2f} +- {100 * quarter_error:.2f} %,"
        f" tolerated {100 * AMPLITUDE:g} %"
    )
    both = {_within(pi, pi_error, AMPLITUDE), _within(quarter, quarter_error, AMPLITUDE)}
    return Checked("in_spec" if both == {"in_spec"} else "out_of_spec", detail, numbers)


def check_drag(bench: Bench, qubit: str, reference: Mapping[str, float]) -> Checked:
    """The pulse trains of the DRAG calibration at three coefficients about the calibrated one: where they cross."""
    settings = bench.settings(qubit)
    coefficients = settings.drag + DRAG_REACH * np.array([-1.0, 0.0, 1.0])
    sequences: list[list[Operation]] = [[], [half_turn(settings)]]
    sequences += [_drag_train(settings, float(each), side) for side in (0.5, 1.5) for each in coefficients]
    fractions, errors = bench.fractions(program(qubit, sequences, 1500))
    contrast = float(fractions[1] - fractions[0])
    if contrast < FEWEST:
        return Checked("bad_data", f"contrast {contrast:.3f}", {"contrast": contrast})
    apart = fractions[2:5] - fractions[5:8]
    spread = float(np.sqrt((errors[2:] ** 2).sum() / 3))
    slope = (apart[2] - apart[0]) / (2 * DRAG_REACH)
    if abs(slope) < 5 * spread / DRAG_REACH:
        return Checked("bad_data", "trains do not part", {"slope": float(slope)})
    off = float(apart.mean() / slope)  # the calibrated coefficient minus the best one
    error = float(spread / np.sqrt(3) / abs(slope))
    numbers = {"drag_error": off, "drag_error_error": error, "tolerance": DRAG}
    return Checked(_within(off, error, DRAG), f"{off:+.3f} +- {error:.3f} off, tolerated {DRAG:g}", numbers)


def _drag_train(settings: QubitSettings, drag: float, side: float) -> list[Operation]:
    """A pi/2 about +-Y, then pairs of opposite pi pulses, all with this coefficient; see `drag_calibration`."""
    changed = settings.changed({"drag": drag})
    pair: list[Operation] = [half_turn(changed), half_turn(changed, np.pi)]
    return [quarter_turn(changed, side * np.pi), *pair * DRAG_PAIRS]


def check_gates(bench: Bench, qubit: str, reference: Mapping[str, float]) -> Checked:
    """Randomized benchmarking at two lengths, against the benchmark that is remembered."""
    settings = bench.settings(qubit)
    rng = np.random.default_rng(1)
    ends = np.arange(RB_KINDS) % 2
    sequences = tuple(random_sequence(rng, m, bool(end)) for m in RB_LENGTHS for end in ends)
    played = Program(qubit, tuple(gate(settings, name) for name in GATES), sequences, 400)
    fractions = bench.fractions(played)[0].reshape(len(RB_LENGTHS), RB_KINDS)
    difference = fractions[:, ends == 1].mean(axis=1) - fractions[:, ends == 0].mean(axis=1)
    scatter = np.sqrt(fractions[:, ends == 1].var(axis=1, ddof=1) + fractions[:, ends == 0].var(axis=1, ddof=1))
    spread = scatter / np.sqrt(RB_KINDS / 2)
    if difference[0] < FEWEST:
        return Checked("bad_data", f"contrast {difference[0]:.3f}", {"contrast": float(difference[0])})
    left = max(float(difference[1] / difference[0]), 0.01)
    span = (RB_LENGTHS[1] - RB_LENGTHS[0]) * 2 * GATES_PER_CLIFFORD
    error = -float(np.log(left)) / span
    sigma = float(np.hypot(spread[0] / difference[0], spread[1] / max(float(difference[1]), 0.01))) / span
    wanted = WORSE * reference.get("error_per_gate", 1.0)
    numbers = {"error_per_gate": error, "error_per_gate_error": sigma, "tolerance": wanted}
    found: Literal["in_spec", "bad_data"] = "in_spec" if error - 2 * sigma <= wanted else "bad_data"
    return Checked(found, f"error per gate {error:.2e} +- {sigma:.0e}, tolerated {wanted:.2e}", numbers)


CHECKS: Mapping[str, Check] = {
    "readout": check_readout,
    "frequency": check_frequency,
    "amplitude": check_amplitude,
    "drag": check_drag,
    "gates": check_gates,
}


def _within(value: float, error: float, tolerance: float) -> Literal["in_spec", "out_of_spec"]:
    """Out of spec only if that is beyond two sigma."""
    return "in_spec" if abs(value) - 2 * error <= tolerance else "out_of_spec"


def _angle(difference: float, contrast: float, turned: float) -> float:
    """Relative error of a rotation that was repeated until it should have turned by `turned` rad."""
    return float(np.arcsin(np.clip(difference / contrast, -1, 1))) / turned
