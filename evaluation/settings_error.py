"""What a written setting is worth: its distance from the truth, and the gate or readout error that it makes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from labwright.evaluation.random_truths import QUBIT
from labwright.tools.experiments.base import Report
from labwright.tools.qpu.drift import drifted
from labwright.tools.qpu.dynamics import Transmon, channels
from labwright.tools.qpu.oracle import average_error, calibrated_gate, gate_errors
from labwright.tools.qpu.oracle_pair import pair_error
from labwright.tools.qpu.readout import Readout, best_frequency, read_as_one, remaining_pull
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.starting_settings import BEST_DRAG, Start, believed
from labwright.tools.qpu.truth import QubitTruth

SIGMAS = 5.0
DOUBLED = 2.0
MOVED = 0.25  # of the linewidth: the shift at which `resonator_power_sweep` calls a tone too strong
# setting -> the estimates that may claim its error, the first one there is
CLAIMS = {
    "frequency": ("frequency", "frequency_error"),
    "amplitude_pi": ("amplitude_pi",),
    "amplitude_pi2": ("amplitude_pi2", "amplitude_pi"),
    "drag": ("optimum", "drag"),
    "anharmonicity": ("anharmonicity",),
    "readout_frequency": ("readout_frequency",),
    "readout_angle": ("readout_angle",),
    "readout_threshold": ("readout_threshold",),
    "readout_amplitude": ("largest_amplitude",),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One accepted result.

    Attributes:
        sigmas: largest distance of a setting from the truth, in its claimed errors.
        factor: gate or readout error with what was written, over that with the truth.
        worst: the setting farthest off.
    """

    sigmas: float
    factor: float
    worst: str

    @property
    def silently_wrong(self) -> bool:
        """Beyond five claimed sigma, and the error doubled by it."""
        return self.sigmas > SIGMAS and self.factor > DOUBLED


def judged(device: SimulatedProcessor, writes: tuple[str, ...], report: Report, seed: int) -> Judged:
    """What the device's settings are worth after an experiment was accepted."""
    if "amplitude_first" in writes or "duration" in writes:
        return _pair(device, report)
    truth, clock = device._truth.qubit(QUBIT), float(device.log[-1]["clock"])
    shift, gain = drifted(truth, seed, device.qubits.index(QUBIT), clock)
    now = device.settings.current(QUBIT)
    right = right_settings(truth, shift, gain, now)
    if "readout_angle" in writes:  # the best cut for the tone that is set, however poor that tone
        right = replace(right, readout_frequency=now.readout_frequency, readout_amplitude=now.readout_amplitude)
    farthest, worst = 0.0, ""
    for name in writes:
        sigma = next((report.estimates[c].error for c in CLAIMS[name] if c in report.estimates), 0.0)
        far = abs(apart(name, getattr(now, name), getattr(right, name))) / max(sigma, 1e-9)
        farthest, worst = max((farthest, worst), (far, name))
    written = right.changed({name: getattr(now, name) for name in writes})
    cost = _readout if writes[0].startswith("readout") else _gates
    return Judged(farthest, cost(truth, shift, gain, written, writes) / cost(truth, shift, gain, right, writes), worst)


def right_settings(truth: QubitTruth, shift: float, gain: float, now: QubitSettings) -> QubitSettings:
    """The truth of every setting; angle and threshold are for the readout tone that is set."""
    right = believed(truth, Start(shift, 0.0, BEST_DRAG))
    angle, threshold, _ = best_cut(truth, now.readout_frequency, now.readout_amplitude)
    still = Transmon(truth, 0.0, gain)
    return replace(
        right,
        amplitude_pi=best_amplitude(still, right, "X180"),
        amplitude_pi2=best_amplitude(still, right, "X90"),
        readout_angle=angle,
        readout_threshold=threshold,
        readout_frequency=best_frequency(truth)[0],
        readout_amplitude=largest_amplitude(truth),
    )


def best_amplitude(transmon: Transmon, right: QubitSettings, gate: str) -> float:
    """Amplitude at which one gate errs least, all else being right; to 2e-5 of it."""
    name = "amplitude_pi" if gate == "X180" else "amplitude_pi2"
    about = float(getattr(right, name)) / transmon.gain

    def error(share: float) -> float:
        chosen = calibrated_gate(gate, right.changed({name: about * share}))
        return average_error(channels(transmon, (chosen,))[0], gate)

    return about * float(minimize_scalar(error, (0.98, 1.02), method="golden", options={"xtol": 2e-5}).x)


