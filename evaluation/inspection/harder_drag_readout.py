"""Harder results of DRAG, resonator and readout, drawn as in `harder_sweeps`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.inspection.case import Action, Kind, Made
from labwright.evaluation.inspection.harder_sweeps import GOOD_ONES, LOUDER, OTHERS
from labwright.evaluation.inspection.random_case_numbers import Draw
from labwright.evaluation.inspection.scripted_device import Array, Signal
from labwright.evaluation.inspection.signals import (
    Blobs,
    blobs,
    dip,
    drag_lines,
    drag_signal,
    readout_signal,
    resonator_signal,
    ripple,
)

RIGHT: tuple[Action, ...] = ({"start": "up", "stop": "up"},)
LEFT: tuple[Action, ...] = ({"start": "down", "stop": "down"},)
WIDER: tuple[Action, ...] = ({"start": "down", "stop": "up"},)
NARROWER: tuple[Action, ...] = ({"start": "up", "stop": "down"},)

# --- DRAG ---------------------------------------------------------------------------------------------------------


def _drag_sweep(draw: Draw) -> tuple[dict[str, float], float, float]:
    """Ends of a sweep, its middle and its half width."""
    middle, half = draw.between(0.0, 1.0), draw.between(1.0, 2.0)
    return {"start": round(middle - half, 3), "stop": round(middle + half, 3)}, middle, half


def _waves(draw: Draw, middle: float, half: float) -> Signal:
    """Lines that have become waves, within the half width of a sweep, and cross in its middle."""
    turn = draw.between(0.9, 1.3) / half * np.pi

    def wave(x: Array) -> Array:
        return np.asarray(0.35 * np.sin(turn * (x - middle)))

    return drag_signal(lambda x: 0.45 + wave(x), lambda x: 0.45 - wave(x))


def drag_faint(draw: Draw) -> Made:
    """Lines that part by little, and many shots: the crossing is known to 0.02."""
    sweep, middle, half = _drag_sweep(draw)
    optimum, slope = middle + half * draw.between(-0.35, 0.35), draw.between(0.09, 0.12)
    signal = drag_lines(optimum, 0.45, slope, -slope * draw.between(0.8, 1.2))
    return Made({**sweep, "points": 41, "shots": draw.whole(4000, 7000)}, signal, {"optimum": optimum})


def drag_uneven(draw: Draw) -> Made:
    """One line steep, the other nearly flat: they still cross at one place."""
    sweep, middle, half = _drag_sweep(draw)
    optimum, steep = middle + half * draw.between(-0.35, 0.35), draw.between(0.3, 0.4) / half
    signal = drag_lines(optimum, 0.45, steep, -steep * draw.between(0.05, 0.25))
    return Made({**sweep, "shots": draw.whole(2500, 4000)}, signal, {"optimum": optimum})


def drag_off_centre(draw: Draw) -> Made:
    """Perfect lines that cross in the outer part of the sweep."""
    sweep, middle, half = _drag_sweep(draw)
    side = draw.sign()
    optimum, slope = middle + side * half * draw.between(0.62, 0.95), draw.between(0.2, 0.28) / half
    way = RIGHT if side > 0 else LEFT
    return Made({**sweep, "shots": 2000}, drag_lines(optimum, 0.45, slope, -slope), {"optimum": optimum}, way)


def drag_curved(draw: Draw) -> Made:
    """A sweep so wide that the lines have become waves."""
    optimum, half = draw.between(0.0, 1.0), draw.between(4.0, 7.0)
    sweep = {"start": round(optimum - half, 3), "stop": round(optimum + half, 3)}
    return Made({**sweep, "points": 41, "shots": 1500}, _waves(draw, optimum, half), {}, NARROWER)


def drag_over_amplified(draw: Draw) -> Made:
    """So many repetitions that the waves of a narrow sweep cross several times."""
    sweep, middle, half = _drag_sweep(draw)
    signal = _waves(draw, middle, half)
    fewer: tuple[Action, ...] = ({"repetitions": "down"}, *NARROWER)
    return Made({**sweep, "points": 31, "shots": 1500, "repetitions": draw.whole(8, 18)}, signal, {}, fewer)


def drag_unsure(draw: Draw) -> Made:
    """A crossing in the middle that few shots leave unknown by 0.06 or more."""
    sweep, middle, half = _drag_sweep(draw)
    optimum, slope = middle + half * draw.between(-0.2, 0.2), draw.between(0.11, 0.16) / half
    signal = drag_lines(optimum, 0.45, slope, -slope)
    return Made({**sweep, "points": 15, "shots": draw.whole(100, 200)}, signal, {"optimum": optimum}, LOUDER)


def drag_disturbed(draw: Draw) -> Made:
    """Lines of noise that their error bars do not explain; a crossing can always be fitted."""
    sweep, middle, half = _drag_sweep(draw)
    slope, noise = draw.between(0.15, 0.25) / half, draw.between(0.06, 0.12)
    signal = drag_lines(middle, 0.45, slope, -slope, noise, draw.seed)
    return Made({**sweep, "shots": 1500}, signal)


def drag_parallel(draw: Draw) -> Made:
    """Both lines go the same way: the pulses are far off in frequency or amplitude."""
    sweep, middle, half = _drag_sweep(draw)
    slope = draw.sign() * draw.between(0.1, 0.25) / half
    signal = drag_lines(middle, 0.45, slope, slope * draw.between(0.95, 1.05))
    return Made({**sweep, "shots": 2000}, signal)


# --- resonator ----------------------------------------------------------------------------------------------------


def resonator_shallow(draw: Draw) -> Made:
    """A dip of a tenth, drawn by points that scatter visibly."""
    centre, width, depth = draw.between(-5, 5), draw.between(1.5, 4.0), draw.between(0.08, 0.2)
    noise = depth * draw.between(0.1, 0.16)
    truth = {"dip": 9997.0 + centre, "readout_frequency": 9997.0 + centre}
    return Made({}, resonator_signal(lambda x: dip(x, centre, width, depth), noise), truth)


def resonator_tilted(draw: Draw) -> Made:
    """A dip on a line whose level rises or falls across the sweep."""
    centre, width, depth = draw.between(-5, 5), draw.between(0.8, 2.5), draw.between(0.3, 0.6)
    tilt = draw.sign() * draw.between(0.06, 0.12)
    truth = {"dip": 9997.0 + centre}
    signal = resonator_signal(lambda x: dip(x, centre, width, depth) * (1 + tilt * x / 10), 0.05 * depth)
    return Made({}, signal, truth)


def resonator_edge(draw: Draw) -> Made:
    """Only one flank of the dip is inside the sweep."""
    side, width = draw.sign(), draw.between(1.5, 4.0)
    centre, depth = side * (10 + draw.between(-0.05, 0.4) * width), draw.between(0.5, 0.9)
    way = RIGHT if side > 0 else LEFT
    signal = resonator_signal(lambda x: dip(x, centre, width, depth), 0.03 * depth)
    return Made({}, signal, {}, way + WIDER)


def resonator_absent(draw: Draw) -> Made:
    """A narrow sweep without a dip."""
    half = draw.between(6, 40)
    signal = resonator_signal(lambda x: np.ones_like(x), draw.between(0.01, 0.15))
    sweep = {"start": -round(half, 1), "stop": round(half, 1), "step": round(half / 50, 2)}
    return Made(sweep, signal, {}, WIDER)


def resonator_nowhere(draw: Draw) -> Made:
    """The widest sweep without a dip: the line is dead."""
    half = round(draw.between(150, 199), 0)
    signal = resonator_signal(lambda x: np.ones_like(x), draw.between(0.01, 0.15))
    return Made({"start": -half, "stop": half, "step": 2.0}, signal)


def resonator_two(draw: Draw) -> Made:
    """Two dips, the second half as deep or more: a neighbour's resonator, too."""
    centre, width, depth = draw.between(-7, -3), draw.between(0.8, 2.0), draw.between(0.4, 0.8)
    other, share = draw.between(2, 7), draw.between(0.55, 1.0)

    def both(x: Array) -> Array:
        return dip(x, centre, width, depth) * dip(x, other, width, share * depth)

    return Made({}, resonator_signal(both, 0.03 * depth))


