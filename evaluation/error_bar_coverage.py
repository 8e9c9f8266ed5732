"""Suite `coverage`: whether claimed errors are true, quantity by quantity.

Every experiment is played on drawn devices with its default arguments, its own settings slightly off, until it is
accepted. A claimed error is a normal one: one of them has to hold the truth in 68 % of all cases, two in 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, curve_fit, minimize_scalar

from labwright.evaluation.adversarial_experiments import Case, played
from labwright.evaluation.random_truths import PARTNER, QUBIT, Drawn, drawn
from labwright.evaluation.recovered_pair_parameters import PAIRS, paired
from labwright.evaluation.recovered_parameters import RECOVERED, recovered
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.settings_error import MOVED, apart, right_settings
from labwright.tools.errors import InputError
from labwright.tools.experiments.assignment_matrix import assignment_matrix, condition_number
from labwright.tools.experiments.base import Bench, Report
from labwright.tools.experiments.gates import program
from labwright.tools.experiments.registry import card
from labwright.tools.experiments.resonator_spectroscopy import lorentzian
from labwright.tools.qpu.drift import drifted
from labwright.tools.qpu.dynamics import Transmon, channels
from labwright.tools.qpu.oracle import average_error, calibrated_gate, gate_errors
from labwright.tools.qpu.oracle_pair import zz_rate
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.readout import Readout, best_frequency, draw_average, read_as_one
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.truth import QubitTruth
from labwright.tools.specifications.calibration import COMPLETE

WITHIN = {"in_68": (1.0, 0.60, 0.76), "in_95": (2.0, 0.92, 0.98)}  # claimed errors, and the shares that pass
# by how much a setting is off at most, either way; amplitudes as a share
NEAR = {
    "frequency": 0.1, "amplitude_pi": 0.03, "amplitude_pi2": 0.03, "drag": 0.2, "anharmonicity": 3.0,
    "readout_frequency": 1.0, "readout_angle": 0.3, "readout_threshold": 0.0, "readout_amplitude": 0.0,
}  # fmt: skip
RELATIVE = ("amplitude_pi", "amplitude_pi2")

Truth = Callable[["Played"], float]


class Played:
    """What a truth is read from: the device at its start, and what the experiment was told and said."""

    def __init__(self, made: Drawn, device: SimulatedProcessor, report: Report, seed: int, key: str) -> None:
        self.made, self.device, self.report = made, device, report
        self.qubit: QubitTruth = made.truth.qubits[QUBIT]
        shift, gain = drifted(self.qubit, seed, device.qubits.index(QUBIT), float(device.log[-1]["clock"]))
        last = device.settings.history(QUBIT)[-1:]
        now = device.settings.current(QUBIT)  # and with what the last run wrote taken back: what it was played with
        self.start: QubitSettings = now.changed(last[0].before) if last and last[0].key == f"{key}.update" else now
        self.right = right_settings(self.qubit, shift, gain, self.start)
        self.transmon = self.at(-1)

    def at(self, acquisition: int) -> Transmon:
        """The qubit as it was when an acquisition began; -1 is the last one."""
        return self.device.transmon(QUBIT, self.start.frequency, float(self.device.log[acquisition]["clock"]))

    def reads_one(self, excited: bool, cut: QubitSettings) -> float:
        """Probability to read 1 after nothing, or after the pi pulse that was set."""
        state = self.transmon.thermal_state()
        if excited:
            state = channels(self.transmon, (calibrated_gate("X180", self.start),))[0] @ state
        return float(self.ones(np.diag(state.reshape(4, 4)).real, cut))

    def ones(self, levels: NDArray[np.float64], cut: QubitSettings | None = None) -> NDArray[np.float64]:
        """Probabilities to read 1 of populations (..., 4)."""
        cut = cut or self.start
        tone = Readout(self.qubit, np.array([cut.readout_frequency]), np.array([cut.readout_amplitude]))
        return np.asarray(levels @ read_as_one(tone, cut.readout_angle, cut.readout_threshold)[0])

    def new_cut(self) -> QubitSettings:
        """The start with the discriminator that was measured."""
        names = ("readout_angle", "readout_threshold")
        return self.start.changed({name: self.report.estimates[name].value for name in names})


def best_drag(found: Played) -> float:
    """The coefficient at which a pi pulse errs least."""

    def error(drag: float) -> float:
        chosen = calibrated_gate("X180", found.right.changed({"drag": drag}))
        return average_error(channels(replace(found.transmon, detuning=0.0), (chosen,))[0], "X180")

    return float(minimize_scalar(error, (0.3, 0.7), method="golden", options={"xtol": 1e-4}).x)


def t2_ramsey(found: Played) -> float:
    """1/e time of exp(-t / T2E - (2 pi sigma t)^2 / 2), us."""
    square, rate = (2 * math.pi * found.qubit.detuning_sigma) ** 2 / 2, 1 / found.qubit.t2_echo
    return (-rate + math.sqrt(rate**2 + 4 * square)) / (2 * square)


def decay(found: Played, life: float) -> tuple[float, float]:
    """Height and time constant (us) of the exponential nearest to the difference of both curves, without noise."""
    experiment: Any = found.made.kind(Bench(found.device, "truth"))
    experiment.settings, delays = found.start, np.linspace(0, 4 * life, 61)
    sequences = [experiment.sequence(float(t), upper) for upper in (True, False) for t in delays]
    high, low = found.ones(populations(found.transmon, program(QUBIT, sequences, 1))).reshape(2, -1)
    fitted, _ = curve_fit(lambda t, a, life: a * np.exp(-t / life), delays, high - low, (0.6, life))
    return float(fitted[0]), float(fitted[1])


def detuned(found: Played) -> float:
    """Qubit minus drive frequency, MHz."""
    return found.transmon.detuning


def rabi_rate(found: Played) -> float:
    """Distance of the driven eigenstates that the drive of the default amplitude makes of levels 0 and 1, MHz.

    When the square pulses were played: the Gaussian ones come after them, and the drive's gain drifts meanwhile.
    """
    then = found.at(-2)
    driven = then.hamiltonian(then.rabi_rate(np.array([0.2 + 0j])).real, then.detuning)
    values, vectors = np.linalg.eigh(driven[0])
    chosen = np.argsort((np.abs(vectors[:2]) ** 2).sum(axis=0))[-2:]
    return float(abs(np.diff(values[chosen])[0]))


def dip(found: Played, amplitude: float) -> tuple[float, float]:
    """Centre and width, MHz, of the Lorentzian nearest to the transmitted power within 10 MHz, without noise."""
    tones = found.start.readout_frequency + np.linspace(-10, 10, 101)
    readout = Readout(found.qubit, tones, np.full(101, amplitude))
    levels = np.tile(np.diag(found.transmon.thermal_state().reshape(4, 4)).real, (101, 1))
    mean, _ = draw_average(readout, levels, 10**16, np.random.default_rng(0))
    power, begin = np.abs(mean / amplitude) ** 2, (1.0, -1.0, found.qubit.resonator_frequency, 2.5)
    fitted, _ = curve_fit(lorentzian, tones, power, begin, np.sqrt(power))
    return float(fitted[2]), float(fitted[3])


def punched_out(found: Played) -> float:
    """Amplitude of the tone whose dip lies a quarter of its width from that of the weakest."""
    rest, _ = dip(found, 1e-3)

    def beyond(amplitude: float) -> float:
        centre, width = dip(found, amplitude)
        return abs(centre - rest) - MOVED * width

    return float(brentq(beyond, 1e-2, 0.7))


TRUTHS: dict[str, dict[str, Truth]] = {
    "resonator_spectroscopy": {
        "dip": lambda f: dip(f, f.start.readout_amplitude)[0],
        "width": lambda f: dip(f, f.start.readout_amplitude)[1],
        "readout_frequency": lambda f: best_frequency(f.qubit)[0],
    },
    "qubit_spectroscopy": {"frequency": lambda f: f.qubit.frequency},
    "readout_calibration": {
        "fidelity": lambda f: (1 + f.reads_one(True, f.new_cut()) - f.reads_one(False, f.new_cut())) / 2,
        "reads_1_of_0": lambda f: f.reads_one(False, f.new_cut()),
        "reads_1_of_1": lambda f: f.reads_one(True, f.new_cut()),
        "snr": lambda f: f.qubit.snr,
        "readout_angle": lambda f: f.right.readout_angle,
        "readout_threshold": lambda f: f.right.readout_threshold,
    },
    "readout_mitigation": {
        "reads_1_of_0": lambda f: f.reads_one(False, f.start),
        "reads_1_of_1": lambda f: f.reads_one(True, f.start),
        "contrast": lambda f: f.reads_one(True, f.start) - f.reads_one(False, f.start),
        "condition_number": lambda f: condition_number(
            assignment_matrix(f.reads_one(False, f.start), f.reads_one(True, f.start))
        ),
    },
    "rabi": {
        "rabi_rate": rabi_rate,
        "amplitude_pi": lambda f: f.right.amplitude_pi,
        "amplitude_pi2": lambda f: f.right.amplitude_pi2,
        "detuning": detuned,
    },
    "ramsey": {"frequency_error": detuned},
    "t2_ramsey": {"t2_ramsey": t2_ramsey},
    "amplitude_pingpong": {
        "amplitude_pi": lambda f: f.right.amplitude_pi,
        "amplitude_pi2": lambda f: f.right.amplitude_pi2,
        "detuning": detuned,
    },
    "drag_calibration": {"optimum": best_drag},
    "t1": {"t1": lambda f: decay(f, f.qubit.t1)[1], "contrast": lambda f: decay(f, f.qubit.t1)[0]},
    "spin_echo": {"t2_echo": lambda f: f.qubit.t2_echo, "contrast": lambda f: decay(f, f.qubit.t2_echo)[0]},
    "single_qubit_rb": {"error_per_gate": lambda f: gate_errors(f.transmon, f.start).per_gate},
    "ef_spectroscopy": {"anharmonicity": lambda f: f.qubit.anharmonicity, "first_line": detuned},
    "resonator_power_sweep": {
        "largest_amplitude": punched_out,
        "dip": lambda f: dip(f, 1e-3)[0],
        "shift": lambda f: dip(f, 1.0)[0] - dip(f, 1e-3)[0],
    },
    "residual_zz": {"zz_rate": lambda f: zz_rate(f.device.register((QUBIT, PARTNER)), f.qubit.frequency, (0.0, 0.0))},
}


def cases(options: Options) -> list[Case]:
    """All draws of the chosen experiments.

    Raises:
        InputError: the truth of an experiment that was asked for is not known here.
    """
    every = [*TRUTHS, *RECOVERED, *PAIRS]
    chosen = options["experiment"] or every
    if unknown := sorted(set(chosen) - set(every)):
        raise InputError(f"No truth is known for what {unknown[0]!r} claims. Experiments are: {', '.join(every)}.")
    return [Case(n, s) for n in chosen for s in range(options["first"], options["first"] + options["seeds"])]


def measure(case: Case, context: Context) -> Row:
    """One experiment near its truth: how many claimed errors each quantity is off."""
    context.folder.mkdir(parents=True, exist_ok=True)
    if known := recovered if case.name in RECOVERED else paired if case.name in PAIRS else None:
        report, off = known(case.name, case.seed, context.folder / "device")
        return {"passed": True, "pulls": [[what, round(pull, 3)] for what, pull in off], "cause": report.cause}
    made = near(drawn(case.name, case.seed, context.folder, trouble=False), case.seed)
    if any(each.name == "seed" for each in card(made.kind).parameters):
        made = replace(made, arguments={**made.arguments, "seed": case.seed})  # other sequences each time
    device = made.open(context.folder / "device", case.seed)
    try:
        ended, report, runs = played(made, device)
        if ended != COMPLETE:
            return {"passed": True, "pulls": [], "cause": report.cause}
        found = Played(made, device, report, case.seed, f"run.{runs}")
        pulls = {
            name: apart(name, report.estimates[name].value, truth(found)) / report.estimates[name].error
            for name, truth in TRUTHS[case.name].items()
            if name in report.estimates
        }
    finally:
        device.close()
    return {"passed": True, "pulls": [[name, round(pull, 3)] for name, pull in pulls.items()], "cause": ""}


def near(made: Drawn, seed: int) -> Drawn:
    """The same with the settings that the experiment writes slightly off, so that no truth lies on a point."""
    rng = np.random.default_rng([seed, 5])
    start, changes = made.start[QUBIT], {}
    for name in made.kind.writes:
        if name in NEAR and hasattr(start, name) and not made.pair:
            off = NEAR[name] * rng.uniform(-1, 1)
            changes[name] = getattr(start, name) * (1 + off) if name in RELATIVE else getattr(start, name) + off
    return replace(made, start={**made.start, QUBIT: start.changed(changes)})


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """One line a quantity."""
    table = []
    for name in dict.fromkeys(row["case"] for row in rows):
        own = [row["pulls"] for row in rows if row["case"] == name]
        for quantity in dict.fromkeys(what for pulls in own for what, _ in pulls):
            pulls = np.array([off for each in own for what, off in each if what == quantity])
            table.append(_line(f"{name}.{quantity}", pulls, sum(not each for each in own)))
    return {"rows": table}


def _line(name: str, pulls: np.ndarray[Any, Any], not_accepted: int) -> Row:
    shares = {n: float(f"{np.mean(np.abs(pulls) <= k):.3g}") if len(pulls) else 0.0 for n, (k, *_) in WITHIN.items()}
    good = all(low <= shares[n] <= high for n, (_, low, high) in WITHIN.items())
    mean, spread = (float(f"{v:.3g}") for v in (pulls.mean(), pulls.std())) if len(pulls) else (0.0, 0.0)
    return {
        "case": name, "seed": 0, "status": "complete", "passed": good, "n": len(pulls),
        "not_accepted": not_accepted, **shares, "mean_pull": mean, "sd_pull": spread,
    }  # fmt: skip


SUITE = Suite(
    name="coverage",
    doc="Claimed errors of every fitted quantity: how often they hold the truth",
    cases=cases,
    run=measure,
    options={"seeds": 200, "first": 0, "experiment": ()},
    summarise=summarise,
    columns=("case", "n", "not_accepted", "in_68", "in_95", "mean_pull", "sd_pull", "passed"),
    chooses=("seeds", "first", "experiment"),
    required=1.0,
    workers=0,
)
