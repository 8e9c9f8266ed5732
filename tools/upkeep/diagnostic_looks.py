"""The looks of a diagnosis: what each plays, and the quantities that it measures.

They use the mean IQ point and not the discriminator, so that a readout that is off, or blind in a single shot, still
shows the qubit: the mean of N shots knows a population to 1 / (snr sqrt(N)). Each corrects the settings that the next
ones are played with; nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.duration_estimate import SIMULATED_OVERHEAD, shot_overhead
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.fringes import QUARTERS, detuning, quarters
from labwright.tools.experiments.gates import grid, half_turn, program, quarter_turn
from labwright.tools.experiments.resonator_spectroscopy import fit_dip
from labwright.tools.qpu.program import Delay, Operation, Pulse
from labwright.tools.qpu.settings import QubitSettings

SEEN = 4.5  # errors of the strongest of some forty points: noise is as strong once in 600 sweeps
LOUDEST = 64.0  # times as many shots as a good readout needs
LOUDER = 32.0  # what a look is repeated with that saw nothing
QUIET = 1.2  # blob distance in noise widths from which on the usual shots do
DELAYS = (0.02, 0.1, 0.5, 2.0)  # us, of the fringes that tell where the frequency is
REACH = 4.0  # MHz from the drive up to which these delays tell it, 2.7, and the error of a line
WAITS = (2.0, 5.0, 12.0, 25.0)  # us, of Ramsey and echo
LOST = 0.5  # of the logarithm of Ramsey over echo
FINDING = ("resonator", "line", "pulse")
SHORT = 15.0  # us, a T1 below which the delays are shorter
WATCH = 300.0  # s; a calibration of one qubit takes as long, and what jumps later does not disturb it
PROBE = (0.05, 0.1)  # full scale, us: a quarter of a turn, so that a drive 0.5 to 3 times as strong still shows
Sequences = Sequence[Sequence[Operation]]
Measured = dict[str, tuple[float, float]]  # quantity -> value, one-sigma error; empty: nothing was seen


@dataclass
class Scene:
    """What the looks so far have made of the qubit.

    Attributes:
        given: the settings that are in doubt; what a look measures is relative to these.
        settings: to play with, as far as they were put right.
        louder: shots in units of what a good readout needs.
        ground, axis: mean IQ point of 0, and that of 1 minus that of 0; an axis of 0 is not known.
        noise: of one shot, a quadrature.
        fringes: device time, frequency and its error whenever fringes were seen, s and MHz.
    """

    bench: Bench
    qubit: str
    given: QubitSettings
    settings: QubitSettings
    louder: float = 1.0
    ground: complex = 0.0
    axis: complex = 0.0
    noise: float = 0.0
    t1: float = np.inf
    fringes: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def watched(self) -> float:
        """Share of the watch that is behind the last fringes."""
        return (self.fringes[-1][0] - self.fringes[0][0]) / WATCH if self.fringes else 0.0

    def play(
        self, sequences: Sequences, shots: float, tones: Array | None = None
    ) -> tuple[NDArray[np.complex128], Array]:
        """Mean IQ points and their errors a quadrature, with the settings of the scene."""
        at = np.full(len(sequences), self.settings.readout_frequency) if tones is None else tones
        many = round(min(max(shots * self.louder, 50), self.bench.device.limits.shots[1]))
        played = program(self.qubit, sequences, many, "average", self.settings.frequency, at)
        average, error = self.bench.averages(played)
        self.noise = float(error.min() * np.sqrt(many))
        return average, error

    def see(self, ground: complex, axis: complex) -> None:
        """Take over where 0 and 1 lie, and the discriminator between them."""
        self.ground, self.axis = ground, axis
        angle = float(np.angle(axis))
        middle = float(((ground + axis / 2) * np.exp(-1j * angle)).real)
        self.settings = self.settings.changed({"readout_angle": angle, "readout_threshold": middle})

    def along(self, points: NDArray[np.complex128]) -> Array:
        """The points along the axis from 0 to 1, in units of its length."""
        return np.asarray((points * np.conj(self.axis)).real / abs(self.axis) ** 2)


def resonator(scene: Scene) -> Measured:
    """The share of the contrast that tone and angle of the settings keep.

    The resonator answers A + B / (1 + 2 i (f - f0) / width). A small dispersive shift moves the answer along its
    derivative, whose length falls as 1 / (1 + (2 (f - f0) / width)^2) and which turns with f.
    """
    x = grid(-5.0, 5.0, 0.4)
    base = scene.given.readout_frequency
    points, errors = scene.play([[]] * len(x), 200, base + x)
    dip = fit_dip(x, np.abs(points), errors)
    if dip is None or not x[0] < dip["centre"] < x[-1]:
        return {}
    centre, width = dip["centre"], dip["width"]
    line = 1 / (1 + 2j * (x - centre) / width)
    depth = np.linalg.lstsq(np.stack([np.ones(len(x)), line], axis=1), points, rcond=None)[0][1]

    def slope(at: float) -> complex:
        return complex(1j * depth / (1 + 2j * (at - centre) / width) ** 2)

    turned = np.angle(slope(0.0)) - scene.given.readout_angle
    kept = abs(slope(0.0) / depth) * abs(np.cos(turned))
    error = 4 * dip.error("centre") / width
    scene.settings = scene.settings.changed({"readout_frequency": base + centre})
    return {"contrast kept": (float(kept), float(error))}


def line(scene: Scene) -> Measured:
    """How far the qubit is from the drive; a template of the probe's own width is moved over the sweep."""
    x = grid(-60.0, 60.0, 5.0)
    sequences = [[Pulse(*PROBE, "gaussian", detuning=float(each))] for each in x]
    width = 2 / (np.pi * PROBE[1])  # standard deviation of the spectrum of a Gaussian cut at two sigma
    trial = np.arange(x[0], x[-1], 0.25)
    shapes = np.exp(-((x - trial[:, None]) ** 2) / (2 * width**2))
    shapes -= shapes.mean(axis=1, keepdims=True)
    norm = np.sqrt((shapes**2).sum(axis=1))
    scene.settings = scene.settings.changed({"frequency": scene.given.frequency})
    points, errors = scene.play(sequences, 150)
    strength = np.abs(shapes @ points) / norm / np.median(errors)
    top = int(np.argmax(strength))
    if strength[top] < SEEN:
        return {}
    found = scene.given.frequency + float(trial[top])
    scene.settings = scene.settings.changed({"frequency": found})
    scene.fringes = [each for each in scene.fringes if abs(each[1] - found) < REACH]
    return {"detuning": (abs(float(trial[top])), float(np.hypot(width / strength[top], 0.25)))}