def resonator_rippled(draw: Draw) -> Made:
    """The standing wave of a cable: its deepest valley is fitted as a dip."""
    periods, phase, height = draw.between(1.6, 3.4), draw.between(0, 6.28), draw.between(0.1, 0.25)
    return Made({}, resonator_signal(lambda x: ripple(x, periods, phase, height), 0.1 * height))


# --- readout ------------------------------------------------------------------------------------------------------


def _readout(draw: Draw, drawn: Blobs, truth: dict[str, float] | None = None) -> Made:
    arguments = {"shots": draw.whole(1500, 6000)}
    return Made(arguments, readout_signal(lambda rng, row, n: blobs(drawn, rng, row, n)), truth or {})


def readout_decayed(draw: Draw) -> Made:
    """A third of the shots after the pi pulse lies in blob 0: decay, no fault of the readout."""
    distance = draw.between(2.6, 3.6)
    drawn = Blobs(distance, draw.between(0.03, 0.1), draw.between(0.55, 0.68), angle=draw.between(0, 6.28))
    return _readout(draw, drawn, {"snr": distance})


def readout_close(draw: Draw) -> Made:
    """Blobs that overlap, but are told apart well enough."""
    distance = draw.between(1.6, 2.1)
    drawn = Blobs(distance, draw.between(0.02, 0.06), draw.between(0.85, 0.95), angle=draw.between(0, 6.28))
    return _readout(draw, drawn, {"snr": distance})


def readout_leaky(draw: Draw) -> Made:
    """Two to five per cent of the shots in a third blob."""
    distance = draw.between(2.6, 4.0)
    third, aside = draw.between(0.02, 0.05), draw.between(3.0, 6.0)
    drawn = Blobs(distance, draw.between(0.03, 0.1), draw.between(0.7, 0.9), third, 0.0, aside, draw.between(0, 6.28))
    return _readout(draw, drawn, {"snr": distance, "third_blob": third})