def best_cut(truth: QubitTruth, frequency: float, amplitude: float) -> tuple[float, float, float]:
    """Angle (rad) and threshold of the line that tells 0 from 1 best under this tone, and its assignment error."""
    tone = Readout(truth, np.array([frequency]), np.array([amplitude]))
    blobs = tone.blobs()[0]
    angle = float(np.angle(blobs[1] - blobs[0]))
    ends = np.sort((blobs[:2] * np.exp(-1j * angle)).real)
    cuts = np.linspace(ends[0] - 0.5 * np.ptp(ends), ends[1] + 0.5 * np.ptp(ends), 101)
    about = cuts[int(np.argmin([assignment_error(tone, angle, float(cut)) for cut in cuts]))]
    near = about - np.ptp(ends) / 50, about + np.ptp(ends) / 50
    best = minimize_scalar(lambda cut: assignment_error(tone, angle, float(cut)), bounds=near, method="bounded")
    return angle, float(best.x), float(best.fun)


def assignment_error(tone: Readout, angle: float, threshold: float) -> float:
    """Mean of P(1|0) and P(0|1)."""
    one = read_as_one(tone, angle, threshold)[0]
    return float(one[0] + 1 - one[1]) / 2


def largest_amplitude(truth: QubitTruth) -> float:
    """Readout amplitude at which the dip of state 0 has moved by a quarter of its width."""
    kappa = truth.kappa_ext + truth.resonator_frequency / truth.q_internal
    pull = abs(truth.lamb_shift - truth.chi)

    def beyond(amplitude: float) -> float:
        weak, strong = remaining_pull(truth, np.array([1e-3, amplitude]))
        return float(pull * (weak - strong) - MOVED * kappa)

    return float(brentq(beyond, 1e-3, 1.0)) if beyond(1.0) > 0 else 1.0


def _gates(truth: QubitTruth, shift: float, gain: float, settings: QubitSettings, _writes: tuple[str, ...]) -> float:
    """Error per gate; a wrong anharmonicity costs what a DRAG coefficient scaled by it does."""
    off = truth.anharmonicity / settings.anharmonicity
    chosen = replace(settings, drag=settings.drag * off)
    return gate_errors(Transmon(truth, truth.frequency + shift - settings.frequency, gain), chosen).per_gate


def _readout(truth: QubitTruth, _shift: float, _gain: float, settings: QubitSettings, writes: tuple[str, ...]) -> float:
    """Assignment error with what is written; what is not, is as good as can be."""
    if "readout_angle" not in writes:
        amplitude = settings.readout_amplitude if "readout_amplitude" in writes else truth.readout_nominal
        return best_cut(truth, settings.readout_frequency, amplitude)[2]
    tone = Readout(truth, np.array([settings.readout_frequency]), np.array([settings.readout_amplitude]))
    return assignment_error(tone, settings.readout_angle, settings.readout_threshold)


def _pair(device: SimulatedProcessor, report: Report) -> Judged:
    """A CZ: its conditional phase where that is what was timed, else its error beside the claimed one."""
    [name] = ["-".join(pair) for pair in device.settings.pairs if QUBIT in pair][:1]
    true = pair_error(device, name)
    if "conditional_phase" in report.estimates:
        claim = report.estimates["conditional_phase"]
        off = abs(true.conditional_phase - 0.5) * 2 * np.pi
        missed = np.sin(off / 2) ** 2 * 0.6 + 1e-9  # what a phase error alone costs a CZ: 3/5 sin^2(phi/2)
        return Judged(off / max(claim.error, 1e-9), true.total / max(true.total - missed, 1e-9), "duration")
    claim = report.estimates["gate_error"]
    return Judged(abs(true.total - claim.value) / max(claim.error, 1e-9), true.total / claim.value, "gate_error")


def apart(name: str, value: float, truth: float) -> float:
    """How far a setting is from the truth; an angle by the shorter way round."""
    if name == "readout_angle":
        return float(np.angle(np.exp(1j * (value - truth))))
    return value - truth