def pulse(scene: Scene) -> Measured:
    """How far a pi pulse turns, and how far apart its answers lie; then fringes, to know the frequency from now on."""
    top = min(0.75, scene.bench.device.limits.caution_amplitude)
    x, drag = np.linspace(0.0, top, 20), scene.settings.drag
    points, errors = scene.play([[Pulse(float(a), scene.settings.pulse_duration, drag=drag)] for a in x], 150)
    found = _turning(x / scene.given.amplitude_pi, scene.given.amplitude_pi, points, errors)
    if found is None:
        return {}
    turned, error, compression, axis = found
    scene.see(complex(points[0]), axis)
    scene.settings = scene.settings.changed(_amplitudes(scene.given.amplitude_pi, turned, compression, top))
    snr = abs(axis) / scene.noise
    quiet, scene.louder = scene.louder, float(np.clip((QUIET / snr) ** 2, 0.5, LOUDEST))
    if scene.louder > 2 * quiet:
        return pulse(scene)
    _fringes(scene)
    return {"angle error": (abs(turned - 1), error), "snr": (snr, snr * float(np.median(errors)) / abs(axis))}


def _turning(
    x: Array, believed: float, points: NDArray[np.complex128], errors: Array
) -> tuple[float, float, float, complex] | None:
    """Half turns at x = 1 with their error, compression of the drive, and axis; None where nothing turns.

    Args:
        x: amplitudes in units of the one that is believed to turn by pi.
        believed: that one, full scale.
        points: mean IQ point after each.
        errors: of these, a quadrature.
    """
    fits: list[tuple[float, float, float, complex]] = []
    around = points - points.mean()
    for compression in (0.0, 0.125, 0.25, 0.375):
        bent = x * (1 + compression * believed**2) / (1 + compression * (believed * x) ** 2)
        for turned in np.linspace(0.3, 4.0, 371):
            p = np.sin(np.pi / 2 * turned * bent) ** 2
            p -= p.mean()
            axis = complex(p @ points / (p @ p))
            fits.append((float(np.sum(np.abs((around - axis * p) / errors) ** 2)), float(turned), compression, axis))
    least, turned, compression, axis = min(fits, key=lambda each: each[0])
    if float(np.sum(np.abs(around / errors) ** 2)) - least < SEEN**2:
        return None
    near = [each[1] for each in fits if each[0] < least + max(1.0, least / (2 * len(x) - 4))]
    return turned, max(0.01, (max(near) - min(near)) / 2), compression, axis


def _amplitudes(believed: float, turned: float, compression: float, top: float) -> dict[str, float]:
    """Amplitudes of X180 and X90 on the drive that was fitted, none above `top`."""
    a = np.linspace(0.0, top, 2001)
    angle = turned * a / believed * (1 + compression * believed**2) / (1 + compression * a**2)
    return {"amplitude_pi": float(np.interp(1.0, angle, a)), "amplitude_pi2": float(np.interp(0.5, angle, a))}


def _fringes(scene: Scene, shots: float = 300) -> bool:
    """Where the qubit's frequency is now; whether fringes are seen."""
    points, errors = scene.play(quarters(scene.settings, DELAYS), shots)
    off, error, _ = detuning(scene.along(points), errors / abs(scene.axis), DELAYS)
    if not np.isfinite(error):
        return False
    scene.settings = scene.settings.changed({"frequency": scene.settings.frequency + off})
    scene.fringes.append((scene.bench.device.clock, scene.settings.frequency, error))
    return True