def readout_third(draw: Draw) -> Made:
    """A fifth to a third of the shots in a third blob: the pulse or the tone excites a higher level."""
    third = draw.between(0.18, 0.35)
    also = draw.one_of((0.0, third))
    aside = draw.between(3.0, 6.0)
    angle = draw.between(0, 6.28)
    drawn = Blobs(draw.between(2.6, 4.0), draw.between(0.03, 0.1), draw.between(0.7, 0.9), third, also, aside, angle)
    return _readout(draw, drawn)


def readout_overlapping(draw: Draw) -> Made:
    """Blobs on top of each other; the two means still differ by many errors."""
    near, ground, excited = draw.between(0.3, 0.8), draw.between(0.03, 0.1), draw.between(0.75, 0.95)
    return _readout(draw, Blobs(near, ground, excited, angle=draw.between(0, 6.28)))


def readout_unmoved(draw: Draw) -> Made:
    """Two fine blobs, equally filled by both preparations: the pi pulse does nothing."""
    share = draw.between(0.2, 0.5)
    return _readout(draw, Blobs(draw.between(2.6, 4.5), share, share, angle=draw.between(0, 6.28)))


def readout_drifting(draw: Draw) -> Made:
    """The IQ plane turns during the measurement, as when an oscillator is not locked: the blobs are smeared."""
    distance, angle = draw.between(3.0, 4.5), draw.between(0, 6.28)
    turn, far = draw.between(0.5, 0.9), draw.between(5.0, 8.0)
    drawn = Blobs(distance, draw.between(0.03, 0.08), draw.between(0.8, 0.92), angle=angle)

    def shots(rng: np.random.Generator, row: int, n: int) -> NDArray[np.complex128]:
        turned = np.exp(1j * turn * np.linspace(-1, 1, n))
        return np.asarray((blobs(drawn, rng, row, n) + far * np.exp(1j * angle)) * turned)

    return Made({"shots": draw.whole(1500, 6000)}, readout_signal(shots))


def readout_jumped(draw: Draw) -> Made:
    """The signal jumps half-way: every blob appears twice."""
    angle = draw.between(0, 6.28)
    drawn = Blobs(draw.between(2.6, 4.0), draw.between(0.03, 0.1), draw.between(0.7, 0.9), angle=angle)
    at, shift = draw.between(0.3, 0.7), draw.between(4.0, 7.0) * np.exp(1j * (angle + draw.sign() * np.pi / 2))

    def shots(rng: np.random.Generator, row: int, n: int) -> NDArray[np.complex128]:
        return np.asarray(blobs(drawn, rng, row, n) + shift * (np.arange(n) > at * n))

    return Made({"shots": draw.whole(1500, 6000)}, readout_signal(shots))


KINDS = (
    Kind("drag faint", "drag_calibration", "success", drag_faint, GOOD_ONES),
    Kind("drag uneven", "drag_calibration", "success", drag_uneven, GOOD_ONES),
    Kind("drag off centre", "drag_calibration", "adjust", drag_off_centre, OTHERS),
    Kind("drag curved", "drag_calibration", "adjust", drag_curved, OTHERS),
    Kind("drag over-amplified", "drag_calibration", "adjust", drag_over_amplified, OTHERS),
    Kind("drag unsure", "drag_calibration", "bad_data", drag_unsure, OTHERS),
    Kind("drag disturbed", "drag_calibration", "bad_data", drag_disturbed, OTHERS),
    Kind("drag parallel", "drag_calibration", "wrong_setup", drag_parallel, OTHERS),
    Kind("resonator shallow", "resonator_spectroscopy", "success", resonator_shallow, GOOD_ONES),
    Kind("resonator tilted", "resonator_spectroscopy", "success", resonator_tilted, GOOD_ONES),
    Kind("resonator at the edge", "resonator_spectroscopy", "adjust", resonator_edge, OTHERS),
    Kind("resonator not in the sweep", "resonator_spectroscopy", "adjust", resonator_absent, OTHERS),
    Kind("resonator nowhere", "resonator_spectroscopy", "wrong_setup", resonator_nowhere, OTHERS),
    Kind("two resonators", "resonator_spectroscopy", "bad_data", resonator_two, OTHERS),
    Kind("resonator rippled", "resonator_spectroscopy", "bad_data", resonator_rippled, OTHERS),
    Kind("readout decayed", "readout_calibration", "success", readout_decayed, GOOD_ONES),
    Kind("readout close", "readout_calibration", "success", readout_close, GOOD_ONES),
    Kind("readout leaky", "readout_calibration", "success", readout_leaky, GOOD_ONES),
    Kind("readout with a third blob", "readout_calibration", "wrong_setup", readout_third, OTHERS),
    Kind("readout overlapping", "readout_calibration", "wrong_setup", readout_overlapping, OTHERS),
    Kind("readout unmoved", "readout_calibration", "wrong_setup", readout_unmoved, OTHERS),
    Kind("readout drifting", "readout_calibration", "bad_data", readout_drifting, OTHERS),
    Kind("readout jumped", "readout_calibration", "bad_data", readout_jumped, OTHERS),
)
