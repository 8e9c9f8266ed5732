"""The paper's four synthetic cases (k-agents, Appendix C3): 100 good and 100 bad results each.

What is good is the paper's: oscillations with one clear frequency; a clear resonator; exactly two blobs that hold most
of the shots, whatever little leaks; two lines of different trend that cross near the middle. A bad one is noise, a
drift, one blob or three, lines that are lost in noise, parallel, or cross far out, although a fit always gives a value.
"""

from __future__ import annotations

import numpy as np

from labwright.evaluation.inspection.case import Kind, Made
from labwright.evaluation.inspection.random_case_numbers import Draw
from labwright.evaluation.inspection.scripted_device import Array
from labwright.evaluation.inspection.signals import (
    Blobs,
    blobs,
    cosine,
    dip,
    drag_lines,
    rabi_signal,
    readout_signal,
    resonator_signal,
    ripple,
    wandering,
)

SPAN = 0.29  # us, of the default Rabi sweep


def rabi_good(draw: Draw) -> Made:
    """One frequency, well above the noise; it may decay."""
    rate = draw.between(3.6, 7.4) / SPAN
    contrast, low = draw.between(0.35, 0.9), draw.between(0.02, 0.1)
    life = draw.between(1.0, 10.0) * SPAN
    return Made({"shots": draw.whole(200, 1000)}, rabi_signal(lambda t: cosine(t, low, contrast, rate, life)))


def rabi_bad(draw: Draw) -> Made:
    """No frequency: shot noise alone, noise of the line, a drift, or an oscillation far below the line's noise."""
    level, noise = draw.between(0.1, 0.6), draw.between(0.06, 0.2)
    form = draw.one_of(("flat", "white", "drift", "drowned"))
    seed = draw.seed

    def probability(t: Array) -> Array:
        rng = np.random.default_rng(seed)
        flat = np.full_like(t, level)
        if form == "white":
            return np.asarray(flat + rng.normal(0, noise, len(t)))
        if form == "drift":
            return flat + wandering(len(t), noise, rng)
        if form == "drowned":
            return np.asarray(cosine(t, level, 0.05, 17.0, 1.0) + rng.normal(0, noise, len(t)))
        return flat

    return Made({"shots": draw.whole(200, 1000)}, rabi_signal(probability))


def resonator_good(draw: Draw) -> Made:
    """One dip on a level that may be tilted a little."""
    centre, width, depth = draw.between(-5, 5), draw.between(0.8, 4.0), draw.between(0.3, 0.95)
    tilt, noise = draw.between(-0.04, 0.04), depth * draw.between(0.01, 0.08)
    return Made({}, resonator_signal(lambda x: dip(x, centre, width, depth) * (1 + tilt * x / 10), noise))


def resonator_bad(draw: Draw) -> Made:
    """No dip: noise, a wandering level, or the slow ripple of a cable."""
    form, noise = draw.one_of(("noise", "drift", "ripple")), draw.between(0.03, 0.3)
    periods, phase, height = draw.between(1.2, 4.0), draw.between(0, 6.28), draw.between(0.05, 0.25)
    seed = draw.seed

    def level(x: Array) -> Array:
        if form == "drift":
            return 1 + wandering(len(x), height, np.random.default_rng(seed))
        if form == "ripple":
            return ripple(x, periods, phase, height)
        return np.ones_like(x)

    return Made({}, resonator_signal(level, 0.1 * noise if form == "ripple" else noise))


def readout_good(draw: Draw) -> Made:
    """Two blobs; up to 4 % of the shots may lie in a third."""
    drawn = Blobs(
        distance=draw.between(2.4, 5.0),
        ground=draw.between(0.02, 0.12),
        excited=draw.between(0.65, 0.95),
        third=draw.between(0.0, 0.04),
        aside=draw.between(2.5, 6.0),
        angle=draw.between(0, 6.28),
    )
    return Made({"shots": draw.whole(1000, 6000)}, readout_signal(lambda rng, row, n: blobs(drawn, rng, row, n)))


def readout_bad(draw: Draw) -> Made:
    """One blob, or a third one with much of the shots, from the pulse alone or in both preparations."""
    form = draw.one_of(("one", "three", "overdriven"))
    third = draw.between(0.18, 0.4)
    drawn = Blobs(
        distance=draw.between(0.0, 0.5) if form == "one" else draw.between(2.4, 5.0),
        ground=draw.between(0.02, 0.12),
        excited=draw.between(0.65, 0.95),
        third=0.0 if form == "one" else third,
        third_of_ground=third if form == "overdriven" else 0.0,
        aside=draw.between(2.5, 6.0),
        angle=draw.between(0, 6.28),
    )
    return Made({"shots": draw.whole(1000, 6000)}, readout_signal(lambda rng, row, n: blobs(drawn, rng, row, n)))


def drag_good(draw: Draw) -> Made:
    """Two lines that cross near the middle."""
    optimum, level = 0.75 + 1.25 * draw.between(-0.35, 0.35), draw.between(0.4, 0.55)
    rising, falling = draw.between(0.14, 0.22), -draw.between(0.14, 0.22)
    return Made({"shots": draw.whole(600, 2000)}, drag_lines(optimum, level, rising, falling))


def drag_bad(draw: Draw) -> Made:
    """Lines lost in noise, parallel ones, or a crossing far from the middle: a fit gives a value for each."""
    form = draw.one_of(("noise", "parallel", "outside"))
    optimum, level = 0.75 + 1.25 * draw.between(-0.35, 0.35), draw.between(0.4, 0.55)
    rising, falling, noise = draw.between(0.14, 0.22), -draw.between(0.14, 0.22), 0.0
    if form == "noise":
        rising, falling, noise = draw.between(0.0, 0.08), -draw.between(0.0, 0.08), draw.between(0.08, 0.2)
    elif form == "parallel":
        falling = rising * draw.between(0.97, 1.03)
    else:
        optimum, rising, falling = 0.75 + 1.25 * draw.sign() * draw.between(0.75, 1.2), rising / 2, falling / 2
    return Made({"shots": draw.whole(600, 2000)}, drag_lines(optimum, level, rising, falling, noise, draw.seed))


WRITERS = {
    "rabi": (rabi_good, rabi_bad),
    "resonator_spectroscopy": (resonator_good, resonator_bad),
    "readout_calibration": (readout_good, readout_bad),
    "drag_calibration": (drag_good, drag_bad),
}
EACH = 100
# Only `success` against the rest counts here, as in the paper; `bad_data` stands for any of the other three.
KINDS = tuple(
    [Kind(f"{name} good", name, "success", good, EACH) for name, (good, _) in WRITERS.items()]
    + [Kind(f"{name} bad", name, "bad_data", bad, EACH) for name, (_, bad) in WRITERS.items()]
)