def decay(scene: Scene) -> Measured:
    """T1, from populations after a pi pulse relative to those without a delay."""
    waits = np.array([0.0, 1, 3, 6, 12, 25, 50, 100])
    flip = half_turn(scene.settings)
    decays: list[list[Operation]] = [[flip, Delay(float(each))] for each in waits]
    points, errors = scene.play([[], *decays], 300)
    axis = points[1] - points[0]
    if abs(axis) < SEEN * np.hypot(errors[0], errors[1]):
        return {}
    scene.see(complex(points[0]), complex(axis))
    left, error = scene.along(points[1:] - points[0]), errors[1:] / abs(axis)
    trial = np.geomspace(0.5, 500, 400)
    shapes = np.exp(-waits / trial[:, None])
    scale = (shapes @ left) / (shapes**2).sum(axis=1)
    chi = (((left - scale[:, None] * shapes) / error) ** 2).sum(axis=1)
    weights = np.exp(-(chi - chi.min()) / 2)
    weights /= weights.sum()
    scene.t1 = mean = float(weights @ trial)
    return {"t1": (mean, float(np.sqrt(weights @ (trial - mean) ** 2)) + 0.02 * mean)}


def echo(scene: Scene) -> Measured:
    """Scatter of the frequency from shot to shot: Ramsey falls below the echo by exp(-(2 pi scatter t)^2 / 2).

    A qubit that lives for a time of T only has delays in proportion; the same error of scatter^2 takes T^-4
    times the shots.
    """
    shorter = min(1.0, scene.t1 / SHORT)
    waits = shorter * np.array(WAITS)
    first, flip = quarter_turn(scene.settings), half_turn(scene.settings, np.pi / 2)
    ramsey = quarters(scene.settings, list(map(float, waits)))
    echoed: list[list[Operation]] = [
        [first, Delay(float(each) / 2), flip, Delay(float(each) / 2), quarter_turn(scene.settings, float(phase))]
        for each in waits
        for phase in QUARTERS
    ]
    points, errors = scene.play([*ramsey, *echoed], 1200 * min(shorter**-4, LOUDEST))
    waves = np.abs(scene.along(points).reshape(2, len(waits), 4) @ np.exp(-1j * QUARTERS)) / 2
    sigma = (errors / abs(scene.axis)).reshape(2, len(waits), 4).mean(axis=2) / np.sqrt(2)
    ramsey_left, echo_left = np.maximum(waves[0], 2 * sigma[0]), waves[1]
    fell = np.log(echo_left / ramsey_left)
    # noise that switches makes a Gaussian only as long as little is lost
    far = int(np.argmax(fell > LOST)) + 1 if (fell > LOST).any() else len(waits)
    used = (echo_left > 1.5 * SEEN * sigma[1]) & (np.arange(len(waits)) < far)
    if not used.any():
        return {}
    error = np.hypot(sigma[0] / ramsey_left, sigma[1] / echo_left)[used]
    per_variance = (2 * np.pi * waits[used]) ** 2 / 2 / error
    variance, spread = per_variance @ (fell[used] / error) / (per_variance @ per_variance), per_variance @ per_variance
    scatter, least = float(np.sqrt(max(variance, 0.0))), float(spread**-0.25)
    return {"scatter": (scatter, least**2 / max(2 * scatter, least))}


def again(scene: Scene) -> Measured:
    """A quarter of the watch is let pass with readouts of the qubit at rest; then, where its frequency is."""
    loud, scene.louder = scene.louder, 1.0
    device = scene.bench.device
    most, shot = device.limits.shots[1], 1e-6 * (shot_overhead(device) or SIMULATED_OVERHEAD)
    scene.play([[]] * max(1, round(WATCH / 4 / shot / most)), most)
    scene.louder = loud
    if not _fringes(scene):
        return {}
    (_, before, error), (_, now, other) = scene.fringes[0], scene.fringes[-1]
    return {"shift": (abs(now - before), float(np.hypot(error, other)))}


def taken(look: str, scene: Scene) -> Measured:
    """A look; where it sees nothing it is taken once more, with as many shots as a poor readout needs.

    Those that find the qubit begin as if the readout were good; how good it is, the last of them measures.
    """
    before = scene.louder
    scene.louder = 1.0 if look in FINDING else before
    measured = LOOKS[look](scene)
    if not measured and scene.louder < LOUDER:
        scene.louder = LOUDER
        measured = LOOKS[look](scene)
    if look != "pulse" or not measured:
        scene.louder = before
    return measured


LOOKS: dict[str, Callable[[Scene], Measured]] = {
    "resonator": resonator, "line": line, "pulse": pulse, "decay": decay, "echo": echo, "again": again,
}  # fmt: skip
